//! `extline state`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct State {
    /// The extension, by the name that its host knows it by
    #[arg(value_name = "EXTENSION")]
    pub(crate) extension: String,

    /// Only of this scope; else of all, of session where --session says which
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Option<Scope>,

    /// The conversation that the scope session means
    #[arg(long, value_name = "ID", required_if_eq("scope", "session"))]
    pub(crate) session: Option<String>,

    /// The folder of the project that the scope project means, in place of the present one
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,

    /// Take it away in place of showing it; --scope says of which scope
    #[arg(long, requires = "scope")]
    pub(crate) clear: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// What is kept with a conversation
    Session,
    /// What is kept with a project's folder
    Project,
    /// What is kept everywhere
    Global,
}
