//! What a profile makes of the host around the session: the switches that need no wire.

use std::sync::Mutex;

use extline_protocol::Profile;
use extline_protocol::frame::{Content, ToolResult};
use fastrand::Rng;

use crate::lock::lock;

/// The profile of a host, and the chance in it.
#[derive(Debug)]
pub(crate) struct ProfileRules {
    pub(crate) profile: Profile,
    random: Mutex<Rng>,
}

impl ProfileRules {
    pub(crate) fn new(profile: Profile, seed: Option<u64>) -> Self {
        let random = Mutex::new(seed.map_or_else(Rng::new, Rng::with_seed));
        Self { profile, random }
    }

    /// Puts things into another order each time.
    pub(crate) fn shuffle<T>(&self, things: &mut [T]) {
        lock(&self.random).shuffle(things);
    }

    /// A result as the model sees it (`zot.empty-content`).
    pub(crate) fn seen(&self, mut result: Box<ToolResult>) -> Box<ToolResult> {
        if !self.profile.keeps_empty_content {
            result.content.retain(|block| block.plain().as_deref() != Some(""));
            if result.content.is_empty() {
                result.content.push(Content::text("(extension returned no content)"));
            }
        }
        result
    }
}
