//! A program that runs to its end: what it wrote, and how it ended.

use std::future;
use std::sync::Arc;
use std::time::Duration;

use extline_services::exec::Stream;
use tokio::io::AsyncReadExt;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, sleep_until};

use super::exit::Exit;
use super::host_processes::HostProcesses;
use super::{ErrorOutput, Group, Input, Output, Spawned};

/// How long a program whose time is over may take to end after SIGTERM.
const TERM_TAKES: Duration = Duration::from_secs(2);
/// How long is waited for the end of what it wrote, where something that it left behind holds the pipes.
const REST_TAKES: Duration = Duration::from_secs(1);
/// Bytes that are read at once, and so the largest piece that is told.
const PIECE: usize = 16 * 1024;

/// What a program is given, and how much of it is kept.
pub(crate) struct Run {
    pub(crate) stdin: Vec<u8>,
    pub(crate) timeout: Option<Duration>,
    /// Bytes that are kept of each stream, its last ones.
    pub(crate) keep: usize,
    /// Is told each piece, and waited for.
    pub(crate) pieces: Option<Sender<(Stream, Vec<u8>)>>,
}

/// How a program ended.
pub(crate) struct Ran {
    pub(crate) exit: Exit,
    pub(crate) timed_out: bool,
    pub(crate) stdout: Kept,
    pub(crate) stderr: Kept,
}

/// The last bytes of a stream.
#[derive(Debug)]
pub(crate) struct Kept {
    bytes: Vec<u8>,
    most: usize,
    /// Something before them was dropped.
    pub(crate) is_cut: bool,
}

/// What is left of a program ends with this: its group with the process, and here what left the group.
struct Remains {
    group: Arc<Group>,
    processes: Arc<HostProcesses>,
}

/// What is still read from a program.
struct Streams {
    stdout: Option<Output>,
    stderr: Option<ErrorOutput>,
}

/// Waits for the end of a program that was just started. Everything of it is killed when this is dropped.
pub(crate) async fn run_to_end(spawned: Spawned, processes: Arc<HostProcesses>, run: Run) -> Ran {
    let Spawned { mut process, group, input, output, errors } = spawned;
    let _remains = Remains { group: Arc::clone(&group), processes };
    let Run { stdin, timeout, keep, pieces } = run;
    let mut streams = Streams { stdout: Some(output), stderr: Some(errors) };
    let (mut stdout, mut stderr) = (Kept::new(keep), Kept::new(keep));
    let mut told: Option<(Stream, Vec<u8>)> = None;
    let mut ending = timeout.map(|timeout| Instant::now() + timeout);
    let (mut timed_out, mut exit) = (false, None);
    let feeding = feed(input, stdin);
    tokio::pin!(feeding);
    let mut is_fed = false;
    loop {
        if exit.is_some() && streams.are_over() && told.is_none() {
            break;
        }
        tokio::select! {
            () = &mut feeding, if !is_fed => is_fed = true,
            (stream, piece) = streams.read(), if told.is_none() && !streams.are_over() => {
                match stream {
                    Stream::Stderr => stderr.add(&piece),
                    _ => stdout.add(&piece),
                }
                told = Some((stream, piece)).filter(|_| pieces.is_some());
            }
            room = room(pieces.as_ref()), if told.is_some() => {
                // Where there is none, nobody listens any more.
                if let (Some(room), Some(piece)) = (room, told.take()) {
                    room.send(piece);
                }
            }
            ended = process.wait(), if exit.is_none() => {
                exit = Some(ended);
                // What it left running goes with it, and holds its pipes no longer.
                group.kill();
                ending = Some(Instant::now() + REST_TAKES);
            }
            () = at(ending) => match (&exit, timed_out) {
                (Some(_), _) => break,
                (None, false) => {
                    timed_out = true;
                    group.terminate();
                    ending = Some(Instant::now() + TERM_TAKES);
                }
                (None, true) => {
                    group.kill();
                    ending = None;
                }
            },
        }
    }
    let unknown = || Exit::Unknown { reason: "nobody waited for it".to_owned() };
    Ran { exit: exit.unwrap_or_else(unknown), timed_out, stdout, stderr }
}

