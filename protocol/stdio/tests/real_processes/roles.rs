//! The extension's side: what this program does when a test starts it in a role. A role that
//! returns ends with 0; one that finds something wrong panics, and the test shows its words.

#![expect(clippy::print_stdout, reason = "stray output is what is tested")]
#![expect(clippy::print_stderr, reason = "a role reports to its test on stderr")]
#![expect(unsafe_code, reason = "fork, close and handlers of a foreign program are plain C")]

use std::ffi::c_int;
use std::io::{Read, Write, pipe, stdin};
use std::os::fd::{AsFd, AsRawFd};
use std::process::{Command, ExitCode};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;
use std::{mem, ptr, thread};

use extline_stdio::watchdog::{Unfinished, end};
use extline_stdio::{
    Error, Input, Next, Output, Ready, Received, Stdio, claims_at_load, is_by_hand, is_forked,
};
use rustix::process::{Pid, WaitOptions, WaitStatus, getpid, waitpid};

use crate::host::pattern;

/// How much both sides send at once: far more than any pipe or socket holds.
pub(crate) const FLOOD: usize = 8 << 20;
/// How much the role "enough" is willing to read ahead.
pub(crate) const ENOUGH: usize = 256 << 10;
/// What one read takes at most, and about what a pipe holds.
const CHUNK: usize = 64 << 10;

pub(crate) fn play(role: &str) -> ExitCode {
    match role {
        "stray" => stray(),
        "child process stays" => child_process_stays(),
        "echo" => echo(),
        "release" => release(),
        "claim twice" => claim_twice(),
        "closed stderr" => closed_stderr(),
        "closed stdin" => closed_stdin(),
        "started by a host" => started_by_a_host(),
        "started by hand" => started_by_hand(),
        "flood" => flood(),
        "enough" => enough(),
        "host gone" => host_gone(),
        "host gone in a write" => host_gone_in_a_write(),
        #[cfg(target_os = "linux")]
        "host gone without pwritev2" => host_gone_without_pwritev2(libc::ENOSYS),
        #[cfg(target_os = "linux")]
        "host gone with pwritev2 forbidden" => host_gone_without_pwritev2(libc::EPERM),
        "interrupted read" => interrupted_read(),
        "interrupted wait" => interrupted_wait(),
        "sigterm in a wait" => sigterm_in_a_wait(),
        "sigterm in a write" => sigterm_in_a_write(),
        "sigterm for nobody" => sigterm_for_nobody(),
        "signals in front" => signals_in_front(),
        "slow last words" => slow_last_words(),
        "forked child stays" => forked_child_stays(),
        "forked child tries" => forked_child_tries(),
        "forked child is terminated" => forked_child_is_terminated(),
        "forked after the end" => forked_after_the_end(),
        "forked before the claim" => forked_before_the_claim(),
        unknown => panic!("no role is called {unknown:?}"),
    }
    ExitCode::SUCCESS
}

/// The next bytes, whatever the descriptor's flags are; `None` at end-of-file.
fn next_chunk(stdio: &mut Stdio) -> Option<Vec<u8>> {
    let mut buffer = vec![0; CHUNK];
    loop {
        match stdio.input.read(&mut buffer).unwrap() {
            Received::Data(count) => {
                buffer.truncate(count);
                return Some(buffer);
            }
            Received::Eof => return None,
            Received::Interrupted => {}
            Received::WouldBlock => {
                stdio.input.wait(None).unwrap();
            }
        }
    }
}

fn stray() {
    print!("[buffered before the claim]");
    let mut stdio = Stdio::claim().unwrap();
    rustix::io::write(rustix::stdio::stdout(), b"[write(1)]\n").unwrap();
    println!("[println]");
    // `cat` would take the frame away if it got hold of the wire, and never end without the null
    // device.
    let script = "echo '[child process]'; cat";
    assert!(Command::new("sh").args(["-c", script]).status().unwrap().success());
    while let Some(chunk) = next_chunk(&mut stdio) {
        stdio.output.write_all(&chunk).unwrap();
    }
    println!("[println]");
}

#[expect(clippy::zombie_processes, reason = "the child outlives this process, that is the test")]
fn child_process_stays() {
    let mut stdio = Stdio::claim().unwrap();
    let child = Command::new("sleep").arg("60").spawn().unwrap();
    stdio.output.write_all(format!("{}\n", child.id()).as_bytes()).unwrap();
}

fn echo() {
    let mut stdio = Stdio::claim().unwrap();
    while let Some(chunk) = next_chunk(&mut stdio) {
        stdio.output.write_all(&chunk).unwrap();
    }
    // The end of the input does not keep coming back.
    assert!(stdio.input.wait(Some(Duration::from_millis(20))).unwrap().timed_out());
    stdio.output.write_all(b"bye\n").unwrap();
}

