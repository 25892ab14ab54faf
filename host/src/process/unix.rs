//! Processes on Unix.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};

use crate::exit::Exit;
use crate::launch::Launch;

/// A process that was just started, and its three descriptors.
pub(crate) struct Spawned {
    pub(crate) process: Process,
    pub(crate) group: Arc<Group>,
    pub(crate) input: Input,
    pub(crate) output: Output,
    pub(crate) errors: ErrorOutput,
}

/// What the process writes to stderr.
pub(crate) type ErrorOutput = tokio::process::ChildStderr;

/// Starts a program as the leader of its own process group.
pub(crate) fn spawn(launch: &Launch) -> io::Result<Spawned> {
    let mut child = Command::new(&launch.program)
        .args(&launch.args)
        .current_dir(&launch.dir)
        .env_clear()
        .envs(&launch.environment.variables)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let missing = || io::Error::other("the process has no pipes, or has ended already");
    let pid = child.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
    let group = Arc::new(Group { leader: pid.ok_or_else(missing)?, gone: AtomicBool::new(false) });
    let input = child.stdin.take().ok_or_else(missing)?.into_owned_fd()?;
    let output = child.stdout.take().ok_or_else(missing)?.into_owned_fd()?;
    let errors = child.stderr.take().ok_or_else(missing)?;
    Ok(Spawned {
        input: Input(pipe::Sender::from_owned_fd(input)?),
        output: Output(pipe::Receiver::from_owned_fd(output)?),
        errors,
        process: Process { child, group: Arc::clone(&group) },
        group,
    })
}

/// The process itself. When it is dropped, its group is killed.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    group: Arc<Group>,
}

impl Process {
    /// Waits for the end of the process, its children not included. May be dropped and called
    /// again.
    pub(crate) async fn wait(&mut self) -> Exit {
        match self.child.wait().await {
            Ok(status) => match status.signal() {
                Some(number) => Exit::Signal { number, name: signal_name(number) },
                None => Exit::Code { code: status.code().unwrap_or_default() },
            },
            Err(error) => Exit::Unknown { reason: error.to_string() },
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.group.kill();
    }
}

/// A process group: the extension and everything it started that did not leave the group.
#[derive(Debug)]
pub(crate) struct Group {
    leader: Pid,
    /// No member was left once; the number may belong to others by now.
    gone: AtomicBool,
}

impl Group {
    pub(crate) fn id(&self) -> u32 {
        self.leader.as_raw_nonzero().get().unsigned_abs()
    }

    pub(crate) fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    pub(crate) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Whether no process of the group is left. Call it only after the leader was waited for.
    pub(crate) fn is_gone(&self) -> bool {
        if self.gone.load(Ordering::Acquire) {
            return true;
        }
        let gone = match test_kill_process_group(self.leader) {
            Err(Errno::SRCH) => true,
            // A zombie counts as a member until its new parent waits for it, which some first
            // processes of containers never do.
            Ok(()) | Err(_) => self.living_members() == Some(0),
        };
        self.gone.fetch_or(gone, Ordering::AcqRel);
        gone
    }

    /// How many members are no zombies; `None` where the platform does not tell.
    pub(crate) fn living_members(&self) -> Option<usize> {
        let group = self.leader.as_raw_nonzero().to_string();
        let processes = fs::read_dir("/proc").ok()?.flatten();
        let lines: Vec<_> = processes
            .filter(|entry| entry.file_name().as_encoded_bytes()[0].is_ascii_digit())
            .filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok())
            .collect();
        let is_member = |line: &&String| {
            // `pid (name) state parent group ...`; the name may hold anything, also `)`.
            let mut fields = line.rsplit(')').next().unwrap_or_default().split_ascii_whitespace();
            let state = fields.next();
            fields.nth(1) == Some(&group) && !matches!(state, Some("Z" | "X"))
        };
        (!lines.is_empty()).then(|| lines.iter().filter(is_member).count())
    }

    fn signal(&self, signal: Signal) {
        if !self.gone.load(Ordering::Acquire) {
            // The only failures are "no such group" and "not ours"; neither leaves anything to do.
            let _ = kill_process_group(self.leader, signal);
        }
    }
}

/// The way to the process's stdin.
#[derive(Debug)]
pub(crate) struct Input(pipe::Sender);

impl Input {
    /// Waits until [`Input::try_write`] may work.
    pub(crate) async fn writable(&self) {
        // An error here shows again at the write.
        let _ = self.0.writable().await;
    }

    /// Writes what the pipe takes now.
    pub(crate) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)
    }
}

/// What comes from the process's stdout.
#[derive(Debug)]
pub(crate) struct Output(pipe::Receiver);

impl Output {
    /// Waits until [`Output::try_read`] may work.
    pub(crate) async fn readable(&self) {
        // An error here shows again at the read.
        let _ = self.0.readable().await;
    }

    /// Reads what the pipe holds now.
    pub(crate) fn try_read(&self, space: &mut [u8]) -> io::Result<usize> {
        self.0.try_read(space)
    }
}

/// Whether the file is a program: somebody may execute it.
pub(crate) fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// A signal as the manuals call it.
fn signal_name(number: i32) -> Option<&'static str> {
    const NAMES: [(Signal, &str); 17] = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::SYS, "SIGSYS"),
        (Signal::USR1, "SIGUSR1"),
    ];
    NAMES.iter().find(|(signal, _)| signal.as_raw() == number).map(|(_, name)| *name)
}
