//! A named pipe at which this user's programs alone find this one: what a socket in a folder of the user is on
//! Unix.
//!
//! Its list lets in nobody else. Its name is made by chance, and has to be kept where others cannot write: but
//! every user can see it, and make a pipe of that name when this one is gone. So who connects looks whose it is.

use std::fs::File;
use std::io;
use std::os::windows::io::AsHandle;

use tokio::net::windows::named_pipe::{
    ClientOptions, NamedPipeClient, NamedPipeServer, ServerOptions,
};
use windows_sys::Win32::Foundation::{ERROR_FILE_NOT_FOUND, ERROR_PIPE_BUSY};

use crate::file::{OwnersAlone, is_own_pipe};

/// What a pipe holds in each direction.
const HOLDS: u32 = 64 * 1024;
const BEGINNING: &str = r"\\.\pipe\extline-";

/// Where others connect, one after the other.
#[derive(Debug)]
pub struct PrivatePipe {
    name: String,
    /// For the next one.
    free: NamedPipeServer,
}

impl PrivatePipe {
    /// A pipe with a name that no other has.
    pub fn new() -> io::Result<Self> {
        let mut salt = [0; 16];
        getrandom::fill(&mut salt).map_err(io::Error::other)?;
        let name = format!("{BEGINNING}{:032x}", u128::from_ne_bytes(salt));
        let free = make(&name, true)?;
        Ok(Self { name, free })
    }

    /// Its name, for [`connect`].
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Waits for the next one who connects. May be dropped and called again.
    pub async fn accept(&mut self) -> io::Result<NamedPipeServer> {
        let connected = self.free.connect().await;
        // Whoever comes meanwhile waits. One who has gone again leaves an end that nobody can use.
        let taken = std::mem::replace(&mut self.free, make(&self.name, false)?);
        connected.map(|()| taken)
    }
}

/// Connects to the pipe of that name of this user, within a runtime that has the means for it. That another
/// one has just connected is an error of the kind `ResourceBusy`, and goes over; that there is none any more
/// `ConnectionRefused`.
pub fn connect(name: &str) -> io::Result<NamedPipeClient> {
    let other = |kind, text: &str| Err(io::Error::new(kind, text));
    if !name.starts_with(BEGINNING) {
        return other(io::ErrorKind::InvalidInput, "that is no name of a pipe");
    }
    // What is at the other end does not get the rights of this one.
    let pipe = match ClientOptions::new().open(name) {
        Ok(pipe) => pipe,
        Err(error) => {
            return match error.raw_os_error().map(i32::cast_unsigned) {
                Some(ERROR_FILE_NOT_FOUND) => {
                    other(io::ErrorKind::ConnectionRefused, "nobody is there")
                }
                Some(ERROR_PIPE_BUSY) => other(io::ErrorKind::ResourceBusy, "another one connects"),
                _ => Err(error),
            };
        }
    };
    let handle = File::from(pipe.as_handle().try_clone_to_owned()?);
    if is_own_pipe(&handle)? {
        return Ok(pipe);
    }
    other(io::ErrorKind::PermissionDenied, "the pipe belongs to another user")
}

fn make(name: &str, is_first: bool) -> io::Result<NamedPipeServer> {
    let mut options = ServerOptions::new();
    options.first_pipe_instance(is_first).in_buffer_size(HOLDS).out_buffer_size(HOLDS);
    let mut access = OwnersAlone::new()?;
    #[expect(unsafe_code, reason = "only so the pipe has a list from the start")]
    // SAFETY: it points to a structure of the system's, which is whole as long as `access` lives.
    unsafe {
        options.create_with_security_attributes_raw(name, access.as_attributes())
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    fn kind<T>(outcome: io::Result<T>) -> Option<io::ErrorKind> {
        outcome.err().map(|error| error.kind())
    }

    #[tokio::test]
    async fn one_after_the_other_connects_until_it_is_gone() {
        let mut pipe = PrivatePipe::new().unwrap();
        let name = pipe.name().to_owned();
        let mut first = connect(&name).unwrap();
        assert_eq!(kind(connect(&name)), Some(io::ErrorKind::ResourceBusy));
        let mut accepted = pipe.accept().await.unwrap();
        let second = connect(&name).unwrap();
        first.write_all(b"asked").await.unwrap();
        let mut bytes = [0; 5];
        accepted.read_exact(&mut bytes).await.unwrap();
        assert_eq!(&bytes, b"asked");
        // As long as one end is open there is a pipe of that name. The runtime closes each a moment later.
        drop((pipe, accepted, first, second));
        let until = Instant::now() + Duration::from_secs(5);
        while kind(connect(&name)) == Some(io::ErrorKind::ResourceBusy) && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(kind(connect(&name)), Some(io::ErrorKind::ConnectionRefused));
        assert_eq!(kind(connect("NUL")), Some(io::ErrorKind::InvalidInput));
    }

    #[tokio::test]
    async fn only_its_user_is_in_its_list() {
        let pipe = PrivatePipe::new().unwrap();
        let handle = File::from(pipe.free.as_handle().try_clone_to_owned().unwrap());
        assert!(crate::file::is_own_pipe(&handle).unwrap());
        assert!(!crate::file::is_open_pipe(&handle));
    }
}