fn release() {
    let stdio = Stdio::claim().unwrap();
    println!("printed while claimed");
    stdio.release().unwrap();
    println!("printed after the release");
    let mut line = String::new();
    stdin().read_line(&mut line).unwrap();
    print!("{line}");
    let mut again = Stdio::claim().unwrap();
    println!("printed while claimed again");
    again.output.write_all(b"claimed again\n").unwrap();
}

fn claim_twice() {
    let first = Stdio::claim().unwrap();
    assert!(matches!(Stdio::claim(), Err(Error::AlreadyClaimed)));
    drop(first);
    assert!(matches!(Stdio::claim(), Err(Error::AlreadyClaimed)));
}

fn closed_stderr() {
    close(2);
    let mut stdio = Stdio::claim().unwrap();
    println!("into the null device");
    let null = rustix::fs::stat("/dev/null").unwrap().st_rdev;
    for stray in [rustix::stdio::stdout(), rustix::stdio::stderr()] {
        assert_eq!(rustix::fs::fstat(stray).unwrap().st_rdev, null);
    }
    stdio.output.write_all(b"frame\n").unwrap();
}

fn closed_stdin() {
    close(0);
    for _ in 0..2 {
        let error = Stdio::claim().unwrap_err();
        assert!(matches!(error, Error::Io { .. }), "{error:?}");
        eprintln!("{error}");
    }
    println!("still stdout");
}

fn started_by_a_host() {
    assert!(!is_by_hand());
    assert!(claims_at_load(false).unwrap());
    assert!(!claims_at_load(true).unwrap());
    let _stdio = Stdio::claim().unwrap();
    assert!(!is_by_hand());
}

fn started_by_hand() {
    assert!(is_by_hand());
    assert!(!claims_at_load(false).unwrap());
    let _stdio = Stdio::claim().unwrap();
    assert!(is_by_hand(), "the answer is about the original stdin");
}

fn flood() {
    let mut stdio = Stdio::claim().unwrap();
    let mut received = send_flood(&mut stdio, usize::MAX);
    while let Some(chunk) = next_chunk(&mut stdio) {
        received.extend(chunk);
    }
    assert!(received == pattern(2, FLOOD), "{} bytes came", received.len());
}

fn enough() {
    let mut stdio = Stdio::claim().unwrap();
    let mut received = send_flood(&mut stdio, ENOUGH);
    // The test waits for ENOUGH bytes to leave, of which the pipe may hold the last.
    let ahead = ENOUGH - CHUNK..ENOUGH + CHUNK;
    assert!(ahead.contains(&received.len()), "read {} bytes ahead", received.len());
    while received.len() < FLOOD {
        received.extend(next_chunk(&mut stdio).unwrap());
    }
    assert!(received == pattern(2, FLOOD));
}

/// Sends a flood and returns what came meanwhile, about `at_most` bytes.
fn send_flood(stdio: &mut Stdio, at_most: usize) -> Vec<u8> {
    let mut ahead = Vec::new();
    let mut buffer = vec![0; CHUNK];
    let on_ready = |input: &mut Input, ready: Ready| {
        if ready.input {
            match input.read(&mut buffer).unwrap() {
                Received::Data(count) => ahead.extend_from_slice(&buffer[..count]),
                Received::Eof | Received::Interrupted | Received::WouldBlock => {}
            }
        }
        if ahead.len() < at_most { Next::Read } else { Next::OnlyWrite }
    };
    stdio.output.write_all_reading(&pattern(1, FLOOD), &mut stdio.input, on_ready).unwrap();
    ahead
}

fn host_gone() {
    // As in a C program; Rust ignores SIGPIPE.
    let before = default_sigpipe();
    let mut stdio = Stdio::claim().unwrap();
    stdio.output.write_all(b"ready\n").unwrap();
    assert_eq!(next_chunk(&mut stdio), None);
    expect_host_gone(&mut stdio.output);
    assert_eq!(sigpipe_blocked_or_pending(), before);
}

fn host_gone_in_a_write() {
    let before = default_sigpipe();
    let mut stdio = Stdio::claim().unwrap();
    expect_host_gone(&mut stdio.output);
    assert_eq!(sigpipe_blocked_or_pending(), before);
}

/// An emulator has no such system call, and a sandbox may forbid it.
#[cfg(target_os = "linux")]
fn host_gone_without_pwritev2(error: c_int) {
    refuse(libc::SYS_pwritev2, error);
    host_gone();
}

fn expect_host_gone(output: &mut Output) {
    match output.write_all(&vec![b'x'; FLOOD]) {
        Err(Error::HostGone) => eprintln!("the host is gone"),
        other => panic!("the write ended with {other:?}"),
    }
}

