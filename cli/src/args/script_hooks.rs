//! Programs that are asked before tools run.

use std::path::PathBuf;

use clap::Args;

use super::servers::digest;

/// Which script hooks run.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Host")]
pub(crate) struct Hooks {
    /// Run the programs of a hooks.toml before tools, beside those of hooks.toml in the home and, once they are
    /// trusted, of .extline/hooks.toml in the present folder. May be repeated
    #[arg(id = "hooks", long = "hooks", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Run no hooks but those of --hooks
    #[arg(id = "no_hooks", long = "no-hooks")]
    pub(crate) none: bool,

    /// Trust the hooks of the present folder that have this digest, from now on
    #[arg(id = "hooks_trust", long = "hooks-trust", value_name = "DIGEST", value_parser = digest)]
    pub(crate) trusted: Vec<String>,
}
