//! The way of a tool call, whoever makes it: interceptors, the tool's schema, guards, an
//! approval, the tool (`call.gate`). Who wants to know of it is told when it begins and when it ends.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use extline_protocol::frame::{Phase, ToolResult};
use extline_protocol::{Id, RawJson, ToolCallOptions};
use extline_schema::{ToolSchema, Violation};
use tokio::sync::OwnedSemaphorePermit;

use super::aftermath::Aftermath;
use super::attempt::Attempt;
use super::builtin;
use super::call::{Call, CallOptions, Runner, Running};
use super::proposal::Proposal;
use super::review::Review;
use super::telling::Telling;
use crate::aside;
use crate::connection::{Caller, News, Sending, SentCall, Shared, Standstill};
use crate::model_side::Recalled;
use crate::offers::TOOL_INVOKE;
use crate::registry::Registry;
use crate::report::CallError;
use crate::tool::ToolFilter;
use crate::tool::{BuiltinCall, Owner, Tool};

/// A call that has begun.
struct Begun {
    running: Running,
    /// What is said of a timeout.
    timeout: Duration,
    review: Box<Review>,
    aftermath: Aftermath,
}

/// A call that nobody has anything against.
struct Passed {
    tool: Arc<Tool>,
    args: RawJson,
    turn: Option<OwnedSemaphorePermit>,
}

impl Shared {
    /// Takes a call through the gate, see [`Host::start_call`](crate::Host::start_call).
    pub(crate) async fn start_call(
        self: &Arc<Self>,
        caller: Caller,
        name: &str,
        args: &str,
        options: CallOptions,
    ) -> Result<Call, CallError> {
        // A call that is written in one of `tool_invoke` is that call.
        let is_search = name == TOOL_INVOKE && self.registry().offering().rules.has_search;
        let id = self.name_call();
        let invoked = is_search.then(|| self.read_invoked(&id, args)).flatten();
        let (name, args) = match &invoked {
            Some((name, args)) => (name.as_str(), args.get()),
            None => (name, args),
        };
        let is_of_model = caller.extension.is_none();
        let mut telling = Telling::begin(self, &id, caller.extension.as_deref(), name, args, None);
        let mut attempt = match Attempt::of(self, options.task.as_deref(), name, args) {
            Ok(attempt) => attempt,
            Err(error) => {
                telling.failed(&error);
                return Err(error);
            }
        };
        let mut aborts = self.aborts.subscribe();
        let begun = {
            // It is large, and not moved once it stands here.
            let mut running = pin!(self.run_call(&id, caller, name, args, options, &mut telling));
            // Most calls begin at once, and need not listen.
            match poll_fn(|context| Poll::Ready(running.as_mut().poll(context))).await {
                Poll::Ready(begun) => begun,
                Poll::Pending => tokio::select! {
                    biased;
                    // The sender is ours, so this is no error.
                    _ = aborts.changed() => Err(CallError::Cancelled { name: name.to_owned() }),
                    begun = running => begun,
                },
            }
        };
        match begun {
            Ok(Begun { running, timeout, review, aftermath }) => Ok(Call {
                name: name.to_owned(),
                running,
                timeout,
                review: Some(review),
                reviewing: None,
                is_of_model,
                aftermath,
                attempt,
                telling,
            }),
            Err(error) => {
                let error = attempt.failed(error);
                telling.failed(&error);
                Err(error)
            }
        }
    }

