//! Names and points, without a process.

use extline_protocol::frame::{
    Event, EventFilter, EventPayload, Execution, OnFailure, Phase, RegisterCommand, RegisterTool,
    Subscribe,
};
use extline_protocol::{ErrorKind, Profile, RawJson};

use super::point::Point;
use super::report::unserved;
use super::*;
use crate::tool::HOST;

fn tool(owner: usize, name: &str) -> Tool {
    let schema = RawJson::empty_object();
    let definition = RegisterTool { name: name.to_owned(), schema, ..RegisterTool::default() };
    Tool::of_extension(&format!("ext{owner}"), owner, definition, None, &Profile::spec()).unwrap()
}

fn command(owner: usize, name: &str) -> Command {
    Command {
        extension: format!("ext{owner}"),
        definition: RegisterCommand { name: name.to_owned(), ..RegisterCommand::default() },
        owner,
    }
}

fn two() -> Registry {
    let mut registry = Registry::new(&["read".to_owned()], &[], &["Help".to_owned()]);
    registry.add_extension("ext0");
    registry.add_extension("ext1");
    registry
}

#[test]
fn load_order_decides_not_the_order_of_arrival() {
    let mut registry = two();
    registry.register_tool(1, tool(1, "build"));
    assert_eq!(registry.tool("build").unwrap().extension, "ext1");
    registry.register_tool(0, tool(0, "build"));
    assert_eq!(registry.tool("build").unwrap().extension, "ext0");
    let report = registry.report(1);
    assert_eq!(report.tools, [""; 0]);
    assert_eq!(report.rejected[0].winner.as_deref(), Some("ext0"));
    assert_eq!(report.rejected[0].code, ErrorKind::Conflict);
    registry.unregister_tool(0, "build");
    assert_eq!(registry.report(1).tools, ["build"]);
}

#[test]
fn built_ins_win() {
    let mut registry = two();
    registry.register_tool(0, tool(0, "read"));
    registry.register_command(command(0, "HELP"));
    assert!(registry.tool("read").is_none());
    assert!(registry.command("help").is_none());
    let winners: Vec<_> = registry.report(0).rejected.into_iter().map(|r| r.winner).collect();
    assert_eq!(winners, [Some(HOST.to_owned()), Some(HOST.to_owned())]);
}

#[test]
fn commands_are_matched_without_regard_to_case() {
    let mut registry = two();
    registry.register_command(command(0, "Deploy"));
    registry.register_command(command(1, "dePLOY"));
    assert_eq!(registry.command("DEPLOY").unwrap().name(), "Deploy");
    assert_eq!(registry.report(1).rejected[0].name, "dePLOY");
}

#[test]
fn a_report_is_new_when_something_changed() {
    let mut registry = two();
    assert!(registry.new_report(0).is_some());
    assert!(registry.new_report(0).is_none());
    registry.register_tool(0, tool(0, "a"));
    assert_eq!(registry.new_report(0).unwrap().tools, ["a"]);
    // The same name, but perhaps another schema.
    registry.register_tool(0, tool(0, "a"));
    assert!(registry.new_report(0).is_some());
    assert!(registry.new_report(0).is_none());
    registry.remove_extension(0);
    assert!(registry.tools().is_empty());
}

#[test]
fn a_tool_offered_anew_in_a_way_that_cannot_be_used_is_gone() {
    let mut registry = two();
    registry.register_tool(0, tool(0, "a"));
    let mut rejection = unserved("tool", "a");
    rejection.code = ErrorKind::Validation;
    registry.refuse(0, rejection);
    assert!(registry.tool("a").is_none());
    assert_eq!(registry.report(0).rejected.len(), 1);
    registry.register_tool(0, tool(0, "a"));
    assert!(registry.report(0).rejected.is_empty());
}

