//! Who has which name: built-ins first, then extensions in load order, whatever the order in which
//! their registrations arrive.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use extline_protocol::ErrorKind;
use extline_protocol::frame::{OnFailure, Phase, Registered, Rejection, Subscribe};

use crate::offer::{Command, Tool};
use crate::point::Point;

/// The name under which built-ins win.
const HOST: &str = "the host";

/// Everything that is registered with one host.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    builtin_tools: BTreeSet<String>,
    builtin_commands: BTreeSet<String>,
    /// In load order.
    offers: Vec<Offer>,
    /// Made from the above when it is asked for.
    winners: Option<Winners>,
}

/// What one extension registered.
#[derive(Debug, Default)]
struct Offer {
    extension: String,
    tools: BTreeMap<String, Arc<Tool>>,
    /// By name in lower case.
    commands: BTreeMap<String, Arc<Command>>,
    events: BTreeSet<String>,
    intercept: BTreeSet<String>,
    guards: BTreeSet<String>,
    /// By point.
    on_failure: BTreeMap<String, OnFailure>,
    /// Registrations that cannot be used, by kind and name.
    refused: BTreeMap<(String, String), Rejection>,
    reported: Option<Registered>,
}

#[derive(Debug, Default)]
struct Winners {
    tools: BTreeMap<String, Arc<Tool>>,
    commands: BTreeMap<String, Arc<Command>>,
}

impl Registry {
    pub(crate) fn new(tools: &[String], commands: &[String]) -> Self {
        Self {
            builtin_tools: tools.iter().cloned().collect(),
            builtin_commands: commands.iter().map(|name| name.to_lowercase()).collect(),
            ..Self::default()
        }
    }

    /// Adds an extension behind the others; its index is its place in load order.
    pub(crate) fn add_extension(&mut self, extension: &str) -> usize {
        self.offers.push(Offer { extension: extension.to_owned(), ..Offer::default() });
        self.offers.len() - 1
    }

    pub(crate) fn register_tool(&mut self, tool: Tool) {
        let offer = &mut self.offers[tool.owner];
        offer.refused.remove(&("tool".to_owned(), tool.name().to_owned()));
        offer.tools.insert(tool.name().to_owned(), Arc::new(tool));
        self.winners = None;
    }

    /// Whether there was such a tool.
    pub(crate) fn unregister_tool(&mut self, owner: usize, name: &str) -> bool {
        let offer = &mut self.offers[owner];
        offer.refused.remove(&("tool".to_owned(), name.to_owned()));
        self.winners = None;
        offer.tools.remove(name).is_some()
    }

    pub(crate) fn register_command(&mut self, command: Command) {
        let offer = &mut self.offers[command.owner];
        offer.refused.remove(&("command".to_owned(), command.name().to_owned()));
        offer.commands.insert(command.name().to_lowercase(), Arc::new(command));
        self.winners = None;
    }

    /// Adds to what the extension subscribed to (`subscribe.additive`).
    pub(crate) fn subscribe(&mut self, owner: usize, subscribe: Subscribe) {
        let offer = &mut self.offers[owner];
        offer.events.extend(subscribe.events.unwrap_or_default());
        offer.intercept.extend(subscribe.intercept.unwrap_or_default());
        offer.guards.extend(subscribe.guards.unwrap_or_default());
        offer.on_failure.extend(subscribe.on_failure.unwrap_or_default());
    }

    /// Keeps a registration that cannot be used, for the report.
    pub(crate) fn refuse(&mut self, owner: usize, rejection: Rejection) {
        let offer = &mut self.offers[owner];
        // What the extension offers anew does not stand as it was before.
        if rejection.kind == "tool" {
            offer.tools.remove(&rejection.name);
            self.winners = None;
        }
        offer.refused.insert((rejection.kind.clone(), rejection.name.clone()), rejection);
    }

    /// Forgets everything the extension offered.
    pub(crate) fn remove_extension(&mut self, owner: usize) {
        let extension = std::mem::take(&mut self.offers[owner].extension);
        self.offers[owner] = Offer { extension, ..Offer::default() };
        self.winners = None;
    }

