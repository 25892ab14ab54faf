//! What clients of the modern era listen to (`subscriptions/listen`).

use super::Server;
use super::writing::SUBSCRIPTION_ID;
use crate::message::RequestId;
use crate::revision::Revision;

/// So many streams a client may have open.
const MOST: usize = 64;

/// One `subscriptions/listen` that goes on.
#[derive(Debug)]
struct Stream {
    id: RequestId,
    tools: bool,
    prompts: bool,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Streams(Vec<Stream>);

impl Streams {
    pub(super) fn has(&self, id: &RequestId) -> bool {
        self.0.iter().any(|stream| stream.id == *id)
    }

    pub(super) fn is_full(&self) -> bool {
        self.0.len() >= MOST
    }

    /// Ends one that its client no longer wants. Whether there was one.
    pub(super) fn remove(&mut self, id: &RequestId) -> bool {
        let before = self.0.len();
        self.0.retain(|stream| stream.id != *id);
        self.0.len() < before
    }
}

impl Server {
    /// Begins a stream of what is asked for and can be told.
    pub(super) fn listen(&mut self, id: RequestId, tools: bool, prompts: bool) {
        let prompts = prompts && self.catalogue.has_prompts();
        let mut filter = Vec::new();
        for (is_told, name) in [(tools, "toolsListChanged"), (prompts, "promptsListChanged")] {
            if is_told {
                filter.push(format!("\"{name}\":true"));
            }
        }
        let params = format!(
            "{{\"_meta\":{{{SUBSCRIPTION_ID}:{}}},\"notifications\":{{{}}}}}",
            id.json(),
            filter.join(",")
        );
        self.notify("notifications/subscriptions/acknowledged", &params);
        self.streams.0.push(Stream { id, tools, prompts });
    }

    pub(super) fn tell_tools_changed(&mut self) {
        self.tell_changed("notifications/tools/list_changed", |stream| stream.tools);
    }

    pub(super) fn tell_prompts_changed(&mut self) {
        self.tell_changed("notifications/prompts/list_changed", |stream| stream.prompts);
    }

    /// Ends all streams, in order.
    pub(super) fn end_streams(&mut self) {
        for stream in std::mem::take(&mut self.streams.0) {
            let meta = format!("{SUBSCRIPTION_ID}:{}", stream.id.json());
            self.begin_result(&stream.id, Revision::MODERN);
            self.push_meta(Revision::MODERN, &meta);
            self.end_result();
        }
    }

    fn tell_changed(&mut self, method: &str, wants: fn(&Stream) -> bool) {
        if !self.is_ready || self.is_closed {
            return;
        }
        if self.is_initialized {
            self.notify(method, "");
        }
        let ids: Vec<_> =
            self.streams.0.iter().filter(|it| wants(it)).map(|it| it.id.clone()).collect();
        for id in ids {
            self.notify(method, &format!("{{\"_meta\":{{{SUBSCRIPTION_ID}:{}}}}}", id.json()));
        }
    }
}
