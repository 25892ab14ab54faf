//! All sessions, by id.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tokio::sync::mpsc::UnboundedSender;

use super::session::Input;
use super::shared::lock;

/// So many sessions there may be: each keeps some kilobytes. Where one more begins, the one that is unused
/// for longest ends, as clients often leave without a word.
const MOST: usize = 1024;

/// All of them.
#[derive(Default)]
pub(super) struct Sessions(Mutex<HashMap<String, Entry>>);

/// The way into one.
#[derive(Clone)]
pub(super) struct Way {
    pub(super) inputs: UnboundedSender<Input>,
    /// Whoever reads a response of the session keeps one of these.
    pub(super) kept: Arc<()>,
}

struct Entry {
    way: Way,
    used: Instant,
}

impl Sessions {
    /// Adds one. `None` when there are too many, each of which is being read from.
    pub(super) fn add(&self, inputs: UnboundedSender<Input>) -> Option<String> {
        let id = new_id()?;
        let mut sessions = lock(&self.0);
        if sessions.len() >= MOST {
            let unread = sessions.iter().filter(|(_, it)| Arc::strong_count(&it.way.kept) == 1);
            let oldest = unread.min_by_key(|(_, it)| it.used).map(|(id, _)| id.clone())?;
            if let Some(entry) = sessions.remove(&oldest) {
                let _ = entry.way.inputs.send(Input::End);
            }
        }
        let way = Way { inputs, kept: Arc::new(()) };
        sessions.insert(id.clone(), Entry { way, used: Instant::now() });
        Some(id)
    }

    /// The way into the session of that id.
    pub(super) fn find(&self, id: &str) -> Option<Way> {
        let mut sessions = lock(&self.0);
        let entry = sessions.get_mut(id)?;
        entry.used = Instant::now();
        Some(entry.way.clone())
    }

    /// Takes one out, when it has ended or is to end.
    pub(super) fn remove(&self, id: &str) -> Option<Way> {
        lock(&self.0).remove(id).map(|entry| entry.way)
    }
}

/// An id that nobody can guess: 128 random bits in hexadecimal digits. `None` when the system has none.
fn new_id() -> Option<String> {
    use std::fmt::Write;
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().fold(String::new(), |mut id, byte| {
        let _ = write!(id, "{byte:02x}");
        id
    }))
}
