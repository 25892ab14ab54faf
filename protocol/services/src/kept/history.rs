//! Conversations: their trees of nodes, the leaf of each, entries and branches.

use serde_json::value::RawValue;

use super::rows::{Node, Rows, Stored};
use super::{Asker, Outcome, Refusal};
use crate::session::{
    Append, Appended, BRANCH_BYTES, Branch, ENTRIES, ENTRY_BYTES, Entries, PAGE_BYTES, Session,
    SessionEntry,
};

/// Where the leaf was, and where it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Where it was.
    pub old_leaf: String,
    /// Where it is.
    pub new_leaf: String,
}

/// Whether something was kept with that conversation.
///
/// # Errors
///
/// The rows cannot be read.
pub fn is_known(rows: &mut dyn Rows, session: &str) -> Result<bool, Refusal> {
    Ok(rows.session(session)?.is_some())
}

/// The conversation, which begins here unless it is there.
///
/// # Errors
///
/// The rows cannot be read or written.
pub fn open(rows: &mut dyn Rows, session: &str, now_ms: u64) -> Result<Stored, Refusal> {
    if let Some(stored) = rows.session(session)? {
        return Ok(stored);
    }
    let leaf = add_node(rows, None, session, now_ms)?;
    let stored = Stored { leaf, parent: None };
    rows.put_session(session, &stored)?;
    Ok(stored)
}

/// Begins the conversation `new` as a branch of `old`: at that place of its history, or where it is now.
///
/// # Errors
///
/// `new` is there already (`conflict`), `old` has no such place (`not_found`), or the rows cannot be read or
/// written.
pub fn fork(
    rows: &mut dyn Rows,
    old: &str,
    new: &str,
    at: Option<&str>,
    now_ms: u64,
) -> Result<(), Refusal> {
    if is_known(rows, new)? {
        let text = format!("the session {new:?} is there already; a branch needs an id of its own");
        return Err(Refusal::new("conflict", text));
    }
    let stored = open(rows, old, now_ms)?;
    let at = at.map_or(Ok(stored.leaf), |at| place_in(rows, &stored, old, at))?;
    // A node of its own parts them: what either sets from now on the other does not see.
    let leaf = add_node(rows, Some(at), new, now_ms)?;
    rows.put_session(new, &Stored { leaf, parent: Some(old.to_owned()) })?;
    if at == stored.leaf {
        let leaf = add_node(rows, Some(at), old, now_ms)?;
        rows.put_session(old, &Stored { leaf, ..stored })?;
    }
    Ok(())
}

/// Goes to another place of the history: entries and values of the session are those that were there.
///
/// # Errors
///
/// There is no such place (`not_found`), or the rows cannot be read or written.
pub fn move_to(
    rows: &mut dyn Rows,
    session: &str,
    to: &str,
    now_ms: u64,
) -> Result<Moved, Refusal> {
    let stored = open(rows, session, now_ms)?;
    let to = place_in(rows, &stored, session, to)?;
    let is_there = to == stored.leaf;
    let leaf = if is_there { to } else { add_node(rows, Some(to), session, now_ms)? };
    rows.put_session(session, &Stored { leaf, parent: stored.parent.clone() })?;
    Ok(Moved { old_leaf: stored.leaf.to_string(), new_leaf: leaf.to_string() })
}

/// The place in the history as it stands: what is kept from now on is not seen there.
///
/// # Errors
///
/// The rows cannot be read or written.
pub fn mark(rows: &mut dyn Rows, session: &str, now_ms: u64) -> Result<String, Refusal> {
    let stored = open(rows, session, now_ms)?;
    let leaf = rows.node(stored.leaf)?;
    let parent = leaf.filter(|leaf| leaf.entry.is_none()).and_then(|leaf| leaf.parent);
    if let Some(parent) = parent
        && !rows.is_used(&place_of(stored.leaf))?
    {
        // Nothing has been kept since it was marked.
        return Ok(parent.to_string());
    }
    let leaf = add_node(rows, Some(stored.leaf), session, now_ms)?;
    rows.put_session(session, &Stored { leaf, parent: stored.parent })?;
    Ok(stored.leaf.to_string())
}

/// The node of that name, where it was made in the conversation, or in one that it branched off from.
fn place_in(
    rows: &mut dyn Rows,
    stored: &Stored,
    session: &str,
    place: &str,
) -> Result<u64, Refusal> {
    let unknown = || {
        let text = format!("the session {session:?} has no place {place:?} in its history");
        Refusal::new("not_found", text)
    };
    let number: u64 = place.parse().map_err(|_| unknown())?;
    let node = rows.node(number)?.ok_or_else(unknown)?;
    let mut ancestor = Some((session.to_owned(), stored.parent.clone()));
    while let Some((name, parent)) = ancestor {
        if node.session == name {
            return Ok(number);
        }
        ancestor = match parent {
            None => None,
            Some(parent) => {
                let above = rows.session(&parent)?.and_then(|stored| stored.parent);
                Some((parent, above))
            }
        };
    }
    Err(unknown())
}

/// A node without an entry.
fn add_node(
    rows: &mut dyn Rows,
    parent: Option<u64>,
    session: &str,
    now_ms: u64,
) -> Result<u64, Refusal> {
    let number = rows.next_number()?;
    let kept_in = parent.map_or(Ok(None), |parent| nearest_kept(rows, parent))?;
    let node =
        Node { parent, kept_in, session: session.to_owned(), entry: None, bytes: 0, at_ms: now_ms };
    rows.put_node(number, &node, None)?;
    Ok(number)
}

