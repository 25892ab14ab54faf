//! What is answered, and told meanwhile.

use std::time::Instant;

use extline_protocol::frame::{CommandResponse, Content, ErrorInfo, Level, ToolResult, ToolUpdate};
use extline_protocol::{Field, RawJson, write_string};

use super::open::Progress;
use super::suspended::Outcome;
use super::{HEARTBEAT, RequestKey, Server, ServerEvent};
use crate::entry::push_key;
use crate::level::McpLevel;
use crate::result::Structure;
use crate::{prompt, result};

/// Answers. One to a request that is answered, or was cancelled, is dropped.
impl Server {
    /// Answers a call.
    pub fn reply_tool(&mut self, key: RequestKey, result: &ToolResult) {
        self.withdraw_below(key);
        if self.open.keep(key, || Outcome::Tool(result.clone())).is_some() {
            return;
        }
        let Some(asked) = self.open.close(key) else { return };
        let is_promised = asked.tool.is_some_and(|tool| tool.has_output);
        let structure = Structure { is_promised, is_any: asked.revision.is_modern() };
        let meta = self.meta(asked.revision, "");
        self.begin_result(&asked.id, asked.revision);
        self.separate();
        result::write(result, structure, &meta, &mut self.out);
        self.end_result();
        self.close_if_done();
    }

    /// Answers a call that failed.
    pub fn fail_tool(&mut self, key: RequestKey, error: ErrorInfo) {
        self.reply_tool(key, &ToolResult::error("0".into(), error));
    }

    /// Answers a request for a prompt by what the command answered.
    pub fn reply_prompt(&mut self, key: RequestKey, response: &CommandResponse) {
        self.withdraw_below(key);
        if self.open.keep(key, || Outcome::Prompt(response.clone())).is_some() {
            return;
        }
        let Some(asked) = self.open.close(key) else { return };
        let text = match prompt::text(response) {
            Ok(text) => text,
            Err(failure) => {
                self.fail(Some(&asked.id), &failure);
                return self.close_if_done();
            }
        };
        self.begin_result(&asked.id, asked.revision);
        self.separate();
        prompt::write(text, &mut self.out);
        self.push_meta(asked.revision, "");
        self.end_result();
        self.close_if_done();
    }

    /// Says how a call stands, to a client that wants to be told.
    pub fn update(&mut self, key: RequestKey, update: &ToolUpdate, now: Instant) {
        let Some(progress) = self.open.progress(key) else { return };
        progress.beats_at = now + HEARTBEAT;
        let number = progress.told.next(update);
        let params = params(progress, number, Some(update));
        self.notify("notifications/progress", &params);
    }

    /// Signs of life of calls that show nothing else.
    pub(super) fn beat(&mut self, now: Instant) {
        let beat = |progress: &mut Progress| {
            progress.beats_at = now + HEARTBEAT;
            let number = progress.told.beat();
            params(progress, number, None)
        };
        for params in self.open.due(now).map(beat).collect::<Vec<_>>() {
            self.notify("notifications/progress", &params);
        }
    }

    /// Whether the client has a session to which [`Server::log`] tells something. What the client does not
    /// want to hear, by `logging/setLevel`, is told nowhere.
    pub fn has_log(&self) -> bool {
        self.is_initialized
    }

    /// Tells something for a log or a person: to a client with a session that wants such, else on stderr.
    pub fn log(&mut self, level: &Level, message: &str, fields: Option<&RawJson>) {
        let level = McpLevel::of(level);
        if !self.is_initialized {
            let fields = fields.map(|fields| format!(" {}", fields.get())).unwrap_or_default();
            self.events
                .push_back(ServerEvent::Remark(format!("{}: {message}{fields}", level.name())));
            return;
        }
        if level < self.log_level {
            return;
        }
        let mut params = b"{\"level\":".to_vec();
        write_string(level.name(), &mut params);
        push_key(&mut params, "logger");
        write_string(&self.config.name, &mut params);
        push_key(&mut params, "data");
        match fields {
            None => write_string(message, &mut params),
            Some(fields) => {
                params.extend_from_slice(b"{\"message\":");
                write_string(message, &mut params);
                push_key(&mut params, "fields");
                fields.write(&mut params);
                params.push(b'}');
            }
        }
        params.push(b'}');
        self.notify("notifications/message", &String::from_utf8_lossy(&params));
    }
}

/// The parameters of `notifications/progress`.
fn params(progress: &Progress, number: f64, update: Option<&ToolUpdate>) -> String {
    let mut out = b"{\"progressToken\":".to_vec();
    out.extend_from_slice(progress.token.as_bytes());
    push_key(&mut out, "progress");
    number.write(&mut out);
    let counted = update.and_then(|update| update.progress.as_ref());
    if let Some(total) = counted.and_then(|it| it.total).filter(|total| total.is_finite()) {
        push_key(&mut out, "total");
        total.write(&mut out);
    }
    if let Some(message) = update.and_then(message) {
        push_key(&mut out, "message");
        write_string(message, &mut out);
    }
    out.push(b'}');
    String::from_utf8_lossy(&out).into_owned()
}

/// What an update says in words.
fn message(update: &ToolUpdate) -> Option<&str> {
    let said = update.progress.as_ref().and_then(|progress| progress.message.as_deref());
    let text = || {
        update.content.iter().flatten().find_map(|block| match block {
            Content::Text(text) => Some(text.as_str()),
            _ => None,
        })
    };
    said.or_else(text).filter(|text| !text.is_empty())
}
