//! That a call began and ended, told to those who want to know: to extensions by the events
//! `tool_call` and `tool_result`, to the embedder by news, to a subscriber of `tracing` by a span. Where
//! nobody wants to, nothing is made.

use std::sync::Arc;
use std::time::{Duration, Instant};

use extline_protocol::frame::{Content, EventPayload, EventResult, ToolResult};
use extline_protocol::{ErrorKind, RawJson};
use tracing::field::Empty;
use tracing::{Level, Span, info_span, span_enabled};

use super::program::is_program;
use super::review::Answer;
use crate::audit::{More, Record, error_type, micros};
use crate::connection::{News, Shared};
use crate::report::{CallError, CallStatus};
use crate::tool::Tool;

/// Tells of a call what there is to tell. One that is dropped before the end tells that the call was
/// given up.
#[derive(Debug)]
pub(crate) struct Telling(Option<Box<Told>>);

/// A call of whose end somebody wants to hear.
#[derive(Debug)]
struct Told {
    shared: Arc<Shared>,
    began: Instant,
    /// The host's own name for the call.
    id: String,
    tool: String,
    /// The extension that has the tool.
    extension: Option<String>,
    /// The extension that calls.
    caller: Option<String>,
    /// The tool was entered.
    executed: bool,
    /// An earlier result answers it.
    cache_hit: bool,
    /// The arguments as they stand, where an extension subscribed to the end of calls.
    args: Option<String>,
    /// Where the agent makes it, if it is one of its own.
    place: Option<Box<EventPayload>>,
    /// As long as the call; it says nothing that stands not in the audit.
    span: Span,
}

