//! What this process holds, as /proc tells it.

use std::fs;
use std::path::PathBuf;

/// What stays after an attack.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    /// Resident bytes.
    pub(crate) memory: usize,
    pub(crate) descriptors: usize,
    /// Processes of hosts in this one that have not ended, wherever they went, and its children.
    pub(crate) processes: usize,
}

impl Process {
    pub(crate) fn measure() -> Self {
        Self { memory: status("VmRSS:"), descriptors: descriptors().len(), processes: processes() }
    }
}

/// What each open descriptor leads to, the one that reads this list among them.
pub(crate) fn descriptors() -> Vec<PathBuf> {
    let entries = fs::read_dir("/proc/self/fd").unwrap().flatten();
    entries.map(|entry| fs::read_link(entry.path()).unwrap_or_default()).collect()
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

fn processes() -> usize {
    let me = std::process::id().to_string();
    // As `src/mark.rs` writes it; who has left its session and its parent still carries it.
    let mark = format!("EXTLINE_MARK={me}-").into_bytes();
    let is_of_this = |entry: &fs::DirEntry| {
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // "7 (name) S 1 ...": the name may hold anything.
        let behind = stat.rsplit(')').next().unwrap_or_default();
        let is_child = behind.split_whitespace().nth(1) == Some(me.as_str());
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        is_child || environment.split(|byte| *byte == 0).any(|it| it.starts_with(&mark))
    };
    fs::read_dir("/proc").unwrap().flatten().filter(is_of_this).count()
}
