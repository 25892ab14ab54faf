//! What an extension writes to stderr: always read, kept in a file, its last lines at hand.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use memchr::memrchr_iter;
use tokio::fs::{self, File, OpenOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{Notify, mpsc, oneshot, watch};

use crate::bucket::Bucket;
use crate::process::ErrorOutput;

/// A log file that grew to this size is renamed to `NAME.log.1`, and a new one begun.
const LOG_BYTES: u64 = 1024 * 1024;

/// Lines kept for diagnoses, and the most characters kept of each.
const LAST_LINES: usize = 12;
const LINE_CHARS: usize = 300;

/// Bytes that are read at once.
const READ_BYTES: usize = 64 * 1024;

/// Of the lines of one stack as many are kept: where an error comes in front of its stack, as in
/// JavaScript, a whole one would leave no room for it.
const STACK_LINES: usize = 3;

/// So many lines of one read are looked at.
const LOOKED_AT: usize = 20 * LAST_LINES;

/// What may come on stderr at once, and in each second. It is read beyond that too, but only so
/// fast, and what does not fit is not kept.
const FLOOD_BYTES: f64 = 64.0 * 1024.0 * 1024.0;
const FLOOD_BYTES_A_SECOND: f64 = 8.0 * 1024.0 * 1024.0;
const FLOOD_PAUSE: Duration = Duration::from_millis(1);

/// Characters kept of a line of the host's own.
const REMARK_CHARS: usize = 4000;

/// Lines of the host's own that may wait to be written; further ones are dropped.
const WAITING: usize = 256;

/// The log of one extension.
pub(crate) struct Log {
    path: PathBuf,
    last: Arc<Mutex<LastLines>>,
    entries: mpsc::Sender<Entry>,
    drained: watch::Receiver<bool>,
    flood: Arc<FloodAlarm>,
}

/// Raised when stderr is flooded for the first time.
struct FloodAlarm {
    raised: AtomicBool,
    /// Wakes whoever asks for it.
    changed: Arc<Notify>,
}

enum Entry {
    Line(String),
    Flush(oneshot::Sender<()>),
}

impl Log {
    /// Starts to read stderr, in a task of its own. A file that cannot be written is an error of
    /// the log only: stderr is read all the same.
    pub(crate) fn collect(path: PathBuf, errors: ErrorOutput, changed: Arc<Notify>) -> Self {
        let last = Arc::new(Mutex::new(LastLines::default()));
        let (entries, waiting) = mpsc::channel(WAITING);
        let (drained_sender, drained) = watch::channel(false);
        let writer = Writer { file: None, path: path.clone(), size: 0, failed: false };
        let flood = Arc::new(FloodAlarm { raised: AtomicBool::new(false), changed });
        let reader = Reader {
            errors,
            last: Arc::clone(&last),
            drained: drained_sender,
            allowance: Bucket::new(FLOOD_BYTES, FLOOD_BYTES_A_SECOND, Instant::now()),
            flood: Some(Arc::clone(&flood)),
        };
        tokio::spawn(run(reader, writer, waiting));
        Self { path, last, entries, drained, flood }
    }

    /// Whether stderr was flooded since this was asked last.
    pub(crate) fn was_flooded(&self) -> bool {
        self.flood.raised.load(Ordering::Relaxed)
            && self.flood.raised.swap(false, Ordering::Relaxed)
    }

    /// Where the log is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a line of the host's own; the text may be an extension's, and of any length.
    pub(crate) fn remark(&self, text: &str) {
        let text: String = text.chars().take(REMARK_CHARS).collect();
        let text = text.replace('\n', "\n    ");
        // A flood of remarks is not worth memory; what matters is in the diagnosis too.
        let _ = self.entries.try_send(Entry::Line(format!("[extline {}] {text}\n", utc_now())));
    }

    /// The last lines of stderr, oldest first.
    pub(crate) fn last_lines(&self) -> Vec<String> {
        lock(&self.last).lines()
    }

    /// Waits until all of stderr was read and written, but not longer than that: a process that
    /// left the group may hold it open.
    pub(crate) async fn settle(&self, at_most: Duration) {
        let mut drained = self.drained.clone();
        let settled = async {
            let _ = drained.wait_for(|drained| *drained).await;
            let (done, flushed) = oneshot::channel();
            if self.entries.send(Entry::Flush(done)).await.is_ok() {
                let _ = flushed.await;
            }
        };
        let _ = tokio::time::timeout(at_most, settled).await;
    }
}

async fn run(mut reader: Reader, mut writer: Writer, mut entries: mpsc::Receiver<Entry>) {
    loop {
        tokio::select! {
            chunk = reader.read(), if reader.is_open() => {
                if !reader.is_flooded() {
                    writer.write(&chunk).await;
                }
            }
            entry = entries.recv() => match entry {
                Some(Entry::Line(line)) => writer.write(line.as_bytes()).await,
                Some(Entry::Flush(done)) => {
                    writer.flush().await;
                    let _ = done.send(());
                }
                None => break,
            },
        }
    }
    writer.flush().await;
}

struct Reader {
    errors: ErrorOutput,
    last: Arc<Mutex<LastLines>>,
    drained: watch::Sender<bool>,
    allowance: Bucket,
    /// To be raised at the first flood.
    flood: Option<Arc<FloodAlarm>>,
}

impl Reader {
    fn is_open(&self) -> bool {
        !*self.drained.borrow()
    }

    fn is_flooded(&self) -> bool {
        self.allowance.is_overdrawn()
    }

    /// Reads on; no bytes at the end. May be dropped and called again.
    async fn read(&mut self) -> Vec<u8> {
        if self.is_flooded() {
            if let Some(flood) = self.flood.take() {
                flood.raised.store(true, Ordering::Relaxed);
                flood.changed.notify_one();
            }
            tokio::time::sleep(FLOOD_PAUSE).await;
        }
        let chunk = poll_fn(|context| self.poll_chunk(context)).await.unwrap_or_default();
        if chunk.is_empty() {
            self.drained.send_replace(true);
        }
        lock(&self.last).add(&chunk);
        #[expect(clippy::cast_precision_loss, reason = "a read brings 64 KiB")]
        self.allowance.take(chunk.len() as f64, Instant::now());
        chunk
    }

    /// Keeps no buffer while it waits: most extensions write little to stderr.
    fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Vec<u8>>> {
        let mut chunk = Vec::with_capacity(READ_BYTES);
        ready!(pin!(self.errors.read_buf(&mut chunk)).poll(context))?;
        Poll::Ready(Ok(chunk))
    }
}

/// The file, made when there is something to write. After an error nothing more is written, so
/// that a full disk does not stop the reading.
struct Writer {
    file: Option<File>,
    path: PathBuf,
    size: u64,
    failed: bool,
}

impl Writer {
    async fn write(&mut self, bytes: &[u8]) {
        if !self.failed {
            self.failed = self.try_write(bytes).await.is_err();
        }
    }

    async fn flush(&mut self) {
        if let Some(file) = &mut self.file {
            self.failed |= file.flush().await.is_err();
        }
    }

    async fn try_write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.file.is_none() {
            self.open().await?;
        }
        if self.size >= LOG_BYTES {
            self.flush().await;
            let mut old = self.path.clone().into_os_string();
            old.push(".1");
            fs::rename(&self.path, old).await?;
            self.open().await?;
        }
        if let Some(file) = &mut self.file {
            file.write_all(bytes).await?;
            self.size += bytes.len() as u64;
        }
        Ok(())
    }

    async fn open(&mut self) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).await?;
        }
        let file = OpenOptions::new().create(true).append(true).open(&self.path).await?;
        self.size = file.metadata().await?.len();
        self.file = Some(file);
        Ok(())
    }
}

