//! What this process has used.

use std::fs;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// CPU time of all its threads since `before`, a value of [`cpu`].
pub(crate) fn cpu_since(before: Duration) -> Duration {
    cpu().saturating_sub(before)
}

/// CPU time of all its threads.
pub(crate) fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    // Since the start of the process, so neither is negative.
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Its largest resident memory so far, in KiB.
pub(crate) fn peak_kb() -> Option<u64> {
    status("VmHWM:")
}

/// Its resident memory, in KiB.
pub(crate) fn resident_kb() -> Option<u64> {
    status("VmRSS:")
}

fn status(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Microseconds, for a figure.
pub(crate) fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
