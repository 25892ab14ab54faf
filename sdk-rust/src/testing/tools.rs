//! Calls of tools.

use std::panic::Location;
use std::time::{Duration, Instant};

use extline_protocol::frame::{ErrorInfo, RegisterTool, Replay, ToolResult, ToolUpdate};
use extline_protocol::{ArgsValidator, CallKey, ErrorKind, RawJson, Repetition, ToolCallOptions};
use extline_testing::Named;
use extline_testing::demands::{NO_RESULT, not_reconciled, wrong_result};

use super::answer::Answer;
use super::failure::Failure;
use super::host::Host;
use super::seen::Outcome;

/// Tools.
impl Host {
    /// Calls a tool and waits for its answer.
    ///
    /// The arguments go to the extension as they are: a real host checks them against the tool's schema
    /// before, this one leaves it to the extension. A tool that nobody registered is a mistake of the
    /// test, as a real host would not call it.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Weather {
    ///     city: String,
    /// }
    ///
    /// let mut host = Host::new(|| {
    ///     Extension::new("weather", "1.0.0").tool("weather", "", async |w: Weather, _| {
    ///         Ok(format!("{}: 16°C, fog", w.city))
    ///     })
    /// });
    /// assert_eq!(host.call("weather", json!({"city": "Berlin"}))?.text(), "Berlin: 16°C, fog");
    /// assert_eq!(host.call("weather", json!({}))?.field(), Some("/city"));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When there is no answer: [`Failure::TimedOut`], [`Failure::Ended`]. [`Failure::Unusable`] for
    /// one that a host does not take, or that is unlike the tool's output schema. [`Failure::Misuse`]
    /// when the extension offers no such tool.
    #[track_caller]
    pub fn call(&mut self, tool: &str, args: impl Into<RawJson>) -> Result<Answer, Failure> {
        self.conversation.place = Location::caller();
        let call = self.send_call(tool, args.into(), Repetition::default())?;
        self.finish(call)
    }

    /// Calls a tool as an agent that would make the call again after a crash: with a key, which the tool
    /// finds by [`Context::operation_key`](crate::Context::operation_key).
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").tool("pay", "", async |_: NoArgs, ctx: Context| {
    ///         Ok(ctx.operation_key().unwrap_or_default())
    ///     })
    /// });
    /// assert_eq!(host.call_with_key("op-7", "pay", json!({}))?.text(), "op-7");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`call`](Host::call).
    #[track_caller]
    pub fn call_with_key(
        &mut self,
        operation_key: &str,
        tool: &str,
        args: impl Into<RawJson>,
    ) -> Result<Answer, Failure> {
        self.repeat(tool, args.into(), operation_key, false)
    }

