//! What a host does that is like a fork of zot: it says and hears frames that only this fork has. It is
//! reached by the tables of `profile` alone, so that a program has none of it unless it plays a fork.

use std::time::Instant;

use super::HostSession;
use crate::frame::{CallToolResult, ForkAck, ForkToolResult, HelloAck, Request, UnknownFrame};
use crate::id::Id;
use crate::profile::Translated;
use crate::session::Notice;

impl HostSession {
    /// Answers `hello` in the fork's members (`fork.ack`).
    pub(crate) fn greet_as(&mut self, greeting: fn(&HelloAck) -> ForkAck) {
        let greeting = greeting(&self.ack);
        self.send(&greeting);
    }

    /// Takes a frame that this version does not know for what it means to the fork (`fork.frames`).
    pub(crate) fn hear_as(
        &mut self,
        frame: &UnknownFrame,
        translate: fn(&UnknownFrame) -> Option<Translated>,
        now: Instant,
    ) {
        match translate(frame) {
            Some(Translated::CallTool(call)) => self.handle_call_tool(call, now),
            Some(Translated::Request { method, params }) => {
                self.translated += 1;
                let (id, method) = (Id::from(self.translated), method.to_owned());
                let params = Some(params);
                let request = Request { id, method, params, parent: None, deadline_ms: None };
                self.handle_request(request, now);
            }
            Some(Translated::Answer(line)) => self.outbox.push_line(&line),
            None => {
                let name = self.profile.vocabulary.frame_named(&frame.frame_type);
                match name.filter(|name| self.inbox.new_type(name).is_some()) {
                    Some(frame_type) => {
                        let why = "it means something to the host that is played, and nothing here";
                        self.notice(Notice::OutOfPlace { frame_type, why });
                    }
                    None => self.handle_unknown(&frame.frame_type),
                }
            }
        }
    }

    /// Answers a tool of the host's that the extension called.
    pub(crate) fn tell_host_tool_result(&mut self, result: &CallToolResult) {
        let CallToolResult { id, content, is_error, .. } = result.clone();
        self.send(&ForkToolResult { id, content, is_error });
    }
}
