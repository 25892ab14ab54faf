//! Which calls of a task fail over and over.

use std::collections::HashMap;
use std::sync::Mutex;

use super::Signature;
use crate::lock::lock;

/// So often the same call may fail; with the last failure there is advice.
pub(crate) const ATTEMPTS: u32 = 3;

/// So many calls are remembered. Of more all are forgotten: tasks that nobody ends must not grow for ever.
const CALLS: usize = 65_536;

/// How often the calls of each task have failed since something of it succeeded.
#[derive(Debug)]
pub(crate) struct Loops {
    is_on: bool,
    failures: Mutex<HashMap<String, HashMap<Signature, u32>>>,
}

impl Loops {
    pub(crate) fn new(is_on: bool) -> Self {
        Self { is_on, failures: Mutex::default() }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.is_on
    }

    /// Whether the call may be made once more.
    pub(crate) fn allow(&self, task: &str, call: Signature) -> bool {
        let failures = lock(&self.failures);
        failures.get(task).and_then(|calls| calls.get(&call)).is_none_or(|count| *count < ATTEMPTS)
    }

    /// The call has failed: how often now.
    pub(crate) fn failed(&self, task: &str, call: Signature) -> u32 {
        let mut failures = lock(&self.failures);
        if failures.values().map(HashMap::len).sum::<usize>() >= CALLS {
            failures.clear();
        }
        let count = failures.entry(task.to_owned()).or_default().entry(call).or_default();
        *count = count.saturating_add(1);
        *count
    }

    /// The call has succeeded. Where it may have changed something, what failed before may work now.
    pub(crate) fn succeeded(&self, task: &str, call: Signature, only_looks: bool) {
        let mut failures = lock(&self.failures);
        if !only_looks {
            failures.remove(task);
        } else if let Some(calls) = failures.get_mut(task) {
            calls.remove(&call);
        }
    }

    pub(crate) fn end_task(&self, task: &str) {
        lock(&self.failures).remove(task);
    }

    /// Something has changed: what failed before may work now.
    pub(crate) fn changed(&self) {
        lock(&self.failures).clear();
    }
}