/// The last lines of a stream of bytes.
#[derive(Default)]
struct LastLines {
    lines: VecDeque<String>,
    /// The beginning of a line whose end has not come.
    partial: Vec<u8>,
    /// How many lines of one stack the last ones are.
    of_a_stack: usize,
}

impl LastLines {
    fn add(&mut self, mut bytes: &[u8]) {
        // Of a flood only the last lines are worth the work.
        if let Some(end) = memrchr_iter(b'\n', bytes).nth(LOOKED_AT) {
            self.partial.clear();
            bytes = &bytes[end + 1..];
        }
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = (4 * LINE_CHARS).saturating_sub(self.partial.len());
            self.partial.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                let line = readable(&self.partial);
                self.partial.clear();
                self.keep(line);
            }
        }
    }

    fn keep(&mut self, line: String) {
        // "    at main (/home/ada/weather.js:12:5)"
        let is_of_a_stack = line.starts_with(' ') && line.trim_start().starts_with("at ");
        self.of_a_stack = if is_of_a_stack { self.of_a_stack + 1 } else { 0 };
        let more = self.of_a_stack.saturating_sub(STACK_LINES);
        if more > 1 {
            self.lines.pop_back();
        }
        let line = if more > 0 { format!("    ... {more} more of the stack") } else { line };
        self.lines.push_back(line);
        if self.lines.len() > LAST_LINES {
            self.lines.pop_front();
        }
    }

    fn lines(&self) -> Vec<String> {
        let mut lines: Vec<_> = self.lines.iter().cloned().collect();
        if !self.partial.is_empty() {
            lines.push(readable(&self.partial));
        }
        lines
    }
}

