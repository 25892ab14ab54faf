//! Which calls may run.

use clap::{Args, ValueEnum};
use extline_host::{ApprovalMode, ApprovalPattern, HostBuilder};

/// Which calls of gated tools may run.
#[derive(Debug, Args)]
pub(crate) struct Approvals {
    /// Who decides about calls of tools that need an approval: a person (on the terminal, or by the
    /// client of MCP), the patterns of --allow alone, or nobody
    #[arg(long = "approve", value_enum, value_name = "MODE", default_value_t = Mode::Ask)]
    mode: Mode,

    /// Let calls run that fit, as 'wipe(tmp/*)': the tool, and the key that the prompt shows, where * is
    /// any text. May be repeated
    #[arg(long, value_name = "PATTERN")]
    allow: Vec<ApprovalPattern>,

    /// Refuse calls that fit, also of tools that need no approval; it wins over the others. May be
    /// repeated
    #[arg(long, value_name = "PATTERN")]
    deny: Vec<ApprovalPattern>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Mode {
    Ask,
    Allowlist,
    Yolo,
}

impl Approvals {
    pub(crate) fn apply(&self, builder: HostBuilder) -> HostBuilder {
        let builder = builder.approval_mode(match self.mode {
            Mode::Ask => ApprovalMode::Ask,
            Mode::Allowlist => ApprovalMode::Allowlist,
            Mode::Yolo => ApprovalMode::Yolo,
        });
        let builder = self.allow.iter().cloned().fold(builder, HostBuilder::approve);
        self.deny.iter().cloned().fold(builder, HostBuilder::deny)
    }
}
