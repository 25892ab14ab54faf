//! What the processes of an extension carry in their environment, so that they are found wherever
//! they went.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The name of the variable.
pub(crate) const MARK: &str = "EXTLINE_MARK";

/// A mark of one host, or of one extension of it. No two are equal on one machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark(String);

impl Mark {
    /// A new host's.
    pub(crate) fn of_host() -> Self {
        static HOSTS: AtomicU64 = AtomicU64::new(0);
        // Two containers may both have a process 1 and share their processes with a third.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let number = HOSTS.fetch_add(1, Ordering::Relaxed);
        Self(format!("{}-{:x}-{number}", std::process::id(), since.as_nanos()))
    }

    /// The one of the nth process that the host starts.
    pub(crate) fn of_process(&self, number: u64) -> Self {
        Self(format!("{}/{number}", self.0))
    }

    /// The one in a `NAME=VALUE` of an environment, if it stands there.
    #[cfg(target_os = "linux")]
    pub(crate) fn of_variable(variable: &[u8]) -> Option<Self> {
        let value = variable.strip_prefix(MARK.as_bytes())?.strip_prefix(b"=")?;
        Some(Self(str::from_utf8(value).ok()?.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_hosts_have_one_mark() {
        let (one, other) = (Mark::of_host(), Mark::of_host());
        assert_ne!(one, other);
        assert_eq!(one.of_process(7).as_str(), format!("{}/7", one.as_str()));
    }
}
