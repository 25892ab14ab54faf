//! What an extension has shown for as long as it likes: it is answered at once, and nobody is asked.
//!
//! `null` takes back what is shown. What an extension has shown goes with it.

use serde::{Deserialize, Deserializer, Serialize};

#[cfg(feature = "schema")]
use schemars::JsonSchema;

use crate::view::View;

/// How many lines of a widget are shown at least.
pub const WIDGET_LINES: usize = 10;
/// How many characters a key may have.
pub const KEY_CHARS: usize = 64;

/// What `ui.status` is asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Status {
    /// Which one of the extension's: the next text with this key takes its place.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 64)))]
    pub key: String,
    /// What is shown, in one line; `null` for nothing any more.
    #[serde(deserialize_with = "nullable")]
    #[cfg_attr(feature = "schema", schemars(required, extend("type" = ["string", "null"])))]
    pub text: Option<String>,
}

/// What `ui.title` is asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Title {
    /// What the window is called, in one line; `null` for the host's own title.
    #[serde(deserialize_with = "nullable")]
    #[cfg_attr(feature = "schema", schemars(required, extend("type" = ["string", "null"])))]
    pub title: Option<String>,
}

/// What `ui.working` is asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Working {
    /// What is said while the agent works, in one line; `null` for the host's own text.
    #[serde(deserialize_with = "nullable")]
    #[cfg_attr(feature = "schema", schemars(required, extend("type" = ["string", "null"])))]
    pub text: Option<String>,
}

/// What `ui.widget` is asked with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Widget {
    /// Which one of the extension's: the next lines with this key take their place.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 64)))]
    pub key: String,
    /// What is shown, ten lines at least; `null` for nothing any more.
    #[serde(deserialize_with = "nullable")]
    #[cfg_attr(feature = "schema", schemars(required, extend("type" = ["array", "null"])))]
    pub lines: Option<Vec<String>>,
    /// What is shown in place of the lines, where the host shows views.
    #[serde(
        default,
        deserialize_with = "crate::view::checked",
        skip_serializing_if = "Option::is_none"
    )]
    pub view: Option<View>,
    /// On which side of what the person types; above it where that is unsaid.
    #[serde(default)]
    pub placement: Placement,
}

/// Where a widget stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Placement {
    /// Above what the person types.
    #[default]
    Above,
    /// Below it.
    Below,
}

/// The answer to what is only shown: that it was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Shown {}

impl Status {
    pub(super) fn check(&self) -> Result<(), String> {
        keyed(&self.key)
    }
}

impl Title {
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as that of the others")]
    pub(super) fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

impl Working {
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as that of the others")]
    pub(super) fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

impl Widget {
    pub(super) fn check(&self) -> Result<(), String> {
        keyed(&self.key)
    }
}

fn keyed(key: &str) -> Result<(), String> {
    let is_key = (1..=KEY_CHARS).contains(&key.chars().count());
    if is_key { Ok(()) } else { Err(format!("/key: it has 1 to {KEY_CHARS} characters")) }
}

/// `null` has to be said.
fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(from)
}
