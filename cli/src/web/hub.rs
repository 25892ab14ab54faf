//! What happens, told to every page that listens.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::body::Bytes;
use serde::Serialize;
use serde_json::Value;

use crate::http::{Answer, Outlet, outlet};

/// Bytes of events that are kept for a page that is opened later, or again. A page that does not read may be
/// behind by more than this, so a new one gets all of it.
const KEPT_BYTES: usize = 512 * 1024;

/// Bytes that are shown of a line, on the wire or of the log.
const LINE_BYTES: usize = 8 * 1024;

/// Clones are the same one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hub(Arc<Mutex<Told>>);

#[derive(Default)]
struct Told {
    kept: VecDeque<Bytes>,
    bytes: usize,
    pages: Vec<Outlet>,
}

#[derive(Serialize)]
struct Event<'e, T> {
    event: &'e str,
    what: &'e T,
}

impl Hub {
    /// Tells an event: its kind, and what there is to know about it.
    pub(super) fn tell(&self, kind: &str, what: &impl Serialize) {
        let Ok(line) = serde_json::to_vec(&Event { event: kind, what }) else { return };
        let line = Bytes::from(line);
        let mut told = self.lock();
        told.bytes += line.len();
        told.kept.push_back(line.clone());
        while told.bytes > KEPT_BYTES {
            told.bytes -= told.kept.pop_front().map_or(0, |line| line.len());
        }
        // A page that is gone, or too far behind, opens another stream.
        told.pages.retain(|page| page.tell(line.clone()));
    }

    /// Tells that what `/state` answers is another one now.
    pub(super) fn changed(&self) {
        self.tell("changed", &Value::Null);
    }

    /// Tells a record of the trace.
    pub(super) fn frame(&self, record: &str) {
        let Ok(mut record) = serde_json::from_str::<Value>(record) else { return };
        if let Some(Value::String(line)) = record.get_mut("line") {
            record["more_bytes"] = cut(line).into();
        }
        self.tell("frame", &record);
    }

    /// Tells a line of the extension's log.
    pub(super) fn log(&self, mut line: String) {
        cut(&mut line);
        self.tell("log", &line);
    }

    /// A stream of all that is kept and all that comes.
    pub(super) fn listen(&self) -> Answer {
        let (page, inlet) = outlet(None);
        let mut told = self.lock();
        for line in &told.kept {
            page.tell(line.clone());
        }
        told.pages.push(page);
        inlet.events(None)
    }

    fn lock(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Cuts a line to what is shown of it; how many bytes that took.
fn cut(line: &mut String) -> usize {
    let mut shown = LINE_BYTES.min(line.len());
    while !line.is_char_boundary(shown) {
        shown -= 1;
    }
    let more = line.len() - shown;
    line.truncate(shown);
    more
}

impl std::fmt::Debug for Told {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Told").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}
