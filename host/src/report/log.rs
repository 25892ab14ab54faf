//! What an extension writes to stderr: always read, kept in a file, its last lines at hand.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::path::Path;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use extline_protocol::{shown, shown_line};
use memchr::memrchr_iter;
use tokio::io::AsyncReadExt;
use tokio::sync::{Notify, mpsc, oneshot, watch};

use super::log_file::LogFile;
use super::notice::Notice;
use crate::bucket::Bucket;
use crate::home::LogPlace;
use crate::process::ErrorOutput;
use crate::redact::{Redactor, Stream};

/// Lines kept for diagnoses, and the most characters kept of each.
const LAST_LINES: usize = 12;
const LINE_CHARS: usize = 300;

/// Lines that are told of the beginning of a traceback.
const TRACEBACK_LINES: usize = 5;

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
    place: Arc<LogPlace>,
    last: Arc<Mutex<LastLines>>,
    entries: mpsc::Sender<Entry>,
    drained: watch::Receiver<bool>,
    alarm: Arc<Alarm>,
    redactor: Redactor,
}

/// What the owner of the extension should know of the log.
struct Alarm {
    /// That there is something, which is asked with every frame.
    raised: AtomicBool,
    notices: Mutex<Vec<Notice>>,
    /// Wakes whoever asks for it.
    changed: Arc<Notify>,
}

impl Alarm {
    fn raise(&self, notice: Notice) {
        lock(&self.notices).push(notice);
        self.raised.store(true, Ordering::Release);
        self.changed.notify_one();
    }
}

enum Entry {
    Line(String),
    Flush(oneshot::Sender<()>),
}

impl Log {
    /// Starts to read stderr, in a task of its own. A file that cannot be written is an error of
    /// the log only: stderr is read all the same.
    pub(crate) fn collect(
        place: LogPlace,
        errors: ErrorOutput,
        changed: Arc<Notify>,
        redactor: &Redactor,
    ) -> Self {
        let last = LastLines::new(redactor.clone());
        let (place, last) = (Arc::new(place), Arc::new(Mutex::new(last)));
        let (entries, waiting) = mpsc::channel(WAITING);
        let (drained_sender, drained) = watch::channel(false);
        let (raised, notices) = (AtomicBool::new(false), Mutex::default());
        let alarm = Arc::new(Alarm { raised, notices, changed });
        let writer =
            Writer { file: LogFile::new(Arc::clone(&place)), alarm: Some(Arc::clone(&alarm)) };
        let reader = Reader {
            errors,
            last: Arc::clone(&last),
            drained: drained_sender,
            allowance: Bucket::new(FLOOD_BYTES, FLOOD_BYTES_A_SECOND, Instant::now()),
            flood: Some(Arc::clone(&alarm)),
        };
        tokio::spawn(run(reader, writer, waiting));
        Self { place, last, entries, drained, alarm, redactor: redactor.clone() }
    }

    /// What is to be told of the log since this was asked last.
    pub(crate) fn take_notices(&self) -> Vec<Notice> {
        let raised = &self.alarm.raised;
        if raised.load(Ordering::Relaxed) && raised.swap(false, Ordering::Acquire) {
            return std::mem::take(&mut lock(&self.alarm.notices));
        }
        Vec::new()
    }

    /// Where the log is.
    pub(crate) fn path(&self) -> &Path {
        &self.place.file
    }

