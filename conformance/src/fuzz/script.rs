//! From a session to the steps of a case: what is written, and which answers are due.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::due::{Due, When, due};
use super::known::Known;
use super::line::Line;
use super::moves::{Cut, End, Move, Session, Start, Tool, What};
use super::toml::{hexadecimal, quoted};

/// What `hello_ack` has beside its capabilities.
const ACK: (&str, &str) = (
    r#"{"type":"hello_ack","protocol_version":1,"capabilities":["commands","tools","events","panels","tool_cancel""#,
    r#"],"zot_version":"","provider":"none","model":"none","cwd":"/","extension_dir":"/","data_dir":"/tmp","host":{"name":"extline-conformance","version":"0.1.0"}}"#,
);
const SHUTDOWN: &str = r#"{"type":"shutdown"}"#;
/// What an intercept may take (`intercept.deadline`), in milliseconds.
const INTERCEPT_MS: u64 = 6000;

/// The steps of a session, each as an inline table of TOML, and the process they need.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) raw: bool,
    pub(super) steps: Vec<String>,
}

/// Writes a session down for an extension.
pub(super) fn script(session: &Session, known: &Known) -> Script {
    let mut writer = Writer { known, ..Writer::of(&session.start, known) };
    writer.start(&session.start);
    for one in &session.moves {
        writer.play(one);
    }
    writer.end(session.end);
    Script { raw: session.start != Start::default(), steps: writer.steps }
}

struct Writer<'a> {
    known: &'a Known,
    steps: Vec<String>,
    /// Lines that go out in one write with the next.
    glued: Vec<u8>,
    /// The answers that are due, or will be.
    due: Vec<Due>,
    /// The names that were released.
    released: BTreeSet<String>,
    /// The ids of tool calls that were cancelled.
    cancelled: BTreeSet<String>,
    /// The ids that were used, each with the type of its answer.
    used: BTreeSet<(&'static str, String)>,
    /// What the kit's tool `order` has to tell.
    labels: Vec<String>,
    rpc: bool,
}

impl<'a> Writer<'a> {
    fn of(start: &Start, known: &'a Known) -> Self {
        let rpc = start.capabilities.as_ref().is_some_and(|names| names.contains(&"rpc"));
        Self {
            known,
            steps: Vec::new(),
            glued: Vec::new(),
            due: Vec::new(),
            released: BTreeSet::new(),
            cancelled: BTreeSet::new(),
            used: BTreeSet::new(),
            labels: Vec::new(),
            rpc,
        }
    }

    fn start(&mut self, start: &Start) {
        if *start == Start::default() {
            return;
        }
        let mut options = Vec::new();
        if let Some(names) = &start.capabilities {
            let mut ack = ACK.0.to_owned();
            for name in names {
                // Writing to a string cannot fail.
                let _ = write!(ack, ",\"{name}\"");
            }
            options.push(format!("ack = {}", quoted(&(ack + ACK.1))));
        }
        options.extend(start.chunk.map(|chunk| format!("chunk = {chunk}")));
        self.steps.push(format!("{{ handshake = {{ {} }} }}", options.join(", ")));
    }

    fn play(&mut self, one: &Move) {
        match &one.what {
            What::Sync => return self.sync(),
            What::Pause(millis) => {
                self.flush();
                return self.steps.push(format!("{{ wait_ms = {millis} }}"));
            }
            What::Burst(bytes) => {
                // Its answers are waited for without the others.
                self.sync();
                return self.steps.push(format!("{{ burst = {bytes} }}"));
            }
            What::Request { .. } if !self.rpc => return,
            _ => {}
        }
        let order = matches!(&one.what, What::Call { tool: Tool::Named { name, .. }, .. } if name == "order");
        if order && self.labels.is_empty() {
            return;
        }
        let due = due(&one.what, &one.dress, self.known, &self.labels);
        if let What::Happens { event, text } = &one.what {
            let text = text.as_ref().filter(|_| *event == "assistant_message");
            self.labels
                .push(text.map_or_else(|| (*event).to_owned(), |text| format!("{event} {text}")));
        }
        let line = Line::of(one, self.labels.len());
        self.write(&line, one.dress.cut);
        self.note(&one.what);
        if let Some(due) = due
            && self.used.insert((due.kind, due.id.clone()))
        {
            self.due.push(due);
        }
        if order {
            // Two that wait at once could take each other's events.
            self.labels.clear();
            self.sync();
        }
    }

    /// What the move means for calls that wait.
    fn note(&mut self, what: &What) {
        match what {
            What::Cancel { id } => {
                self.cancelled.insert(id.clone());
            }
            What::Call { tool: Tool::Named { name, args }, .. } if name == "release" => {
                self.released.insert(args.clone());
            }
            // A command of that name releases too, but none is drawn.
            _ => {}
        }
    }