fn interrupted_read() {
    handle_sigusr1();
    let mut stdio = Stdio::claim().unwrap();
    stdio.output.write_all(b"ready\n").unwrap();
    assert_eq!(stdio.input.read(&mut [0]).unwrap(), Received::Interrupted);
    stdio.output.write_all(b"interrupted\n").unwrap();
    assert_eq!(next_chunk(&mut stdio), None);
}

fn interrupted_wait() {
    handle_sigusr1();
    let mut stdio = Stdio::claim().unwrap();
    stdio.output.write_all(b"ready\n").unwrap();
    let interrupted = Ready { interrupted: true, ..Ready::default() };
    assert_eq!(stdio.input.wait(None).unwrap(), interrupted);
    stdio.output.write_all(b"interrupted\n").unwrap();
    assert_eq!(next_chunk(&mut stdio), None);
}

fn sigterm_in_a_wait() {
    let mut stdio = Stdio::claim().unwrap();
    stdio.input.listen_for_sigterm().unwrap();
    stdio.output.write_all(b"ready\n").unwrap();
    while !stdio.input.wait(None).unwrap().sigterm {}
    assert!(!stdio.input.wait(Some(Duration::ZERO)).unwrap().sigterm, "reported twice");
    stdio.output.write_all(b"terminated\n").unwrap();
}

fn sigterm_in_a_write() {
    let mut stdio = Stdio::claim().unwrap();
    stdio.input.listen_for_sigterm().unwrap();
    let Stdio { input, output } = &mut stdio;
    let outcome = output.write_all_reading(&pattern(1, FLOOD), input, |_, ready| {
        if ready.sigterm { Next::GiveUp } else { Next::Read }
    });
    match outcome {
        Err(Error::GivenUp { written }) => eprintln!("given up after {written}"),
        other => panic!("the write ended with {other:?}"),
    }
}

fn sigterm_for_nobody() {
    let mut stdio = Stdio::claim().unwrap();
    stdio.input.listen_for_sigterm().unwrap();
    let Stdio { input, mut output } = stdio;
    drop(input);
    output.write_all(b"ready\n").unwrap();
    thread::sleep(Duration::from_secs(60));
}

static PROGRAMS_OWN: AtomicBool = AtomicBool::new(false);

extern "C" fn programs_own(_: c_int) {
    PROGRAMS_OWN.store(true, SeqCst);
}

fn signals_in_front() {
    let mut input = Stdio::claim().unwrap().input;
    input.listen_for_sigterm().unwrap();
    for signal in [libc::SIGTERM, libc::SIGINT] {
        // SAFETY: the handler stores a value and no more.
        unsafe { libc::signal(signal, programs_own as extern "C" fn(c_int) as usize) };
        input.listen_in_front().unwrap();
        input.listen_in_front().unwrap();
        PROGRAMS_OWN.store(false, SeqCst);
        // SAFETY: this process handles the signal.
        unsafe { libc::raise(signal) };
        assert!(PROGRAMS_OWN.load(SeqCst));
        assert!(input.signal_waits());
        let ready = input.wait(None).unwrap();
        let is_sigterm = signal == libc::SIGTERM;
        assert_eq!((ready.sigterm, ready.sigint), (is_sigterm, !is_sigterm));
        assert!(!input.signal_waits());
    }
}

fn slow_last_words() {
    let finish = || {
        thread::sleep(Duration::from_millis(200));
        Unfinished { handlers: vec!["tool slow".to_owned()], unread: false }
    };
    end(Duration::ZERO, 3, finish);
}

fn forked_child_stays() {
    let mut stdio = Stdio::claim().unwrap();
    stdio.output.write_all(b"written before\n").unwrap();
    let Some(child) = fork() else {
        eprintln!("the child lives");
        thread::sleep(Duration::from_secs(60));
        return;
    };
    stdio.output.write_all(format!("{child}\n").as_bytes()).unwrap();
    stdio.output.write_all(b"the parent talks\n").unwrap();
    assert_eq!(next_chunk(&mut stdio), None);
}

fn forked_child_tries() {
    let mut stdio = Stdio::claim().unwrap();
    let waker = stdio.input.waker();
    if let Some(child) = fork() {
        assert_eq!(status_of(child).exit_status(), Some(0));
        assert!(stdio.input.wait(Some(Duration::ZERO)).unwrap().timed_out());
        assert!(!is_forked());
        return;
    }
    assert!(is_forked());
    waker.wake();
    let Stdio { input, output } = &mut stdio;
    let outcomes = [
        input.read(&mut [0]).map(drop),
        input.wait(Some(Duration::ZERO)).map(drop),
        input.listen_for_sigterm(),
        output.try_write(b"x").map(drop),
        output.write_all(b"x"),
        output.write_all_reading(b"x", input, |_, _| Next::GiveUp),
        Stdio::claim().map(drop),
        stdio.release(),
    ];
    for (at, outcome) in outcomes.into_iter().enumerate() {
        let error = outcome.expect_err("a forked child may do nothing");
        assert!(matches!(error, Error::Forked), "operation {at}: {error:?}");
        assert!(error.to_string().contains("forked from an extension"));
    }
}

