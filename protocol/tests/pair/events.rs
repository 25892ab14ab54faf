//! Which events a handler is told of: the newest of what grows, and nothing that its host does not have.

use extline_protocol::frame::{Content, Event, EventMessage, EventPayload};
use extline_protocol::{ExtensionEvent, Profile};

use crate::harness::{Pair, config, full_ack, zot_ack};

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
        let what = message.unwrap_or_default();
        told.push(format!("{} {what}", event.event));
        pair.extension.event_done();
    }
}

#[test]
fn the_newest_update_stands_for_those_before_it_and_none_comes_behind_the_end() {
    let mut config = config();
    for event in ["message_start", "message_update", "message_end"] {
        config.registrations.subscribe.add("event", event);
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
