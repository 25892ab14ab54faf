//! `extline repair` and `extline extract`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Repair {}

#[derive(Debug, Args)]
pub(crate) struct Extract {
    /// A tool that the model was offered; calls of others are refused. May be repeated
    #[arg(long = "tool", value_name = "NAME", required = true)]
    pub(crate) tools: Vec<String>,
}
