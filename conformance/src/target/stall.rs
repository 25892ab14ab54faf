//! Where a process that does not answer is stuck.

use std::fmt;
use std::fs;

/// In which system call a process waits, and for which descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stall {
    /// The call's name, where it is one of those in which extensions get stuck.
    pub(crate) call: Call,
    /// What the process is, for advice: `python3`, `node`, `bash`.
    pub(crate) program: String,
}

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub(crate) enum Call {
    /// It computes.
    Running,
    /// It reads a descriptor.
    Read(u64),
    /// It writes a descriptor.
    Write(u64),
    /// It waits for several descriptors, a timer or another thread.
    Waiting,
    /// It is stopped by a signal.
    Stopped,
}

impl Stall {
    /// What the system tells of a process; `None` where it does not.
    pub(crate) fn of(process: u32) -> Option<Self> {
        let program = fs::read_to_string(format!("/proc/{process}/comm")).ok()?.trim().to_owned();
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        let state = stat.rsplit_once(')')?.1.trim_start().chars().next()?;
        if state == 'T' {
            return Some(Self { call: Call::Stopped, program });
        }
        let text = fs::read_to_string(format!("/proc/{process}/syscall")).ok()?;
        Some(Self { call: call(&text)?, program })
    }
}

/// Reads `0 0x0 0x7f... ...`: the call's number, then its arguments.
fn call(text: &str) -> Option<Call> {
    let mut words = text.split_ascii_whitespace();
    let first = words.next()?;
    if first == "running" {
        return Some(Call::Running);
    }
    let number: i64 = first.parse().ok()?;
    let descriptor = words.next().and_then(|word| u64::from_str_radix(&word[2..], 16).ok());
    Some(match (number, descriptor) {
        (READ, Some(descriptor)) => Call::Read(descriptor),
        (WRITE, Some(descriptor)) => Call::Write(descriptor),
        _ => Call::Waiting,
    })
}

#[cfg(target_arch = "x86_64")]
const READ: i64 = 0;
#[cfg(target_arch = "x86_64")]
const WRITE: i64 = 1;
// The generic table, which aarch64 and riscv64 have.
#[cfg(not(target_arch = "x86_64"))]
const READ: i64 = 63;
#[cfg(not(target_arch = "x86_64"))]
const WRITE: i64 = 64;

impl fmt::Display for Stall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.call {
            Call::Running => formatter.write_str("it is computing"),
            Call::Read(0) => formatter.write_str("it waits in read(0), for its stdin"),
            Call::Read(descriptor) => write!(formatter, "it waits in read({descriptor})"),
            Call::Write(1) => formatter.write_str("it waits in write(1): nobody takes its stdout"),
            Call::Write(2) => formatter.write_str("it waits in write(2): its stderr is full"),
            Call::Write(descriptor) => write!(formatter, "it waits in write({descriptor})"),
            Call::Waiting => formatter.write_str("it waits for an event, a timer or a thread"),
            Call::Stopped => formatter.write_str("it was stopped by a signal"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_proc_is_read() {
        assert_eq!(call("running\n"), Some(Call::Running));
        let stdin = format!("{READ} 0x0 0x7ffd 0x1000 0x0 0x0 0x0 0x7ffd 0x7f\n");
        assert_eq!(call(&stdin), Some(Call::Read(0)));
        let stderr = format!("{WRITE} 0x2 0x7ffd 0x1000 0x0 0x0 0x0 0x7ffd 0x7f\n");
        assert_eq!(call(&stderr), Some(Call::Write(2)));
        assert_eq!(call("232 0x3 0x7ffd"), Some(Call::Waiting));
        assert_eq!(call(""), None);
    }
}
