//! Actions that extensions propose, and that are done only when the model, or a person, says so.
//!
//! The rules are those of `extline_services::pending`. Here is how the extension is asked, and what the model is
//! offered.

use std::sync::{Arc, OnceLock, Weak};

use extline_protocol::frame::{
    Content, ErrorInfo, ParentKind, RegisterTool, ReplaceResult, RpcError, ToolResult,
};
use extline_protocol::{CallKey, ErrorKind, Id, RawJson, RawJsonError};
use extline_services::Method as _;
use extline_services::pending::{
    Apply, ApplyMethod, Decided, Next, PendingAction, PushMethod, Pushed, RESOLVE, Reject,
    RejectMethod, Resolution,
};
use serde::Deserialize;
use serde_json::json;

use super::request::Request;
use super::review::Answer;
use crate::connection::{Connection, Method, MethodCall, News, PendingChange, Shared, params_of};
use crate::lock::lock;
use crate::report::CallError;
use crate::tool::{Builtin, BuiltinCall, BuiltinToolError, Tool};

/// What the model says.
#[derive(Deserialize)]
struct Said {
    action: Resolution,
    #[serde(default)]
    reason: String,
}

/// Serves `pending.push`.
pub(crate) fn method() -> Method {
    Method::new(|call| async move { push(&call) })
}

fn push(call: &MethodCall) -> Result<RawJson, RpcError> {
    let push = params_of::<PushMethod>(call.params.as_ref())?;
    let gone = || RpcError::new(ErrorKind::Cancelled, "the extension has ended");
    let connection = call.connection.upgrade().ok_or_else(gone)?;
    let shared = connection.shared();
    let parent = call.parent.as_ref().filter(|parent| parent.kind == ParentKind::ToolCall);
    let of = parent.and_then(|parent| connection.tool_call(&parent.id));
    let name = of.map(|call| (connection.index(), call));
    // One that has died since it asked would leave an action that nobody ever takes away.
    let pushed = connection.unless_ended(|| {
        let mut queue = lock(&shared.pending.queue);
        queue.push(&call.extension, push, name).cloned()
    });
    let action = pushed.ok_or_else(gone)?.map_err(|(kind, text)| {
        RpcError::new(ErrorKind::from(kind), format!("{}: {text}", PushMethod::NAME))
    })?;
    shared.pending_changed();
    let action_id = action.id.clone();
    shared.news.tell(News::Pending { action, change: PendingChange::Pushed });
    RawJson::of(&Pushed { action_id })
        .map_err(|error| RpcError::new(ErrorKind::Internal, error.to_string()))
}

/// The tool with which the model resolves actions.
pub(crate) fn resolve_tool(
    shared: &Arc<OnceLock<Weak<Shared>>>,
) -> Result<Arc<Tool>, BuiltinToolError> {
    let definition = RegisterTool {
        name: RESOLVE.to_owned(),
        description: Some(
            "Does or drops what a tool has proposed and not done yet: the oldest proposal that is pending. Give the \
             reason in a sentence."
                .to_owned(),
        ),
        schema: RawJson::from(json!({
            "type": "object",
            "properties": {
                "action": {
                    "type": "string",
                    "enum": ["apply", "discard"],
                    "description": "apply does what was proposed, discard drops it",
                },
                "reason": { "type": "string", "description": "Why" },
            },
            "required": ["action", "reason"],
            "additionalProperties": false,
        })),
        // What is asked has a deadline of its own, which stands still while a person is asked.
        interactive: true,
        ..RegisterTool::default()
    };
    let shared = Arc::clone(shared);
    let builtin = Builtin::new(move |call: BuiltinCall| {
        let shared = shared.get().and_then(Weak::upgrade);
        async move {
            if let Some(caller) = &call.caller {
                let text =
                    format!("{caller} cannot resolve what is pending: the model does, or a person");
                return Err(ErrorInfo::new(ErrorKind::Permission, text));
            }
            let Said { action, reason } = serde_json::from_str(call.args.get())
                .map_err(|error| ErrorInfo::new(ErrorKind::Validation, error.to_string()))?;
            let gone = || ErrorInfo::new(ErrorKind::Cancelled, "the host was shut down");
            let shared = shared.ok_or_else(gone)?;
            Ok(ToolResult { id: call.id, ..shared.resolve(action, &reason).await })
        }
    });
    builtin.tool(definition).map(Arc::new)
}

impl Shared {
    /// Resolves the oldest action: what whoever decides is told, without the id of a call.
    pub(crate) async fn resolve(&self, resolution: Resolution, reason: &str) -> ToolResult {
        // One at a time: what is applied now is not applied once more.
        let _alone = self.pending.resolving.lock().await;
        let next = lock(&self.pending.queue).decide(resolution);
        let action = match next {
            Next::Ask(action) => action,
            Next::Told(told) => return said(told),
        };
        let (handle, reason) = (action.handle.clone(), reason.to_owned());
        let answer = if resolution == Resolution::Apply {
            let params = Apply { handle, reason: reason.clone() };
            self.ask_extension(&action.shown, ApplyMethod::NAME, RawJson::of(&params)).await
        } else {
            let params = Reject { handle, reason: reason.clone(), released: false };
            self.ask_extension(&action.shown, RejectMethod::NAME, RawJson::of(&params)).await
        };
        self.model_side.memo.changed();
        self.resolved(&action.shown, resolution, &reason, answer)
    }