    pub(crate) fn tool(&mut self, name: &str) -> Option<Arc<Tool>> {
        self.winners().tools.get(name).cloned()
    }

    pub(crate) fn command(&mut self, name: &str) -> Option<Arc<Command>> {
        self.winners().commands.get(&name.to_lowercase()).cloned()
    }

    /// All tools in use, by name.
    pub(crate) fn tools(&mut self) -> Vec<Arc<Tool>> {
        self.winners().tools.values().cloned().collect()
    }

    /// All commands in use, by name.
    pub(crate) fn commands(&mut self) -> Vec<Arc<Command>> {
        self.winners().commands.values().cloned().collect()
    }

    /// The extensions that want an event, in load order.
    pub(crate) fn subscribers(&self, event: &str) -> Vec<usize> {
        let wants = |owner: &usize| self.offers[*owner].events.contains(event);
        (0..self.offers.len()).filter(wants).collect()
    }

    /// Who is asked at a point, in load order, and what it means when there is no usable answer
    /// (`intercept.phase-host`).
    pub(crate) fn asked(&self, point: Point, phase: &Phase) -> Vec<(usize, OnFailure)> {
        let name = point.as_str();
        let wants = |offer: &Offer| match phase {
            Phase::Guard => offer.guards.contains(name),
            _ => offer.intercept.contains(name),
        };
        let asked = self.offers.iter().enumerate().filter(|(_, offer)| wants(offer));
        asked.map(|(owner, offer)| (owner, point.on_failure(offer.on_failure.get(name)))).collect()
    }

    /// The events, intercepts and guards an extension asked for.
    pub(crate) fn subscription(&self, owner: usize) -> Subscribe {
        let offer = &self.offers[owner];
        let names = |names: &BTreeSet<String>| Some(names.iter().cloned().collect());
        Subscribe {
            events: names(&offer.events),
            intercept: names(&offer.intercept),
            guards: names(&offer.guards),
            on_failure: Some(offer.on_failure.clone()).filter(|modes| !modes.is_empty()),
        }
    }

    /// What was taken of an extension's registrations, and what not.
    pub(crate) fn report(&mut self, owner: usize) -> Registered {
        self.winners();
        let offer = &self.offers[owner];
        let mut report = Registered {
            events: offer.events.iter().cloned().collect(),
            rejected: offer.refused.values().cloned().collect(),
            ..Registered::default()
        };
        for name in offer.tools.keys() {
            match self.owner_of_tool(name) {
                Ok(winner) if winner == owner => report.tools.push(name.clone()),
                winner => report.rejected.push(self.conflict("tool", name, winner)),
            }
        }
        for (key, command) in &offer.commands {
            match self.owner_of_command(key) {
                Ok(winner) if winner == owner => report.commands.push(command.name().to_owned()),
                winner => report.rejected.push(self.conflict("command", command.name(), winner)),
            }
        }
        for name in &offer.intercept {
            match Point::named(name) {
                Some(_) => report.intercept.push(name.clone()),
                None => report.rejected.push(unserved("intercept", name)),
            }
        }
        for name in &offer.guards {
            match Point::named(name).filter(|point| point.has_guards()) {
                Some(_) => report.guards.push(name.clone()),
                None => report.rejected.push(unserved("guard", name)),
            }
        }
        report
    }

    /// The same, if it differs from what was returned here before.
    pub(crate) fn new_report(&mut self, owner: usize) -> Option<Registered> {
        let report = self.report(owner);
        let reported = &mut self.offers[owner].reported;
        let is_new = reported.as_ref() != Some(&report);
        is_new.then(|| reported.insert(report).clone())
    }

    fn winners(&mut self) -> &Winners {
        let Self { builtin_tools, builtin_commands, offers, winners } = self;
        winners.get_or_insert_with(|| {
            let mut winners = Winners::default();
            for offer in offers {
                for (name, tool) in &offer.tools {
                    if !builtin_tools.contains(name) {
                        winners.tools.entry(name.clone()).or_insert_with(|| Arc::clone(tool));
                    }
                }
                for (name, command) in &offer.commands {
                    if !builtin_commands.contains(name) {
                        winners.commands.entry(name.clone()).or_insert_with(|| Arc::clone(command));
                    }
                }
            }
            winners
        })
    }

