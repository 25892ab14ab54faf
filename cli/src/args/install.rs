//! Entries in the configuration of agents.

use std::ffi::OsString;

use clap::Args;

use super::{Offered, Program};
use crate::agents::Scope;

/// Which agents, and where.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The agent: claude, codex, cursor, vscode, gemini, qwen, copilot, droid, opencode, crush, zed, pi or
    /// goose; zot, into whose folder the extension is copied. May be repeated
    #[arg(long = "for", value_name = "AGENT", required = true, value_parser = Offered::AGENTS,
          hide_possible_values = true)]
    pub(crate) agents: Vec<String>,

    /// Whose configuration: your own (user), or that of the present folder (project). An entry holds paths
    /// of this machine, which a project's file would pass on to others; so your own is the default
    #[arg(long, value_enum, default_value_t = Scope::User, hide_possible_values = true)]
    pub(crate) scope: Scope,

    /// Show what would change, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Install {
    /// The extension's folder
    #[arg(value_name = "DIR", required_unless_present = "program")]
    pub(crate) dir: Option<OsString>,

    #[command(flatten)]
    pub(crate) place: Place,

    /// What the server is called there: letters, digits, dashes and underscores; as the extension when
    /// absent. A program behind `--` needs one
    #[arg(long, value_name = "NAME", required_unless_present = "dir")]
    pub(crate) name: Option<String>,

    /// Write hooks too, with which the agent asks the extension about its own tools, and tells it of its
    /// sessions. That is the default where the extension's manifest declares guards
    #[arg(long, conflicts_with = "no_hooks")]
    pub(crate) hooks: bool,

    /// Write no hooks, also where the manifest declares guards
    #[arg(long)]
    pub(crate) no_hooks: bool,

    /// Replace an entry of the same name that starts something else, and hooks for the same extension that
    /// run another command
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) program: Program,
}

#[derive(Debug, Args)]
pub(crate) struct Uninstall {
    /// The extension's folder, which may be gone, or the name of the entry
    #[arg(value_name = "DIR|NAME")]
    pub(crate) what: String,

    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Debug, Args)]
pub(crate) struct Discover {
    /// Only for this agent. May be repeated
    #[arg(long = "for", value_name = "AGENT", value_parser = Offered::AGENTS, hide_possible_values = true)]
    pub(crate) agents: Vec<String>,

    /// Start the extensions that are installed, and list their tools
    #[arg(long)]
    pub(crate) start: bool,
}
