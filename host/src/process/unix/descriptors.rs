//! What a process that is started gets of this one's descriptors: its three pipes.
//!
//! Rust opens everything so that no other program inherits it; whoever started this process, or a
//! library in another language, may not have. To mark such descriptors in the child takes a fork in
//! place of a `vfork`, which costs 0.2 ms, and 0.2 s in a process of a gigabyte; and a shell would run
//! a script that names no interpreter. To mark them in this process for good would change what the
//! rest of the program passes on. So they are marked while a program starts, or some that wait, and
//! only where there are any; a program of its own, as the command line, calls
//! [`withhold_descriptors`] once and has none.

use std::cell::Cell;
use std::fs;
use std::os::fd::{BorrowedFd, RawFd};
use std::sync::Mutex;

use rustix::io::{FdFlags, fcntl_getfd, fcntl_setfd};

use crate::lock::lock;

/// Lets no program that this process starts from now on inherit a descriptor that is open now, the
/// standard ones excepted. It is for the beginning of a program whose descriptors are its own: others
/// of the process may want theirs inherited.
pub fn withhold_descriptors() {
    for descriptor in inheritable() {
        set(descriptor, FdFlags::CLOEXEC);
    }
}

thread_local! {
    /// This thread has marked them.
    static ARE_MARKED: Cell<bool> = const { Cell::new(false) };
}

/// Starts a program, which inherits nothing but its three standard descriptors, whatever this process
/// has open. Within it more can be started, and the descriptors are not looked through again.
///
/// What another thread starts in that moment, 0.2 ms as a rule, inherits no more. What another thread
/// opens in it may be inherited.
pub fn inherit_nothing<T>(start: impl FnOnce() -> T) -> T {
    if ARE_MARKED.get() {
        return start();
    }
    ARE_MARKED.set(true);
    let _unset = Unset;
    marked(start)
}

/// What this thread starts from now on looks for them itself.
struct Unset;

impl Drop for Unset {
    fn drop(&mut self) {
        ARE_MARKED.set(false);
    }
}

fn marked<T>(start: impl FnOnce() -> T) -> T {
    static MARKING: Mutex<()> = Mutex::new(());
    // Held while they are marked: whoever came meanwhile would find none, and start when they are
    // open to all again.
    let marking = lock(&MARKING);
    let descriptors = inheritable();
    if descriptors.is_empty() {
        drop(marking);
        return start();
    }
    for descriptor in &descriptors {
        set(*descriptor, FdFlags::CLOEXEC);
    }
    let started = start();
    for descriptor in descriptors {
        set(descriptor, FdFlags::empty());
    }
    started
}

/// The descriptors, but the standard ones, that a program started now would get.
fn inheritable() -> Vec<RawFd> {
    let is_inherited =
        |descriptor: &RawFd| flags(*descriptor).is_some_and(|it| !it.contains(FdFlags::CLOEXEC));
    match table_size() {
        Some(size) if size <= ASKED_ONE_BY_ONE => (3..size).filter(is_inherited).collect(),
        _ => open_ones().filter(|descriptor| *descriptor > 2).filter(is_inherited).collect(),
    }
}

/// To ask for each number up to here takes less than to list those that are open, which makes an entry
/// of a folder of each.
const ASKED_ONE_BY_ONE: RawFd = 4096;

/// No descriptor that is open has this number or a greater one; `None` where the system does not tell.
fn table_size() -> Option<RawFd> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let size = status.lines().find_map(|line| line.strip_prefix("FDSize:"))?;
    size.trim().parse().ok()
}

fn open_ones() -> impl Iterator<Item = RawFd> {
    let entries = fs::read_dir("/dev/fd").or_else(|_| fs::read_dir("/proc/self/fd"));
    let names = entries.into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.filter_map(|name| name.to_str()?.parse::<RawFd>().ok())
}

/// `None` for one that is closed.
fn flags(descriptor: RawFd) -> Option<FdFlags> {
    fcntl_getfd(borrowed(descriptor)).ok()
}

fn set(descriptor: RawFd, flags: FdFlags) {
    // It fails for one that was closed meanwhile.
    let _ = fcntl_setfd(borrowed(descriptor), flags);
}

fn borrowed<'a>(descriptor: RawFd) -> BorrowedFd<'a> {
    #[expect(unsafe_code, reason = "the system names descriptors of others by their numbers")]
    // SAFETY: the number is not -1, and only asks for or sets a flag: on a closed descriptor that is
    // an error, and one that was opened anew in that moment is opened by another thread.
    unsafe {
        BorrowedFd::borrow_raw(descriptor)
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_descriptor_that_is_open_to_all_reaches_no_child() {
        let secret = tempfile::tempfile().unwrap();
        fcntl_setfd(&secret, FdFlags::empty()).unwrap();
        let script = format!("test ! -e /dev/fd/{}", secret.as_raw_fd());
        let has_none = |command: &mut Command| command.status().unwrap().success();
        let shell = || {
            let mut command = Command::new("sh");
            command.args(["-c", &script]).stdin(Stdio::null());
            command
        };
        assert!(!has_none(&mut shell()), "the test sees an inherited descriptor");
        assert!(inherit_nothing(|| has_none(&mut shell())));
        // One after the other, with one look.
        let starts_two = || [(); 2].map(|()| inherit_nothing(|| has_none(&mut shell())));
        assert_eq!(inherit_nothing(starts_two), [true; 2]);
        // Here it is as it was: whoever opened it may want it so.
        assert_eq!(fcntl_getfd(&secret).unwrap(), FdFlags::empty());
    }
}