#[test]
fn points_are_taken_where_somebody_is_asked_and_the_others_reported() {
    let mut registry = two();
    let names = |names: &[&str]| Some(names.iter().map(ToString::to_string).collect());
    let subscribe = Subscribe {
        events: names(&["turn_start"]),
        intercept: names(&["tool_call", "moon_phase", "before_agent_start"]),
        guards: names(&["turn_start", "tool_call"]),
        on_failure: None,
        filters: None,
    };
    registry.subscribe(0, subscribe);
    let turn = Event { event: "turn_start".to_owned(), payload: EventPayload::default() };
    assert_eq!(registry.subscribers(&turn), [0]);
    let report = registry.report(0);
    assert_eq!(report.events, ["turn_start"]);
    assert_eq!(report.intercept, ["before_agent_start", "tool_call"]);
    assert_eq!(report.guards, ["tool_call"]);
    let rejected = report.rejected.iter().map(|it| (&*it.kind, &*it.name, &it.code));
    let unsupported = &ErrorKind::Unsupported;
    assert_eq!(
        rejected.collect::<Vec<_>>(),
        [("intercept", "moon_phase", unsupported), ("guard", "turn_start", unsupported)]
    );

    // A further subscribe adds to what was asked for before.
    let subscribe = Subscribe { events: names(&["turn_end"]), ..Subscribe::default() };
    registry.subscribe(0, subscribe);
    let report = registry.report(0);
    assert_eq!(report.events, ["turn_end", "turn_start"]);
    assert_eq!((report.intercept.len(), &*report.guards), (2, &["tool_call".to_owned()][..]));
}

#[test]
fn each_phase_asks_those_who_listed_the_point_in_load_order() {
    let mut registry = two();
    let tool_call = || Some(vec!["tool_call".to_owned()]);
    let allow = [("tool_call".to_owned(), OnFailure::Allow)].into();
    for (owner, on_failure) in [(1, None), (0, Some(allow))] {
        let intercept = tool_call();
        registry.subscribe(owner, Subscribe { intercept, on_failure, ..Subscribe::default() });
    }
    registry.subscribe(1, Subscribe { guards: tool_call(), ..Subscribe::default() });
    let listed = |phase| all_listed(&registry, Point::ToolCall, &phase);
    let asked = |owner, on_failure| Listed { owner, on_failure, standing: Standing::Asked };
    let (allow, block) = (OnFailure::Allow, OnFailure::Block);
    assert_eq!(listed(Phase::Intercept), [asked(0, allow), asked(1, block.clone())]);
    assert_eq!(listed(Phase::Guard), [asked(1, block)]);
    assert_eq!(all_listed(&registry, Point::TurnStart, &Phase::Intercept), []);
}

#[test]
fn a_promise_outlives_its_extension_until_it_is_ready_again() {
    let points = |names: &[&str]| Some(names.iter().map(ToString::to_string).collect());
    let subscribe = || Subscribe {
        intercept: points(&["tool_call", "turn_start", "assistant_message"]),
        guards: points(&["tool_call"]),
        on_failure: Some([("turn_start".to_owned(), OnFailure::Block)].into()),
        ..Subscribe::default()
    };
    let mut registry = two();
    registry.subscribe(0, subscribe());
    assert!(registry.closed_points(0).is_empty());
    registry.remove_extension(0);
    let gone = [Listed { owner: 0, on_failure: OnFailure::Block, standing: Standing::Away }];
    assert_eq!(all_listed(&registry, Point::ToolCall, &Phase::Guard), gone);
    assert_eq!(all_listed(&registry, Point::TurnStart, &Phase::Intercept), gone);
    // An interceptor that promised nothing is only missed.
    assert_eq!(all_listed(&registry, Point::ToolCall, &Phase::Intercept), []);
    assert_eq!(registry.closed_points(0), ["tool_call", "turn_start"]);
    // It starts again and subscribes to less, but is not ready; then it dies once more.
    for _ in 0..2 {
        registry.subscribe(0, Subscribe { guards: points(&[]), ..Subscribe::default() });
        assert_eq!(all_listed(&registry, Point::ToolCall, &Phase::Guard), gone);
        registry.remove_extension(0);
    }
    registry.subscribe(0, subscribe());
    registry.settle(0);
    assert_eq!(all_listed(&registry, Point::ToolCall, &Phase::Guard)[0].standing, Standing::Asked);
    assert!(registry.closed_points(0).is_empty());
}

fn all_listed(registry: &Registry, point: Point, phase: &Phase) -> Vec<Listed> {
    let owners = registry.listed(point, phase).into_iter();
    owners.filter_map(|owner| registry.listed_of(owner, point, phase)).collect()
}

/// How the first extension stands as a guard, and what that means for a call.
fn guard_of_first(registry: &Registry) -> Option<(Standing, OnFailure)> {
    let listed = registry.listed_of(0, Point::ToolCall, &Phase::Guard)?;
    Some((listed.standing, listed.on_failure))
}

