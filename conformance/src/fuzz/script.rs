//! From a session to the steps of a case: what is written, and which answers are due.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::asks::{Asks, Said};
use super::due::{Due, Sofar, When, due};
use super::known::Known;
use super::line::Line;
use super::moves::{End, Move, Session, Start, Tool, What};
use super::panel::Screen;
use super::pen::{Pen, Script};
use super::toml::quoted;

/// What `hello_ack` has beside its capabilities.
const ACK: (&str, &str) = (
    r#"{"type":"hello_ack","protocol_version":1,"capabilities":["commands","tools","events","panels","tool_cancel""#,
    r#"],"zot_version":"","provider":"none","model":"none","cwd":"/","extension_dir":"/","data_dir":"/tmp","host":{"name":"extline-conformance","version":"0.1.0"}}"#,
);
const SHUTDOWN: &str = r#"{"type":"shutdown"}"#;
/// What an intercept may take (`intercept.deadline`), in milliseconds.
const INTERCEPT_MS: u64 = 6000;

/// Writes a session down for an extension.
pub(super) fn script(session: &Session, known: &Known) -> Script {
    let mut writer = Writer { known, ..Writer::of(&session.start, known) };
    writer.start(&session.start);
    for one in &session.moves {
        writer.play(one);
    }
    writer.end(session.end);
    let raw = session.start != Start::default();
    Script { raw, server: false, steps: writer.pen.steps }
}

struct Writer<'a> {
    known: &'a Known,
    pen: Pen,
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
    asks: Asks,
    screen: Screen,
    rpc: bool,
    serves_calls: bool,
}

