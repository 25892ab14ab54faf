//! Secrets that a person gives to extensions.

use std::ffi::OsString;

use clap::{Args, Subcommand};

use super::help::{SECRET_LIST_EXAMPLES, SECRET_SET_EXAMPLES};

#[derive(Debug, Args)]
pub(crate) struct Secret {
    #[command(subcommand)]
    pub(crate) action: SecretAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SecretAction {
    /// Set a secret: its value is asked for on the terminal, unseen, or read from stdin where that is none
    #[command(
        override_usage = "extline secret set [OPTIONS] <EXTENSION> <NAME>",
        after_help = SECRET_SET_EXAMPLES
    )]
    Set(SecretSet),
    /// List secrets by name, whether each is set, and where it comes from; never a value
    #[command(after_help = SECRET_LIST_EXAMPLES)]
    List(SecretList),
    /// Remove a secret that was set
    Remove(SecretRemove),
}

#[derive(Debug, Args)]
pub(crate) struct SecretSet {
    /// Keep it in the keyring of the operating system (the Secret Service on Linux, the keychain on macOS), in place
    /// of a file in the home
    #[arg(long)]
    pub(crate) keyring: bool,

    /// The extension, as its folder or its name, and the secret, as "permissions": {"secrets": [...]} in its
    /// extension.json names it. A value is no argument
    // One more is taken and refused: clap would print it.
    #[arg(value_name = "EXTENSION NAME", required = true, num_args = 2.., trailing_var_arg = true,
          allow_hyphen_values = true)]
    pub(crate) words: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct SecretList {
    /// The extension, as its folder or its name; all that have secrets when absent
    #[arg(value_name = "EXTENSION")]
    pub(crate) extension: Option<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct SecretRemove {
    /// The extension, as its folder or its name
    #[arg(value_name = "EXTENSION")]
    pub(crate) extension: OsString,

    /// The secret
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}
