//! The extension's side. A role that returns ends with 0; one that finds something wrong panics.

#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "what strays is tested")]
#![expect(unsafe_code, reason = "a C library prints in this way")]

use std::ffi::{c_int, c_uint, c_void};
use std::fs::File;
use std::io::{self, Write, stdin};
use std::mem::ManuallyDrop;
use std::os::windows::io::{AsRawHandle, FromRawHandle};
use std::process::Command;
use std::thread;
use std::time::Duration;

use extline_stdio::watchdog::{Unfinished, end};
use extline_stdio::{Error, Received, Stdio, claims_at_load, is_by_hand};

use windows_sys::Win32::System::Console::{
    AllocConsole, CTRL_C_EVENT, FreeConsole, GenerateConsoleCtrlEvent,
};

use crate::host::ROLE;

unsafe extern "C" {
    fn _write(descriptor: c_int, bytes: *const c_void, count: c_uint) -> c_int;
}

pub(crate) fn play(role: &str) {
    match role {
        "stray" => stray(),
        "child stays" => child_stays(),
        "stays" => thread::sleep(Duration::from_secs(60)),
        "echo" => echo(&mut Stdio::claim().unwrap()),
        "release" => release(),
        "claim twice" => claim_twice(),
        "ctrl-c" => ctrl_c(),
        "slow last words" => slow_last_words(),
        unknown => panic!("no role is called {unknown:?}"),
    }
}

fn echo(stdio: &mut Stdio) {
    let mut buffer = [0; 4096];
    while let Received::Data(count) = stdio.input.read(&mut buffer).unwrap() {
        stdio.output.write_all(&buffer[..count]).unwrap();
    }
    // The end of the input does not keep coming back.
    assert!(stdio.input.wait(Some(Duration::from_millis(20))).unwrap().timed_out());
    stdio.output.write_all(b"bye\r\n").unwrap();
}

fn stray() {
    assert!(!is_by_hand() && claims_at_load(false).unwrap());
    print!("[buffered before the claim]");
    let before = io::stdout().as_raw_handle();
    let mut stdio = Stdio::claim().unwrap();
    assert!(!is_by_hand());
    let text = b"[descriptor 1]\n";
    // SAFETY: as many bytes as are there.
    unsafe { _write(1, text.as_ptr().cast(), 15) };
    println!("[println]");
    // SAFETY: it is not closed here. A C runtime of the program's own uses the number in this way.
    let mut foreign = ManuallyDrop::new(unsafe { File::from_raw_handle(before) });
    foreign.write_all(b"[another C runtime]\n").unwrap();
    // It would take a line away if it got hold of the wire.
    let child = Command::new("cmd").args(["/c", "echo [child process]& set /p line="]).status();
    child.unwrap();
    echo(&mut stdio);
    println!("[println at the end]");
}

/// The child inherits all that can be inherited.
#[expect(clippy::zombie_processes, reason = "the child outlives this process, that is the test")]
fn child_stays() {
    let mut stdio = Stdio::claim().unwrap();
    let child = Command::new(std::env::current_exe().unwrap()).env(ROLE, "stays").spawn().unwrap();
    stdio.output.write_all(format!("{}\n", child.id()).as_bytes()).unwrap();
}

fn release() {
    let stdio = Stdio::claim().unwrap();
    println!("printed while claimed");
    stdio.release().unwrap();
    println!("printed after the release");
    let text = b"by descriptor 1\n";
    // SAFETY: as many bytes as are there.
    unsafe { _write(1, text.as_ptr().cast(), 16) };
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

/// In a console of its own, so that nobody else is told.
fn ctrl_c() {
    let mut stdio = Stdio::claim().unwrap();
    // SAFETY: the calls take plain numbers.
    unsafe {
        FreeConsole();
        assert!(AllocConsole() != 0, "{}", std::io::Error::last_os_error());
    }
    stdio.input.listen_for_sigterm().unwrap();
    // SAFETY: as above.
    let is_sent = unsafe { GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0) } != 0;
    assert!(is_sent, "{}", std::io::Error::last_os_error());
    while !stdio.input.wait(None).unwrap().sigterm {}
    assert!(!stdio.input.wait(Some(Duration::ZERO)).unwrap().sigterm, "reported twice");
    stdio.output.write_all(b"told to end\n").unwrap();
}

fn slow_last_words() {
    let finish = || {
        thread::sleep(Duration::from_millis(200));
        Unfinished { handlers: vec!["tool slow".to_owned()], unread: false }
    };
    end(Duration::ZERO, 3, finish);
}
