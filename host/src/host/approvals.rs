//! Who says which calls may run.

use super::HostBuilder;
use crate::approval::{ApprovalMode, ApprovalPattern, Approver, AskApprover};

/// Approvals (§4.2 of the protocol). A call of a tool that declares `gated` needs one, whoever makes
/// it: the model, an extension (`call.gate`), or the agent that tries out what would be decided. It is
/// decided behind the guards, on the bytes that they saw, and by the host itself: nothing that the
/// tool's extension says later changes what an approval covers.
impl HostBuilder {
    /// Who is asked: the last one that is given. One prompt is open at a time, dialogs of extensions
    /// included, in the order of the calls, and the time of the call and of those above it stands
    /// still meanwhile. One that fails, panics or is gone denies; without any, the call is refused with
    /// `permission`.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver) -> Self {
        self.approvals.approver = Some(AskApprover::new(approver));
        self
    }

    /// Shows several dialogs and prompts at once: for an agent with several conversations, each with a person of its
    /// own. Say it before what is served ([`HostBuilder::serve`]).
    #[must_use]
    pub fn many_screens(mut self) -> Self {
        self.screen = None;
        self
    }

    /// Who decides: by default the approver.
    #[must_use]
    pub fn approval_mode(mut self, mode: ApprovalMode) -> Self {
        self.approvals.mode = mode;
        self
    }

    /// Lets calls that fit run without asking.
    #[must_use]
    pub fn approve(mut self, pattern: ApprovalPattern) -> Self {
        self.approvals.allow.push(pattern);
        self
    }

    /// Refuses calls that fit, whatever allows them otherwise, and also of tools that declare nothing.
    #[must_use]
    pub fn deny(mut self, pattern: ApprovalPattern) -> Self {
        self.approvals.deny.push(pattern);
        self
    }

    /// Whether calls of a tool that says it is dangerous need an approval too, though it does not
    /// declare `gated`: with the tier `exec`, or annotated as `destructive`. Off by default.
    #[must_use]
    pub fn gate_risky(mut self, gate: bool) -> Self {
        self.approvals.gates_risky = gate;
        self
    }
}
