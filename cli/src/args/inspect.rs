//! What an extension registers.

use std::ffi::OsString;

use clap::Args;

use super::settings::{Program, Settings};

#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// The extension's folder
    #[arg(value_name = "DIR", required_unless_present = "program")]
    pub(crate) dir: Option<OsString>,

    /// Serve a page for a browser on this machine, until Ctrl-C: tools as forms, commands, panels, questions, what
    /// passes on the wire, logs and times. Its URL is printed, with a token (see docs/inspector.md)
    #[arg(long)]
    pub(crate) web: bool,

    #[command(flatten)]
    pub(crate) settings: Settings,

    #[command(flatten)]
    pub(crate) program: Program,
}
