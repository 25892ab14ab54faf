//! A look at the processes of this machine, through /proc.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// One process, as it was when it was looked at.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) id: u32,
    pub(crate) parent: u32,
    pub(crate) group: u32,
    /// When it was started, which tells it from a later one with its number.
    started: String,
    pub(crate) arguments: Vec<String>,
}

impl Process {
    /// Whether it still runs; a zombie does not.
    pub(crate) fn runs(&self) -> bool {
        of(self.id).is_some_and(|now| now.started == self.started)
    }

    pub(crate) fn is_watchdog(&self) -> bool {
        self.arguments.iter().any(|argument| argument == "extline-watchdog")
    }
}

/// A process that runs.
pub(crate) fn of(id: u32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // `pid (name) state parent group ...`; the name may hold anything.
    let fields: Vec<_> = stat.rsplit(')').next()?.split_ascii_whitespace().collect();
    let runs = !matches!(*fields.first()?, "Z" | "X");
    let arguments = fs::read(format!("/proc/{id}/cmdline")).ok()?;
    let arguments = arguments.split(|byte| *byte == 0).filter(|argument| !argument.is_empty());
    let arguments = arguments.map(|argument| String::from_utf8_lossy(argument).into_owned());
    runs.then_some(Process {
        id,
        parent: fields[1].parse().ok()?,
        group: fields[2].parse().ok()?,
        started: fields[19].to_owned(),
        arguments: arguments.collect(),
    })
}

pub(crate) fn children(parent: u32) -> Vec<Process> {
    all().filter(|process| process.parent == parent).collect()
}

/// The processes of a host's extensions that run Python, wherever they went. What `python3` may
/// start before it is Python is none: a version manager's shell scripts come and go.
pub(crate) fn marked(host: u32) -> Vec<Process> {
    let is_marked = |process: &Process| {
        mark(process.id).is_some_and(|mark| mark.starts_with(&format!("{host}-")))
    };
    let is_python = |process: &Process| {
        let program = fs::read_link(format!("/proc/{}/exe", process.id)).unwrap_or_default();
        program.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python"))
    };
    all().filter(is_marked).filter(is_python).collect()
}

/// The processes whose mark begins like that.
pub(crate) fn carrying(mark_of_host: &str) -> Vec<Process> {
    let carries = |process: &Process| {
        mark(process.id).is_some_and(|mark| mark.split('/').next() == Some(mark_of_host))
    };
    all().filter(carries).collect()
}

/// What the marks of all processes of a host begin with, from one of them.
pub(crate) fn mark_of_host(id: u32) -> String {
    mark(id).unwrap().split('/').next().unwrap().to_owned()
}

/// The mark that a process carries.
pub(crate) fn mark(id: u32) -> Option<String> {
    let environment = fs::read(format!("/proc/{id}/environ")).ok()?;
    let mut variables = environment.split(|byte| *byte == 0);
    let mark = variables.find_map(|variable| variable.strip_prefix(b"EXTLINE_MARK="))?;
    Some(String::from_utf8_lossy(mark).into_owned())
}

/// The processes that hold a pipe open, at either end.
pub(crate) fn holders(pipe: &Path) -> BTreeSet<u32> {
    let holds = |process: &Process| {
        let descriptors = fs::read_dir(format!("/proc/{}/fd", process.id)).into_iter().flatten();
        let mut targets = descriptors.flatten().filter_map(|it| fs::read_link(it.path()).ok());
        targets.any(|target| target == pipe)
    };
    all().filter(holds).map(|process| process.id).collect()
}

fn all() -> impl Iterator<Item = Process> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| of(entry.file_name().to_str()?.parse().ok()?))
}
