//! Traces: every line between the host and its extensions, written to a file as it passes.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use extline_protocol::trace::{FORMAT, LINE_BYTES, Line, Lines, Record, Side, Stream, What};

use crate::file;
use crate::lock::lock;
use crate::process::{Exit, Launch};
use crate::redact::Redactor;

/// Where a trace is written: every line both ways with its time, its direction and its extension,
/// and the starts, ends and signals around them. docs/protocol/traces.md has the format.
///
/// A trace holds arguments and results in full, secrets among them, unless it is [redacted](Trace::redacted). It is written through a buffer
/// as the lines pass, and flushed when an extension fails or ends. A clone writes to the same
/// place.
#[derive(Clone)]
pub struct Trace {
    began: Instant,
    sink: Arc<Mutex<Sink>>,
    redactor: Option<Redactor>,
}

struct Sink {
    writer: Box<dyn Write + Send>,
    /// One record on its way.
    record: Vec<u8>,
    /// Why nothing more is written.
    failed: Option<io::Error>,
}

impl Trace {
    /// A trace in this file, which is made anew and which only its owner may read.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        Ok(Self::to(Self::create_file(path)?))
    }

    /// The file alone, made anew and for its owner only, for whoever writes a trace by other means
    /// than a host.
    pub fn create_file(path: impl AsRef<Path>) -> io::Result<File> {
        file::create(path)
    }

    /// A trace in anything that takes bytes. It is written to by the threads that read and write
    /// the pipes, so what blocks there holds them up.
    pub fn to(writer: impl Write + Send + 'static) -> Self {
        Self::each_to(BufWriter::with_capacity(64 * 1024, writer))
    }

    /// The same without a buffer: each record is one write, as soon as it happens. For a view of
    /// the lines while they pass.
    pub fn each_to(writer: impl Write + Send + 'static) -> Self {
        let sink = Sink { writer: Box::new(writer), record: Vec::new(), failed: None };
        Self { began: Instant::now(), sink: Arc::new(Mutex::new(sink)), redactor: None }
    }

    /// Writes no secrets, as far as they are known or look like such. For all that a host hands out it must be the
    /// one that the host has too, see [`HostBuilder::redactor`](crate::HostBuilder::redactor).
    #[must_use]
    pub fn redacted(mut self, redactor: &Redactor) -> Self {
        self.redactor = Some(redactor.clone());
        self
    }

    /// Writes the first record.
    pub(crate) fn begin(&self, host: &str, version: &str, profile: &str) {
        let host = format!("{host} {version}");
        self.record(None, What::Begin { format: FORMAT, host, profile: profile.to_owned() });
    }

    /// The trace of one process, which is about to say something.
    pub(crate) fn of(&self, extension: &str, launch: &Launch, pid: u32) -> ExtensionTrace {
        let mut argv = vec![launch.program.to_string_lossy().into_owned()];
        argv.extend(launch.args.iter().map(|arg| arg.to_string_lossy().into_owned()));
        let (trace, extension) = (self.clone(), extension.to_owned());
        let trace = ExtensionTrace {
            trace,
            extension,
            lines: Lines::default(),
            output_ended: false,
            input_ended: false,
        };
        trace.tell(What::Spawn { argv, pid: Some(pid) });
        trace
    }

    fn record(&self, extension: Option<&str>, mut what: What) {
        if let Some(redactor) = &self.redactor {
            redactor.record(&mut what);
        }
        let mut sink = lock(&self.sink);
        if sink.failed.is_some() {
            return;
        }
        // Under the lock, so that the times never go back from one record to the next.
        let at = self.began.elapsed();
        let Sink { writer, record, failed } = &mut *sink;
        record.clear();
        Record { at, extension: extension.map(str::to_owned), what }.write_line(record);
        *failed = writer.write_all(record).err();
        if record.capacity() > LINE_BYTES / 8 {
            *record = Vec::new();
        }
    }

    fn flush(&self) -> io::Result<()> {
        let mut sink = lock(&self.sink);
        match sink.failed.take() {
            // Said once; the trace has ended.
            Some(error) => {
                sink.writer = Box::new(io::sink());
                Err(error)
            }
            None => sink.writer.flush(),
        }
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Trace").finish_non_exhaustive()
    }
}

/// The trace of one process.
pub(crate) struct ExtensionTrace {
    trace: Trace,
    extension: String,
    lines: Lines,
    output_ended: bool,
    input_ended: bool,
}

impl ExtensionTrace {
    /// Whole frames on their way to the extension.
    pub(crate) fn sent(&self, frames: &[u8]) {
        for line in frames.split_inclusive(|byte| *byte == b'\n') {
            let line = Line::new(line.strip_suffix(b"\n").unwrap_or(line));
            self.tell(What::Line { from: Side::Host, line });
        }
    }