    fn write(&mut self, line: &Line, cut: Cut) {
        if let Some(size) = &line.size {
            self.flush();
            let text = String::from_utf8_lossy(&line.bytes);
            let mut step = format!("{{ line = {}, {size}", quoted(&text));
            if let Cut::Pieces(chunk) = cut {
                // A long line in small pieces would take for ever.
                let _ = write!(step, ", chunk = {}", chunk * 100);
            }
            return self.steps.push(step + " }");
        }
        match cut {
            Cut::Glued => {
                self.glued.extend_from_slice(&line.bytes);
                self.glued.push(b'\n');
            }
            Cut::Whole => self.put(&line.bytes, ""),
            Cut::Pieces(chunk) => {
                // What goes with it is cut too; a pause behind each of many would take too long.
                let few = (self.glued.len() + line.bytes.len()) / chunk < 30;
                let pause = if few { ", pause_ms = 1" } else { "" };
                self.put(&line.bytes, &format!(", chunk = {chunk}{pause}"));
            }
            Cut::Two(at) => {
                let mut bytes = std::mem::take(&mut self.glued);
                let cut = bytes.len() + line.bytes.len() * at / 1000;
                bytes.extend_from_slice(&line.bytes);
                bytes.push(b'\n');
                let (first, second) = bytes.split_at(cut);
                if !first.is_empty() {
                    self.steps.push(raw(first, ""));
                    self.steps.push("{ wait_ms = 1 }".to_owned());
                }
                self.steps.push(raw(second, ""));
            }
        }
    }

    /// A line, behind those that wait to go with it.
    fn put(&mut self, line: &[u8], options: &str) {
        let mut bytes = std::mem::take(&mut self.glued);
        let alone = bytes.is_empty();
        bytes.extend_from_slice(line);
        match std::str::from_utf8(line) {
            Ok(text) if alone => {
                self.steps.push(format!("{{ line = {}{options} }}", quoted(text)));
            }
            _ => {
                bytes.push(b'\n');
                self.steps.push(raw(&bytes, options));
            }
        }
    }

    fn flush(&mut self) {
        if !self.glued.is_empty() {
            let bytes = std::mem::take(&mut self.glued);
            self.steps.push(raw(&bytes, ""));
        }
    }

    /// Waits for every answer that must have come by now, and asks whether it lives.
    fn sync(&mut self) {
        self.flush();
        let (now, later): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.due).into_iter().partition(|due| self.is_due(due));
        self.due = later;
        for due in &now {
            self.expect(due);
        }
        self.steps.push("{ canary = 1 }".to_owned());
    }

    fn is_due(&self, due: &Due) -> bool {
        match &due.when {
            When::Now => true,
            When::Released(args) => self.released.contains(args),
            When::Cancelled => self.cancelled.contains(&due.id),
        }
    }

    fn expect(&mut self, due: &Due) {
        // A cancel may come before the answer or behind it.
        let with = if self.cancelled.contains(&due.id) { "" } else { due.with.as_str() };
        let frame = format!(r#"{{"type":"{}","id":"{}"{with}}}"#, due.kind, due.id);
        let within = match due.kind {
            "event_intercept_response" => format!(", within_ms = {INTERCEPT_MS}"),
            _ => String::new(),
        };
        self.steps.push(format!("{{ expect = {}{within} }}", quoted(&frame)));
    }

    fn end(&mut self, end: End) {
        const EXIT: &str = "{ exit = { nothing_left = true } }";
        if !matches!(end, End::ShutdownAtOnce) {
            self.sync();
        }
        // One last call that waits in nobody's way.
        let last =
            r#"{"type":"tool_call","id":"last","name":"extline_nobody_registered_one","args":{}}"#;
        match end {
            End::Shutdown => self.put(SHUTDOWN.as_bytes(), ""),
            End::ShutdownAtOnce => {
                self.glued.extend_from_slice(last.as_bytes());
                self.glued.push(b'\n');
                self.put(SHUTDOWN.as_bytes(), "");
                self.answered("last");
            }
            End::Eof => self.steps.push("{ close = \"stdin\" }".to_owned()),
            End::EofInLine => {
                self.steps.push(raw(last.as_bytes(), ""));
                // What was not written by then is forgotten.
                self.steps.push("{ wait_ms = 1 }".to_owned());
                self.steps.push("{ close = \"stdin\" }".to_owned());
                self.answered("last");
            }
            End::Term => self.steps.push("{ signal = \"TERM\" }".to_owned()),
            End::StdoutClosed => {
                self.steps.push("{ close = \"stdout\" }".to_owned());
                self.put(last.as_bytes(), "");
                // Others may learn of it from a second answer only, or never, as nothing is due.
                self.put(SHUTDOWN.as_bytes(), "");
                return self.steps.push(EXIT.to_owned());
            }
        }
        self.steps.push(EXIT.to_owned());
        if self.known.sdk && end != End::Term {
            // Whatever is open is answered, if only as cancelled.
            for due in std::mem::take(&mut self.due) {
                self.expect(&Due { with: String::new(), ..due });
            }
        }
    }

    fn answered(&mut self, id: &str) {
        let (kind, id) = ("tool_result", id.to_owned());
        self.due.push(Due { kind, id, with: String::new(), when: When::Now });
    }
}

