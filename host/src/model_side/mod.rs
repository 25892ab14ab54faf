//! What is done with a model's calls beside the gate, each by the embedder's word.

mod answer;
mod frame;
mod hints;
mod loops;
mod memo;
mod signature;

use std::collections::BTreeSet;

use extline_protocol::frame::ToolResult;

use crate::effects::Consumer;
use crate::offers::TOOL_INVOKE;
use crate::tool::Tool;

pub use self::answer::ModelAnswer;
pub(crate) use self::answer::advise;
pub use self::hints::ErrorHints;
pub(crate) use self::loops::{ATTEMPTS, Loops};
pub use self::memo::MemoPolicy;
pub(crate) use self::memo::{Keeping, Memo, Recalled};
pub(crate) use self::signature::Signature;

/// What the embedder wants of it; nothing by default.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModelSettings {
    /// Arguments that are no JSON are repaired.
    pub(crate) repairs: bool,
    pub(crate) memo: MemoPolicy,
    /// Calls that fail over and over are refused.
    pub(crate) guards_loops: bool,
    pub(crate) hints: ErrorHints,
    /// Extensions whose results are trusted.
    pub(crate) trusted: BTreeSet<String>,
    /// Who wants to know what calls do.
    pub(crate) effects: Option<Consumer>,
}

/// The same of a host that runs, with what it remembers.
#[derive(Debug)]
pub(crate) struct ModelSide {
    pub(crate) repairs: bool,
    pub(crate) memo: Memo,
    pub(crate) loops: Loops,
    pub(crate) hints: ErrorHints,
    trusted: BTreeSet<String>,
    pub(crate) effects: Option<Consumer>,
}

impl ModelSide {
    pub(crate) fn new(settings: &ModelSettings) -> Self {
        let ModelSettings { repairs, memo, guards_loops, hints, trusted, effects } =
            settings.clone();
        let (memo, loops) = (Memo::new(memo), Loops::new(guards_loops));
        Self { repairs, memo, loops, hints, trusted, effects }
    }

    /// Whether a result is more than data to a model. Who answers can only lower that (`tool.trust`).
    fn trusts(&self, tool: Option<&Tool>, result: &ToolResult) -> bool {
        // Whoever was called by `tool_invoke` answers in its place.
        let is_own = |tool: &Tool| !tool.is_of_extension() && tool.name() != TOOL_INVOKE;
        let is_known = |tool: &Tool| is_own(tool) || self.trusted.contains(&tool.extension);
        result.trust.as_deref().is_none_or(|trust| trust == "trusted") && tool.is_some_and(is_known)
    }
}
