//! What an embedder may want to be done with its model's calls.

use extline_protocol::frame::ToolResult;

use super::{Host, HostBuilder};
use crate::calls::ReadArgs;
use crate::effects::{Consumer, Effects};
use crate::model_side::{ErrorHints, MemoPolicy, ModelAnswer};
use crate::report::CallError;

impl HostBuilder {
    /// Whether arguments of a model that are no JSON are repaired. Off by default: they are refused.
    ///
    /// What was changed is told by [`News::ArgsRepaired`](crate::News::ArgsRepaired). A blank text is `{}`. Nothing runs
    /// where more than one thing could be meant ([`CallError::Unrepairable`]), and where the text ends before the arguments
    /// do, unless the tool declares that it only reads ([`CallError::Truncated`]). Interceptors, guards, approvers and the
    /// tool get the repaired arguments alone. Under the profile of a zot nothing is repaired.
    #[must_use]
    pub fn repair(mut self, repairs: bool) -> Self {
        self.model_side.repairs = repairs;
        self
    }

    /// Whether results of tools that declare `pure` are kept, and answer the same call once more: of one tool, with
    /// arguments that are equal as values, in one [task](crate::CallOptions::task). Off by default.
    ///
    /// Interceptors, guards, approvers and those who look at results are asked about such a call as about every other;
    /// the tool alone is not called, and [`News::CallEnded`](crate::News::CallEnded) has `cache_hit`. Only successes are
    /// kept. They are dropped, of every task, when a tool that does not declare `pure` or `read_only` has succeeded, has
    /// failed and tells of effects, or was given up without an answer; also by a command, a request
    /// of the agent, a key in a panel and an action that was resolved, and at [`Host::something_changed`].
    #[must_use]
    pub fn memo(mut self, policy: MemoPolicy) -> Self {
        self.model_side.memo = policy;
        self
    }

    /// Whether a call that fails over and over in one [task](crate::CallOptions::task) is refused: with its third failure
    /// there is advice, [`CallError::Repeated`] or a last block in the result, and the fourth call is not made
    /// ([`CallError::TooOften`]). Off by default.
    ///
    /// It is the same call if tool, extension and schema are, and the arguments are equal as values. Any failure counts
    /// but one by which the agent gave up. A success of the call lets it begin anew, and so does, for all calls of the
    /// task, that of a tool that may change something.
    #[must_use]
    pub fn loop_guard(mut self, is_on: bool) -> Self {
        self.model_side.guards_loops = is_on;
        self
    }

    /// Has results of that extension trusted, unless they say that they are not: they are no data of somebody else's, and
    /// a model gets them [without a frame](Host::for_model). By default only the agent's own tools are trusted.
    #[must_use]
    pub fn trust_results_of(mut self, extension: impl Into<String>) -> Self {
        self.model_side.trusted.insert(extension.into());
        self
    }

    /// Tells what calls do to the world: [`DiffRecorder`](crate::effects::DiffRecorder) is one that keeps it. Calls of tools
    /// that declare `pure` or `read_only` are not told, and those of the agent's own tools are, where the host runs them.
    /// Nobody is told by default; of two the last is taken.
    #[must_use]
    pub fn effects(mut self, effects: impl Effects) -> Self {
        self.model_side.effects = Some(Consumer::new(effects));
        self
    }

    /// What a model is advised to do next when a call has failed, in place of the [default](ErrorHints::default).
    #[must_use]
    pub fn error_hints(mut self, hints: ErrorHints) -> Self {
        self.model_side.hints = hints;
        self
    }
}

/// What a model wrote.
impl Host {
    /// The arguments that a call of that tool would begin with, as [`Host::call`] reads them: for the history of the
    /// conversation, in which broken JSON would teach the model to write more of it. Nothing is called, and nobody is
    /// asked.
    pub fn read_args(&self, tool: &str, args: &str) -> Result<ReadArgs, CallError> {
        let offered = self.shared.registry().tool(tool);
        self.shared.read_model_args(offered.as_deref(), tool, args)
    }

    /// The model is done with a task: what is remembered of its calls is dropped.
    pub fn end_task(&self, task: &str) {
        self.shared.model_side.memo.end_task(task);
        self.shared.model_side.loops.end_task(task);
    }

    /// Something has changed of which the host knows nothing, as by a tool that the agent runs itself, or by its user: no
    /// call is answered by a result from before ([`HostBuilder::memo`]), and failures are counted anew
    /// ([`HostBuilder::loop_guard`]).
    pub fn something_changed(&self) {
        self.shared.model_side.memo.changed();
        self.shared.model_side.loops.changed();
    }

    /// What the model reads of the answer to a call of that tool: its content, or the words of the error, and behind an
    /// error a line `hint: ...` with what to do next, that of its author or else of its [kind](ErrorHints).
    ///
    /// What is not trusted stands in a frame: a first and a last block say who wrote it, and that it is data and no
    /// instruction, with a mark that is another one each time. Trusted are results of the agent's own tools, and of
    /// extensions that [`HostBuilder::trust_results_of`] names, unless their `trust` says something else than `trusted`.
    /// What the host says itself, errors and hints, stands outside.
    pub fn for_model(&self, tool: &str, answer: &Result<ToolResult, CallError>) -> ModelAnswer {
        let offered = self.shared.registry().tool(tool);
        ModelAnswer::of(tool, offered.as_deref(), answer, &self.shared.model_side)
    }
}
