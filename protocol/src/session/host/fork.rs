//! What a host does that is like a fork of zot: it hears frames that only this fork has.

use std::time::Instant;

use super::HostSession;
use crate::frame::{Request, UnknownFrame};
use crate::id::Id;
use crate::profile::Translated;
use crate::session::Notice;

impl HostSession {
    /// Takes a frame that this version does not know for what it means to the fork (`fork.frames`).
    pub(super) fn hear_as(
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
}
