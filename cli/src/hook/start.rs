//! Starts what runs the extensions, once, however many hooks want it at the same time.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FlockOperation, flock};

use super::place::Place;
use super::question::READY;

/// How long somebody who waits for another's start sleeps at a time.
const PAUSE: Duration = Duration::from_millis(5);

/// A connection to what runs already, if something does.
pub(super) fn connect(place: &Place) -> io::Result<Option<UnixStream>> {
    match UnixStream::connect(&place.socket) {
        Ok(stream) => Ok(Some(stream)),
        // Nothing was there, or what was there has died.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Starts the extensions, or waits until another hook has.
pub(super) fn start(
    place: &Place,
    words: &[OsString],
    deadline: Instant,
) -> Result<UnixStream, String> {
    let _lock = lock(place, deadline)?;
    // Whoever held the lock may have started them.
    let connected = |found: io::Result<Option<UnixStream>>| {
        found.map_err(|error| format!("{} cannot be reached: {error}", place.socket.display()))
    };
    if let Some(stream) = connected(connect(place))? {
        return Ok(stream);
    }
    spawn(place, words, deadline)?;
    connected(connect(place))?
        .ok_or_else(|| format!("the extensions ended at once; {} may say why", place.log.display()))
}

/// The lock of this place, which is let go when the file is closed.
fn lock(place: &Place, deadline: Instant) -> Result<File, String> {
    let path = place.lock.display();
    loop {
        let file = private(&place.lock, false)
            .map_err(|error| format!("{path} cannot be made: {error}"))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            // Unless it was taken away meanwhile, and somebody else has another one.
            Ok(()) if is_there(&file, &place.lock) => return Ok(file),
            Ok(()) => continue,
            Err(error) if error == rustix::io::Errno::WOULDBLOCK => {}
            Err(error) => return Err(format!("{path} cannot be locked: {error}")),
        }
        if Instant::now() >= deadline {
            return Err("another hook starts the extensions, and they are not ready yet".to_owned());
        }
        thread::sleep(PAUSE);
    }
}

fn is_there(file: &File, path: &Path) -> bool {
    let number = |it: io::Result<Metadata>| it.ok().map(|it| (it.dev(), it.ino()));
    let of_path = number(fs::metadata(path));
    of_path.is_some() && of_path == number(file.metadata())
}

/// Takes away what the place of a socket had, unless somebody starts another one there.
pub(super) fn clear(socket: &Path) {
    let lock = socket.with_extension("lock");
    let Ok(file) = File::open(&lock) else { return };
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() && is_there(&file, &lock) {
        for file in [socket.with_extension("log"), lock] {
            // What cannot be taken away is used again.
            let _ = fs::remove_file(file);
        }
    }
}

fn spawn(place: &Place, words: &[OsString], deadline: Instant) -> Result<(), String> {
    let failed = |error: io::Error| format!("the extensions cannot be started: {error}");
    let log = private(&place.log, true)
        .map_err(|error| format!("{} cannot be made: {error}", place.log.display()))?;
    let mut child = Command::new(std::env::current_exe().map_err(failed)?)
        .arg("hook")
        .arg("--serve")
        .arg(&place.socket)
        .args(words)
        .current_dir(&place.project)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .map_err(failed)?;
    let said = child.stdout.take().map_or_else(String::new, |stdout| first_line(stdout, deadline));
    if said == READY {
        return Ok(());
    }
    let log = place.log.display();
    Err(match said.as_str() {
        "" if Instant::now() < deadline => {
            format!("the extensions did not start; {log} may say why")
        }
        "" => format!("the extensions did not start in time; {log} may say why"),
        said => format!("{said}; {log} may say why"),
    })
}

/// What stands on the pipe until the end of a line, of the stream or of the time.
fn first_line(mut pipe: ChildStdout, deadline: Instant) -> String {
    let mut line = Vec::new();
    let mut bytes = [0; 512];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let left =
            Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
        let is_there = poll(&mut [PollFd::new(&pipe, PollFlags::IN)], Some(&left));
        let read = match is_there {
            Ok(0) => 0,
            Ok(_) => pipe.read(&mut bytes).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => 0,
        };
        line.extend_from_slice(&bytes[..read]);
        if read == 0 || line.contains(&b'\n') {
            return String::from_utf8_lossy(&line).lines().next().unwrap_or_default().to_owned();
        }
    }
}

/// A file that only this user can read.
fn private(path: &Path, anew: bool) -> io::Result<File> {
    OpenOptions::new().create(true).write(true).truncate(anew).mode(0o600).open(path)
}