/// How a call ended.
enum End<'a> {
    Answered(&'a ToolResult),
    Failed(&'a CallError),
    GivenUp,
}

impl Telling {
    /// Tells that a call begins, before anybody is asked about it: a zot does so too. `place` says where the
    /// agent makes one of its own tools.
    pub(crate) fn begin(
        shared: &Arc<Shared>,
        id: &str,
        caller: Option<&str>,
        tool: &str,
        args: &str,
        place: Option<&EventPayload>,
    ) -> Self {
        let (wants_start, wants_end) = shared.call_subscribers();
        let embedder_listens = shared.news.is_heard();
        let is_audited = shared.is_audited();
        let is_traced = span_enabled!(Level::INFO);
        if !(wants_start || wants_end || embedder_listens || is_audited || is_traced) {
            return Self(None);
        }
        if wants_start {
            let payload = EventPayload {
                tool_id: Some(id.to_owned()),
                tool_name: Some(tool.to_owned()),
                // What is no JSON cannot stand there; the end of the call has it as text.
                tool_args: RawJson::parse(args).ok(),
                origin_extension: caller.map(str::to_owned),
                ..place.cloned().unwrap_or_default()
            };
            shared.emit("tool_call", payload);
        }
        if !(wants_end || embedder_listens || is_audited || is_traced) {
            return Self(None);
        }
        let offered = shared.registry().tool(tool);
        let told = Told {
            shared: Arc::clone(shared),
            began: Instant::now(),
            id: id.to_owned(),
            tool: tool.to_owned(),
            extension: offered.as_deref().and_then(extension_of),
            caller: caller.map(str::to_owned),
            executed: false,
            cache_hit: false,
            args: wants_end.then(|| args.to_owned()),
            place: place.cloned().map(Box::new),
            span: if is_traced { span_of(id, caller) } else { Span::none() },
        };
        // The name of a tool that there is not is a model's text.
        let is_tool = offered.is_some() || place.is_some() || is_program(tool);
        told.span.record("tool", Some(tool).filter(|_| is_tool));
        told.span.record("extension", told.extension.as_deref());
        if is_audited {
            let args_hash = shared.audit_hash(args);
            told.write(is_tool, args_hash, "call_started", More::Started {});
        }
        if embedder_listens {
            let Told { id, tool, extension, caller, .. } = &told;
            let (id, tool) = (id.clone(), tool.clone());
            let (extension, caller) = (extension.clone(), caller.clone());
            shared.news.tell(News::CallStarted { id, extension, tool, caller });
        }
        Self(Some(Box::new(told)))
    }

    /// Tells nothing, as nothing is called.
    pub(crate) fn silent() -> Self {
        Self(None)
    }

    /// An interceptor has rewritten the arguments.
    pub(crate) fn rewritten(&mut self, args: &RawJson) {
        if let Some(kept) = self.0.as_mut().and_then(|told| told.args.as_mut()) {
            args.get().clone_into(kept);
        }
    }

    /// The tool is called now.
    pub(crate) fn executed(&mut self, tool: &Tool) {
        if let Some(told) = &mut self.0 {
            told.executed = true;
            // While the call waited the name may have gone to another extension.
            if told.extension.as_deref() != Some(&tool.extension) {
                told.extension = extension_of(tool);
            }
        }
    }

    /// An earlier result answers it.
    pub(crate) fn recalled(&mut self) {
        if let Some(told) = &mut self.0 {
            told.cache_hit = true;
        }
    }

    /// Whether there is something to tell at the end.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Tells how the call ended; only the first time.
    pub(crate) fn end(&mut self, answer: &Answer) {
        if let Some(told) = self.0.take() {
            told.end(&match answer {
                Ok(result) => End::Answered(result),
                Err(error) => End::Failed(error),
            });
        }
    }

    /// Nobody has anything against it, and its end is not seen here.
    pub(crate) fn passed(&mut self) {
        if let Some(told) = self.0.take().filter(|told| told.shared.is_audited()) {
            told.write(true, None, "call_passed", More::Started {});
        }
    }

    /// Tells that it ended without an answer; only the first time.
    pub(crate) fn failed(&mut self, error: &CallError) {
        if let Some(told) = self.0.take() {
            told.end(&End::Failed(error));
        }
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        if let Some(told) = self.0.take() {
            told.end(&End::GivenUp);
        }
    }
}

impl Told {
    fn end(self, end: &End<'_>) {
        if self.shared.is_audited() {
            let more = More::Ended {
                status: end.status().as_str(),
                executed: self.executed,
                cache_hit: self.cache_hit,
                duration_us: micros(self.began.elapsed()),
                error_type: end.error_type(),
            };
            let is_tool = !matches!(end, End::Failed(CallError::Unknown { .. }));
            self.write(is_tool, None, "call_ended", more);
        }
        let Self { shared, began, id, tool, extension, caller, .. } = self;
        let Self { executed, cache_hit, args, place, span, .. } = self;
        let status = end.status();
        let took: Duration = began.elapsed();
        span.record("extension", extension.as_deref());
        span.record("status", status.as_str());
        span.record("executed", executed);
        span.record("error_type", end.error_type());
        span.record("duration_us", micros(took));
        drop(span);
        if let Some(args) = args {
            let (tool_args, tool_args_raw) = match RawJson::parse(&args) {
                Ok(args) => (Some(args), None),
                Err(_) => (None, Some(args)),
            };
            let payload = EventPayload {
                tool_id: Some(id.clone()),
                tool_name: Some(tool.clone()),
                tool_args,
                tool_args_raw,
                status: Some(status.as_str().to_owned()),
                executed: Some(executed),
                result: Some(end.result(&tool)),
                origin_extension: caller.clone(),
                ..place.map(|it| *it).unwrap_or_default()
            };
            shared.emit("tool_result", payload);
        }
        if shared.news.is_heard() {
            shared.news.tell(News::CallEnded {
                id,
                extension,
                tool,
                caller,
                status,
                executed,
                cache_hit,
                took,
            });
        }
    }
}

impl Told {
    /// Writes a record of the audit. The name of a tool that there is not is a model's text.
    fn write(&self, is_tool: bool, args_hash: Option<String>, event: &'static str, more: More<'_>) {
        let record = Record {
            event,
            call: &self.id,
            tool: Some(&*self.tool).filter(|_| is_tool),
            extension: self.extension.as_deref(),
            caller: self.caller.as_deref(),
            args_hash,
            more,
        };
        self.shared.audit(&record);
    }
}

impl End<'_> {
    /// The kind of its error, where it has one.
    fn error_type(&self) -> Option<&'static str> {
        match self {
            Self::Answered(result) => result.error.as_ref().map(|error| error_type(&error.kind)),
            Self::Failed(error) => Some(error_type(&error.kind())),
            Self::GivenUp => Some("cancelled"),
        }
    }

    fn status(&self) -> CallStatus {
        match self {
            Self::Answered(ToolResult { is_error: false, .. }) => CallStatus::Completed,
            Self::Answered(ToolResult { error: Some(error), .. })
                if error.kind == ErrorKind::Cancelled =>
            {
                CallStatus::Cancelled
            }
            Self::Answered(_) => CallStatus::Failed,
            Self::Failed(error) => CallStatus::of(error),
            Self::GivenUp => CallStatus::Cancelled,
        }
    }

    /// What an event shows of it.
    fn result(&self, tool: &str) -> EventResult {
        let failed = |text: String| EventResult::of(vec![Content::text(text)], true);
        match self {
            Self::Answered(result) => EventResult::of(result.content.clone(), result.is_error),
            Self::Failed(error) => failed(error.to_string()),
            Self::GivenUp => failed(format!("{tool} was cancelled")),
        }
    }
}

/// The span of a call. What is not known yet is recorded later.
fn span_of(id: &str, caller: Option<&str>) -> Span {
    info_span!(
        "tool_call",
        id,
        tool = Empty,
        extension = Empty,
        caller,
        status = Empty,
        executed = Empty,
        error_type = Empty,
        duration_us = Empty,
    )
}

/// The extension that has a tool; none when the agent has it itself.
fn extension_of(tool: &Tool) -> Option<String> {
    (!tool.is_builtin()).then(|| tool.extension.clone())
}
