//! A socket in a folder that nobody else may enter.

use std::env;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream as AsyncStream};

/// The hook's end.
#[derive(Debug)]
pub(in super::super) struct Channel(UnixStream);

impl Channel {
    /// Where nothing is, that is of the kind `NotFound`; where nobody listens, `ConnectionRefused`.
    pub(in super::super) fn connect(socket: &Path, _deadline: Instant) -> io::Result<Self> {
        UnixStream::connect(socket).map(Self)
    }

    /// Asks, and returns the whole answer: nothing where the other end went away.
    pub(in super::super) fn ask(
        self,
        question: &[u8],
        at_most: u64,
        deadline: Instant,
    ) -> io::Result<Vec<u8>> {
        let mut stream = self.0;
        let left = || {
            let left = deadline.saturating_duration_since(Instant::now());
            Some(left.max(Duration::from_millis(1)))
        };
        stream.set_write_timeout(left())?;
        stream.write_all(question)?;
        stream.shutdown(Shutdown::Write)?;
        stream.set_read_timeout(left())?;
        let mut answer = Vec::new();
        stream.take(at_most).read_to_end(&mut answer)?;
        Ok(answer)
    }
}

/// Where hooks connect.
#[derive(Debug)]
pub(in super::super) struct Listener(UnixListener);

impl Listener {
    /// Whoever starts this holds the lock: what stands there answers no more.
    pub(in super::super) fn bind(socket: &Path) -> io::Result<Self> {
        match fs::remove_file(socket) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(socket)?;
        fs::set_permissions(socket, PermissionsExt::from_mode(0o600))?;
        Ok(Self(listener))
    }

    /// The next one who asks. May be dropped and called again.
    pub(in super::super) async fn accept(&mut self) -> io::Result<Asker> {
        Ok(Asker(self.0.accept().await?.0))
    }
}

/// One who asks.
#[derive(Debug)]
pub(in super::super) struct Asker(AsyncStream);

impl Asker {
    /// Whether it is of this user, or of root.
    pub(in super::super) fn may_ask(&self) -> bool {
        let own = rustix::process::geteuid().as_raw();
        !self.0.peer_cred().is_ok_and(|peer| peer.uid() != own && peer.uid() != 0)
    }

    pub(in super::super) async fn question(&mut self, at_most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        (&mut self.0).take(at_most).read_to_end(&mut bytes).await?;
        Ok(bytes)
    }

    pub(in super::super) async fn answer(mut self, answer: &[u8]) -> io::Result<()> {
        self.0.write_all(answer).await?;
        self.0.shutdown().await
    }
}

/// The folder of all sockets: in `XDG_RUNTIME_DIR`, or else one for this user in the temporary folder.
/// It is made, and refused where somebody else could reach into it.
pub(in super::super) fn folder() -> Result<PathBuf, String> {
    let uid = rustix::process::geteuid().as_raw();
    let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let folder = match runtime.filter(|it| it.is_absolute() && it.is_dir()) {
        Some(runtime) => runtime.join("extline"),
        None => env::temp_dir().join(format!("extline-{uid}")),
    };
    let shown = folder.display();
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(format!("the folder {shown} for hooks cannot be made: {error}"));
        }
        _ => {}
    }
    let metadata = fs::symlink_metadata(&folder)
        .map_err(|error| format!("the folder {shown} for hooks cannot be read: {error}"))?;
    if !metadata.is_dir() || metadata.uid() != uid || metadata.mode() & 0o077 != 0 {
        return Err(format!(
            "{shown} is not a folder of this user alone: remove it, or set XDG_RUNTIME_DIR to a folder that is"
        ));
    }
    Ok(folder)
}

/// Locks a file until it is closed, unless somebody else has it locked; whether it is.
pub(in super::super) fn take_lock(file: &File) -> io::Result<bool> {
    extline_host::file::try_lock(file)
}

/// Whether a file still has that name.
pub(in super::super) fn is_there(file: &File, path: &Path) -> bool {
    let number = |it: io::Result<Metadata>| it.ok().map(|it| (it.dev(), it.ino()));
    let of_path = number(fs::metadata(path));
    of_path.is_some() && of_path == number(file.metadata())
}

/// Takes away a lock that this process holds.
pub(in super::super) fn remove_lock(path: &Path) {
    // What cannot be taken away is used again.
    let _ = fs::remove_file(path);
}

/// A file that only this user can read.
pub(in super::super) fn private(path: &Path, anew: bool) -> io::Result<File> {
    OpenOptions::new().create(true).write(true).truncate(anew).mode(0o600).open(path)
}

/// Nothing here: what is started leaves the terminal by itself.
pub(in super::super) fn stand_alone(_command: &mut Command) {}

/// The terminal of the agent is not this process's, nor its Ctrl-C.
pub(in super::super) fn leave_terminal() {
    let _ = rustix::process::setsid();
}

/// What stands on the pipe until the end of a line, of the stream or of the time.
pub(in super::super) fn first_line(mut pipe: ChildStdout, deadline: Instant) -> String {
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
