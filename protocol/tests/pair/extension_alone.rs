//! Lanes, logs, reports: what one frame of the host does to an extension.

use extline_protocol::frame::{Level, Panel, PanelRender, Subscribe};
use extline_protocol::{ExtensionEvent, Notice, PanelInput};

use crate::harness::{Pair, config, full_ack, zot_ack};

fn listening() -> Pair {
    let mut config = config();
    config.registrations.subscribe =
        Subscribe { events: Some(vec!["turn_start".to_owned()]), ..Subscribe::default() };
    Pair::ready(config, full_ack())
}

fn steps(pair: &Pair) -> Vec<u64> {
    let step = |event: &ExtensionEvent| match event {
        ExtensionEvent::Event(event) => event.payload.step,
        _ => None,
    };
    pair.extension_events.iter().filter_map(step).collect()
}

#[test]
fn events_come_one_at_a_time_and_calls_overtake_them() {
    let mut pair = listening();
    pair.host_writes(r#"{"type":"event","event":"turn_start","step":1}"#);
    pair.host_writes(r#"{"type":"event","event":"turn_start","step":2}"#);
    pair.host_writes(r#"{"type":"event","event":"not_asked_for","step":3}"#);
    pair.call("{}");
    pair.step();
    assert_eq!(steps(&pair), [1]);
    assert!(matches!(pair.extension_events.last(), Some(ExtensionEvent::ToolCall { .. })));
    pair.extension.event_done();
    assert!(!pair.extension.is_calm(), "an event waits");
    pair.step();
    assert_eq!(steps(&pair), [1, 2]);
    assert!(!pair.extension.is_calm(), "an event is being handled");
    pair.extension.event_done();
    pair.step();
    assert_eq!(steps(&pair), [1, 2]);
    assert!(pair.extension.is_calm(), "only the call runs");
}

#[test]
fn each_panel_is_a_lane_of_its_own() {
    let mut pair = Pair::usual();
    open_panels(&mut pair, &["a", "b"]);
    for line in [
        r#"{"type":"panel_key","panel_id":"a","key":"up"}"#,
        r#"{"type":"panel_key","panel_id":"a","key":"rune","text":"x"}"#,
        r#"{"type":"panel_resize","panel_id":"b","width":80,"height":24}"#,
        r#"{"type":"panel_close","panel_id":"a"}"#,
    ] {
        pair.host_writes(line);
    }
    let ids = |pair: &Pair| -> Vec<String> {
        let panel = |event: &ExtensionEvent| match event {
            ExtensionEvent::Panel(PanelInput::Key(key)) => Some(format!("a {}", key.key)),
            ExtensionEvent::Panel(PanelInput::Resize(size)) => Some(format!("b {}", size.width)),
            ExtensionEvent::Panel(PanelInput::Close { panel_id }) => {
                Some(format!("{panel_id} closed"))
            }
            _ => None,
        };
        pair.extension_events.iter().filter_map(panel).collect()
    };
    assert_eq!(ids(&pair), ["a up", "b 80"]);
    pair.extension.panel_done("a");
    pair.step();
    assert_eq!(ids(&pair), ["a up", "b 80", "a rune"]);
    pair.extension.panel_done("a");
    pair.extension.panel_done("b");
    pair.step();
    assert_eq!(ids(&pair).last().unwrap(), "a closed");
}

/// What goes over the wire about panels.
#[test]
fn a_panel_lives_from_its_opening_to_its_close() {
    let mut pair = Pair::usual();
    let draw = |lines: &[&str]| PanelRender {
        panel_id: "a".to_owned(),
        lines: Some(lines.iter().copied().map(str::to_owned).collect()),
        ..PanelRender::default()
    };
    assert!(!pair.extension.render_panel(draw(&["too early"])));
    let title = Some("A".to_owned());
    let footer = Some("below".to_owned());
    let panel = Panel { id: "a".to_owned(), title, footer, ..Panel::default() };
    pair.extension.open_panel(panel);
    pair.step();
    pair.clear();
    assert!(pair.extension.render_panel(draw(&["one"])));
    let other_title = PanelRender { title: Some("B".to_owned()), lines: None, ..draw(&[]) };
    assert!(pair.extension.render_panel(other_title));
    pair.step();
    let rendered = |title: &str| {
        format!(
            r#"E> {{"type":"panel_render","panel_id":"a","title":"{title}","lines":["one"],"footer":"below"}}"#
        )
    };
    assert_eq!(pair.wire, [rendered("A"), rendered("B")]);

    // The handler of the first key closes the panel: the second is dropped, and so is what follows.
    let key = r#"{"type":"panel_key","panel_id":"a","key":"up"}"#;
    pair.host_writes(key);
    pair.host_writes(key);
    pair.extension.close_panel("a");
    pair.extension.close_panel("a");
    pair.extension.panel_done("a");
    pair.step();
    let closed = r#"E> {"type":"panel_close","panel_id":"a"}"#;
    assert_eq!(pair.lines("E> ").last(), Some(&closed));
    assert_eq!(pair.extension_events.len(), 1);
    pair.clear();
    pair.host_writes(key);
    pair.host_writes(r#"{"type":"panel_close","panel_id":"a"}"#);
    pair.step();
    assert_eq!(pair.extension_events, []);
    assert!(!pair.extension.render_panel(draw(&["too late"])));
    assert!(pair.wire.iter().all(|line| line.starts_with("H> ")), "{:?}", pair.wire);

    // Closed by the host, it is closed as soon as the frame is there, and its handler is told.
    open_panels(&mut pair, &["a"]);
    pair.host_writes(key);
    pair.host_writes(r#"{"type":"panel_close","panel_id":"a"}"#);
    assert!(!pair.extension.render_panel(draw(&["crossed"])));
    pair.extension.panel_done("a");
    pair.step();
    let close = ExtensionEvent::Panel(PanelInput::Close { panel_id: "a".to_owned() });
    assert_eq!(pair.extension_events.last(), Some(&close));
}

fn open_panels(pair: &mut Pair, ids: &[&str]) {
    for id in ids {
        let panel = Panel { id: (*id).to_owned(), ..Panel::default() };
        pair.extension.open_panel(panel);
    }
    pair.step();
    pair.clear();
}

#[test]
fn wire_order_holds_among_what_may_run() {
    let mut pair = listening();
    open_panels(&mut pair, &["p"]);
    let lines = "{\"type\":\"event\",\"event\":\"turn_start\",\"step\":1}\n\
                 {\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"echo\",\"args\":{}}\n\
                 {\"type\":\"panel_key\",\"panel_id\":\"p\",\"key\":\"up\"}\n\
                 {\"type\":\"command_invoked\",\"id\":\"a\",\"name\":\"greet\"}\n";
    pair.extension.handle_input(lines.as_bytes(), pair.now);
    pair.step();
    assert!(matches!(
        &pair.extension_events[..],
        [
            ExtensionEvent::Event(_),
            ExtensionEvent::ToolCall { .. },
            ExtensionEvent::Panel(_),
            ExtensionEvent::Command { .. }
        ]
    ));
}

#[test]
fn of_too_many_events_the_oldest_go_and_are_counted() {
    let mut pair = listening();
    pair.host_writes(r#"{"type":"event","event":"turn_start","step":0}"#);
    let line = |step| format!("{{\"type\":\"event\",\"event\":\"turn_start\",\"step\":{step}}}\n");
    let lines = (1..=10_005).map(line).collect::<Vec<_>>().concat();
    pair.extension.handle_input(lines.as_bytes(), pair.now);
    pair.extension.event_done();
    pair.step();
    assert_eq!(steps(&pair), [0, 6]);
    assert!(pair.extension_events.contains(&ExtensionEvent::Notice(Notice::EventsDropped(5))));
}

#[test]
fn a_log_goes_to_the_host_or_to_stderr() {
    let mut pair = Pair::usual();
    pair.extension.log(Level::Warn, "careful", None);
    pair.step();
    assert_eq!(pair.wire, ["E> {\"type\":\"log\",\"level\":\"warn\",\"message\":\"careful\"}"]);
    let mut pair = Pair::ready(config(), zot_ack());
    pair.extension.log(Level::Warn, "careful", None);
    pair.step();
    assert_eq!(pair.wire, Vec::<String>::new());
    let Some(ExtensionEvent::Notice(notice)) = pair.extension_events.last() else { panic!() };
    assert_eq!(notice.to_string(), "warn: careful");
}

#[test]
fn logs_that_nobody_takes_are_dropped_and_counted_and_answers_are_not() {
    let mut pair = Pair::usual();
    let (_, key) = pair.open_call();
    pair.clear();
    let line = "x".repeat(100_000);
    for _ in 0..30 {
        pair.extension.log(Level::Info, line.as_str(), None);
    }
    pair.answer(&key, "done");
    let kept = pair.lines("\"log\"").len() - 1;
    assert!((10..=12).contains(&kept), "{kept}");
    assert_eq!(pair.lines("tool_result").len(), 1);
    let report = format!("{} log lines were dropped", 30 - kept);
    assert!(pair.wire.last().unwrap().contains(&report), "{:?}", pair.wire.last());
}

#[test]
fn a_report_says_what_was_not_taken() {
    let mut pair = Pair::usual();
    pair.host_writes(
        r#"{"type":"registered","tools":[],"commands":["greet"],"rejected":[{"kind":"tool","name":"echo","code":"conflict","message":"the name is taken","winner":"other"}]}"#,
    );
    let [ExtensionEvent::Notice(notice), ExtensionEvent::Registered(report)] =
        &pair.extension_events[..]
    else {
        panic!("{:?}", pair.extension_events)
    };
    assert_eq!(
        notice.to_string(),
        "the host rejected the tool echo: the name is taken (conflict); other has it"
    );
    assert_eq!(report.commands, ["greet"]);
}
