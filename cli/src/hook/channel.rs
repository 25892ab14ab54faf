//! What a hook needs of the system: to find what runs the extensions, which is of this user alone, to start it once,
//! and to talk with it. One module per platform behind one interface.
//!
//! Where it is found is a file in a folder of the user: a socket on Unix, and on Windows the name of a pipe. A
//! question and an answer are each one piece of bytes.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use self::unix as system;
#[cfg(windows)]
use self::windows as system;

pub(super) use self::system::{
    Asker, Channel, Listener, first_line, folder, is_there, leave_terminal, private, remove_lock,
    stand_alone, take_lock,
};