/// Writes what the program is to read, and closes its stdin. One that does not read it all may do so.
async fn feed(input: Input, bytes: Vec<u8>) {
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        match input.try_write(rest) {
            Ok(written) => rest = &rest[written..],
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => input.writable().await,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
}

async fn room(
    pieces: Option<&Sender<(Stream, Vec<u8>)>>,
) -> Option<tokio::sync::mpsc::Permit<'_, (Stream, Vec<u8>)>> {
    pieces?.reserve().await.ok()
}

async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => future::pending().await,
    }
}

impl Streams {
    fn are_over(&self) -> bool {
        self.stdout.is_none() && self.stderr.is_none()
    }

    /// The next piece of either; an empty one where a stream is over. May be dropped and called again.
    async fn read(&mut self) -> (Stream, Vec<u8>) {
        let Self { stdout, stderr } = self;
        let mut piece = vec![0; PIECE];
        let mut other = vec![0; PIECE];
        let (stream, mut piece, count) = tokio::select! {
            count = read_output(stdout.as_mut(), &mut piece) => (Stream::Stdout, piece, count),
            count = read_errors(stderr.as_mut(), &mut other) => (Stream::Stderr, other, count),
        };
        match (stream, count) {
            (Stream::Stderr, 0) => *stderr = None,
            (_, 0) => *stdout = None,
            _ => {}
        }
        piece.truncate(count);
        (stream, piece)
    }
}

/// An error is the end, as with a pipe.
async fn read_output(from: Option<&mut Output>, space: &mut [u8]) -> usize {
    match from {
        Some(from) => future::poll_fn(|context| from.poll_read(context, space)).await.unwrap_or(0),
        None => future::pending().await,
    }
}

async fn read_errors(from: Option<&mut ErrorOutput>, space: &mut [u8]) -> usize {
    match from {
        Some(from) => from.read(space).await.unwrap_or(0),
        None => future::pending().await,
    }
}

impl Kept {
    fn new(most: usize) -> Self {
        Self { bytes: Vec::new(), most, is_cut: false }
    }

    fn add(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
        // Not at each piece: what stays is moved.
        if self.bytes.len() > 2 * self.most + PIECE {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let more = self.bytes.len().saturating_sub(self.most);
        self.bytes.drain(..more);
        self.is_cut |= more > 0;
    }

    /// As text. Bytes that are no UTF-8 are U+FFFD, but not the rest of a character that was cut.
    pub(crate) fn into_text(mut self) -> (String, bool) {
        self.cut();
        let is_rest = |byte: &&u8| self.is_cut && (0x80..0xc0).contains(*byte);
        let rest = self.bytes.iter().take(3).take_while(is_rest).count();
        (String::from_utf8_lossy(&self.bytes[rest..]).into_owned(), self.is_cut)
    }
}

impl Drop for Remains {
    fn drop(&mut self) {
        let (group, processes) = (Arc::clone(&self.group), Arc::clone(&self.processes));
        // Where the runtime ends, so does the host, and whoever carries its mark with it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                for stray in processes.strays.of(group.mark()).await {
                    stray.kill();
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Kept;

    fn kept(pieces: &[&[u8]], most: usize) -> (String, bool) {
        let mut kept = Kept::new(most);
        for piece in pieces {
            kept.add(piece);
        }
        kept.into_text()
    }

    #[test]
    fn the_last_bytes_are_kept_whole_characters_only() {
        assert_eq!(kept(&[b"ab", b"cd"], 4), ("abcd".to_owned(), false));
        assert_eq!(kept(&[b"ab", b"cd"], 3), ("bcd".to_owned(), true));
        assert_eq!(kept(&["aé".as_bytes(), b"b"], 2), ("b".to_owned(), true));
        assert_eq!(kept(&[&[b'a', 0xff]], 4), ("a\u{fffd}".to_owned(), false));
        let many = vec![b'x'; 100_000];
        assert_eq!(kept(&[&many, &many, b"end"], 3), ("end".to_owned(), true));
    }
}
