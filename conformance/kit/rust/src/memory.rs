//! What the kit remembers from one call to the next.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::process::Child;

use extline::tokio::sync::Notify;

#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) released: RefCell<BTreeSet<String>>,
    /// The labels of the events since `order` asked last.
    pub(crate) labels: RefCell<Vec<String>>,
    pub(crate) calls: Cell<u64>,
    /// What was typed into the panel.
    pub(crate) typed: RefCell<String>,
    /// Their stdin is open for as long as they are kept.
    pub(crate) children: RefCell<Vec<Child>>,
    pub(crate) prints_at_exit: Cell<bool>,
    changed: Notify,
}

impl Memory {
    /// Something changed that others may wait for.
    pub(crate) fn tell(&self) {
        self.changed.notify_waiters();
    }

    /// Waits until that is true of what is remembered.
    pub(crate) async fn until(&self, is_so: impl Fn(&Self) -> bool) {
        loop {
            let changed = self.changed.notified();
            if is_so(self) {
                return;
            }
            changed.await;
        }
    }

    pub(crate) async fn hold(&self, name: &str) -> String {
        self.until(|memory| memory.released.borrow().contains(name)).await;
        format!("held {name}")
    }
}
