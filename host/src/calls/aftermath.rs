//! What the host remembers of a call once its tool has answered.

use std::sync::Arc;

use extline_protocol::frame::ToolResult;

use super::review::Answer;
use crate::connection::Shared;
use crate::model_side::Keeping;
use crate::tool::Tool;

/// What is remembered of a call that runs. One that is dropped before its answer may have changed what
/// results that are kept tell of.
#[derive(Debug)]
pub(super) struct Aftermath(Option<(Arc<Shared>, What)>);

#[derive(Debug)]
enum What {
    /// Its result is kept.
    Keeps(Box<Keeping>),
    /// It may change something.
    MayChange,
}

impl Aftermath {
    /// That of a call that only looks, and of which nothing is kept.
    pub(super) fn nothing() -> Self {
        Self(None)
    }

    /// That of a call of which this is to be kept, or nothing.
    pub(super) fn of(shared: &Arc<Shared>, tool: &Tool, keeping: Option<Box<Keeping>>) -> Self {
        let may_change = (!tool.definition.only_looks()).then_some(What::MayChange);
        let what = keeping.map(What::Keeps).or(may_change);
        Self(what.map(|what| (Arc::clone(shared), what)))
    }

    /// The tool has answered, or there is no answer.
    pub(super) fn ended(&mut self, answer: &Answer) {
        let Some((shared, what)) = self.0.take() else { return };
        match (what, answer) {
            (What::Keeps(keeping), Ok(result)) if !result.is_error => {
                shared.model_side.memo.keep(*keeping, result);
            }
            (What::Keeps(_), _) => {}
            (What::MayChange, Ok(result)) if changed_nothing(result) => {}
            // What became of a call without an answer nobody knows.
            (What::MayChange, _) => shared.model_side.memo.changed(),
        }
    }
}

/// A failure that tells of no effect.
fn changed_nothing(result: &ToolResult) -> bool {
    result.is_error && result.effects.as_ref().is_none_or(Vec::is_empty)
}

impl Drop for Aftermath {
    fn drop(&mut self) {
        if let Some((shared, What::MayChange)) = self.0.take() {
            shared.model_side.memo.changed();
        }
    }
}
