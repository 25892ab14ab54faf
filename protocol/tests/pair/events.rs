//! Which events a handler is told of: those that its filter fits, and the newest of what grows.

use extline_protocol::frame::{Content, Event, EventFilter, EventMessage, EventPayload, HelloAck};
use extline_protocol::{ExtensionEvent, Profile};

use crate::harness::{Pair, config, full_ack, zot_ack};

fn about(event: &str, tool: &str) -> Event {
    let payload = EventPayload { tool_name: Some(tool.to_owned()), ..EventPayload::default() };
    Event { event: event.to_owned(), payload }
}

fn of_message(event: &str, text: &str) -> Event {
    let message = EventMessage::of("assistant", vec![Content::text(text)]);
    let payload = EventPayload::default().with_message(&message);
    Event { event: event.to_owned(), payload }
}

/// What the handlers are told of, each as soon as the one before is done.
fn told(pair: &mut Pair) -> Vec<String> {
    let mut told = Vec::new();
    loop {
        pair.step();
        let Some(ExtensionEvent::Event(event)) = pair.extension_events.pop() else { return told };
        let message = event.payload.message().map(|message| message.text());
        let what = event.payload.tool_name.or(message).unwrap_or_default();
        told.push(format!("{} {what}", event.event));
        pair.extension.event_done();
    }
}

#[test]
fn a_filter_holds_under_every_host_and_is_written_to_those_that_know_it() {
    let unfiltering = HelloAck { capabilities: Some(vec!["tools".to_owned()]), ..full_ack() };
    for (ack, is_written) in [(full_ack(), true), (unfiltering, false), (zot_ack(), false)] {
        let mut config = config();
        let tools = vec!["bash".to_owned(), "mcp_*".to_owned()];
        let filter = EventFilter::of_tools("tool_result", tools).unwrap();
        config.registrations.subscribe.listen("tool_result", Some(&filter));
        config.registrations.subscribe.listen("tool_call", None);
        let mut pair = Pair::new(config, ack);
        pair.step();
        pair.extension.ready();
        pair.step();
        let filters = r#""filters":{"tool_result":{"tools":["bash","mcp_*"]}}"#;
        assert_eq!(pair.lines("subscribe").concat().contains(filters), is_written);
        pair.clear();
        for tool in ["read", "bash", "mcp_search"] {
            pair.host.send_event(&about("tool_call", tool));
            pair.host.send_event(&about("tool_result", tool));
        }
        assert_eq!(
            told(&mut pair),
            [
                "tool_call read",
                "tool_call bash",
                "tool_result bash",
                "tool_call mcp_search",
                "tool_result mcp_search"
            ]
        );
    }
}

#[test]
fn the_newest_update_stands_for_those_before_it_and_none_comes_behind_the_end() {
    let mut config = config();
    for event in ["message_start", "message_update", "message_end"] {
        config.registrations.subscribe.listen(event, None);
    }
    let mut pair = Pair::ready(config, full_ack());
    pair.host.send_event(&of_message("message_start", ""));
    pair.step();
    for length in 1..=20_000 {
        pair.host.send_event(&of_message("message_update", &length.to_string()));
    }
    pair.host.send_event(&of_message("message_end", "all"));
    pair.host.send_event(&of_message("message_update", "a"));
    pair.host.send_event(&of_message("message_update", "b"));
    assert_eq!(
        told(&mut pair),
        ["message_start ", "message_update 20000", "message_end all", "message_update b"]
    );
}

#[test]
fn a_zot_says_nothing_of_what_came_later() {
    let named = |name: &str| Profile::named(name).unwrap();
    let sent = |profile: Profile| {
        let mut pair = Pair::like(profile, config(), zot_ack());
        pair.step();
        pair.extension.ready();
        pair.pass_ms(1_000);
        pair.clear();
        let payload = EventPayload { message_count: Some(3), ..EventPayload::default() };
        let payload = payload.with_trigger(&"overflow".to_owned());
        for event in ["pre_compact", "agent_start"] {
            pair.host.send_event(&Event { event: event.to_owned(), payload: payload.clone() });
        }
        pair.step();
        pair.lines("event").join("\n")
    };
    assert_eq!(sent(named("zot-0.1.62")), "");
    let upstream = r#"H> {"type":"event","event":"pre_compact","message_count":3}"#;
    assert_eq!(sent(named("zot-37c7945")), upstream);
    assert!(sent(named("spec")).contains(r#""event":"agent_start""#));
}
