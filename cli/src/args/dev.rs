//! An extension that is worked on.

use std::path::PathBuf;

use clap::Args;

use super::settings::{Settings, Timeout};
use super::views::Views;

#[derive(Debug, Args)]
pub(crate) struct Dev {
    /// The extension's folder
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,

    /// A command of the shell that builds it, run in DIR at the start and before each reload
    #[arg(long, value_name = "COMMAND")]
    pub(crate) build: Option<String>,

    #[command(flatten)]
    pub(crate) timeout: Timeout,

    #[command(flatten)]
    pub(crate) views: Views,

    #[command(flatten)]
    pub(crate) settings: Settings,
}