/// Text that a terminal shows as it is: no control characters, not too long.
pub(crate) fn readable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_end_matches(['\n', '\r']);
    let mut shown: String = text
        .chars()
        .take(LINE_CHARS)
        .map(|character| match character {
            '\t' => ' ',
            character if character.is_control() => '\u{fffd}',
            character => character,
        })
        .collect();
    if text.chars().nth(LINE_CHARS).is_some() {
        shown.push_str("...");
    }
    shown
}

/// The time as `2026-05-01T12:00:00Z`.
fn utc_now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    utc(seconds)
}

fn utc(seconds: u64) -> String {
    let (year, month, day) = date_of(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The date of a day counted from 1970-01-01.
fn date_of(mut day: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if day < days {
            break;
        }
        day -= days;
        month += 1;
    }
    (year, month, day + 1)
}

fn lock(last: &Mutex<LastLines>) -> MutexGuard<'_, LastLines> {
    last.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept_and_long_ones_cut() {
        let mut last = LastLines::default();
        for number in 0..20 {
            last.add(format!("line {number}\r\n").as_bytes());
        }
        last.add(&vec![b'x'; 100_000]);
        let lines = last.lines();
        assert_eq!(lines.len(), LAST_LINES + 1);
        assert_eq!(lines[0], "line 8");
        assert_eq!(lines[LAST_LINES].len(), LINE_CHARS + 3);
        assert!(last.partial.len() <= 4 * LINE_CHARS);
    }

    #[test]
    fn a_stack_leaves_room_for_its_error() {
        let mut last = LastLines::default();
        let stack = |name: &str, frames: usize| {
            let frames = (0..frames).map(|n| format!("    at f{n} (/a.js:{n}:1)\n"));
            format!("{name}\n{}", frames.collect::<String>())
        };
        last.add(
            format!("{}{}}}\n", stack("Error: first", 40), stack("  [cause]: second", 4))
                .as_bytes(),
        );
        let shown = [
            "Error: first",
            "    at f0 (/a.js:0:1)",
            "    at f1 (/a.js:1:1)",
            "    at f2 (/a.js:2:1)",
            "    ... 37 more of the stack",
            "  [cause]: second",
            "    at f0 (/a.js:0:1)",
            "    at f1 (/a.js:1:1)",
            "    at f2 (/a.js:2:1)",
            "    ... 1 more of the stack",
            "}",
        ];
        assert_eq!(last.lines(), shown);
    }

    #[test]
    fn a_terminal_gets_no_control_characters() {
        assert_eq!(readable(b"a\x1b[31m\tb\xff\n"), "a\u{fffd}[31m b\u{fffd}");
    }

    #[test]
    fn dates_are_right_over_leap_days() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(utc(1_735_689_599), "2024-12-31T23:59:59Z");
        assert_eq!(utc(4_107_542_400), "2100-03-01T00:00:00Z");
    }
}