    async fn run_call(
        self: &Arc<Self>,
        id: &str,
        caller: Caller,
        name: &str,
        args: &str,
        options: CallOptions,
        telling: &mut Telling,
    ) -> Result<Begun, CallError> {
        let above = caller.time.or_else(builtin::time_above);
        let time = above.or_else(|| options.timeout.map(|_| Standstill::default()));
        let origin = caller.origin.or(options.origin);
        let call = Proposal {
            id,
            tool: name,
            caller: caller.extension.as_deref(),
            time: time.as_ref(),
            origin,
            place: None,
            unasked: None,
        };
        let is_free = call.caller.is_some();
        let filter = options.filter.clone();
        let passed = self.pass(call, args, filter.as_deref(), telling);
        let timed_out =
            |after| CallError::Timeout { name: name.to_owned(), after, extension: None };
        // What is left of the caller's own time; the tool's begins only behind the gate.
        let mut left = options.timeout;
        let Passed { tool, args, turn } = match (&mut left, &time) {
            (Some(left), Some(time)) => {
                let passed = time.within(left, passed).await;
                passed.ok_or_else(|| timed_out(options.timeout.unwrap_or_default()))??
            }
            _ => passed.await?,
        };
        if left.is_some_and(|left| left.is_zero()) {
            return Err(timed_out(options.timeout.unwrap_or_default()));
        }
        let mut review = Box::new(Review::of(self, call, Some(&args)));
        let users = self.users_timeout(&tool);
        let is_interactive = tool.definition.interactive && left.is_none() && users.is_none();
        let of_tool = users.or_else(|| tool.timeout());
        let own = left.or(of_tool);
        let announced_timeout = options.timeout.or(of_tool).unwrap_or(self.deadlines.tool);
        let keeping = match self.model_side.memo.recall(options.task.as_deref(), &tool, args.get())
        {
            Recalled::Nothing => None,
            Recalled::Unknown(keeping) => Some(keeping),
            Recalled::TooOften => return Err(CallError::Duplicate { tool: name.to_owned() }),
            Recalled::Result(result) => {
                telling.recalled();
                let result = Box::new(ToolResult { id: Id::from(id), ..*result });
                let running = Running::recalled(result);
                let (timeout, aftermath) = (announced_timeout, Aftermath::nothing());
                return Ok(Begun { running, timeout, review, aftermath });
            }
        };
        if self.model_side.effects.is_some() {
            // What waits there is large, and moved wherever this future goes.
            review.watch(Box::pin(self.watch(call, &tool, &args)).await);
        }
        let aftermath = Aftermath::of(self, &tool, keeping);
        let begun = |running| Begun { running, timeout: announced_timeout, review, aftermath };
        match &tool.owner {
            Owner::Extension(owner) => {
                let unknown = || CallError::Unknown { what: "tool", name: name.to_owned() };
                let options = ToolCallOptions {
                    timeout: own,
                    interactive: is_interactive,
                    operation_key: options.operation_key,
                    reconcile: false,
                };
                let called_by = caller.above;
                let asked = Arc::clone(&tool);
                let sending =
                    Sending { tool: asked, args, options, called_by, above: time, origin, turn };
                let is_reloading = |registry: &mut Registry| registry.is_tool_reloading(name);
                let sent = self.send(is_free, is_reloading, || {
                    let connection = self.connection(*owner).ok_or_else(unknown)?;
                    connection.call_tool(sending)
                });
                let SentCall { guard, result, updates } = sent.await?;
                telling.executed(&tool);
                let runner = Runner::Extension(guard);
                Ok(begun(Running { runner, result, updates }))
            }
            Owner::Agent(builtin) => {
                telling.executed(&tool);
                let timeout = (!is_interactive).then(|| own.unwrap_or(self.deadlines.tool));
                let tool = name.to_owned();
                let (id, caller) = (Id::from(id), caller.extension);
                let call = BuiltinCall { id, tool, args, caller, filter };
                let (builtin, time) = (builtin.clone(), time.unwrap_or_default());
                let aborts = self.aborts.subscribe();
                let started =
                    builtin::start(builtin, &self.runtime, call, timeout, time, (turn, aborts));
                Ok(begun(started))
            }
        }
    }

    async fn pass(
        &self,
        call: Proposal<'_>,
        args: &str,
        filter: Option<&ToolFilter>,
        telling: &mut Telling,
    ) -> Result<Passed, CallError> {
        let name = call.tool;
        // What an extension calls in the midst of its own call may be what the reload waits for.
        let is_free = call.caller.is_some();
        let waits = |registry: &mut Registry| {
            if is_free { registry.is_tool_deferred(name) } else { registry.is_tool_reloading(name) }
        };
        // What a model is not offered it cannot call; extensions have no filter.
        let offered = |registry: &Registry, tool: &Tool| {
            let unknown = || CallError::Unknown { what: "tool", name: name.to_owned() };
            (is_free || registry.may_have(tool, filter)).then_some(()).ok_or_else(unknown)
        };
        let find = |registry: &mut Registry| {
            let tool = find_tool(registry, name)?;
            offered(registry, &tool).map(|()| tool)
        };
        let tool = self.when_loaded(waits, find).await?;
        let args = self.read_told(Some(&tool), call, args, telling)?;
        let (tool, turn) = self.take_turn(tool, waits).await?;
        if turn.is_some() {
            // While it waited, another one may have got the name.
            offered(&self.registry(), &tool)?;
        }
        let args = self.pass_args(&tool, call, args, telling).await?;
        Ok(Passed { tool, args, turn })
    }

    /// The same for what is no tool of the registry's: the arguments that run.
    pub(super) async fn pass_tool(
        &self,
        tool: Arc<Tool>,
        call: Proposal<'_>,
        args: &str,
        telling: &mut Telling,
    ) -> Result<RawJson, CallError> {
        let args = self.read_told(Some(&tool), call, args, telling)?;
        self.pass_args(&tool, call, args, telling).await
    }

