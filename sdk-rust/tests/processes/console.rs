//! Ctrl-Break, which a host sends to the process group of an extension.
#![expect(unsafe_code, reason = "std knows no console")]

use std::io::Error;
use std::os::windows::process::CommandExt;
use std::process::Command;

use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, GenerateConsoleCtrlEvent};
use windows_sys::Win32::System::Threading::CREATE_NEW_PROCESS_GROUP;

/// The event goes to a group by its number, so the extension begins one.
pub(crate) fn prepare(command: &mut Command) {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

pub(crate) fn send_ctrl_break(group: u32) {
    // SAFETY: plain numbers.
    let is_sent = unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, group) } != 0;
    assert!(is_sent, "{}", Error::last_os_error());
}
