//! What keeps rows: a database, or memory.

use super::Refusal;

/// What is kept at a place for a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// JSON text; `None`: what a node further up has is taken away here.
    pub value: Option<String>,
    /// The revision at which it was set.
    pub revision: u64,
}

/// A key with what is known without its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The key.
    pub key: String,
    /// The revision.
    pub revision: u64,
    /// Bytes of the value; `None`: it is taken away here.
    pub bytes: Option<u64>,
}

/// Which keys of a place are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Page<'a> {
    /// Those that begin so.
    pub prefix: &'a str,
    /// Those behind this one.
    pub after: Option<&'a str>,
    /// So many at most.
    pub limit: Option<usize>,
}

/// What is known of the slot of an extension at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotHead {
    /// The version that its values have.
    pub version: u64,
    /// The revision of what was done to it last.
    pub changed: u64,
}

/// A conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The node that is its leaf.
    pub leaf: u64,
    /// The conversation that it branched off from.
    pub parent: Option<String>,
}

/// A node of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The one before it.
    pub parent: Option<u64>,
    /// The nearest one further up at which values are kept.
    pub kept_in: Option<u64>,
    /// The conversation that it was made in.
    pub session: String,
    /// The extension whose entry it is, and its type; a node without an entry only parts branches.
    pub entry: Option<(String, String)>,
    /// Bytes of this and all earlier entries of that extension on the branch.
    pub bytes: u64,
    /// When it was made, in milliseconds since 1970.
    pub at_ms: u64,
}

/// Rows that are read and written within one transaction.
pub trait Rows {
    /// A number that is greater than each before it, for all extensions and conversations.
    fn next_number(&mut self) -> Result<u64, Refusal>;

    /// What an extension has at a place for a key.
    fn row(&mut self, place: &str, extension: &str, key: &str) -> Result<Option<Row>, Refusal>;
    /// The keys that it has there, by their bytes.
    fn keys(
        &mut self,
        place: &str,
        extension: &str,
        page: Page<'_>,
    ) -> Result<Vec<Header>, Refusal>;
    /// Bytes of its keys and values there.
    fn bytes(&mut self, place: &str, extension: &str) -> Result<u64, Refusal>;
    /// Keeps a row in place of the one before.
    fn put(&mut self, place: &str, extension: &str, key: &str, row: &Row) -> Result<(), Refusal>;
    /// Drops a row.
    fn remove(&mut self, place: &str, extension: &str, key: &str) -> Result<(), Refusal>;

    /// What is known of its slot there.
    fn slot(&mut self, place: &str, extension: &str) -> Result<Option<SlotHead>, Refusal>;
    /// Keeps that.
    fn put_slot(&mut self, place: &str, extension: &str, head: SlotHead) -> Result<(), Refusal>;
    /// Whether any extension has a slot there.
    fn is_used(&mut self, place: &str) -> Result<bool, Refusal>;

    /// A conversation.
    fn session(&mut self, id: &str) -> Result<Option<Stored>, Refusal>;
    /// Keeps it.
    fn put_session(&mut self, id: &str, session: &Stored) -> Result<(), Refusal>;
    /// A node.
    fn node(&mut self, number: u64) -> Result<Option<Node>, Refusal>;
    /// The data of its entry, JSON text.
    fn data(&mut self, number: u64) -> Result<String, Refusal>;
    /// Keeps a node.
    fn put_node(&mut self, number: u64, node: &Node, data: Option<&str>) -> Result<(), Refusal>;
}