    async fn pass_args(
        &self,
        tool: &Arc<Tool>,
        call: Proposal<'_>,
        args: RawJson,
        telling: &mut Telling,
    ) -> Result<RawJson, CallError> {
        // What asks is large, and moved wherever this future goes; most calls ask nobody.
        let interceptors = self.asked_about(call, &Phase::Intercept);
        let args = match interceptors.as_slice() {
            [] => args,
            asked => Box::pin(self.intercept_tool_call(asked, call, args, telling)).await?,
        };
        let args = match &tool.schema {
            Some(schema) => match self.validate(schema, args).await {
                Ok(args) => args,
                Err(violation) => {
                    return Err(CallError::Invalid { tool: Arc::clone(tool), violation });
                }
            },
            None => args,
        };
        let guards = self.asked_about(call, &Phase::Guard);
        let asked = match guards.as_slice() {
            [] => Vec::new(),
            guards => Box::pin(self.guard_tool_call(guards, call, &args)).await?,
        };
        self.run_hooks(call, &args).await?;
        self.approve(call, Some(tool), &args, &asked).await?;
        Ok(args)
    }

    /// Validates arguments; what may take long, on a thread of its own, so that a deadline and an
    /// interruption hold meanwhile.
    async fn validate(
        &self,
        schema: &Arc<ToolSchema>,
        args: RawJson,
    ) -> Result<RawJson, Violation> {
        if let Some(verdict) = schema.validate_if_quick(&args) {
            return verdict.map(|()| args);
        }
        // It is never closed.
        let permit = Arc::clone(&self.long_validations).acquire_owned().await;
        let schema = Arc::clone(schema);
        aside::run("extline-validate", move || {
            let verdict = schema.validate(&args).map(|()| args);
            drop(permit);
            verdict
        })
        .await
        .unwrap_or_else(|| {
            let message = "cannot be checked: there is no thread for it, or it failed".to_owned();
            Err(Violation { pointer: String::new(), message })
        })
    }

    /// Has tools listed that a result of that extension activates.
    pub(super) fn activate(&self, extension: &str, names: &[String]) {
        let names = self.registry().activate(names);
        if !names.is_empty() {
            let extension = extension.to_owned();
            self.news.tell(News::ToolsActivated { extension, names, active: true });
        }
    }

    /// The tool of that name, if it can be called now.
    pub(super) fn tool(&self, name: &str) -> Result<Arc<Tool>, CallError> {
        find_tool(&mut self.registry(), name)
    }

    /// How long a call of a tool may take, where its user says so.
    pub(super) fn users_timeout(&self, tool: &Tool) -> Option<Duration> {
        let registry = self.registry();
        let settings = registry.settings(tool.owner()?, tool.name())?;
        settings.timeout_ms.map(Duration::from_millis)
    }

    /// Waits until no earlier call of a sequential tool is on its way or unanswered
    /// (`tool.sequential`). The turn is taken before anybody is asked, so that the calls run in the
    /// order in which they were made.
    async fn take_turn(
        &self,
        mut tool: Arc<Tool>,
        is_reloading: impl Fn(&mut Registry) -> bool,
    ) -> Result<(Arc<Tool>, Option<OwnedSemaphorePermit>), CallError> {
        while let Some(turn) = tool.turn.clone() {
            let permit = Arc::clone(&turn).acquire_owned().await;
            // It may have been taken back meanwhile, or offered anew.
            let now = self.when_loaded(&is_reloading, |registry| find_tool(registry, tool.name()));
            tool = now.await?;
            if tool.turn.as_ref().is_some_and(|now| Arc::ptr_eq(now, &turn)) {
                return Ok((tool, permit.ok()));
            }
        }
        Ok((tool, None))
    }
}

/// The tool of that name, if it can be called now (`end.restart-names`).
pub(super) fn find_tool(registry: &mut Registry, name: &str) -> Result<Arc<Tool>, CallError> {
    let Some(tool) = registry.tool(name) else {
        if let Some((extension, file)) = registry.switched_off(name) {
            return Err(CallError::SwitchedOff { tool: name.to_owned(), extension, file });
        }
        let failed = registry.failed_with_tool(name);
        let (name, extension) = (name.to_owned(), registry.disabled_with_tool(name));
        return Err(CallError::missing("tool", name, extension, failed));
    };
    if let Some(by) = registry.deactivated_by(name) {
        return Err(CallError::Inactive { tool: name.to_owned(), by: by.to_owned() });
    }
    let with_extension = || (name.to_owned(), tool.extension.clone());
    match &tool.owner {
        Owner::Extension(owner) if registry.is_disabled(*owner) => {
            let (name, extension) = with_extension();
            Err(CallError::Disabled { name, extension })
        }
        Owner::Extension(owner) if registry.is_restarting(*owner) => {
            let (name, extension) = with_extension();
            Err(CallError::Restarting { name, extension })
        }
        _ => Ok(tool),
    }
}
