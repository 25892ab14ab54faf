//! Packages for agents.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct Package {
    /// The extension's folder
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,

    /// The folder for the packages, one in it for each; `packages` in the present folder when absent
    #[arg(long, value_name = "DIR", default_value = "packages", hide_default_value = true)]
    pub(crate) out: PathBuf,

    /// Which package: agent-plugin (VS Code, Cursor, Copilot, Codex and others), claude or gemini. May be
    /// repeated; all when absent
    #[arg(long = "for", value_name = "PACKAGE", value_enum, hide_possible_values = true)]
    pub(crate) kinds: Vec<Kind>,

    /// Replace a package that is there already
    #[arg(long)]
    pub(crate) force: bool,
}

/// A kind of package.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Kind {
    AgentPlugin,
    Claude,
    Gemini,
}
