//! Whether results are shown as the views that come with them.

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct Views {
    /// Show results, updates, panels and calls as the views that their authors give, in place of the text: on a
    /// terminal, always (80 columns wide elsewhere), or never
    #[arg(long = "view", value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub(crate) when: When,
}

// Comments for the documentation would become help, and make all of the help long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    // Where stdout is a terminal.
    #[default]
    Auto,
    Always,
    Never,
}
