//! Guards: handlers that see every tool call as it will run, and may only block it or have a
//! person asked.

use std::rc::Rc;

use extline_protocol::frame::{EventPayload, Subscribe};
use extline_protocol::{Change, RawJson, RegistrationError};
use serde::de::DeserializeOwned;

use crate::asked::Asked;
use crate::handler::Handlers;
use crate::intercept::{DecisionHandler, add_name};
use crate::point::{Point, ToolCall};
use crate::{Context, DecisionOutcome, Extension, ToolError, ToolUse};

/// A guard and the name that its failures are reported under.
#[derive(Clone)]
pub(crate) struct Guard {
    pub(crate) name: Rc<str>,
    pub(crate) handler: DecisionHandler,
}

impl Extension {
    /// Has every tool call, whoever offers the tool, pass a guard that may block it, or have a person asked.
    ///
    /// Guards are asked after every interceptor, on the arguments that will run (`guard.final-args`).
    /// A zot, which knows no guards, asks them like interceptors: then they see at least what the
    /// interceptors of this extension made of the arguments (`guard.on-zot`). Several are asked in
    /// the order in which they were given, up to the first block.
    ///
    /// A guard fails closed: an error, a panic or no decision in time (see
    /// [`intercept`](Extension::intercept)) blocks the call, with a reason that has the guard's name,
    /// unless [`on_failure`](Extension::on_failure) says otherwise (`guard.closed`). That holds also
    /// for one that keeps the thread without awaiting, but other calls wait meanwhile: long
    /// computations belong in [`Context::blocking`].
    ///
    /// Two guards of one name are a registration mistake.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// #[derive(Deserialize)]
    /// struct Bash {
    ///     command: String,
    /// }
    ///
    /// let extension = Extension::new("careful", "1.0.0").guard("no_rm", async |call, _| {
    ///     if call.tool() == "bash" && call.args_as::<Bash>()?.command.contains("rm -rf") {
    ///         return Ok(call.block("refused: rm -rf"));
    ///     }
    ///     Ok(call.allow())
    /// });
    /// ```
    #[track_caller]
    pub fn guard<R, F>(mut self, name: impl Into<String>, handler: F) -> Self
    where
        R: DecisionOutcome<Verdict> + 'static,
        F: AsyncFn(GuardedCall, Context) -> R + 'static,
    {
        let subscribe = &mut self.registrations.subscribe;
        if let Err(mistake) = self.handlers.guard(subscribe, name.into(), handler) {
            self.note(mistake);
        }
        self
    }
}

impl Handlers {
    pub(crate) fn guard<R, F>(
        &mut self,
        subscribe: &mut Subscribe,
        name: String,
        handler: F,
    ) -> Result<(), RegistrationError>
    where
        R: DecisionOutcome<Verdict> + 'static,
        F: AsyncFn(GuardedCall, Context) -> R + 'static,
    {
        if self.guards.iter().any(|guard| *guard.name == *name) {
            return Err(RegistrationError::Duplicate { kind: "guard", name });
        }
        add_name(&mut subscribe.guards, ToolCall::NAME);
        // The future borrows the handler, so it brings it along.
        let shared = Rc::new(handler);
        let handler: DecisionHandler = Rc::new(move |intercept, context| {
            let handler = Rc::clone(&shared);
            Box::pin(async move {
                let asked = Asked::new(intercept);
                let call = GuardedCall(ToolUse::new(asked.clone()));
                let outcome = handler(call, context).await;
                if outcome.is_unsaid() {
                    return asked.unsaid();
                }
                let verdict = outcome.decision().map_err(|error| error.to_string())?;
                Ok(verdict.map_or(Change::None, |verdict| verdict.0))
            })
        });
        self.guards.push(Guard { name: name.into(), handler });
        Ok(())
    }
}

/// A tool call that is about to happen, as a guard sees it.
///
/// ```
/// use extline::prelude::*;
/// use extline::testing::{Host, Moment};
///
/// let mut host = Host::new(|| {
///     Extension::new("careful", "1.0.0").guard("paths", async |call, _| {
///         if call.tool() == "write" && call.args().get().contains("/etc/") {
///             return call.block("not there");
///         }
///         call.allow()
///     })
/// });
/// let write = |path: &str| Moment::tool_call("write", json!({ "path": path }));
/// assert_eq!(host.intercept(write("/etc/passwd"))?.blocked(), Some("not there"));
/// assert!(host.intercept(write("/tmp/notes"))?.is_allowed());
/// # Ok::<(), extline::testing::Failure>(())
/// ```
#[derive(Clone, Debug)]
pub struct GuardedCall(ToolUse);

impl GuardedCall {
    /// The tool's name.
    pub fn tool(&self) -> &str {
        self.0.tool()
    }

    /// The model's id of the call, empty where the host does not say it.
    pub fn tool_id(&self) -> &str {
        self.0.tool_id()
    }

    /// The arguments with which it will run, byte for byte. A call without any has an empty object.
    pub fn args(&self) -> &RawJson {
        self.0.args()
    }

    /// The arguments as a type; a [`Value`](serde_json::Value) takes all that there are.
    ///
    /// # Errors
    ///
    /// Kind `validation`, with the member that does not fit. A guard that passes it on with `?`
    /// blocks the call, so look at [`tool`](GuardedCall::tool) first.
    pub fn args_as<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        self.0.args_as()
    }

    /// All that the host says about the call.
    pub fn payload(&self) -> &EventPayload {
        self.0.payload()
    }

    /// It may happen, as far as this guard is concerned.
    pub fn allow(&self) -> Verdict {
        Verdict(Change::None)
    }

    /// It must not happen; the model reads why. A guard that returns `()` blocks by this call alone.
    pub fn block(&self, reason: impl Into<String>) -> Verdict {
        Verdict(self.0.block_with(reason))
    }

    /// A person is asked before it happens, and reads why. Where the host cannot ask one, as a zot or an
    /// agent without approvals, it does not happen (`guard.ask`). A guard that returns `()` asks by this
    /// call alone. A block of another guard counts for more.
    pub fn ask(&self, reason: impl Into<String>) -> Verdict {
        Verdict(self.0.ask_with(reason))
    }
}

/// What a guard decides; made by [`GuardedCall::allow`], [`GuardedCall::block`] and [`GuardedCall::ask`].
///
/// ```
/// use extline::{Context, GuardedCall, Verdict};
///
/// async fn no_network(call: GuardedCall, _: Context) -> Verdict {
///     if call.tool() == "fetch" { call.block("offline") } else { call.allow() }
/// }
///
/// let extension = extline::Extension::new("offline", "1.0.0").guard("no_network", no_network);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a guard returns its verdict"]
pub struct Verdict(Change);

impl DecisionOutcome<Self> for Verdict {
    fn decision(self) -> Result<Option<Self>, ToolError> {
        Ok(Some(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_guards_of_one_name_are_a_mistake() {
        let extension = Extension::new("a", "1").guard("same", async |_, _| {});
        let line = line!() + 1;
        let extension = extension.guard("same", async |_, _| {});
        let mistake = extension.mistake.expect("there is a mistake").to_string();
        assert!(mistake.contains(&format!("guard.rs:{line}:")), "{mistake}");
        assert!(mistake.contains("two guards named \"same\""), "{mistake}");
    }
}
