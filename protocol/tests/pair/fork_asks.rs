//! What an author asks for under a fork of zot, which has frames of its own for it (`fork.asks`).

use extline_protocol::frame::Content;
use extline_protocol::{ErrorKind, ExtensionEvent, HostEvent, Profile, RawJson};

use crate::forks::ready;

/// What the host got for a request of the extension's, and what the author got.
fn shown(
    profile: Profile,
    method: &str,
    params: &str,
) -> (Vec<String>, Result<RawJson, ErrorKind>) {
    let mut pair = ready(profile);
    pair.clear();
    let params = RawJson::parse(params).unwrap();
    let asked = pair.extension.request(None, method, Some(params), Some(1000), pair.now);
    let key = match asked {
        Ok(key) => key,
        Err(refused) => return (Vec::new(), Err(refused.kind())),
    };
    let answer = std::iter::from_fn(|| pair.extension.poll_event()).find_map(|event| match event {
        ExtensionEvent::Response { key: answered, result } if answered == key => Some(result),
        _ => None,
    });
    let mut bytes = Vec::new();
    pair.extension.poll_output(pair.now, &mut bytes);
    pair.host.handle_input(&bytes, pair.now);
    let lines = String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect();
    let answer = answer.expect("the session answers where the fork does not");
    if answer.is_ok() {
        let is_heard = |event: HostEvent| matches!(event, HostEvent::Request { request, .. } if request.method == method);
        assert!(std::iter::from_fn(|| pair.host.poll_event()).any(is_heard), "our host knows it");
    }
    (lines, answer.map_err(|error| error.code))
}

#[test]
fn what_an_extension_asks_for_is_the_frame_that_its_fork_has() {
    let done = || Ok(RawJson::empty_object());
    let line = |line: &str| vec![line.to_owned()];
    for (profile, method, params, frame) in [
        (
            Profile::terva(),
            "ui.status",
            r#"{"key":"build","text":"3 of \"5\""}"#,
            r#"{"type":"status_segment","id":"build","text":"3 of \"5\""}"#,
        ),
        (
            Profile::terva(),
            "ui.status",
            r#"{ "text" : null, "key" : "build" }"#,
            r#"{"type":"status_segment","id":"build","text":""}"#,
        ),
        (
            Profile::zut(),
            "ui.status",
            r#"{"key":"p","text":"2/4"}"#,
            r#"{"type":"status","key":"p","text":"2/4"}"#,
        ),
        (
            Profile::zut(),
            "ui.widget",
            r#"{"key":"plan","lines":["parse","print"],"placement":"below"}"#,
            r#"{"type":"widget","id":"plan","lines":["parse","print"]}"#,
        ),
        (
            Profile::zut(),
            "ui.widget",
            r#"{"key":"plan","lines":null}"#,
            r#"{"type":"widget_clear","id":"plan"}"#,
        ),
    ] {
        assert_eq!(shown(profile, method, params), (line(frame), done()));
    }
    // What cannot be shown is not written, and the author hears of it.
    for (profile, method, params) in [
        (Profile::terva(), "ui.status", "[]"),
        (Profile::terva(), "ui.status", r#"{"text":"no key"}"#),
        (Profile::terva(), "ui.status", r#"{"key":"k","text":5}"#),
        (Profile::zut(), "ui.widget", r#"{"key":"k","lines":"one"}"#),
        (Profile::zut(), "ui.widget", r#"{"key":"k"}"#),
    ] {
        assert_eq!(shown(profile, method, params), (Vec::new(), Err(ErrorKind::Validation)));
    }
    let long = format!(r#"{{"key":"k","text":"{}"}}"#, "x".repeat(4 * 1024 * 1024));
    assert_eq!(shown(Profile::terva(), "ui.status", &long), (Vec::new(), Err(ErrorKind::TooLarge)));
    // What a fork has no frame for is refused at the author's line, as is everything under ncode.
    for (profile, method) in [
        (Profile::terva(), "ui.widget"),
        (Profile::terva(), "ui.confirm"),
        (Profile::zut(), "ui.title"),
        (Profile::ncode(), "ui.status"),
    ] {
        let refused = (Vec::new(), Err(ErrorKind::Unsupported));
        assert_eq!(shown(profile, method, r#"{"key":"k","text":"t"}"#), refused);
    }
}

#[test]
fn an_extension_calls_the_tools_of_a_terva() {
    let mut pair = ready(Profile::terva());
    pair.clear();
    let args = RawJson::parse(r#"{"a":1}"#).unwrap();
    let key = pair.extension.call_tool(None, "read", args, pair.now).unwrap();
    pair.step();
    let id = key.id();
    let frame =
        format!(r#"{{"type":"host_tool_call","id":"{id}","name":"read","args":{{"a":1}}}}"#);
    assert_eq!(pair.lines("host_tool_call"), [format!("E> {frame}")]);
    pair.host_writes(&format!(
        r#"{{"type":"host_tool_result","id":"{id}","content":[{{"type":"text","text":"done"}}],"is_error":true}}"#
    ));
    let done = pair.extension_events.iter().find_map(|event| match event {
        ExtensionEvent::CallToolDone { key: done, result } if *done == key => Some(result.clone()),
        _ => None,
    });
    let done = done.unwrap();
    assert_eq!((done.content, done.is_error), (vec![Content::text("done")], true));
    // It has no word for a call that is not wanted any more.
    let key = pair.extension.call_tool(None, "read", RawJson::empty_object(), pair.now).unwrap();
    pair.step();
    pair.clear();
    pair.extension.cancel_outgoing(&key);
    pair.step();
    assert!(pair.lines("cancel").is_empty());
    // A zut lets nobody call a tool.
    let mut pair = ready(Profile::zut());
    let refused = pair.extension.call_tool(None, "read", RawJson::empty_object(), pair.now);
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unsupported);
}
