//! What becomes of a session.

use super::super::draw::draw;
use super::super::file::{Name, file};
use super::super::server::draw_server;
use super::*;
use crate::case::parse_own;
use crate::conversation::Era;

/// What is known of a kit, of another extension on an SDK, and of one written by hand.
fn all_known() -> [Known; 3] {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let hand = Known {
        tools: true,
        commands: true,
        canary: true,
        events: names(&["turn_start"]),
        points: names(&["tool_call"]),
        samples: vec![("weather".to_owned(), r#"{"city":"Rome"}"#.to_owned())],
        ..Known::default()
    };
    let sdk = Known { sdk: true, answers_commands: true, cancel: true, ..hand.clone() };
    let kit = Known { kit: true, samples: Vec::new(), ..sdk.clone() };
    [hand, sdk, kit]
}

fn text(seed: u32, number: u32, known: &Known) -> String {
    file(&Name::default(), &draw(seed, number, 40, known), known, None)
}

#[test]
fn every_session_is_a_case_and_the_same_each_time() {
    for known in &all_known() {
        for number in 1..40 {
            let text = text(5, number, known);
            let cases = parse_own("x.toml", &text).unwrap_or_else(|error| {
                panic!("{error}\n{text}");
            });
            assert!(cases[0].steps.len() > 5, "{text}");
            assert_eq!(text, self::text(5, number, known));
        }
        assert_ne!(text(5, 1, known), text(6, 1, known));
        assert_ne!(text(5, 1, known), text(5, 2, known));
    }
}

#[test]
fn every_session_of_a_client_is_a_case_and_the_same_each_time() {
    for era in Era::ALL {
        let samples = vec![(r#"a "sum"\now"#.to_owned(), r#"{"a":1,"b":2}"#.to_owned())];
        let known = &Known { server: Some(era), samples, ..Known::default() };
        let drawn = (1..80).flat_map(|number| draw_server(5, number, 20, known, era).moves);
        let called = drawn.filter_map(|one| match one.what {
            What::Message(message) if message.kind == "call of a tool" => Some(message.line),
            _ => None,
        });
        let called: Vec<serde_json::Value> =
            called.map(|line| serde_json::from_str(&line).unwrap()).collect();
        assert!(called.len() > 5);
        assert!(called.iter().all(|call| call["params"]["name"] == r#"a "sum"\now"#));
        for number in 1..80 {
            let text = text(5, number, known);
            let cases = parse_own("x.toml", &text).unwrap_or_else(|error| {
                panic!("{error}\n{text}");
            });
            assert!(cases[0].steps.len() > 5, "{text}");
            assert_eq!(text, self::text(5, number, known));
        }
        assert_ne!(text(5, 1, known), text(5, 2, known));
    }
}

#[test]
fn a_session_is_the_same_on_every_machine() {
    let known = &all_known()[0];
    let script = script(&draw(7, 1, 3, known), known);
    let drawn = [
        r"{ line = '{}' }",
        r#"{ line = '{"type":"a_later_é","id":"x"}' }"#,
        r#"{ line = '{"type":"tool_call","id":"\"\\ 1","name":"extline_nobody_registered_one","args":{}}' }"#,
        r#"{ expect = '{"type":"tool_result","id":"\"\\ 1","is_error":true}' }"#,
        r"{ canary = 1 }",
        r#"{ raw = '{"type":"tool_call","id":"last","name":"extline_nobody_registered_one","args":{}}' }"#,
        r"{ wait_ms = 1 }",
        r#"{ close = "stdin" }"#,
        r"{ exit = { nothing_left = true } }",
    ];
    assert_eq!(script.steps, drawn, "a seed that somebody noted draws something else now");
}

#[test]
fn an_answer_is_due_when_what_it_waits_for_has_come() {
    use super::super::moves::Move;
    let known = &all_known()[2];
    let call = |id: &str, name: &str, args: &str| {
        let tool = Tool::Named { name: name.to_owned(), args: args.to_owned() };
        Move::plain(What::Call { id: id.to_owned(), tool })
    };
    let sync = || Move::plain(What::Sync);
    let name = r#"{"name":"h"}"#;
    let moves = vec![
        call("1", "hold", name),
        call("2", "await_cancel", "{}"),
        sync(),
        call("3", "release", name),
        sync(),
        Move::plain(What::Cancel { id: "2".to_owned() }),
    ];
    let session = Session { start: Start::default(), moves, end: End::Shutdown };
    let steps = script(&session, known).steps;
    let place = |part: &str| steps.iter().position(|step| step.contains(part)).unwrap();
    let canaries: Vec<_> = (0..steps.len()).filter(|at| steps[*at].contains("canary")).collect();
    let [first, second, third] = canaries[..] else { panic!("{steps:#?}") };
    let answer = |id: &str| place(&format!(r#"{{"type":"tool_result","id":"{id}""#));
    assert!((first..second).contains(&answer("1")), "{steps:#?}");
    assert!((first..second).contains(&answer("3")), "{steps:#?}");
    assert!((second..third).contains(&answer("2")), "{steps:#?}");
    let without_release =
        Session { moves: session.moves.iter().take(3).cloned().collect(), ..session };
    let steps = script(&without_release, known).steps;
    // Only at the end, where everything open is answered as cancelled.
    let at = |part: &str| steps.iter().rposition(|step| step.contains(part)).unwrap();
    assert!(at(r#""id":"1""#) > at("exit = "), "{steps:#?}");
}

#[test]
fn what_is_asked_of_the_host_comes_before_it_answers_and_what_is_drawn_in_order() {
    use super::super::asks::Said;
    use super::super::moves::Move;
    use super::super::panel::Panel;
    let known = &all_known()[2];
    let plain = Move::plain;
    let ask = |id: &str| {
        let id = id.to_owned();
        plain(What::Ask { id, tool: "read", args: "{}".to_owned() })
    };
    let reply = |ask: &str| {
        let (ask, said) = (ask.to_owned(), Said::Text("x".to_owned()));
        plain(What::Reply { ask, said })
    };
    let press = |key, text: &str| plain(What::Panel(Panel::Key { key, text: text.to_owned() }));
    let open = || Panel::Open { id: "p".to_owned(), title: "T".to_owned() };
    let moves = vec![
        reply("none"),
        ask("1"),
        ask("2"),
        reply("2"),
        plain(What::Panel(open())),
        press("rune", "a"),
        press("rune", "!"),
        press("enter", ""),
        plain(What::Panel(Panel::Close)),
        press("rune", "b"),
    ];
    let start = Start { capabilities: Some(vec!["call_tool"]), chunk: None };
    let session = Session { start, moves, end: End::Shutdown };
    let steps = script(&session, known).steps;
    let text = steps.join("\n");
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} in {text}"));
    let places = [
        r#"expect = '{"type":"call_tool","id":"1","name":"read","args":{},"parent_id":"1"}"#,
        r#"expect = '{"type":"call_tool","id":"2","name":"read","args":{},"parent_id":"2"}"#,
        r#"line = '{"type":"tool_result","id":"2","name":"read""#,
        r#"frame = '{"type":"command_response","id":"p","action":"open_panel""#,
        r#"line = '{"type":"panel_close""#,
        r#"expect = '{"type":"tool_result","id":"2","content":[{"type":"text","text":"x"}]}"#,
        r#"expect = '{"type":"notify","message":"closed"}"#,
        "exit = ",
        r#"expect = '{"type":"tool_result","id":"1"}"#,
    ];
    assert!(places.is_sorted_by_key(|part| place(part)), "{text}");
    // The host closed it before it waited for what was drawn.
    assert!(!text.contains("frame = '{\"type\":\"panel_render\""), "{text}");
    let mut moves = session.moves;
    moves.truncate(8);
    let steps = script(&Session { start: session.start, moves, end: End::Shutdown }, known);
    let drawn: Vec<_> =
        steps.steps.iter().filter(|step| step.contains("\"panel_render\"")).collect();
    let render = |text: &str| {
        format!(
            r#"{{ frame = '{{"type":"panel_render","panel_id":"keys","title":"T","lines":["{text}"],"footer":"type"}}' }}"#
        )
    };
    assert_eq!(drawn, [&render("a"), &render("a/")]);
}
