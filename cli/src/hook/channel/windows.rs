//! A named pipe that nobody else may open. Its name stands in a file in a folder of the user.
//!
//! A pipe has no end of the question before the answer, so the length of each comes before it, in eight bytes.

use std::fs::File;
use std::io::{self, Read};
use std::os::windows::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use extline_host::file;
use extline_host::private_pipe::{self, PrivatePipe};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::windows::named_pipe::{NamedPipeClient, NamedPipeServer};
use tokio::runtime::{Builder, Runtime};
use tokio::time::{sleep, timeout, timeout_at};

/// The most bytes of the name of a pipe.
const NAME_BYTES: u64 = 256;
/// How long one who waits for another one to connect sleeps at a time.
const PAUSE: Duration = Duration::from_millis(2);
/// How long one who asked may take to read the answer.
const READ_WITHIN: Duration = Duration::from_secs(5);
/// `CREATE_NO_WINDOW` and `CREATE_NEW_PROCESS_GROUP`: so the agent's Ctrl-C does not reach it.
const ALONE: u32 = 0x0800_0000 | 0x0000_0200;
/// The other end has gone.
const NOT_CONNECTED: i32 = 233;

/// The hook's end.
#[derive(Debug)]
pub(in super::super) struct Channel {
    // Before the runtime, which it belongs to.
    pipe: NamedPipeClient,
    runtime: Runtime,
}

impl Channel {
    /// Where nothing is, that is of the kind `NotFound`; where nobody listens, `ConnectionRefused`.
    pub(in super::super) fn connect(socket: &Path, deadline: Instant) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let pipe = runtime.block_on(async {
            loop {
                let name = file::read_text(socket, NAME_BYTES)?;
                match private_pipe::connect(&name) {
                    Err(error)
                        if error.kind() == io::ErrorKind::ResourceBusy
                            && Instant::now() < deadline =>
                    {
                        sleep(PAUSE).await;
                    }
                    outcome => return outcome,
                }
            }
        })?;
        Ok(Self { pipe, runtime })
    }

    /// Asks, and returns the whole answer: nothing where the other end went away.
    pub(in super::super) fn ask(
        self,
        question: &[u8],
        at_most: u64,
        deadline: Instant,
    ) -> io::Result<Vec<u8>> {
        let Self { mut pipe, runtime } = self;
        runtime.block_on(async {
            let exchange = async {
                send(&mut pipe, question).await?;
                receive(&mut pipe, at_most).await
            };
            let answer = timeout_at(deadline.into(), exchange).await;
            answer.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
        })
    }
}

/// Where hooks connect.
#[derive(Debug)]
pub(in super::super) struct Listener(PrivatePipe);

impl Listener {
    /// Whoever starts this holds the lock: what stands there answers no more.
    pub(in super::super) fn bind(socket: &Path) -> io::Result<Self> {
        let pipe = PrivatePipe::new()?;
        file::replace(socket, pipe.name().as_bytes())?;
        Ok(Self(pipe))
    }

    /// The next one who asks. May be dropped and called again.
    pub(in super::super) async fn accept(&mut self) -> io::Result<Asker> {
        self.0.accept().await.map(Asker)
    }
}

/// One who asks.
#[derive(Debug)]
pub(in super::super) struct Asker(NamedPipeServer);

impl Asker {
    /// Nobody else is let in by the pipe.
    #[expect(clippy::unused_self, reason = "on Unix it is looked at")]
    pub(in super::super) fn may_ask(&self) -> bool {
        true
    }

    pub(in super::super) async fn question(&mut self, at_most: u64) -> io::Result<Vec<u8>> {
        receive(&mut self.0, at_most).await
    }

    pub(in super::super) async fn answer(mut self, answer: &[u8]) -> io::Result<()> {
        send(&mut self.0, answer).await?;
        // What was not read yet would be lost with this end: the other one closes first.
        let mut more = [0];
        let _ = timeout(READ_WITHIN, self.0.read(&mut more)).await;
        Ok(())
    }
}

async fn send(pipe: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> io::Result<()> {
    let whole = [&(bytes.len() as u64).to_le_bytes(), bytes].concat();
    pipe.write_all(&whole).await.map_err(gone)
}

/// Nothing where the other end has gone before it said anything.
async fn receive(pipe: &mut (impl AsyncRead + Unpin), at_most: u64) -> io::Result<Vec<u8>> {
    let length = match pipe.read_u64_le().await {
        Err(error) if is_end(&error) => return Ok(Vec::new()),
        length => length.map_err(gone)?,
    };
    if length > at_most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "that is too long"));
    }
    let mut bytes = Vec::new();
    pipe.take(length).read_to_end(&mut bytes).await.map_err(gone)?;
    if (bytes.len() as u64) < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes)
}

fn is_end(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe)
        || error.raw_os_error() == Some(NOT_CONNECTED)
}

fn gone(error: io::Error) -> io::Error {
    if is_end(&error) { io::ErrorKind::BrokenPipe.into() } else { error }
}

/// The folder of all names of pipes, below the folder of the user. It is made, and refused where somebody else
/// could change what is in it.
pub(in super::super) fn folder() -> Result<PathBuf, String> {
    let folder = extline_host::default_home().join("hooks");
    file::make_folder(&folder)
        .map_err(|error| format!("the folder {} for hooks: {error}", folder.display()))?;
    Ok(folder)
}

/// Locks a file until it is closed, unless somebody else has it locked; whether it is.
pub(in super::super) fn take_lock(file: &File) -> io::Result<bool> {
    file::try_lock(file)
}

/// Whether a file still has that name: nobody takes a lock away here.
pub(in super::super) fn is_there(_file: &File, _path: &Path) -> bool {
    true
}

/// Nothing: as long as somebody has it open, no other file could have its name.
pub(in super::super) fn remove_lock(_path: &Path) {}

/// A file that only this user can read.
pub(in super::super) fn private(path: &Path, _anew: bool) -> io::Result<File> {
    file::create(path)
}

/// Lets what is started share nothing with the agent: no window, and none of the pipes that the agent reads to
/// their end.
pub(in super::super) fn stand_alone(command: &mut Command) {
    extline_host::withhold_descriptors();
    command.creation_flags(ALONE);
}

/// Nothing here: what was started for hooks has none.
pub(in super::super) fn leave_terminal() {}

/// What stands on the pipe until the end of a line, of the stream or of the time.
pub(in super::super) fn first_line(mut pipe: ChildStdout, deadline: Instant) -> String {
    let (told, said) = mpsc::channel();
    let reading = thread::Builder::new().name("first line".to_owned()).spawn(move || {
        let mut line = Vec::new();
        let mut bytes = [0; 512];
        while let Ok(read @ 1..) = pipe.read(&mut bytes) {
            line.extend_from_slice(&bytes[..read]);
            if line.contains(&b'\n') {
                break;
            }
        }
        // Nobody waits any more where the time is over.
        let _ = told.send(line);
    });
    let left = deadline.saturating_duration_since(Instant::now());
    let line = reading.ok().and_then(|_| said.recv_timeout(left).ok()).unwrap_or_default();
    String::from_utf8_lossy(&line).lines().next().unwrap_or_default().to_owned()
}
