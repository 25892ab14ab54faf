//! What a fork of zot has by frames of its own: the author asks by method, as everywhere, and the
//! session writes the frame. The fork answers none of them, so the session does.

use std::time::Instant;

use super::{ExtensionEvent, ExtensionSession};
use crate::capability::Capability;
use crate::error_kind::ErrorKind;
use crate::frame::{CallToolResult, ForkToolResult, HelloAck, Object, RpcError, UnknownFrame};
use crate::json::{Members, RawJson, read_member, write_string};
use crate::session::CallKey;

const STATUS: &str = "ui.status";
const WIDGET: &str = "ui.widget";

/// A fork whose frames mean the same as methods and calls of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fork {
    Zut,
    Terva,
}

impl Fork {
    /// The fork that says who it is.
    fn of(ack: &HelloAck) -> Option<Self> {
        match ack.host_name() {
            "zut" if ack.is_of_fork() => Some(Self::Zut),
            "terva" if ack.is_of_fork() => Some(Self::Terva),
            _ => None,
        }
    }

    /// The methods that it has by frames.
    const fn methods(self) -> &'static [&'static str] {
        match self {
            Self::Zut => &[STATUS, WIDGET],
            Self::Terva => &[STATUS],
        }
    }

    /// The line that means the method, or what is wrong with the parameters.
    fn line(self, method: &str, params: Option<&RawJson>) -> Result<String, String> {
        let wrong = |what: &str| format!("{method}: {what}");
        let members = params.and_then(|params| Members::of(params.get()));
        let members = members.ok_or_else(|| wrong("the parameters are no object"))?;
        let raw = |name: &str| members.last(name).map(|member| member.value);
        let key = raw("key").and_then(|raw| read_member::<String>("key", raw).ok().flatten());
        let key = key.filter(|key| !key.is_empty()).ok_or_else(|| wrong("key is no text"))?;
        if method == WIDGET {
            let lines = raw("lines").map(|raw| read_member::<Vec<String>>("lines", raw));
            return match lines {
                Some(Ok(Some(lines))) => {
                    let lines = lines.iter().map(|line| quoted(line)).collect::<Vec<_>>();
                    let (id, lines) = (quoted(&key), lines.join(","));
                    Ok(format!(r#"{{"type":"widget","id":{id},"lines":[{lines}]}}"#))
                }
                Some(Ok(None)) => Ok(format!(r#"{{"type":"widget_clear","id":{}}}"#, quoted(&key))),
                _ => Err(wrong("lines is no list of texts")),
            };
        }
        // An empty text takes it back.
        let text = raw("text").map(|raw| read_member::<String>("text", raw));
        let text = match text {
            Some(Ok(text)) => quoted(&text.unwrap_or_default()),
            _ => return Err(wrong("text is no text")),
        };
        let (frame, id) = match self {
            Self::Zut => ("status", "key"),
            Self::Terva => ("status_segment", "id"),
        };
        Ok(format!(r#"{{"type":"{frame}","{id}":{},"text":{text}}}"#, quoted(&key)))
    }
}

impl ExtensionSession {
    /// Reads who the host is, and has its ack name the methods that can be asked for, and no others: a
    /// fork's by frames of its own, and none where requests are not understood.
    pub(super) fn note_methods(&mut self, ack: &mut HelloAck) {
        self.fork = Fork::of(ack);
        if self.fork.is_some() || !self.supports(Capability::Rpc) {
            ack.methods = None;
        }
        let Some(fork) = self.fork else { return };
        let methods = fork.methods().iter().map(|method| (*method).to_owned());
        ack.methods.get_or_insert_default().extend(methods);
    }

    /// Asks a fork for what it has by a frame, which it does not answer.
    pub(super) fn ask_fork(
        &mut self,
        fork: Fork,
        key: CallKey,
        method: &str,
        params: Option<&RawJson>,
    ) {
        self.outgoing.close(&key);
        let result = match fork.line(method, params) {
            Err(wrong) => Err(RpcError::new(ErrorKind::Validation, wrong)),
            Ok(line) if line.len() > self.outbox.limit() => {
                let text = format!("{method}: the frame has {} bytes", line.len());
                Err(RpcError::new(ErrorKind::TooLarge, text))
            }
            Ok(line) => {
                self.outbox.push_line(&line);
                Ok(RawJson::empty_object())
            }
        };
        self.lanes.control(ExtensionEvent::Response { key, result });
    }

    /// Takes a frame that only a fork has; whether it was one.
    pub(super) fn hear_fork(&mut self, frame: &UnknownFrame, now: Instant) -> bool {
        if self.fork != Some(Fork::Terva) || frame.frame_type != "host_tool_result" {
            return false;
        }
        let members = Members::of(frame.raw.get());
        let result = members.and_then(|members| ForkToolResult::read_members(&members).ok());
        let Some(ForkToolResult { id, content, is_error }) = result else { return false };
        let result =
            CallToolResult { id, name: String::new(), content, is_error, truncated: false };
        self.handle_call_tool_result(result, now);
        true
    }
}

fn quoted(text: &str) -> String {
    let mut out = Vec::new();
    write_string(text, &mut out);
    String::from_utf8(out).unwrap_or_default()
}
