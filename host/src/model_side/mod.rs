//! What is done with a model's calls beside the gate, each by the embedder's word.

/// What the embedder wants of it; nothing by default.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModelSide {
    /// Arguments that are no JSON are repaired.
    pub(crate) repairs: bool,
}
