//! Starts what runs the extensions, once, however many hooks want it at the same time.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::channel::{Channel, first_line, is_there, private, remove_lock, stand_alone, take_lock};
use super::place::Place;
use super::question::READY;

/// How long somebody who waits for another's start sleeps at a time.
const PAUSE: Duration = Duration::from_millis(5);

/// A connection to what runs already, if something does.
pub(super) fn connect(place: &Place, deadline: Instant) -> io::Result<Option<Channel>> {
    match Channel::connect(&place.socket, deadline) {
        Ok(channel) => Ok(Some(channel)),
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
) -> Result<Channel, String> {
    let _lock = lock(place, deadline)?;
    // Whoever held the lock may have started them.
    let connected = |found: io::Result<Option<Channel>>| {
        found.map_err(|error| format!("{} cannot be reached: {error}", place.socket.display()))
    };
    if let Some(channel) = connected(connect(place, deadline))? {
        return Ok(channel);
    }
    spawn(place, words, deadline)?;
    connected(connect(place, deadline))?
        .ok_or_else(|| format!("the extensions ended at once; {} may say why", place.log.display()))
}

/// The lock of this place, which is let go when the file is closed.
fn lock(place: &Place, deadline: Instant) -> Result<File, String> {
    let path = place.lock.display();
    loop {
        let file = private(&place.lock, false)
            .map_err(|error| format!("{path} cannot be made: {error}"))?;
        match take_lock(&file) {
            // Unless it was taken away meanwhile, and somebody else has another one.
            Ok(true) if is_there(&file, &place.lock) => return Ok(file),
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => return Err(format!("{path} cannot be locked: {error}")),
        }
        if Instant::now() >= deadline {
            return Err("another hook starts the extensions, and they are not ready yet".to_owned());
        }
        thread::sleep(PAUSE);
    }
}

/// Takes away what the place of a socket had, unless somebody starts another one there.
pub(super) fn clear(socket: &Path) {
    let lock = socket.with_extension("lock");
    let Ok(file) = File::open(&lock) else { return };
    if take_lock(&file).is_ok_and(|is_taken| is_taken) && is_there(&file, &lock) {
        // What cannot be taken away is used again.
        let _ = fs::remove_file(socket.with_extension("log"));
        remove_lock(&lock);
    }
}

fn spawn(place: &Place, words: &[OsString], deadline: Instant) -> Result<(), String> {
    let failed = |error: io::Error| format!("the extensions cannot be started: {error}");
    let log = private(&place.log, true)
        .map_err(|error| format!("{} cannot be made: {error}", place.log.display()))?;
    let mut command = Command::new(std::env::current_exe().map_err(failed)?);
    stand_alone(&mut command);
    let mut child = command
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