impl<'a> Writer<'a> {
    fn of(start: &Start, known: &'a Known) -> Self {
        let names = |name| start.capabilities.as_ref().is_some_and(|names| names.contains(&name));
        Self {
            known,
            pen: Pen::default(),
            due: Vec::new(),
            released: BTreeSet::new(),
            cancelled: BTreeSet::new(),
            used: BTreeSet::new(),
            labels: Vec::new(),
            asks: Asks::default(),
            screen: Screen::default(),
            rpc: names("rpc"),
            serves_calls: names("call_tool"),
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
        self.pen.step(format!("{{ handshake = {{ {} }} }}", options.join(", ")));
    }

    fn play(&mut self, one: &Move) {
        match &one.what {
            What::Sync => self.sync(),
            What::Pause(millis) => self.pen.step(format!("{{ wait_ms = {millis} }}")),
            What::Burst(bytes) => {
                // Its answers are waited for without the others.
                self.sync();
                self.pen.step(format!("{{ burst = {bytes} }}"));
            }
            What::Request { .. } if !self.rpc => {}
            What::Call { tool: Tool::Named { name, .. }, .. } if name == "order" => {
                if !self.labels.is_empty() {
                    self.say(one, "");
                    // Two that wait at once could take each other's events.
                    self.labels.clear();
                    self.sync();
                }
            }
            What::Ask { id, tool, args } => {
                self.say(one, "");
                if self.serves_calls {
                    let call = self.asks.asked(id);
                    let with = format!(r#","name":"{tool}","args":{args}"#);
                    self.expect_now("call_tool", &call, &with, Some(id));
                }
            }
            What::Reply { ask, said } => self.reply(one, ask, said),
            What::Panel(panel) => {
                if self.screen.has(panel) {
                    self.screen.before(panel).into_iter().for_each(|step| self.pen.step(step));
                    self.say(one, "");
                    self.screen.done(panel).into_iter().for_each(|step| self.pen.step(step));
                }
            }
            _ => self.say(one, ""),
        }
    }

    /// Writes the line of a move, and notes which answer is due to it.
    fn say(&mut self, one: &Move, asked: &str) {
        let sofar = Sofar { labels: &self.labels, serves_calls: self.serves_calls };
        let due = due(&one.what, &one.dress, self.known, sofar);
        if let What::Happens { event, text } = &one.what {
            let text = text.as_ref().filter(|_| *event == "assistant_message");
            self.labels
                .push(text.map_or_else(|| (*event).to_owned(), |text| format!("{event} {text}")));
        }
        self.pen.line(&Line::of(one, self.labels.len(), asked), one.dress.cut);
        self.note(&one.what);
        if let Some(due) = due
            && self.used.insert((due.kind, due.id.clone()))
        {
            self.due.push(due);
        }
    }

    /// What the move means for calls that wait.
    fn note(&mut self, what: &What) {
        match what {
            What::Cancel { id } => {
                self.cancelled.insert(id.clone());
                let call = self.asks.call_tool_of(id).map(str::to_owned);
                if let Some(call) = call.filter(|_| self.known.cancel && self.asks.cancelled(id)) {
                    // What it asked for is cancelled with it.
                    self.awaited("call_tool_cancel", &call);
                }
            }
            What::Call { tool: Tool::Named { name, args }, .. } if name == "release" => {
                self.released.insert(args.clone());
            }
            // A command of that name releases too, but none is drawn.
            _ => {}
        }
    }

    /// The host's answer to what a call of `ask` asked for; a late one changes nothing.
    fn reply(&mut self, one: &Move, ask: &str, said: &Said) {
        if self.asks.is_crossing(ask) {
            // Which of the two counts is nobody's business.
            self.sync();
        }
        let Some(call) = self.asks.call_tool_of(ask).map(str::to_owned) else { return };
        self.say(one, &call);
        if !self.asks.answered(ask) {
            return;
        }
        let is_it = |due: &&mut Due| (due.kind, due.id.as_str()) == ("tool_result", ask);
        if let Some(due) = self.due.iter_mut().find(is_it) {
            due.with = said.comes_of_it(self.known.sdk, one.dress.is_odd());
            // One that was written by hand may wait on for an answer that it can use.
            if (*said == Said::Unusable || one.dress.is_odd()) && !self.known.sdk {
                self.due.retain(|due| (due.kind, due.id.as_str()) != ("tool_result", ask));
            }
        }
    }

    /// Waits for every answer that must have come by now, and asks whether it lives.
    fn sync(&mut self) {
        let (now, later): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.due).into_iter().partition(|due| self.is_due(due));
        self.due = later;
        for due in &now {
            self.expect(due);
        }
        self.asks.synced();
        self.screen.synced().into_iter().for_each(|step| self.pen.step(step));
        self.pen.step("{ canary = 1 }");
    }

    fn is_due(&self, due: &Due) -> bool {
        match &due.when {
            When::Now => true,
            When::Released(args) => self.released.contains(args),
            When::Cancelled => self.cancelled.contains(&due.id),
            When::Answered => self.asks.is_over(&due.id),
        }
    }

    fn expect(&mut self, due: &Due) {
        // A cancel may come before the answer or behind it.
        let with = if self.cancelled.contains(&due.id) { "" } else { due.with.as_str() };
        let within = match due.kind {
            "event_intercept_response" => format!(", within_ms = {INTERCEPT_MS}"),
            _ => String::new(),
        };
        let frame = format!(r#"{{"type":"{}","id":"{}"{with}}}"#, due.kind, due.id);
        self.pen.step(format!("{{ expect = {}{within} }}", quoted(&frame)));
    }

    /// Waits for a frame that must come at once; of an SDK's with the call that it belongs to.
    fn expect_now(&mut self, kind: &str, id: &str, with: &str, parent: Option<&str>) {
        let parent = parent.filter(|_| self.known.sdk);
        let parent = parent.map(|id| format!(r#","parent_id":"{id}""#)).unwrap_or_default();
        let frame = format!(r#"{{"type":"{kind}","id":"{id}"{with}{parent}}}"#);
        self.pen.step(format!("{{ expect = {} }}", quoted(&frame)));
    }

    /// Such a frame is due.
    fn awaited(&mut self, kind: &'static str, id: &str) {
        self.due.push(Due { kind, id: id.to_owned(), with: String::new(), when: When::Now });
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
            End::Shutdown => self.pen.put(SHUTDOWN.as_bytes(), ""),
            End::ShutdownAtOnce => {
                self.pen.glue(last.as_bytes());
                self.pen.put(SHUTDOWN.as_bytes(), "");
                self.awaited("tool_result", "last");
            }
            End::Eof => self.pen.step("{ close = \"stdin\" }"),
            End::EofInLine => {
                self.pen.unended(last.as_bytes());
                // What was not written by then is forgotten.
                self.pen.step("{ wait_ms = 1 }");
                self.pen.step("{ close = \"stdin\" }");
                self.awaited("tool_result", "last");
            }
            End::Term => self.pen.step("{ signal = \"TERM\" }"),
            End::StdoutClosed => {
                self.pen.step("{ close = \"stdout\" }");
                self.pen.put(last.as_bytes(), "");
                // Others may learn of it from a second answer only, or never, as nothing is due.
                self.pen.put(SHUTDOWN.as_bytes(), "");
                return self.pen.step(EXIT);
            }
        }
        self.pen.step(EXIT);
        if self.known.sdk && end != End::Term {
            // Whatever is open is answered, if only as cancelled.
            for due in std::mem::take(&mut self.due) {
                if due.kind != "call_tool_cancel" {
                    self.expect(&Due { with: String::new(), ..due });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
