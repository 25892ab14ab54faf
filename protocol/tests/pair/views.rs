//! Views: sent where the host shows them, and never at the cost of what they go with.

use extline_protocol::frame::{Content, HelloAck, Panel, RegisterTool, ToolResult};
use extline_protocol::{Capabilities, Capability, Notice, RawJson, Update};

use crate::harness::{Pair, config, full_ack, tool};

const VIEW: &str = r#"{"kind":"lines","lines":["x"]}"#;

fn pair(shows_views: bool) -> Pair {
    let capabilities = Capabilities::all();
    let capabilities =
        if shows_views { capabilities } else { capabilities.without(Capability::View) };
    Pair::ready(config(), HelloAck { capabilities: Some(capabilities.names()), ..full_ack() })
}

/// What all that can have a view writes, as lines with one.
fn says(pair: &mut Pair, view: &str) -> usize {
    let view = RawJson::parse(view).ok();
    let call_view = view.clone();
    pair.extension.register_tool(&RegisterTool { call_view, ..tool("shown") }).unwrap();
    let (_, call) = pair.open_call();
    pair.extension.update(&call, Update { view: view.clone(), ..Update::default() });
    pair.step();
    pair.extension.open_panel(Panel { id: "p".to_owned(), view: view.clone(), ..Panel::default() });
    let result = ToolResult { view, ..ToolResult::new("".into(), vec![Content::text("said")]) };
    pair.extension.reply_tool(&call, result).unwrap();
    pair.step();
    assert_eq!(pair.lines("\"said\"").len(), 1, "{:?}", pair.wire);
    pair.lines("view\":{").len()
}

#[test]
fn only_a_host_that_shows_views_gets_them() {
    let mut shown = pair(true);
    assert_eq!(says(&mut shown, VIEW), 4);
    let mut plain = pair(false);
    assert_eq!(says(&mut plain, VIEW), 0);
}

#[test]
fn a_view_over_a_limit_is_left_out_and_the_author_told() {
    let long = format!(r#"{{"kind":"markdown","text":"{}"}}"#, "x".repeat(16_384));
    let deep = format!("{}{}", "[".repeat(127), "]".repeat(127));
    for view in [long, deep] {
        let mut pair = pair(true);
        assert_eq!(says(&mut pair, &view), 0);
        let told = pair.extension_events.iter().filter(|event| {
            matches!(
                event,
                extline_protocol::ExtensionEvent::Notice(Notice::NotSent {
                    frame_type: "view",
                    ..
                })
            )
        });
        assert_eq!(told.count(), 4, "{:?}", pair.extension_events);
    }
}
