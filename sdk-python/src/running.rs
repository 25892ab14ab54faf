//! Which handlers keep threads, for the last words of a process that would not end.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the handler is called, as `tool weather`.
pub(crate) type Name = Arc<str>;

/// One for each thread.
type Slot = Arc<Mutex<Option<Name>>>;

static SLOTS: Mutex<Vec<Slot>> = Mutex::new(Vec::new());

thread_local! {
    static SLOT: RefCell<Option<Slot>> = const { RefCell::new(None) };
}

/// This thread is inside the handler from now on.
pub(crate) fn enter(name: Name) {
    set(Some(name));
}

/// This thread has left its handler.
pub(crate) fn leave() {
    set(None);
}

/// The handlers that threads are inside of.
pub(crate) fn names() -> Vec<String> {
    lock(&SLOTS).iter().filter_map(|slot| Some(lock(slot).as_ref()?.to_string())).collect()
}

fn set(name: Option<Name>) {
    SLOT.with_borrow_mut(|slot| {
        let slot = slot.get_or_insert_with(|| {
            let slot = Slot::default();
            lock(&SLOTS).push(Arc::clone(&slot));
            slot
        });
        *lock(slot) = name;
    });
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