    /// Asks a tool with [`replay`](crate::Tool::replay) of `Replay::Reconcile` what became of the call of
    /// that key.
    ///
    /// ```
    /// use extline::Replay;
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let mut host = Host::new(|| {
    ///     let pay = Tool::new("pay", "Pays.", async |_: NoArgs, ctx: Context| {
    ///         let state = if ctx.reconcile() { "not_started" } else { "completed" };
    ///         Ok(json!({"state": state}))
    ///     });
    ///     Extension::new("a", "1").add_tool(pay.replay(Replay::Reconcile))
    /// });
    /// let became = host.reconcile("op-7", "pay", json!({}))?;
    /// assert_eq!(became.value()["state"], "not_started");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`call`](Host::call), and [`Failure::Misuse`] for a tool that does not declare it, as no agent
    /// asks that.
    #[track_caller]
    pub fn reconcile(
        &mut self,
        operation_key: &str,
        tool: &str,
        args: impl Into<RawJson>,
    ) -> Result<Answer, Failure> {
        self.repeat(tool, args.into(), operation_key, true)
    }

    /// Calls a tool and waits only until its handler has begun. Several may run at once.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").tool("wait", "", async |_: NoArgs, ctx: Context| {
    ///         ctx.update("waiting").send();
    ///         ctx.run_until_cancelled(std::future::pending::<()>()).await?;
    ///         Ok(())
    ///     })
    /// });
    /// let mut call = host.begin("wait", json!({}))?;
    /// let update = host.next_update(&mut call)?;
    /// assert_eq!(update.progress.unwrap().message.as_deref(), Some("waiting"));
    /// host.cancel(&call)?;
    /// assert_eq!(host.finish(call)?.text(), "cancelled");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    #[track_caller]
    pub fn begin(&mut self, tool: &str, args: impl Into<RawJson>) -> Result<Call, Failure> {
        self.conversation.place = Location::caller();
        let call = self.send_call(tool, args.into(), Repetition::default())?;
        // Else a cancel, or the end, could come before its handler.
        self.conversation.wait_until_read(&format!("the tool {tool} did not begin"))?;
        Ok(call)
    }

    /// Waits for the next update of a call that runs.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").tool("wait", "", async |_: NoArgs, ctx: Context| {
    ///         ctx.update("waiting").send();
    ///         ctx.cancellation().await;
    ///         Ok("late")
    ///     })
    /// });
    /// let mut call = host.begin("wait", json!({}))?;
    /// let update = host.next_update(&mut call)?;
    /// assert_eq!(update.seq, 1);
    /// # host.cancel(&call)?;
    /// # host.finish(call)?;
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`call`](Host::call), and [`Failure::Misuse`] when the call is answered without one.
    #[track_caller]
    pub fn next_update(&mut self, call: &mut Call) -> Result<ToolUpdate, Failure> {
        self.conversation.place = Location::caller();
        let what = format!("the tool {} did not send an update", call.tool);
        let Call { key, tool, shown, .. } = call;
        let update = self.conversation.wait_for(&what, |conversation| {
            let seen = &conversation.seen;
            match seen.updates.get(key).and_then(|updates| updates.get(*shown)) {
                Some(update) => Ok(Some(update.clone())),
                None if seen.outcomes.contains_key(key) => {
                    let why = format!("the tool {tool} has answered without a further update");
                    Err(Failure::misuse(why, conversation.place))
                }
                None => Ok(None),
            }
        })?;
        *shown += 1;
        Ok(update)
    }

    /// Tells the extension that the answer of a call is no longer wanted.
    /// [`finish`](Host::finish) has what it answers all the same.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").tool("wait", "", async |_: NoArgs, ctx: Context| {
    ///         ctx.update("waiting").send();
    ///         ctx.cancellation().await;
    ///         Ok("late")
    ///     })
    /// });
    /// let call = host.begin("wait", json!({}))?;
    /// host.cancel(&call)?;
    /// assert_eq!(host.finish(call)?.text(), "late");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Failure::Misuse`] under a zot that does not cancel.
    #[track_caller]
    pub fn cancel(&mut self, call: &Call) -> Result<(), Failure> {
        self.conversation.place = Location::caller();
        if !self.profile.tool_cancel {
            return Err(self.misuse(format!("{} never cancels a call", self.profile.name)));
        }
        self.conversation.session.cancel(&call.key, "user", Instant::now());
        self.conversation.wait_until_read(&format!("the tool {} was not cancelled", call.tool))
    }

    /// Waits for the answer of a call that runs.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").tool("wait", "", async |_: NoArgs, ctx: Context| {
    ///         ctx.update("waiting").send();
    ///         ctx.cancellation().await;
    ///         Ok("late")
    ///     })
    /// });
    /// let first = host.begin("wait", json!({}))?;
    /// let second = host.begin("wait", json!({}))?;
    /// host.cancel(&second)?;
    /// assert_eq!(host.finish(second)?.text(), "late");
    /// # host.cancel(&first)?;
    /// # host.finish(first)?;
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`call`](Host::call).
    #[track_caller]
    pub fn finish(&mut self, call: Call) -> Result<Answer, Failure> {
        self.conversation.place = Location::caller();
        let Call { key, tool, output, .. } = call;
        let what = || format!("the tool {tool} did not answer");
        match self.outcome(&key, what)? {
            Outcome::Tool(result) => {
                if let Some(problem) = output.and_then(|schema| output_problem(&schema, &result)) {
                    let error = ErrorInfo::new(ErrorKind::Internal, problem);
                    return Err(self.unusable(wrong_result(&tool), error));
                }
                let updates = self.conversation.seen.updates.remove(&key).unwrap_or_default();
                Ok(Answer::new(result, updates))
            }
            Outcome::Failed(error) => Err(self.unusable(what(), error)),
            // A key names a call of one kind.
            _ => unreachable!("a tool call has another kind of answer"),
        }
    }