    /// What the extension answers. The error is in the words of whoever decides.
    async fn ask_extension(
        &self,
        action: &PendingAction,
        method: &str,
        params: Result<RawJson, RawJsonError>,
    ) -> Result<ReplaceResult, NotDone> {
        let failed = |why: String| NotDone { why, is_unserved: false };
        let gone = || failed(format!("{} has ended", action.extension));
        let connection = self.connection_named(&action.extension).ok_or_else(gone)?;
        let params = params.map_err(|error| failed(error.to_string()))?;
        let sent = Request::send(&connection, method, Some(params), self.deadlines.tool);
        let answer = match sent {
            Ok(request) => request.outcome().await,
            Err(error) => Err(error),
        };
        let answer = answer.map_err(|error| NotDone {
            is_unserved: error.kind() == ErrorKind::Unsupported,
            why: match error {
                CallError::Request { error, .. } => error.message,
                error => error.to_string(),
            },
        })?;
        // It has done it, whatever it says of that.
        let unread =
            |why| ReplaceResult::text(format!("done, but its answer cannot be read: {why}"));
        let read = ReplaceResult::parse(answer.get()).unwrap_or_else(unread);
        if read.is_error == Some(true) {
            return Err(failed(Content::joined(&read.content.unwrap_or_default())));
        }
        Ok(read)
    }

    fn resolved(
        &self,
        action: &PendingAction,
        resolution: Resolution,
        reason: &str,
        answer: Result<ReplaceResult, NotDone>,
    ) -> ToolResult {
        let mut queue = lock(&self.pending.queue);
        let (text, answer, change) = match (resolution, answer) {
            (Resolution::Apply, Err(NotDone { why, .. })) => {
                let text = queue.not_applied(action, &why);
                drop(queue);
                let error = ErrorInfo::new(ErrorKind::Transient, text);
                let change = PendingChange::NotApplied { why };
                self.news.tell(News::Pending { action: action.clone(), change });
                return about(
                    action,
                    resolution,
                    reason,
                    ToolResult::error(Id::from(""), error),
                    None,
                );
            }
            (Resolution::Apply, Ok(answer)) => {
                (queue.settle(action, resolution, reason), answer, PendingChange::Applied)
            }
            (_, answer) => {
                let mut text = queue.settle(action, resolution, reason);
                let answer = answer.unwrap_or_else(|NotDone { why, is_unserved }| {
                    // One that has nothing to clean up does not serve it.
                    if !is_unserved {
                        text = format!("{text} {} could not clean up: {why}", action.extension);
                    }
                    ReplaceResult::default()
                });
                (text, answer, PendingChange::Discarded)
            }
        };
        drop(queue);
        self.pending_changed();
        self.news.tell(News::Pending { action: action.clone(), change });
        let content = answer.content.filter(|blocks| !blocks.is_empty());
        let content = content.unwrap_or_else(|| vec![Content::text(text)]);
        let result = ToolResult {
            structured_content: answer.structured_content,
            ..ToolResult::new(Id::from(""), content)
        };
        about(action, resolution, reason, result, answer.details)
    }

    /// The actions of an extension, or of all, are no longer pending. Whoever resolves next is told why, and the
    /// extensions, where they still run, let go of them.
    pub(crate) fn release_pending(&self, extension: Option<&str>, why: &str) {
        let released = lock(&self.pending.queue).release(extension, why);
        if released.is_empty() {
            return;
        }
        self.pending_changed();
        for action in released {
            let reject = Reject { handle: action.handle, reason: why.to_owned(), released: true };
            let (change, action) = (PendingChange::Released { why: why.to_owned() }, action.shown);
            if extension.is_none()
                && let Some(connection) = self.connection_named(&action.extension)
                && let Ok(params) = RawJson::of(&reject)
                && let Ok(request) = Request::send(
                    &connection,
                    RejectMethod::NAME,
                    Some(params),
                    self.deadlines.tool,
                )
            {
                // Nobody is told what comes of it.
                self.runtime.spawn(request.outcome());
            }
            self.news.tell(News::Pending { action, change });
        }
    }

    /// The tool that resolves is offered as long as there is something to resolve.
    pub(crate) fn pending_changed(&self) {
        let mut registry = self.registry();
        let is_pending = !lock(&self.pending.queue).is_empty();
        registry.list_builtin(RESOLVE, is_pending);
    }

    /// The result of a call, with what it says of the actions that were pushed in it.
    pub(super) fn with_banner(&self, answer: &mut Answer, connection: &Connection, call: &CallKey) {
        if let Ok(result) = answer
            && let Some(banner) =
                lock(&self.pending.queue).banner(&(connection.index(), call.clone()))
        {
            result.content.push(Content::text(banner));
        }
    }
}

/// Why the extension did not do what was decided.
struct NotDone {
    why: String,
    /// It does not serve the method.
    is_unserved: bool,
}

fn said(Decided { text, error }: Decided) -> ToolResult {
    let id = Id::from("");
    match error {
        Some(kind) => ToolResult::error(id, ErrorInfo::new(ErrorKind::from(kind), text)),
        None => ToolResult::new(id, vec![Content::text(text)]),
    }
}

/// The result with what it was about, for the user's eyes.
fn about(
    action: &PendingAction,
    resolution: Resolution,
    reason: &str,
    result: ToolResult,
    details: Option<RawJson>,
) -> ToolResult {
    let PendingAction { id, extension, label, .. } = action;
    let details = json!({
        "action": resolution.as_str(),
        "action_id": id,
        "extension": extension,
        "label": label,
        "reason": reason,
        "result": details.and_then(|details| serde_json::from_str::<serde_json::Value>(details.get()).ok()),
    });
    ToolResult { details: Some(RawJson::from(details)), ..result }
}
