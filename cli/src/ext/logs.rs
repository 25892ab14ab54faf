//! `extline ext logs`: what an extension wrote to stderr.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use extline_host::file;
use serde_json::json;

use super::{Refused, discovery, listen, named};
use crate::args::ExtLogs;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::styled::Text;

/// How often a log is looked at that is followed.
const EACH: Duration = Duration::from_millis(100);
/// A host cuts lines far below this, and begins a new file at 1 MiB.
const FILE_BYTES: u64 = 16 * 1024 * 1024;
const LINE_CHARS: usize = 64 * 1024;

pub(super) async fn run(logs: &ExtLogs, printer: &mut Printer) -> Result<Exit, Refused> {
    let discovery = discovery()?;
    let log = discovery.log_of(&logs.name);
    // The log of one that was removed is still of use.
    if !log.exists() {
        named(&discovery.find(), &logs.name)?;
    }
    let wrong = |error: io::Error| Refused::file(&format!("{}: {error}", log.display()));
    let mut follower = Follower::new(log.clone());
    let mut last = VecDeque::new();
    let mut lines = older(&log).map_err(wrong)?;
    lines.extend(follower.lines().map_err(wrong)?);
    if !logs.follow {
        lines.extend(follower.unfinished());
    }
    for line in lines {
        if last.len() == logs.lines {
            last.pop_front();
        }
        last.push_back(line);
    }
    if last.is_empty() && logs.lines > 0 {
        printer.say(format_args!("{} has written nothing to stderr yet", logs.name));
    }
    for line in &last {
        tell(line, printer);
    }
    if !logs.follow {
        return Ok(Exit::Ok);
    }
    let mut interrupts = listen()?;
    loop {
        tokio::select! {
            exit = interrupts.next() => return Ok(exit),
            () = tokio::time::sleep(EACH) => {}
        }
        for line in follower.lines().map_err(wrong)? {
            tell(&line, printer);
        }
        if printer.is_closed() {
            return Ok(Exit::Ok);
        }
    }
}

fn tell(line: &str, printer: &mut Printer) {
    if printer.json {
        printer.json(&json!({ "line": line }));
    } else {
        printer.result(Text::line(line, LINE_CHARS));
    }
}

/// The lines of the file that was before this one.
fn older(log: &Path) -> io::Result<Vec<String>> {
    let mut name = log.as_os_str().to_owned();
    name.push(".1");
    Follower::new(name.into()).lines()
}

/// Reads a log on from where it was read before; a host renames it when it is long, and begins another.
pub(crate) struct Follower {
    path: PathBuf,
    file: Option<File>,
    /// A line that has no end yet.
    rest: Vec<u8>,
}

impl Follower {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, file: None, rest: Vec::new() }
    }

    /// The lines that have come. None where there is no file yet.
    pub(crate) fn lines(&mut self) -> io::Result<Vec<String>> {
        let mut lines = Vec::new();
        let now = match file::open(&self.path) {
            Ok(file) => Some(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        // All of the old one comes before the first line of the new one.
        self.read(&mut lines)?;
        let is_other = match (&self.file, &now) {
            (Some(old), Some(now)) => !is_same(old, now)?,
            (None, Some(_)) => true,
            (_, None) => false,
        };
        if is_other {
            self.file = now;
            self.read(&mut lines)?;
        }
        Ok(lines)
    }

    /// The line that has no end yet, where there is one.
    fn unfinished(&self) -> Option<String> {
        let line = String::from_utf8_lossy(&self.rest).into_owned();
        (!line.is_empty()).then_some(line)
    }

    fn read(&mut self, lines: &mut Vec<String>) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.take(FILE_BYTES).read_to_end(&mut self.rest)?;
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            lines.push(String::from_utf8_lossy(&line).trim_end().to_owned());
        }
        Ok(())
    }
}

#[cfg(unix)]
fn is_same(one: &File, other: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (one, other) = (one.metadata()?, other.metadata()?);
    Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
}

#[cfg(not(unix))]
fn is_same(one: &File, other: &File) -> io::Result<bool> {
    Ok(one.metadata()?.created()? == other.metadata()?.created()?)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    #[test]
    fn a_log_is_followed_into_the_next_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.log");
        let mut follower = Follower::new(path.clone());
        assert!(follower.lines().unwrap().is_empty());
        let mut file = File::create(&path).unwrap();
        file.write_all(b"one\ntw").unwrap();
        assert_eq!(follower.lines().unwrap(), ["one"]);
        file.write_all(b"o\nthree\n").unwrap();
        fs::rename(&path, dir.path().join("a.log.1")).unwrap();
        fs::write(&path, "four\n").unwrap();
        assert_eq!(follower.lines().unwrap(), ["two", "three", "four"]);
        assert!(follower.lines().unwrap().is_empty());
        assert_eq!(older(&path).unwrap(), ["one", "two", "three"]);
    }
}
