//! What a driver writes to stderr, however much that is.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::{Errno, ioctl_fionread, read};

use crate::target::Ends;

/// The time for what is in the pipe to be taken out.
const DRAINED: Duration = Duration::from_millis(200);

/// Reads until the last holder of the other end is gone.
#[derive(Debug)]
pub(super) struct Stderr {
    pipe: Arc<OwnedFd>,
    kept: Arc<Mutex<Ends>>,
}

impl Stderr {
    pub(super) fn of(pipe: OwnedFd) -> io::Result<Self> {
        fcntl_setfl(&pipe, fcntl_getfl(&pipe)? | OFlags::NONBLOCK)?;
        let (pipe, kept) = (Arc::new(pipe), Arc::default());
        let (read_end, ends) = (Arc::clone(&pipe), Arc::clone(&kept));
        let keep = move || while keep(&read_end, &ends).is_some() {};
        thread::Builder::new().name("driver's stderr".to_owned()).spawn(keep)?;
        Ok(Self { pipe, kept })
    }

    /// What it wrote; where it is long, its first and its last part.
    pub(super) fn text(&self) -> String {
        let until = Instant::now() + DRAINED;
        while ioctl_fionread(&self.pipe).is_ok_and(|waits| waits > 0) && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).text()
    }
}

/// Takes what is there next; `None` at the end. What was taken out of the pipe is kept before anybody
/// can look.
fn keep(pipe: &OwnedFd, ends: &Mutex<Ends>) -> Option<()> {
    let waited = poll(&mut [PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)], None);
    let mut ends = ends.lock().unwrap_or_else(PoisonError::into_inner);
    let mut bytes = [0; 16 * 1024];
    match waited.and_then(|_| read(pipe, &mut bytes)) {
        Ok(0) => None,
        Ok(count) => {
            ends.push(&bytes[..count]);
            Some(())
        }
        Err(Errno::AGAIN | Errno::INTR) => Some(()),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn of_a_flood_the_first_and_the_last_part_are_kept() {
        let script = "echo first >&2; yes | head -c 50000000 >&2; echo last >&2";
        let mut command = Command::new("sh");
        let mut child = command.args(["-c", script]).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = Stderr::of(child.stderr.take().unwrap().into()).unwrap();
        child.wait().unwrap();
        let text = stderr.text();
        assert!(text.starts_with("first\ny\n") && text.ends_with("y\nlast\n"));
        assert!(text.contains("bytes are left out") && text.len() < 1_000_000, "{}", text.len());
    }
}
