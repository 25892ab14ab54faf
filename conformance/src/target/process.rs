//! What the system tells of a process: what its threads wait for, how long they computed, what it
//! left behind. This is /proc; where there is none, nothing is told.

use std::fs;
use std::time::Duration;

use extline_host::activity_of;

/// The standard descriptors, as `activity_of` and as people name them.
const STANDARD: [(&str, &str); 3] = [
    (" on descriptor 0, pipe:", "its stdin"),
    (" on descriptor 1, pipe:", "its stdout"),
    (" on descriptor 2, pipe:", "its stderr"),
];

/// What it is doing: the thread that has to do with stdin, stdout or stderr where one has, else the
/// first thread.
pub(super) fn activity(id: u32) -> Option<String> {
    let told: Vec<String> = threads(id).iter().filter_map(|one| activity_of(&[*one])).collect();
    let standard = told.iter().find_map(|text| {
        let (pattern, name) = STANDARD.iter().find(|(pattern, _)| text.contains(pattern))?;
        let end = text.find(pattern)? + pattern.len() - " pipe:".len();
        let (_, doing) = text[..end].split_once(" (")?;
        Some(format!("process {id} ({doing} {name}"))
    });
    standard.or_else(|| told.into_iter().next())
}

/// Whether a thread of it, or of a process that it started, runs, or waits for a processor or a
/// disk, and so for nothing that it could miss.
pub(crate) fn is_busy(id: u32) -> bool {
    let threads = family(id).into_iter().flat_map(threads);
    threads.filter_map(|one| activity_of(&[one])).any(|activity| {
        activity.contains(" is running") || activity.contains(" waits for a device")
    })
}

/// Whether all of it is one thread that waits for bytes on stdin: then nothing but bytes on stdin
/// makes it do anything.
pub(super) fn only_reads_stdin(id: u32) -> bool {
    family(id) == [id]
        && threads(id) == [id]
        && activity(id)
            .is_some_and(|activity| activity.ends_with("read on descriptor 0, its stdin"))
}

/// The processor time that it and the processes that it started have used; `None` where the system
/// does not tell.
pub(crate) fn processor_time(id: u32) -> Option<Duration> {
    scheduled(id, 0)
}

/// Programs whose memory grows by a hundred megabytes before they look what of it is still wanted.
const LAZY: [&str; 5] = ["node", "bun", "deno", "java", "dotnet"];

/// How much memory it and the processes that it started hold, in bytes; `None` where the system does not tell,
/// and where that says nothing about what they let go of.
pub(super) fn memory(id: u32) -> Option<u64> {
    let is_lazy = |one: &u32| {
        let program = fs::read_link(format!("/proc/{one}/exe")).unwrap_or_default();
        let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        LAZY.contains(&name.as_str())
    };
    if family(id).iter().any(is_lazy) {
        return None;
    }
    let of = |one: u32| {
        let text = fs::read_to_string(format!("/proc/{one}/status")).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib << 10)
    };
    // Those that ended since are left out; when none is left, nothing is told.
    let all: Vec<u64> = family(id).into_iter().filter_map(of).collect();
    (!all.is_empty()).then(|| all.into_iter().sum())
}

/// For how long it and the processes that it started were ready to run and had no processor; `None`
/// where the system does not tell.
pub(super) fn delayed(id: u32) -> Option<Duration> {
    scheduled(id, 1)
}

/// One of the times in schedstat, of all threads together.
fn scheduled(id: u32, field: usize) -> Option<Duration> {
    let of_thread = |(process, thread): (u32, u32)| {
        let text = fs::read_to_string(format!("/proc/{process}/task/{thread}/schedstat")).ok()?;
        text.split_ascii_whitespace().nth(field)?.parse().ok().map(Duration::from_nanos)
    };
    let all =
        family(id).into_iter().flat_map(|one| threads(one).into_iter().map(move |t| (one, t)));
    // Those that ended since are left out; when none is left, nothing is told.
    let times: Vec<Duration> = all.filter_map(of_thread).collect();
    (!times.is_empty()).then(|| times.into_iter().sum())
}

/// A process as `pid command`.
pub(super) fn named(id: u32) -> String {
    let command = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let words = String::from_utf8_lossy(&command).replace('\0', " ");
    format!("{id} {}", words.trim_end())
}

/// Its threads, by their ids.
fn threads(id: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{id}/task")) else { return Vec::new() };
    let ids = threads.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut ids: Vec<u32> = ids.collect();
    ids.sort_unstable();
    ids
}

/// It, and the processes that it started and that live.
fn family(id: u32) -> Vec<u32> {
    let mut family = vec![id];
    let mut next = 0;
    while let Some(parent) = family.get(next).copied() {
        next += 1;
        for thread in threads(parent) {
            let children = fs::read_to_string(format!("/proc/{parent}/task/{thread}/children"));
            let children = children.unwrap_or_default();
            family
                .extend(children.split_ascii_whitespace().filter_map(|id| id.parse::<u32>().ok()));
        }
    }
    family
}
