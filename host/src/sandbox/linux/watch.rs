//! Answers the calls of the system that a filter asks about, and writes down what it refuses.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use libc::{seccomp_notif, seccomp_notif_resp};
use rustix::event::{PollFd, PollFlags, poll};

use crate::sandbox::Sandbox;

/// The kernel goes on with the call as if nobody had been asked.
const CONTINUE: u32 = 1;

/// Answers as long as there is a process under the filter. The thread takes no processor meanwhile; its stack is small.
pub(super) fn start(listener: OwnedFd, sandbox: Arc<Sandbox>) -> io::Result<()> {
    const STACK: usize = 128 * 1024;
    let thread = thread::Builder::new().name("extline-sandbox".to_owned()).stack_size(STACK);
    thread.spawn(move || watch(&listener, &sandbox)).map(drop)
}

/// When this ends the listener is closed, and what is asked after that is refused by the kernel.
fn watch(listener: &OwnedFd, sandbox: &Sandbox) {
    let mut has_begun = false;
    while has_question(listener) {
        let Some(asked) = receive(listener) else { continue };
        let call = i64::from(asked.data.nr);
        let runs_a_program = [libc::SYS_execve, libc::SYS_execveat].contains(&call);
        // The first program is the extension's own, and it is the host that starts it.
        let goes_on = runs_a_program && !has_begun;
        has_begun |= goes_on;
        if !goes_on && let Some(refusal) = refusal(&asked, runs_a_program) {
            sandbox.refusals.add(&refusal);
        }
        let (error, flags) = if goes_on { (0, CONTINUE) } else { (-libc::EACCES, 0) };
        send(listener, seccomp_notif_resp { id: asked.id, val: 0, error, flags });
    }
}

/// Waits for the next question; whether there is one. There is none any more when all processes have ended.
fn has_question(listener: &OwnedFd) -> bool {
    loop {
        let mut descriptors = [PollFd::new(listener, PollFlags::IN)];
        match poll(&mut descriptors, None) {
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
            Ok(_) => return descriptors[0].revents().contains(PollFlags::IN),
        }
    }
}

/// What was refused, for people; `None` for what a library tries by itself.
fn refusal(asked: &seccomp_notif, runs_a_program: bool) -> Option<String> {
    let [first, second, ..] = asked.data.args;
    if runs_a_program {
        let name = if i64::from(asked.data.nr) == libc::SYS_execve { first } else { second };
        let program = text_of(asked.pid, name);
        let program = program.filter(|it| !it.is_empty()).unwrap_or_else(|| "a program".to_owned());
        return Some(format!("to run {program} (permissions.exec)"));
    }
    let family = i32::try_from(first).unwrap_or(-1);
    let what = match family {
        // It asks the kernel for the addresses of this machine, as for a list of interfaces.
        libc::AF_NETLINK => return None,
        libc::AF_INET | libc::AF_INET6 => "a network socket",
        libc::AF_UNIX => "a socket of this machine",
        _ => "a socket",
    };
    Some(format!("to open {what} (permissions.net)"))
}

/// A text in the memory of the process that asks, where it can be read. It is told to people alone: the process may
/// change it at any moment.
fn text_of(pid: u32, address: u64) -> Option<String> {
    const LONGEST: usize = 512;
    let memory = File::open(Path::new("/proc").join(pid.to_string()).join("mem")).ok()?;
    let mut text = [0; LONGEST];
    let len = memory.read_at(&mut text, address).ok()?;
    let text = text[..len].split(|byte| *byte == 0).next()?;
    Some(OsStr::from_bytes(text).to_string_lossy().into_owned())
}

/// `None` where the process has ended meanwhile.
fn receive(listener: &OwnedFd) -> Option<seccomp_notif> {
    #[expect(unsafe_code, reason = "the kernel wants the structure all zero, and fills it in")]
    // SAFETY: every field of it is a number, for which zero is a value; and the kernel writes no more than its size,
    // which is part of the number of the call.
    unsafe {
        let mut asked: seccomp_notif = std::mem::zeroed();
        let received =
            libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut asked);
        (received == 0).then_some(asked)
    }
}

fn send(listener: &OwnedFd, mut answer: seccomp_notif_resp) {
    #[expect(unsafe_code, reason = "seccomp has no wrapper")]
    // SAFETY: the pointer leads to an answer, which the kernel reads. It fails where the process has ended.
    unsafe {
        libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut answer);
    }
}
