//! The configuration of an extension.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use extline_host::file::{WRITTEN_BYTES, read_text};
use extline_protocol::RawJson;

#[derive(Debug, Args)]
pub(crate) struct Config {
    /// The extension: its folder, or its name where it is found by that, in `.extline/extensions`, in
    /// the home of extline or in a folder of that name
    #[arg(value_name = "NAME")]
    pub(crate) extension: OsString,

    /// One setting, with dots where it is a part of another: auth.url
    #[arg(value_name = "KEY")]
    pub(crate) key: Option<String>,

    /// Its new value: JSON, or the text itself where the setting is a text
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    pub(crate) value: Option<String>,

    /// Take away what was set for this one
    #[arg(long, value_name = "KEY", conflicts_with_all = ["key", "value"])]
    pub(crate) unset: Option<String>,

    /// What the user says of this tool in place of a setting: KEY is `enabled`, `timeout_ms`,
    /// `weight`, `description`, or a pointer to a parameter that VALUE describes: `/properties/city`
    #[arg(long, value_name = "TOOL")]
    pub(crate) tool: Option<String>,
}

/// A configuration that the command line gives, over what the files say.
#[derive(Clone, Debug)]
pub(crate) struct GivenConfig {
    /// Whose it is; empty for the one extension that there is.
    pub(crate) extension: String,
    pub(crate) file: PathBuf,
    pub(crate) config: RawJson,
}

/// Reads `[NAME=]FILE`; a file whose own name has a `=` is given with a folder before it.
pub(super) fn given_config(text: &str) -> Result<GivenConfig, String> {
    let named = text.split_once('=').filter(|(name, _)| !name.is_empty() && !name.contains('/'));
    let (extension, file) = named.unwrap_or(("", text));
    let (extension, file) = (extension.to_owned(), PathBuf::from(file));
    let text = read_text(&file, WRITTEN_BYTES)
        .map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
    let text = text.trim_start_matches('\u{feff}');
    let config = RawJson::parse(text).map_err(|error| format!("{} is {error}", file.display()))?;
    Ok(GivenConfig { extension, file, config })
}