    /// Bytes from the extension, in any chunking.
    pub(crate) fn received(&mut self, bytes: &[u8]) {
        let Self { trace, extension, lines, .. } = self;
        lines.push(bytes, |line| {
            trace.record(Some(extension), What::Line { from: Side::Extension, line });
        });
    }

    /// The extension closed its stdout, or ended.
    pub(crate) fn output_ended(&mut self) {
        if std::mem::replace(&mut self.output_ended, true) {
            return;
        }
        if let Some(line) = self.lines.end() {
            self.tell(What::Line { from: Side::Extension, line });
        }
        self.tell(What::Eof(Stream::Stdout));
    }

    /// The host closed the extension's stdin.
    pub(crate) fn input_ended(&mut self) {
        if !std::mem::replace(&mut self.input_ended, true) {
            self.tell(What::Eof(Stream::Stdin));
        }
    }

    pub(crate) fn signalled(&self, name: &str) {
        self.tell(What::Signal(name.to_owned()));
    }

    pub(crate) fn exited(&self, exit: &Exit) {
        let (code, signal) = match exit {
            Exit::Code { code } => (Some(*code), None),
            Exit::Signal { name: Some(name), .. } => (None, Some((*name).to_owned())),
            Exit::Signal { number, name: None } => (None, Some(number.to_string())),
            Exit::Disconnected | Exit::Unknown { .. } => (None, None),
        };
        self.tell(What::Exit { code, signal });
    }

    /// Writes what the buffer holds; the first error of the trace comes out here.
    pub(crate) fn flush(&self) -> io::Result<()> {
        self.trace.flush()
    }

    fn tell(&self, what: What) {
        self.trace.record(Some(&self.extension), what);
    }
}

#[cfg(test)]
mod tests {
    use extline_protocol::trace::read;

    use super::*;

    /// Takes so many bytes, then says that the disk is full.
    struct Disk {
        room: usize,
        written: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if bytes.len() > self.room {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.room -= bytes.len();
            lock(&self.written).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn extension(room: usize) -> (ExtensionTrace, Arc<Mutex<Vec<u8>>>) {
        let written = Arc::default();
        let trace = Trace::to(Disk { room, written: Arc::clone(&written) });
        let launch = Launch {
            program: "/bin/x".into(),
            args: vec!["a".into()],
            dir: "/".into(),
            environment: Arc::default(),
            is_remote: false,
            pin: None,
            confinement: None,
            notices: Vec::new(),
        };
        (trace.of("x", &launch, 7), written)
    }

    fn lines(written: &Arc<Mutex<Vec<u8>>>) -> Vec<Line> {
        let text = String::from_utf8(lock(written).clone()).unwrap();
        let records = read("t", &text).unwrap();
        let line = |record: Record| match record.what {
            What::Line { line, .. } => Some(line),
            _ => None,
        };
        records.into_iter().filter_map(line).collect()
    }

    #[test]
    fn lines_are_put_together_from_any_chunks() {
        let (mut trace, written) = extension(usize::MAX);
        for chunk in ["{\"a\"", ":1}\n\n{", "}\nlast"] {
            trace.received(chunk.as_bytes());
        }
        trace.output_ended();
        trace.output_ended();
        trace.flush().unwrap();
        let last = Line { no_lf: true, ..Line::new("last") };
        assert_eq!(lines(&written), [Line::new("{\"a\":1}"), Line::new(""), Line::new("{}"), last]);
    }

    #[test]
    fn of_an_endless_line_only_the_beginning_is_kept() {
        let (mut trace, written) = extension(usize::MAX);
        for _ in 0..9 {
            trace.received(&vec![b'x'; 1024 * 1024]);
        }
        trace.received(b"yz\n");
        trace.flush().unwrap();
        let [line] = &lines(&written)[..] else { panic!("one line") };
        assert_eq!((line.bytes.len(), line.more_bytes), (LINE_BYTES, 1024 * 1024 + 2));
    }

    #[test]
    fn without_a_buffer_each_record_is_there_at_once() {
        let written = Arc::default();
        let disk = Disk { room: usize::MAX, written: Arc::clone(&written) };
        let trace = Trace::each_to(disk);
        trace.begin("h", "1", "spec");
        assert!(lock(&written).ends_with(b"\n"));
    }

    #[test]
    fn a_full_disk_ends_the_trace_and_is_said_once() {
        let (mut trace, written) = extension(0);
        trace.received(&vec![b'\n'; 10_000]);
        assert_eq!(trace.flush().unwrap_err().kind(), io::ErrorKind::StorageFull);
        trace.received(b"more\n");
        assert!(trace.flush().is_ok());
        assert!(lock(&written).is_empty());
    }
}