/// The node itself where values are kept at it, else the nearest above.
fn nearest_kept(rows: &mut dyn Rows, node: u64) -> Result<Option<u64>, Refusal> {
    if rows.is_used(&place_of(node))? {
        return Ok(Some(node));
    }
    Ok(rows.node(node)?.and_then(|node| node.kept_in))
}

/// Where the values of a node are kept.
pub(super) fn place_of(node: u64) -> String {
    format!("node:{node}")
}

/// The places at which values of the session may be, the leaf first.
pub(super) fn places(rows: &mut dyn Rows, session: &str) -> Result<Vec<String>, Refusal> {
    let mut places = Vec::new();
    let mut next = rows.session(session)?.map(|stored| stored.leaf);
    while let Some(node) = next {
        places.push(place_of(node));
        next = rows.node(node)?.and_then(|node| node.kept_in);
    }
    Ok(places)
}

pub(super) fn info(rows: &mut dyn Rows, asker: &Asker<'_>) -> Result<Outcome<Session>, Refusal> {
    let stored = rows.session(asker.session_key())?;
    let (leaf, parent) = stored.map(|it| (it.leaf.to_string(), it.parent)).unzip();
    Ok(Outcome::Done(Session {
        id: asker.session.map(str::to_owned),
        parent: parent.flatten(),
        leaf,
        project: asker.project.to_owned(),
        durable: asker.durable,
    }))
}

pub(super) fn append(
    rows: &mut dyn Rows,
    asker: &Asker<'_>,
    append: &Append,
) -> Result<Outcome<Appended>, Refusal> {
    let (data, session) = (append.data.get(), asker.session_key());
    if data.len() > ENTRY_BYTES {
        let text = format!(
            "session.append: /data: it has {} bytes, and an entry has {ENTRY_BYTES} at most: keep what is larger \
             in a file of the data folder, and its name here",
            data.len()
        );
        return Err(Refusal::limit("too_large", "entry_bytes", ENTRY_BYTES as u64, text));
    }
    let stored = open(rows, session, asker.now_ms)?;
    let bytes = bytes_so_far(rows, stored.leaf, asker.extension)? + data.len() as u64;
    if bytes > BRANCH_BYTES {
        let text = format!(
            "session.append: the entries of {} on this branch have {BRANCH_BYTES} bytes, which is the most",
            asker.extension
        );
        return Err(Refusal::limit("budget", "branch_bytes", BRANCH_BYTES, text));
    }
    let number = rows.next_number()?;
    let node = Node {
        parent: Some(stored.leaf),
        kept_in: nearest_kept(rows, stored.leaf)?,
        session: session.to_owned(),
        entry: Some((asker.extension.to_owned(), append.r#type.clone())),
        bytes,
        at_ms: asker.now_ms,
    };
    rows.put_node(number, &node, Some(data))?;
    rows.put_session(session, &Stored { leaf: number, ..stored })?;
    Ok(Outcome::Done(Appended { id: number.to_string() }))
}

/// Bytes of the entries of an extension up to a node.
fn bytes_so_far(rows: &mut dyn Rows, node: u64, extension: &str) -> Result<u64, Refusal> {
    let mut next = Some(node);
    while let Some(number) = next {
        let Some(node) = rows.node(number)? else { break };
        if node.entry.is_some_and(|(owner, _)| owner == extension) {
            return Ok(node.bytes);
        }
        next = node.parent;
    }
    Ok(0)
}

pub(super) fn branch(
    rows: &mut dyn Rows,
    asker: &Asker<'_>,
    params: &Branch,
) -> Result<Outcome<Entries>, Refusal> {
    let leaf = rows.session(asker.session_key())?.map(|stored| stored.leaf);
    let after = params.after.as_deref();
    let mut wanted = Vec::new();
    let (mut next, mut is_found) = (leaf, after.is_none());
    while let Some(number) = next {
        if after.is_some_and(|after| after == number.to_string()) {
            is_found = true;
            break;
        }
        let Some(node) = rows.node(number)? else { break };
        next = node.parent;
        let Some((owner, kind)) = node.entry else { continue };
        let is_asked = params.types.as_ref().is_none_or(|types| types.contains(&kind));
        if owner == asker.extension && is_asked {
            wanted.push((number, kind, node.at_ms));
        }
    }
    if !is_found {
        let text = format!(
            "session.branch: /after: the entry {:?} is not on this branch: read it from its beginning",
            after.unwrap_or_default()
        );
        return Err(Refusal::new("stale", text));
    }
    let limit = usize::try_from(params.limit.unwrap_or(ENTRIES)).unwrap_or(usize::MAX);
    let mut page = Entries { leaf: leaf.map(|leaf| leaf.to_string()), ..Entries::default() };
    let mut bytes = 0;
    for (number, kind, at_ms) in wanted.into_iter().rev() {
        if page.entries.len() == limit || bytes >= PAGE_BYTES {
            page.next = page.entries.last().map(|entry| entry.id.clone());
            break;
        }
        let data = rows.data(number)?;
        bytes += data.len() + kind.len();
        let data = RawValue::from_string(data)
            .map_err(|error| Refusal::new("internal", format!("an entry is no JSON: {error}")))?;
        page.entries.push(SessionEntry { id: number.to_string(), r#type: kind, data, at_ms });
    }
    Ok(Outcome::Done(page))
}
