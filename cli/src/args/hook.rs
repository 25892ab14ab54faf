//! The hook of an agent.

use std::ffi::OsString;
use std::time::Duration;

use clap::{Args, Parser};

use super::settings::seconds;
use super::{Offered, Program, Settings};

#[derive(Debug, Args)]
pub(crate) struct Hook {
    /// The agent that runs this as a hook: claude, codex, gemini, crush, cursor, copilot, vscode, qwen,
    /// droid, goose, opencode or pi
    #[arg(long, value_name = "AGENT", required_unless_present_any = ["status", "stop", "serve"],
          value_parser = Offered::HOOKS, hide_possible_values = true)]
    pub(crate) agent: Option<String>,

    /// The extensions' folders
    #[arg(value_name = "DIR", required_unless_present_any = ["program", "status", "stop"])]
    pub(crate) dirs: Vec<OsString>,

    /// The event, where the agent does not name it on stdin, as Copilot CLI does not
    #[arg(long, value_name = "NAME")]
    pub(crate) event: Option<String>,

    /// How long a decision may take, the start of the extensions with it; behind that a tool call is
    /// blocked. Less than the agent waits for a hook
    #[arg(long, value_name = "SECONDS", default_value = "25", value_parser = seconds)]
    pub(crate) within: Duration,

    /// How long the extensions run on when no hook asks
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = seconds)]
    pub(crate) idle: Duration,

    /// Show which extensions run for hooks, and end
    #[arg(long, conflicts_with_all = ["agent", "dirs", "stop", "program"])]
    pub(crate) status: bool,

    /// End all extensions that run for hooks; the next hook starts them again
    #[arg(long, conflicts_with_all = ["agent", "dirs", "program"])]
    pub(crate) stop: bool,

    /// Run the extensions and answer hooks at that socket: what a hook starts by itself
    #[arg(long, hide = true, value_name = "SOCKET")]
    pub(crate) serve: Option<OsString>,

    #[command(flatten)]
    pub(crate) settings: Settings,

    #[command(flatten)]
    pub(crate) program: Program,
}

/// `extline hook` without the rest of the command line.
#[derive(Debug, Parser)]
pub(crate) struct HookAlone {
    #[command(flatten)]
    pub(crate) hook: Hook,

    #[arg(long)]
    pub(crate) json: bool,
}
