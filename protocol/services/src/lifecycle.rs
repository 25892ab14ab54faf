//! `lifecycle.*`: an extension is put out of use, and into use again, while its process runs.
//!
//! The host asks where the extension serves it. Without it the host does the same by itself: it calls nothing of the
//! extension meanwhile.

use serde::{Deserialize, Serialize};

#[cfg(feature = "schema")]
use schemars::JsonSchema;

use crate::method::answered;

answered! {
    /// The extension is out of use: it lets go of what it needs for its tools and commands only.
    "lifecycle.deactivate": DeactivateMethod(Deactivate) => Done;
    /// The extension is in use again.
    "lifecycle.activate": ActivateMethod(Activate) => Done;
}

/// What `lifecycle.deactivate` is asked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Deactivate {
    /// How long the answer may take, in milliseconds. No call runs any more.
    pub drain_ms: u64,
}

/// What `lifecycle.activate` is asked with: nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Activate {}

/// The answer to both: nothing. It comes when that is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Done {}

impl Deactivate {
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as of every method")]
    fn check(self) -> Result<(), String> {
        Ok(())
    }
}

impl Activate {
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as of every method")]
    fn check(self) -> Result<(), String> {
        Ok(())
    }
}