fn guards() -> Subscribe {
    Subscribe { guards: Some(vec!["tool_call".to_owned()]), ..Subscribe::default() }
}

#[test]
fn a_declared_guard_is_closed_until_it_is_subscribed() {
    use OnFailure::Block;
    let tool_call = || vec!["tool_call".to_owned()];
    for in_manifest in [true, false] {
        let mut registry = two();
        if in_manifest {
            registry.declare_in_manifest(0, &tool_call());
        } else {
            registry.declare_in_hello(0, tool_call());
        }
        let away = Some((Standing::Away, Block));
        assert_eq!(guard_of_first(&registry), away);
        // Its ready is overdue, and then it dies.
        registry.use_what_is_registered(0);
        assert_eq!(guard_of_first(&registry), away);
        registry.remove_extension(0);
        assert_eq!(guard_of_first(&registry), away);
        assert_eq!(registry.closed_points(0), ["tool_call"]);
        // The next process declares nothing in its hello and is overdue too.
        registry.use_what_is_registered(0);
        assert_eq!(guard_of_first(&registry), away);
        registry.subscribe(0, guards());
        assert_eq!(guard_of_first(&registry), Some((Standing::Asked, Block)));
        // And the one after it is ready without a guard.
        registry.remove_extension(0);
        registry.settle(0);
        let declared_in = "extension.json";
        let missing = in_manifest.then_some((Standing::Missing { declared_in }, Block));
        assert_eq!(guard_of_first(&registry), missing);
        registry.take_away(0);
        assert_eq!(guard_of_first(&registry), None);
    }
}

#[test]
fn unclear_guards_are_closed_until_a_subscribe_names_guards() {
    let mut registry = two();
    registry.guards_are_unclear(0, "why".to_owned());
    let unclear = Some((Standing::Unclear("why".to_owned()), OnFailure::Block));
    registry.settle(0);
    assert_eq!(guard_of_first(&registry), unclear);
    registry.subscribe(0, Subscribe::default());
    assert_eq!(guard_of_first(&registry), unclear);
    registry.remove_extension(0);
    assert_eq!(guard_of_first(&registry), Some((Standing::Away, OnFailure::Block)));
    registry.guards_are_unclear(0, "why".to_owned());
    registry.subscribe(0, guards());
    registry.settle(0);
    assert_eq!(guard_of_first(&registry), Some((Standing::Asked, OnFailure::Block)));
    // An interceptor is none of this.
    registry.guards_are_unclear(1, "why".to_owned());
    assert_eq!(registry.listed_of(1, Point::ToolCall, &Phase::Intercept), None);
    assert_eq!(registry.listed_of(1, Point::TurnStart, &Phase::Guard), None);
}

#[test]
fn of_two_processes_that_died_the_strict_one_counts() {
    let allow = || Some([("tool_call".to_owned(), OnFailure::Allow)].into());
    for (first, second) in [(allow(), None), (None, allow())] {
        let mut registry = two();
        for on_failure in [first, second] {
            registry.subscribe(0, Subscribe { on_failure, ..guards() });
            registry.remove_extension(0);
        }
        assert_eq!(guard_of_first(&registry), Some((Standing::Away, OnFailure::Block)));
    }
}

#[test]
fn what_a_person_leaves_unguarded_passes_only_where_nobody_can_be_asked() {
    let mut registry = two();
    registry.leave_unguarded(0);
    registry.declare_in_manifest(0, &["tool_call".to_owned()]);
    assert_eq!(guard_of_first(&registry), Some((Standing::Away, OnFailure::Allow)));
    assert!(registry.closed_points(0).is_empty());
    registry.subscribe(0, guards());
    registry.settle(0);
    assert_eq!(guard_of_first(&registry), Some((Standing::Asked, OnFailure::Block)));
}

#[test]
fn a_guard_that_lets_pass_when_it_fails_closes_nothing_when_it_dies() {
    let mut registry = two();
    let tool_call = || "tool_call".to_owned();
    let on_failure = Some([(tool_call(), OnFailure::Allow)].into());
    let guards = Some(vec![tool_call()]);
    registry.subscribe(0, Subscribe { guards, on_failure, ..Subscribe::default() });
    registry.remove_extension(0);
    let listed = all_listed(&registry, Point::ToolCall, &Phase::Guard);
    assert_eq!(
        listed,
        [Listed { owner: 0, on_failure: OnFailure::Allow, standing: Standing::Away }]
    );
    assert!(registry.closed_points(0).is_empty());
}

