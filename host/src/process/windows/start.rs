//! How a process is started: suspended, so that it is in its job before it can start another.
//!
//! Between its start and that moment this process may be killed, and a suspended one would stay for ever. So
//! this process has a job too, which takes in what is started here, from its first moment. What else this
//! process starts stays outside, but for what another thread starts in the same moment.

use std::io;
use std::os::windows::io::RawHandle;
use std::sync::{LazyLock, Mutex};

use windows_sys::Win32::Foundation::{HANDLE, NTSTATUS, RtlNtStatusToDosError};
use windows_sys::Win32::System::Console::GetConsoleCP;
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW, CREATE_SUSPENDED, GetCurrentProcess,
};

use super::job::Job;
use crate::lock::lock;

#[expect(unsafe_code, reason = "windows-sys does not have it")]
#[link(name = "ntdll")]
unsafe extern "system" {
    /// The documented way is to look for the thread among all of the machine's: std keeps its handle.
    fn NtResumeProcess(process: HANDLE) -> NTSTATUS;
}

/// For a process in a group of its own, which a person's Ctrl-C does not reach. A program without a console
/// opens no window for the one that it starts; one that has a console shares it, so that it can send
/// Ctrl-Break.
pub(super) fn flags() -> u32 {
    let window = if has_console() { 0 } else { CREATE_NO_WINDOW };
    CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP | window
}

/// Starts a process that ends with this one, whenever that is killed.
pub(super) fn within_own_job<T>(start: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    /// Absent where the system refuses it; then only the moment of a start is not covered.
    static OWN: LazyLock<Option<Mutex<Job>>> = LazyLock::new(|| own_job().map(Mutex::new).ok());
    let Some(job) = &*OWN else { return start() };
    let job = lock(job);
    job.take_children(true)?;
    let started = start();
    // It was possible a moment ago.
    let _ = job.take_children(false);
    started
}

fn own_job() -> io::Result<Job> {
    let job = Job::new()?;
    job.take_children(false)?;
    #[expect(unsafe_code, reason = "std has no handle of this process")]
    // SAFETY: the call takes nothing, and what it returns stands for this process.
    let own = unsafe { GetCurrentProcess() };
    job.add(own).map(|()| job)
}

/// Whether this process has a console, which those that it starts share.
pub(super) fn has_console() -> bool {
    #[expect(unsafe_code, reason = "std does not ask for the console")]
    // SAFETY: the call takes nothing; it returns 0 without a console.
    unsafe {
        GetConsoleCP() != 0
    }
}

/// Puts a process that was started with these flags into the job, and lets it run.
pub(super) fn run_in(job: Job, process: RawHandle) -> io::Result<Job> {
    job.add(process)?;
    #[expect(unsafe_code, reason = "std does not let a process run on")]
    // SAFETY: the call takes any value, and fails where it is no process.
    let status = unsafe { NtResumeProcess(process) };
    if status >= 0 {
        return Ok(job);
    }
    #[expect(unsafe_code, reason = "the error has a number of another kind")]
    // SAFETY: a number is looked up.
    let number = unsafe { RtlNtStatusToDosError(status) };
    Err(io::Error::from_raw_os_error(number.cast_signed()))
}