/// Bytes as they stand.
fn raw(bytes: &[u8], options: &str) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => format!("{{ raw = {}{options} }}", quoted(text)),
        Err(_) => format!("{{ hex = {}{options} }}", quoted(&hexadecimal(bytes))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::draw::draw;
    use super::super::file::{Name, file};
    use super::*;
    use crate::case::parse_own;

    /// What is known of a kit, of another extension on an SDK, and of one written by hand.
    fn all_known() -> [Known; 3] {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let hand = Known {
            tools: true,
            commands: true,
            canary: true,
            events: names(&["turn_start"]),
            points: names(&["tool_call"]),
            samples: vec![("weather".to_owned(), r#"{"city":"Rome"}"#.to_owned())],
            ..Known::default()
        };
        let sdk = Known { sdk: true, answers_commands: true, cancel: true, ..hand.clone() };
        let kit = Known { kit: true, samples: Vec::new(), ..sdk.clone() };
        [hand, sdk, kit]
    }

    fn text(seed: u32, number: u32, known: &Known) -> String {
        file(&Name::default(), &script(&draw(seed, number, 40, known), known), None)
    }

    #[test]
    fn every_session_is_a_case_and_the_same_each_time() {
        for known in &all_known() {
            for number in 1..40 {
                let text = text(5, number, known);
                let cases = parse_own("x.toml", &text).unwrap_or_else(|error| {
                    panic!("{error}\n{text}");
                });
                assert!(cases[0].steps.len() > 5, "{text}");
                assert_eq!(text, self::text(5, number, known));
            }
            assert_ne!(text(5, 1, known), text(6, 1, known));
            assert_ne!(text(5, 1, known), text(5, 2, known));
        }
    }

    #[test]
    fn a_session_is_the_same_on_every_machine() {
        let known = &all_known()[0];
        let script = script(&draw(7, 1, 3, known), known);
        let drawn = [
            r"{ line = '{}' }",
            r#"{ line = '{"type":"a_later_é","id":"x"}' }"#,
            r#"{ line = '{"type":"tool_call","id":"\"\\ 1","name":"extline_nobody_registered_one","args":{}}' }"#,
            r#"{ expect = '{"type":"tool_result","id":"\"\\ 1","is_error":true}' }"#,
            r"{ canary = 1 }",
            r#"{ raw = '{"type":"tool_call","id":"last","name":"extline_nobody_registered_one","args":{}}' }"#,
            r"{ wait_ms = 1 }",
            r#"{ close = "stdin" }"#,
            r"{ exit = { nothing_left = true } }",
        ];
        assert_eq!(script.steps, drawn, "a seed that somebody noted draws something else now");
    }

    #[test]
    fn an_answer_is_due_when_what_it_waits_for_has_come() {
        use super::super::moves::Move;
        let known = &all_known()[2];
        let call = |id: &str, name: &str, args: &str| {
            let tool = Tool::Named { name: name.to_owned(), args: args.to_owned() };
            Move::plain(What::Call { id: id.to_owned(), tool })
        };
        let sync = || Move::plain(What::Sync);
        let name = r#"{"name":"h"}"#;
        let moves = vec![
            call("1", "hold", name),
            call("2", "await_cancel", "{}"),
            sync(),
            call("3", "release", name),
            sync(),
            Move::plain(What::Cancel { id: "2".to_owned() }),
        ];
        let session = Session { start: Start::default(), moves, end: End::Shutdown };
        let steps = script(&session, known).steps;
        let place = |part: &str| steps.iter().position(|step| step.contains(part)).unwrap();
        let canaries: Vec<_> =
            (0..steps.len()).filter(|at| steps[*at].contains("canary")).collect();
        let [first, second, third] = canaries[..] else { panic!("{steps:#?}") };
        let answer = |id: &str| place(&format!(r#"{{"type":"tool_result","id":"{id}""#));
        assert!((first..second).contains(&answer("1")), "{steps:#?}");
        assert!((first..second).contains(&answer("3")), "{steps:#?}");
        assert!((second..third).contains(&answer("2")), "{steps:#?}");
        let without_release =
            Session { moves: session.moves.iter().take(3).cloned().collect(), ..session };
        let steps = script(&without_release, known).steps;
        // Only at the end, where everything open is answered as cancelled.
        let at = |part: &str| steps.iter().rposition(|step| step.contains(part)).unwrap();
        assert!(at(r#""id":"1""#) > at("exit = "), "{steps:#?}");
    }
}
