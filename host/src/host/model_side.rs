//! What an embedder may want to be done with its model's calls.

use super::{Host, HostBuilder};
use crate::calls::ReadArgs;
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
}