fn forked_child_is_terminated() {
    let mut stdio = Stdio::claim().unwrap();
    stdio.input.listen_for_sigterm().unwrap();
    let Some(child) = fork() else {
        thread::sleep(Duration::from_secs(60));
        return;
    };
    stdio.output.write_all(format!("{child}\n").as_bytes()).unwrap();
    assert_eq!(status_of(child).terminating_signal(), Some(libc::SIGTERM));
    assert!(!stdio.input.wait(Some(Duration::from_millis(20))).unwrap().sigterm);
    stdio.output.write_all(b"the parent was not told\n").unwrap();
}

fn forked_after_the_end() {
    let stdio = Stdio::claim().unwrap();
    let numbers = [stdio.input.as_fd().as_raw_fd(), stdio.output.as_fd().as_raw_fd()];
    drop(stdio);
    let (mut from, mut to) = pipe().unwrap();
    assert_eq!([from.as_raw_fd(), to.as_raw_fd()], numbers, "the numbers are free again");
    if let Some(child) = fork() {
        assert_eq!(status_of(child).exit_status(), Some(0));
        return;
    }
    to.write_all(b"x").unwrap();
    from.read_exact(&mut [0]).unwrap();
}

fn forked_before_the_claim() {
    Stdio::claim().unwrap().release().unwrap();
    assert!(!is_forked());
    if let Some(child) = fork() {
        assert_eq!(status_of(child).exit_status(), Some(0));
        return;
    }
    let mut stdio = Stdio::claim().unwrap();
    assert!(!is_forked(), "the session is the child's");
    println!("{}", getpid());
    stdio.output.write_all(b"the child claimed\n").unwrap();
}

/// The child's process id in the parent, `None` in the child.
fn fork() -> Option<Pid> {
    // SAFETY: a role has a single thread, so its child may go on as it likes.
    Pid::from_raw(unsafe { libc::fork() })
}

fn status_of(child: Pid) -> WaitStatus {
    waitpid(Some(child), WaitOptions::empty()).unwrap().unwrap().1
}

fn close(descriptor: i32) {
    // SAFETY: one of the standard descriptors, which nothing in this process owns.
    assert_eq!(unsafe { libc::close(descriptor) }, 0);
}

/// Has the kernel answer a system call of this process with an error.
#[cfg(target_os = "linux")]
fn refuse(call: libc::c_long, error: c_int) {
    let does = |code: u32, value: u32, skipped: u8| libc::sock_filter {
        code: u16::try_from(code).unwrap(),
        jt: 0,
        jf: skipped,
        k: value,
    };
    let (call, error) = (u32::try_from(call).unwrap(), u32::try_from(error).unwrap());
    let mut filter = [
        // The number of the call is what stands first.
        does(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
        does(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, call, 1),
        does(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ERRNO | error, 0),
        does(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW, 0),
    ];
    let program = libc::sock_fprog { len: 4, filter: filter.as_mut_ptr() };
    // SAFETY: the kernel copies the program, which is complete.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        let mode = libc::SECCOMP_MODE_FILTER;
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program), 0);
    }
}

/// Gives SIGPIPE its default action and says how `sigpipe_blocked_or_pending` is before any write.
fn default_sigpipe() -> (bool, bool) {
    // SAFETY: the default action needs no handler.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    sigpipe_blocked_or_pending()
}

fn sigpipe_blocked_or_pending() -> (bool, bool) {
    // SAFETY: the sets are plain data, and both calls fill them in.
    unsafe {
        let (mut blocked, mut pending) = (mem::zeroed(), mem::zeroed());
        assert_eq!(libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), &raw mut blocked), 0);
        assert_eq!(libc::sigpending(&raw mut pending), 0);
        let has = |set| libc::sigismember(set, libc::SIGPIPE) == 1;
        (has(&raw const blocked), has(&raw const pending))
    }
}

/// A handler that does nothing and, as Python's, does not have system calls restarted.
fn handle_sigusr1() {
    extern "C" fn handler(_: libc::c_int) {}
    // SAFETY: the action is plain data, and the handler does nothing.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = handler as extern "C" fn(libc::c_int) as libc::sighandler_t;
        assert_eq!(libc::sigaction(libc::SIGUSR1, &raw const action, ptr::null_mut()), 0);
    }
}