    /// The place of the extension that has the name, or the host's own name.
    fn owner_of_tool(&self, name: &str) -> Result<usize, &'static str> {
        let tool = self.winners.as_ref().and_then(|winners| winners.tools.get(name));
        tool.map(|tool| tool.owner).ok_or(HOST)
    }

    fn owner_of_command(&self, key: &str) -> Result<usize, &'static str> {
        let command = self.winners.as_ref().and_then(|winners| winners.commands.get(key));
        command.map(|command| command.owner).ok_or(HOST)
    }

    fn conflict(&self, kind: &str, name: &str, winner: Result<usize, &str>) -> Rejection {
        let winner = winner.map_or_else(str::to_owned, |at| self.offers[at].extension.clone());
        Rejection {
            kind: kind.to_owned(),
            name: name.to_owned(),
            code: ErrorKind::Conflict,
            message: format!("{winner} has a {kind} of this name already"),
            winner: Some(winner),
        }
    }
}

/// A guard must not believe that it is asked at a point where nobody is.
fn unserved(kind: &str, point: &str) -> Rejection {
    Rejection {
        kind: kind.to_owned(),
        name: point.to_owned(),
        code: ErrorKind::Unsupported,
        message: format!("this host asks no {kind} at {point}"),
        winner: None,
    }
}

#[cfg(test)]
mod tests {
    use extline_protocol::RawJson;
    use extline_protocol::frame::{RegisterCommand, RegisterTool};
    use extline_schema::ToolSchema;

    use super::*;

    fn tool(owner: usize, name: &str) -> Tool {
        let schema = RawJson::empty_object();
        Tool {
            extension: format!("ext{owner}"),
            schema: ToolSchema::compile(&schema).unwrap(),
            definition: RegisterTool { name: name.to_owned(), schema, ..RegisterTool::default() },
            owner,
        }
    }

    fn command(owner: usize, name: &str) -> Command {
        Command {
            extension: format!("ext{owner}"),
            definition: RegisterCommand { name: name.to_owned(), ..RegisterCommand::default() },
            owner,
        }
    }

    fn two() -> Registry {
        let mut registry = Registry::new(&["read".to_owned()], &["Help".to_owned()]);
        registry.add_extension("ext0");
        registry.add_extension("ext1");
        registry
    }

    #[test]
    fn load_order_decides_not_the_order_of_arrival() {
        let mut registry = two();
        registry.register_tool(tool(1, "build"));
        assert_eq!(registry.tool("build").unwrap().extension, "ext1");
        registry.register_tool(tool(0, "build"));
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
        registry.register_tool(tool(0, "read"));
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
        registry.register_tool(tool(0, "a"));
        assert_eq!(registry.new_report(0).unwrap().tools, ["a"]);
        registry.remove_extension(0);
        assert!(registry.tools().is_empty());
    }

    #[test]
    fn a_tool_offered_anew_in_a_way_that_cannot_be_used_is_gone() {
        let mut registry = two();
        registry.register_tool(tool(0, "a"));
        let mut rejection = unserved("tool", "a");
        rejection.code = ErrorKind::Validation;
        registry.refuse(0, rejection);
        assert!(registry.tool("a").is_none());
        assert_eq!(registry.report(0).rejected.len(), 1);
        registry.register_tool(tool(0, "a"));
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
        };
        registry.subscribe(0, subscribe);
        assert_eq!(registry.subscribers("turn_start"), [0]);
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
        let asked = |phase| registry.asked(Point::ToolCall, &phase);
        assert_eq!(asked(Phase::Intercept), [(0, OnFailure::Allow), (1, OnFailure::Block)]);
        assert_eq!(asked(Phase::Guard), [(1, OnFailure::Block)]);
        assert_eq!(registry.asked(Point::TurnStart, &Phase::Intercept), []);
    }
}