    /// Writes a line of the host's own; the text may be an extension's, and of any length.
    pub(crate) fn remark(&self, text: &str) {
        // Before it is cut: half a secret would not be known again.
        let text: String = self.redactor.text(text).chars().take(REMARK_CHARS).collect();
        // Neither a line feed nor a carriage return begins what looks like a remark of its own.
        let text = shown(&text).replace('\n', "\n    ");
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
                if !chunk.is_empty() && !reader.is_flooded() {
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
    flood: Option<Arc<Alarm>>,
}

impl Reader {
    fn is_open(&self) -> bool {
        !*self.drained.borrow()
    }

    fn is_flooded(&self) -> bool {
        self.allowance.is_overdrawn()
    }

    /// Reads on, and gives what may be kept of it: whole lines without secrets. May be dropped and called again.
    async fn read(&mut self) -> Vec<u8> {
        if self.is_flooded() {
            if let Some(flood) = self.flood.take() {
                flood.raise(Notice::flooded_log());
            }
            tokio::time::sleep(FLOOD_PAUSE).await;
        }
        let chunk = poll_fn(|context| self.poll_chunk(context)).await.unwrap_or_default();
        let kept = if chunk.is_empty() {
            self.drained.send_replace(true);
            lock(&self.last).end()
        } else {
            lock(&self.last).add(&chunk)
        };
        #[expect(clippy::cast_precision_loss, reason = "a read brings 64 KiB")]
        self.allowance.take(chunk.len() as f64, Instant::now());
        kept
    }

    /// Keeps no buffer while it waits: most extensions write little to stderr.
    fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Vec<u8>>> {
        let mut chunk = Vec::with_capacity(READ_BYTES);
        ready!(pin!(self.errors.read_buf(&mut chunk)).poll(context))?;
        Poll::Ready(Ok(chunk))
    }
}

/// The file, until it cannot be written: a full disk does not stop the reading.
struct Writer {
    file: LogFile,
    /// `None` once the file has ended.
    alarm: Option<Arc<Alarm>>,
}

impl Writer {
    async fn write(&mut self, bytes: &[u8]) {
        if self.alarm.is_some() {
            let written = self.file.write(bytes).await;
            self.note(written);
        }
    }

    async fn flush(&mut self) {
        if self.alarm.is_some() {
            let written = self.file.flush().await;
            self.note(written);
        }
    }

    fn note(&mut self, written: io::Result<()>) {
        if let Err(error) = written
            && let Some(alarm) = self.alarm.take()
        {
            alarm.raise(Notice::lost_log(self.file.path(), &error));
        }
    }
}

/// The last lines of a stream of bytes.
struct LastLines {
    stream: Stream,
    lines: VecDeque<String>,
    /// The beginning of a line whose end has not come.
    partial: Vec<u8>,
    /// How many lines of one stack the last ones are.
    of_a_stack: usize,
    traceback: Option<Traceback>,
}

/// A traceback of Python, whose first lines name the author's own code, and whose last the error.
struct Traceback {
    first: Vec<String>,
    /// Its lines, and those that came after it.
    lines: usize,
    /// Lines that came after it.
    after: usize,
}

impl LastLines {
    fn new(redactor: Redactor) -> Self {
        Self {
            stream: Stream::new(redactor),
            lines: VecDeque::new(),
            partial: Vec::new(),
            of_a_stack: 0,
            traceback: None,
        }
    }

    /// Takes in what was read; what may be kept of it now.
    fn add(&mut self, bytes: &[u8]) -> Vec<u8> {
        let passed = self.stream.push(bytes);
        self.look_at(&passed);
        passed
    }

    /// Nothing more comes; what may be kept of the rest.
    fn end(&mut self) -> Vec<u8> {
        let passed = self.stream.end();
        self.look_at(&passed);
        passed
    }

    fn look_at(&mut self, mut bytes: &[u8]) {
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
        self.follow_traceback(&line);
        self.lines.push_back(line);
        if self.lines.len() > LAST_LINES {
            self.lines.pop_front();
        }
    }

    fn follow_traceback(&mut self, line: &str) {
        if line == "Traceback (most recent call last):" {
            self.traceback = Some(Traceback { first: Vec::new(), lines: 0, after: 0 });
        }
        let Some(traceback) = &mut self.traceback else { return };
        traceback.lines += 1;
        if traceback.first.len() < TRACEBACK_LINES {
            traceback.first.push(line.to_owned());
        }
        let is_inside = traceback.lines == 1 || line.starts_with(' ');
        if traceback.after > 0 || !is_inside {
            traceback.after += 1;
        }
        if traceback.after > LAST_LINES {
            self.traceback = None;
        }
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(traceback) = &self.traceback {
            let gone = traceback.lines.saturating_sub(self.lines.len());
            lines.extend(traceback.first.iter().take(gone).cloned());
            let further = gone - lines.len();
            if further > 0 {
                lines.push(format!("    ... {further} more of the traceback"));
            }
        }
        lines.extend(self.lines.iter().cloned());
        let mut last = self.partial.clone();
        last.extend(self.stream.waiting());
        let last = last.strip_suffix(b"\n").unwrap_or(&last);
        if !last.is_empty() {
            lines.extend(last.split(|byte| *byte == b'\n').map(readable));
        }
        lines
    }
}

/// One line that a terminal shows as it is: nothing in it acts, and it is not too long.
pub(crate) fn readable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_end_matches(['\n', '\r']).replace('\t', " ");
    let end = text.char_indices().nth(LINE_CHARS).map(|(end, _)| end);
    let shown = shown_line(&text[..end.unwrap_or(text.len())]);
    let more = if end.is_some() { "..." } else { "" };
    format!("{shown}{more}")
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept_and_long_ones_cut() {
        let mut last = LastLines::new(Redactor::default());
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
    fn no_secret_is_kept_however_it_comes() {
        let redactor = Redactor::default();
        redactor.learn("swordfish-1");
        let mut last = LastLines::new(redactor);
        let mut kept = Vec::new();
        for chunk in ["the key is sword", "fish-1, it is\nand ", "swordfish-1"] {
            kept.extend(last.add(chunk.as_bytes()));
        }
        assert_eq!(last.lines(), ["the key is ***, it is", "and ***"]);
        kept.extend(last.end());
        assert_eq!(String::from_utf8(kept).unwrap(), "the key is ***, it is\nand ***");
        assert_eq!(last.lines(), ["the key is ***, it is", "and ***"]);
        // Nor half of it, where a line is cut.
        let redactor = Redactor::default();
        redactor.learn("swordfish-1");
        let mut last = LastLines::new(redactor);
        last.add(format!("{}swordfish-1\n", "x".repeat(LINE_CHARS - 4)).as_bytes());
        assert!(last.lines()[0].ends_with("x***"), "{:?}", last.lines());
    }

    #[test]
    fn a_stack_leaves_room_for_its_error() {
        let mut last = LastLines::new(Redactor::default());
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
        assert_eq!(readable(b"a\x1b[31m\tb\xff\r\n"), "a\\u{1b}[31m b\u{fffd}");
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
