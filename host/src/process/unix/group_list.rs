//! The list of process groups that the watchdog reads when the host is gone.
//!
//! A file that no folder shows. Keeping it costs one write for each process that starts or ends, and
//! wakes nobody.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes of a line: the largest number of a group, and the line's end.
const LINE: usize = 11;

/// A line for each group; blank ones are free.
#[derive(Debug)]
pub(super) struct GroupList {
    file: File,
    /// What stands in each line.
    lines: Vec<Option<u32>>,
}

impl GroupList {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { file: nameless_file()?, lines: Vec::new() })
    }

    /// The same file for the watchdog, who reads it from its beginning.
    pub(super) fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    pub(super) fn add(&mut self, group: u32) -> io::Result<()> {
        let free = self.lines.iter().position(Option::is_none);
        let at = free.unwrap_or(self.lines.len());
        self.write(at, &group.to_string())?;
        if at == self.lines.len() {
            self.lines.push(None);
        }
        self.lines[at] = Some(group);
        Ok(())
    }

    pub(super) fn remove(&mut self, group: u32) -> io::Result<()> {
        let Some(at) = self.lines.iter().position(|line| *line == Some(group)) else {
            return Ok(());
        };
        self.lines[at] = None;
        self.write(at, "")
    }

    /// Not by the position of the file: the watchdog has the same one.
    fn write(&self, at: usize, text: &str) -> io::Result<()> {
        let width = LINE - 1;
        self.file.write_all_at(format!("{text:width$}\n").as_bytes(), (at * LINE) as u64)
    }
}

#[cfg(target_os = "linux")]
fn nameless_file() -> io::Result<File> {
    use rustix::fs::{MemfdFlags, memfd_create};

    Ok(memfd_create("extline-watchdog", MemfdFlags::CLOEXEC)?.into())
}

#[cfg(not(target_os = "linux"))]
fn nameless_file() -> io::Result<File> {
    use std::fs::{OpenOptions, remove_file};
    use std::os::unix::fs::OpenOptionsExt;
    use std::sync::atomic::{AtomicU64, Ordering};

    static FILES: AtomicU64 = AtomicU64::new(0);
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let name = format!("extline-watchdog-{}-{number}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let file =
        OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    remove_file(&path)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn groups(list: &GroupList) -> Vec<String> {
        let mut text = String::new();
        list.file().unwrap().read_to_string(&mut text).unwrap();
        // Reading moved the position, which the next look shares.
        io::Seek::rewind(&mut list.file().unwrap()).unwrap();
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn the_groups_that_there_are_stand_in_it_and_no_others() {
        let mut list = GroupList::new().unwrap();
        for group in [7, 1_234_567_890, 99] {
            list.add(group).unwrap();
        }
        assert_eq!(groups(&list), ["7", "1234567890", "99"]);
        list.remove(7).unwrap();
        list.remove(8).unwrap();
        assert_eq!(groups(&list), ["1234567890", "99"]);
        list.add(5).unwrap();
        assert_eq!(
            groups(&list),
            ["5", "1234567890", "99"],
            "the line that was free is used again"
        );
    }
}
