//! The calls that handlers serve, by the serials under which JavaScript knows them.

use std::collections::HashMap;
use std::sync::Arc;

use extline_protocol::CallKey;

/// Numbers of JavaScript that the native half has given it.
pub(crate) fn number(serial: i64) -> u64 {
    serial.cast_unsigned()
}

/// What the handler is called, as `tool weather`.
pub(crate) type Label = Arc<str>;

#[derive(Debug)]
struct Call {
    key: CallKey,
    label: Label,
    is_cancelled: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Calls {
    open: HashMap<u64, Call>,
    /// Handlers of what is not answered: an event, a panel's input, setup, teardown.
    others: Vec<Label>,
}

impl Calls {
    pub(crate) fn begin(&mut self, key: CallKey, label: Label, is_cancelled: bool) {
        self.open.insert(key.serial(), Call { key, label, is_cancelled });
    }

    /// Its handler has ended. `None` when it had before.
    pub(crate) fn end(&mut self, serial: u64) -> Option<CallKey> {
        self.open.remove(&serial).map(|call| call.key)
    }

    pub(crate) fn key(&self, serial: u64) -> Option<&CallKey> {
        self.open.get(&serial).map(|call| &call.key)
    }

    /// Sets the mark; whether the handler still runs.
    pub(crate) fn cancel(&mut self, key: &CallKey) -> bool {
        let call = self.open.get_mut(&key.serial());
        call.map(|call| call.is_cancelled = true).is_some()
    }

    pub(crate) fn cancel_all(&mut self) {
        for call in self.open.values_mut() {
            call.is_cancelled = true;
        }
    }

    pub(crate) fn is_cancelled(&self, serial: u64) -> bool {
        self.open.get(&serial).is_some_and(|call| call.is_cancelled)
    }

    pub(crate) fn begin_other(&mut self, label: Label) {
        self.others.push(label);
    }

    pub(crate) fn end_other(&mut self, label: &str) {
        if let Some(at) = self.others.iter().position(|known| **known == *label) {
            self.others.remove(at);
        }
    }

    /// Whether a handler of teardown runs.
    pub(crate) fn is_tearing_down(&self) -> bool {
        self.others.iter().any(|label| **label == *"teardown")
    }

    /// The handlers that run, oldest call first.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut open: Vec<_> = self.open.iter().collect();
        open.sort_unstable_by_key(|(serial, _)| **serial);
        let labels = open.into_iter().map(|(_, call)| &call.label).chain(&self.others);
        labels.map(ToString::to_string).collect()
    }
}
