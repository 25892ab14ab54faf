//! The lines on the wire, for people: kept, shown, and written to a file besides.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use extline_protocol::Members;
use extline_protocol::trace::{Record, Side, Stream, What};
use tokio::sync::Notify;

use crate::styled::{BOLD, DIM, GREEN, Text, YELLOW, text};
use crate::trace_file::TraceFile;

/// Records that are kept, in number and in bytes.
const KEPT: usize = 1000;
const KEPT_BYTES: usize = 16 * 1024 * 1024;

/// The last records of a trace. Clones see the same ones.
#[derive(Clone, Default)]
pub(crate) struct FrameView {
    kept: Arc<Mutex<Kept>>,
    news: Arc<Notify>,
    /// Told of each record as it comes.
    told: Option<Tell>,
}

type Tell = Arc<dyn Fn(&str) + Send + Sync>;

#[derive(Default)]
struct Kept {
    /// As they stand in a trace, without the line end.
    records: VecDeque<String>,
    bytes: usize,
    /// How many of the last ones are still to be shown, while they are shown live; those that were
    /// dropped meanwhile count as well.
    to_show: Option<usize>,
}

impl FrameView {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// One that tells each record as well, as it stands in a trace.
    pub(crate) fn telling(tell: Tell) -> Self {
        Self { told: Some(tell), ..Self::default() }
    }

