//! What the frames mean that only a fork of zot has, in the words of the specification.

use serde_json::json;

use super::words::Translated;
use crate::frame::{CallTool, UnknownFrame};
use crate::id::Id;
use crate::json::{Members, RawJson, read_member, read_string};

/// What terva answers where it keeps no secrets for an extension.
const NO_SECRETS: &str = "this host does not broker extension secrets";

/// Those of zut. An `alert` means nothing that another host has.
pub(super) fn zut(frame: &UnknownFrame) -> Option<Translated> {
    let members = Members::of(frame.raw.get())?;
    match frame.frame_type.as_str() {
        "status" => Some(status(&members, "key")),
        "widget" => {
            let mut lines: Vec<String> = members
                .last("lines")
                .and_then(|lines| read_member("lines", lines.value).ok().flatten())
                .unwrap_or_default();
            lines.splice(..0, text(&members, "title"));
            Some(shown("ui.widget", json!({"key": text(&members, "id")?, "lines": lines})))
        }
        "widget_clear" => {
            let key = text(&members, "id")?;
            Some(shown("ui.widget", json!({"key": key, "lines": null})))
        }
        _ => None,
    }
}

/// Those of terva. What its context and its connectors are, no other host has.
pub(super) fn terva(frame: &UnknownFrame) -> Option<Translated> {
    let members = Members::of(frame.raw.get())?;
    let id = || text(&members, "id");
    let answer = |value: serde_json::Value| Some(Translated::Answer(value.to_string()));
    match frame.frame_type.as_str() {
        "status_segment" => Some(status(&members, "id")),
        "host_tool_call" => Some(Translated::CallTool(CallTool {
            id: Id::from(id()?.as_str()),
            name: text(&members, "name")?,
            args: members.last("args").map_or_else(RawJson::null, |it| members.raw(Some(it.value))),
            parent_id: None,
            parent: None,
        })),
        "secret_get" => answer(
            json!({"type": "secret_value", "id": id()?, "found": false, "error": NO_SECRETS}),
        ),
        "secret_set" | "secret_delete" => {
            answer(json!({"type": "secret_ack", "id": id()?, "error": NO_SECRETS}))
        }
        "secret_list" => answer(json!({"type": "secret_keys", "id": id()?, "keys": null})),
        "list_sessions" => answer(json!({"type": "session_list", "id": id()?, "sessions": []})),
        "read_session" => answer(
            json!({"type": "session_data", "id": id()?, "messages": null, "not_found": true}),
        ),
        _ => None,
    }
}

/// A short text beside the others; an empty one takes it back.
fn status(members: &Members<'_>, key: &str) -> Translated {
    let said = text(members, "text").filter(|text| !text.is_empty());
    shown("ui.status", json!({"key": text(members, key).unwrap_or_default(), "text": said}))
}

fn shown(method: &'static str, params: serde_json::Value) -> Translated {
    Translated::Request { method, params: params.into() }
}

fn text(members: &Members<'_>, name: &str) -> Option<String> {
    read_string(members.last(name)?.value).map(std::borrow::Cow::into_owned)
}
