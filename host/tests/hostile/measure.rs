//! What this process holds, as /proc tells it.

use std::fs;

/// What stays after an attack.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    /// Resident bytes.
    pub(crate) memory: usize,
    pub(crate) descriptors: usize,
    /// Processes that this one started and that have not ended.
    pub(crate) children: usize,
}

impl Process {
    pub(crate) fn measure() -> Self {
        Self {
            memory: status("VmRSS:"),
            descriptors: fs::read_dir("/proc/self/fd").unwrap().count(),
            children: children(),
        }
    }
}

/// The peak counts from here on.
pub(crate) fn reset_peak() {
    fs::write("/proc/self/clear_refs", "5").unwrap();
}

/// The most bytes that were resident since then.
pub(crate) fn peak() -> usize {
    status("VmHWM:")
}

fn status(name: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    let kilobytes: usize = line.trim().trim_end_matches(" kB").parse().unwrap();
    kilobytes << 10
}

fn children() -> usize {
    let me = std::process::id().to_string();
    let processes = fs::read_dir("/proc").unwrap();
    let stats =
        processes.filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("stat")).ok());
    stats
        .filter(|stat| {
            // "7 (name) S 1 ...": the name may hold anything.
            let behind = stat.rsplit(')').next().unwrap_or_default();
            behind.split_whitespace().nth(1) == Some(me.as_str())
        })
        .count()
}