    /// Where a trace is written that is to be seen, and to be kept in a file.
    pub(crate) fn with_file(&self, file: Option<TraceFile>) -> impl Write + Send + 'static {
        Tee { view: self.clone(), file }
    }

    /// The last records, oldest first.
    pub(crate) fn last(&self, count: usize) -> Vec<String> {
        let kept = self.lock();
        let skipped = kept.records.len().saturating_sub(count);
        kept.records.iter().skip(skipped).cloned().collect()
    }

    /// Shows what comes from now on, or no longer.
    pub(crate) fn live(&self, live: bool) {
        self.lock().to_show = live.then_some(0);
    }

    /// Waits until there is something to show. May be dropped and called again.
    pub(crate) async fn changed(&self) {
        self.news.notified().await;
    }

    /// What is to be shown now.
    pub(crate) fn take_live(&self, columns: usize) -> Vec<Text> {
        let mut kept = self.lock();
        let Some(count) = kept.to_show.as_mut().map(std::mem::take) else { return Vec::new() };
        let there = kept.records.len().min(count);
        let missed = count - there;
        let missed = (missed > 0).then(|| text!("{DIM}{missed} lines were missed{DIM:#}"));
        let shown = kept.records.iter().skip(kept.records.len() - there);
        missed.into_iter().chain(shown.map(|record| describe(record, columns))).collect()
    }

    fn keep(&self, record: &str) {
        if let Some(tell) = &self.told {
            tell(record);
        }
        let mut kept = self.lock();
        kept.bytes += record.len();
        kept.records.push_back(record.to_owned());
        while kept.records.len() > KEPT || (kept.bytes > KEPT_BYTES && kept.records.len() > 1) {
            let dropped = kept.records.pop_front().map_or(0, |record| record.len());
            kept.bytes -= dropped;
        }
        if let Some(count) = &mut kept.to_show {
            *count += 1;
            self.news.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes whole records.
struct Tee {
    view: FrameView,
    file: Option<TraceFile>,
}

impl Write for Tee {
    fn write(&mut self, record: &[u8]) -> io::Result<usize> {
        self.view.keep(String::from_utf8_lossy(record).trim_end());
        if let Some(file) = &mut self.file {
            file.write_all(record)?;
        }
        Ok(record.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

/// Characters that are shown of a name.
const MOST_CHARS: usize = 100;

/// A record in one line, at most so many columns wide.
pub(crate) fn describe(record: &str, columns: usize) -> Text {
    let record = match Record::parse(record) {
        Ok(record) => record,
        Err(error) => return text!("{YELLOW}a record that cannot be read{YELLOW:#}: {error}"),
    };
    let at = format!("{:>9.3}", record.at.as_secs_f64());
    let extension = record.extension.as_deref().unwrap_or("host");
    let (sign, what, rest) = match &record.what {
        What::Line { from, line } => {
            let sign = if *from == Side::Host { "->" } else { "<-" };
            let (what, mut rest) = members_of(&line.text());
            if line.more_bytes > 0 {
                let _ = write!(rest, " and {} bytes more", line.more_bytes);
            }
            if line.no_lf {
                rest.push_str(" without an end");
            }
            (sign, what, rest)
        }
        event => ("  ", None, event_text(event)),
    };
    let extension = Text::line(extension, MOST_CHARS);
    let what = what.map(|it| text!("{} ", Text::line(&it, MOST_CHARS))).unwrap_or_default();
    let before = format!("{at} {extension} {sign} {what}").chars().count();
    let rest = Text::line(&rest, columns.saturating_sub(before + 1));
    let colour = if sign == "->" { GREEN } else { YELLOW };
    text!("{DIM}{at}{DIM:#} {extension} {colour}{sign}{colour:#} {BOLD}{what}{BOLD:#}{rest}")
}

/// The type of a frame, and its other members; of anything else the text.
fn members_of(line: &str) -> (Option<String>, String) {
    let members = Members::of(line);
    let kind = members.as_ref().and_then(|it| it.last("type"));
    let kind = kind.and_then(|it| serde_json::from_str::<String>(it.value).ok());
    let (Some(members), Some(kind)) = (members, kind) else {
        return (None, format!("no frame: {line}"));
    };
    let others = members.iter().filter(|it| !it.is("type"));
    let others = others.map(|it| format!("{}={}", it.key(), it.value));
    (Some(kind), others.collect::<Vec<_>>().join(" "))
}

fn event_text(event: &What) -> String {
    match event {
        What::Begin { host, profile, .. } => format!("{host} like {profile}"),
        What::Spawn { argv, pid } => {
            let pid = pid.map(|pid| format!("process {pid}: ")).unwrap_or_default();
            format!("started as {pid}{}", argv.join(" "))
        }
        What::Eof(Stream::Stdin) => "its stdin was closed".to_owned(),
        What::Eof(Stream::Stdout) => "it closed its stdout".to_owned(),
        What::Signal(name) => format!("was sent {name}"),
        What::Exit { code: Some(code), .. } => format!("ended with exit status {code}"),
        What::Exit { signal: Some(signal), .. } => format!("was ended by {signal}"),
        What::Exit { .. } => "ended".to_owned(),
        What::Other(event) => event.clone(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(record: &str, columns: usize) -> String {
        anstream::adapter::strip_str(describe(record, columns).as_str()).to_string()
    }

    #[test]
    fn every_record_is_a_line() {
        let line = r#"{"t_us":1234567,"dir":"e>h","extension":"x","line":"{\"id\":\"7\",\"type\":\"tool_result\",\"content\":[]}"}"#;
        assert_eq!(plain(line, 80), r#"    1.235 x <- tool_result id="7" content=[]"#);
        assert_eq!(plain(line, 42), "    1.235 x <- tool_result id... 17 bytes");
        let junk = r#"{"t_us":0,"dir":"h>e","extension":"x","line":"Hello\u001b"}"#;
        assert_eq!(plain(junk, 80), r"    0.000 x -> no frame: Hello\u{1b}");
        let exit = r#"{"t_us":0,"dir":"os","extension":"x","event":"exit","code":3}"#;
        assert_eq!(plain(exit, 80), "    0.000 x    ended with exit status 3");
    }

    #[test]
    fn only_the_last_are_kept_and_what_was_missed_is_counted() {
        let view = FrameView::new();
        let mut tee = view.with_file(None);
        let mut write = |number: usize| {
            tee.write_all(format!("{{\"t_us\":{number}}}\n").as_bytes()).unwrap();
        };
        write(0);
        assert_eq!(view.take_live(80), Vec::new());
        view.live(true);
        for number in 1..=KEPT + 5 {
            write(number);
        }
        assert_eq!(view.last(2), ["{\"t_us\":1004}", "{\"t_us\":1005}"]);
        let shown = view.take_live(80);
        assert_eq!(shown.len(), KEPT + 1);
        assert!(shown[0].as_str().contains("5 lines were missed"), "{}", shown[0]);
        assert_eq!(view.take_live(80), Vec::new());
        view.live(false);
        write(0);
        assert_eq!(view.take_live(80), Vec::new());
    }

    #[test]
    fn long_records_do_not_pile_up() {
        let view = FrameView::new();
        let mut tee = view.with_file(None);
        for _ in 0..4 {
            tee.write_all(&vec![b'x'; KEPT_BYTES / 2]).unwrap();
        }
        assert_eq!(view.last(9).len(), 2);
    }
}
