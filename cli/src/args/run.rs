//! Extensions at a prompt.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::servers::Servers;
use super::settings::{Program, Settings, Timeout};
use super::views::Views;

#[derive(Debug, Args)]
pub(crate) struct Record {
    /// The trace, with arguments and results in full (see docs/protocol/traces.md); the file is made anew
    #[arg(id = "recording", value_name = "TRACE", conflicts_with = "trace")]
    pub(crate) trace: PathBuf,

    #[command(flatten)]
    pub(crate) run: Run,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The extensions' folders; where two offer the same name, the first wins
    #[arg(value_name = "DIR")]
    pub(crate) dirs: Vec<OsString>,

    /// Run this extension before those that are installed (`extline ext list`), which run where no DIR, PROGRAM or
    /// server is given. May be repeated
    #[arg(long = "ext", value_name = "DIR", conflicts_with = "dirs")]
    pub(crate) explicit: Vec<PathBuf>,

    /// Run none that is installed
    #[arg(long = "no-ext")]
    pub(crate) no_installed: bool,

    /// Start all that are installed at once. Else those whose tools and commands are known from the last time, and that
    /// wait for nothing else, are started when they are first used
    #[arg(long)]
    pub(crate) start_all: bool,

    #[command(flatten)]
    pub(crate) timeout: Timeout,

    #[command(flatten)]
    pub(crate) servers: Servers,

    #[command(flatten)]
    pub(crate) views: Views,

    #[command(flatten)]
    pub(crate) settings: Settings,

    #[command(flatten)]
    pub(crate) program: Program,
}