#[test]
fn a_sequential_tool_that_is_offered_anew_keeps_the_turn_of_its_calls() {
    let sequential = || {
        let mut definition = tool(0, "a").definition;
        definition.execution = Some(Execution::Sequential);
        Tool::of_extension("ext0", 0, definition, None, &Profile::spec()).unwrap()
    };
    let mut registry = two();
    registry.register_tool(0, sequential());
    let turn = registry.tool("a").unwrap().turn.clone().unwrap();
    let held = Arc::clone(&turn).try_acquire_owned().unwrap();
    registry.register_tool(0, sequential());
    let again = registry.tool("a").unwrap().turn.clone().unwrap();
    assert!(again.try_acquire().is_err());
    drop(held);
    assert!(again.try_acquire().is_ok());
    registry.register_tool(0, tool(0, "a"));
    assert!(registry.tool("a").unwrap().turn.is_none());
}

#[test]
fn an_extension_that_is_started_again_keeps_its_names() {
    let mut registry = two();
    let owner_of = |registry: &mut Registry, name: &str| {
        registry.tool(name).map(|tool| tool.extension.clone())
    };
    for name in ["a", "b"] {
        registry.register_tool(0, tool(0, name));
        registry.register_tool(1, tool(1, name));
    }
    registry.register_command(command(0, "Deploy"));
    registry.register_command(command(1, "deploy"));
    // It dies, starts again and dies on the way up: what it had when it was ready counts.
    for _ in 0..2 {
        registry.keep_names(0);
        registry.remove_extension(0);
        assert!(registry.is_restarting(0));
        registry.register_tool(0, tool(0, "a"));
        for name in ["a", "b"] {
            assert_eq!(owner_of(&mut registry, name).as_deref(), Some("ext0"));
        }
        assert_eq!(registry.command("DEPLOY").unwrap().owner, 0);
        assert_eq!(registry.report(1).rejected.len(), 3);
    }
    // Ready again, with one tool less and without the command.
    registry.settle(0);
    assert!(!registry.is_restarting(0));
    assert_eq!(owner_of(&mut registry, "a").as_deref(), Some("ext0"));
    assert_eq!(owner_of(&mut registry, "b").as_deref(), Some("ext1"));
    assert_eq!(registry.command("deploy").unwrap().owner, 1);
    registry.keep_names(0);
    registry.remove_extension(0);
    registry.let_go_of_names(0);
    assert_eq!(owner_of(&mut registry, "a").as_deref(), Some("ext1"));
}

#[test]
fn a_filter_narrows_what_nobody_wanted_whole_and_two_of_them_add_up() {
    let mut registry = two();
    let events = |names: &[&str]| Some(names.iter().map(ToString::to_string).collect());
    let subscribe = |event: &str, tools: &[&str]| {
        let filter = EventFilter { tools: events(tools) };
        let filters = Some(BTreeMap::from([(event.to_owned(), filter)]));
        Subscribe { events: events(&[event, event]), filters, ..Subscribe::default() }
    };
    let hears = |registry: &Registry, event: &str, tool: &str| {
        let tool_name = Some(tool.to_owned());
        let payload = EventPayload { tool_name, ..EventPayload::default() };
        !registry.subscribers(&Event { event: event.to_owned(), payload }).is_empty()
    };
    registry.subscribe(0, subscribe("tool_result", &["bash"]));
    registry.subscribe(0, subscribe("tool_result", &["read"]));
    let told = ["bash", "read", "edit"].map(|tool| hears(&registry, "tool_result", tool));
    assert_eq!(told, [true, true, false]);

    registry.subscribe(0, Subscribe { events: events(&["tool_call"]), ..Subscribe::default() });
    registry.subscribe(0, subscribe("tool_call", &["bash"]));
    assert!(hears(&registry, "tool_call", "edit"));
    registry.subscribe(0, Subscribe { events: events(&["tool_result"]), ..Subscribe::default() });
    assert!(hears(&registry, "tool_result", "edit"));
}