    /// The tools as they are registered now.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Weather {
    ///     /// City name
    ///     city: String,
    /// }
    ///
    /// let host = Host::new(|| {
    ///     Extension::new("a", "1").tool("weather", "", async |w: Weather, _| Ok(w.city))
    /// });
    /// let schema: Value = host.tools()[0].schema.to().unwrap();
    /// assert_eq!(schema["properties"]["city"]["description"], "City name");
    /// ```
    pub fn tools(&self) -> &[RegisterTool] {
        &self.conversation.seen.offered.tools
    }

    /// Calls a tool with a key, or asks it what became of that call.
    #[track_caller]
    fn repeat(
        &mut self,
        tool: &str,
        args: RawJson,
        operation_key: &str,
        reconcile: bool,
    ) -> Result<Answer, Failure> {
        self.conversation.place = Location::caller();
        let operation_key = Some(operation_key.to_owned());
        let call = self.send_call(tool, args, Repetition { operation_key, reconcile })?;
        self.finish(call)
    }

    fn send_call(
        &mut self,
        tool: &str,
        args: RawJson,
        repetition: Repetition,
    ) -> Result<Call, Failure> {
        self.when_offered(Named::Tool, tool)?;
        let Repetition { operation_key, reconcile } = repetition;
        let registered = self.conversation.seen.offered.tool(tool);
        let timeout = registered.and_then(|tool| tool.timeout_ms).map(Duration::from_millis);
        if reconcile && registered.is_some_and(|tool| tool.replay != Some(Replay::Reconcile)) {
            return Err(self.misuse(not_reconciled(tool)));
        }
        // What became of a call is no result of the tool's own.
        let output = registered.filter(|_| !reconcile).and_then(|tool| tool.output_schema.clone());
        let options =
            ToolCallOptions { timeout, operation_key, reconcile, ..ToolCallOptions::default() };
        let sent = self.conversation.session.call_tool(tool, args, options, Instant::now());
        let key = self.sent(sent, || format!("the tool {tool} was not called"))?;
        Ok(Call { key, tool: tool.to_owned(), output, shown: 0 })
    }
}

/// What is wrong with a structured result by the `output_schema` of its tool, as far as a validator of
/// plain schemas sees.
fn output_problem(schema: &RawJson, result: &ToolResult) -> Option<String> {
    if result.is_error {
        return None;
    }
    let Some(value) = &result.structured_content else { return Some(NO_RESULT.to_owned()) };
    match ArgsValidator::compile(schema) {
        Ok(validator) => validator.validate(value).err().map(|error| error.to_string()),
        Err(problem) => Some(format!("the output schema: {problem}")),
    }
}

/// A tool call that runs: made by [`Host::begin`], for [`Host::finish`].
#[derive(Debug)]
#[must_use = "a call is answered by `host.finish(call)`"]
pub struct Call {
    key: CallKey,
    tool: String,
    /// The schema of its structured result.
    output: Option<RawJson>,
    /// Updates that [`Host::next_update`] has given out.
    shown: usize,
}
