//! Which handlers keep threads, for the last words of a process that would not end.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use extline_protocol::ExtensionEvent;

use crate::job::Job;

/// What a thread is inside of.
#[derive(Debug, Default)]
struct Handler {
    /// What kind it is; empty outside of handlers.
    kind: &'static str,
    /// Its name, kept for its memory when the handler has ended.
    name: String,
}

/// One for each thread.
type Slot = Arc<Mutex<Handler>>;

static SLOTS: Mutex<Vec<Slot>> = Mutex::new(Vec::new());

thread_local! {
    static SLOT: RefCell<Option<Slot>> = const { RefCell::new(None) };
}

/// This thread is inside the handler of that job from now on.
pub(crate) fn enter(job: &Job) {
    let (kind, name) = match job {
        Job::Event(event) => name_of(event),
        Job::Course(course, _) => ("intercept", course.point()),
    };
    set(|handler| {
        handler.kind = kind;
        handler.name.clear();
        handler.name.push_str(name);
    });
}

/// This thread has left its handler.
pub(crate) fn leave() {
    set(|handler| handler.kind = "");
}

/// The handlers that threads are inside of, as a person reads them: `tool weather`.
pub(crate) fn names() -> Vec<String> {
    let named = |slot: &Slot| {
        let Handler { kind, name } = &*lock(slot);
        let gap = if name.is_empty() { "" } else { " " };
        (!kind.is_empty()).then(|| format!("{kind}{gap}{name}"))
    };
    lock(&SLOTS).iter().filter_map(named).collect()
}

fn set(set: impl FnOnce(&mut Handler)) {
    SLOT.with_borrow_mut(|slot| {
        let slot = slot.get_or_insert_with(|| {
            let slot = Slot::default();
            lock(&SLOTS).push(Arc::clone(&slot));
            slot
        });
        set(&mut lock(slot));
    });
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Its kind and its name; none where no author's code runs.
fn name_of(event: &ExtensionEvent) -> (&'static str, &str) {
    match event {
        ExtensionEvent::Accepted(_) => ("setup", ""),
        ExtensionEvent::ToolCall { call, .. } => ("tool", &call.name),
        ExtensionEvent::Command { command, .. } => ("command", &command.name),
        ExtensionEvent::Intercept { intercept, .. } => ("intercept", &intercept.event),
        ExtensionEvent::Request { request, .. } => ("request", &request.method),
        ExtensionEvent::Event(event) => ("event", &event.event),
        ExtensionEvent::Panel(input) => ("panel", input.panel_id()),
        ExtensionEvent::Teardown => ("teardown", ""),
        ExtensionEvent::Cancelled { .. } | ExtensionEvent::ShuttingDown(_) => {
            ("cancel callback", "")
        }
        ExtensionEvent::CallToolDone { .. } | ExtensionEvent::Response { .. } => {
            ("answer callback", "")
        }
        _ => ("", ""),
    }
}
