//! A mock that speaks.

use std::collections::{BTreeMap, VecDeque};
use std::io::{ErrorKind, Read, Write};
use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::{Duration, Instant};

use extline_protocol::trace::Lines;
use serde_json::{Value, json};

use super::Ended;
use super::frame::with_ids;
use super::queue::{QueueReceiver, queue};
use super::script::{Ending, Opening, Script, Step, answers_to, is_same_kind, is_same_question};

/// As long as nothing is due.
const IDLE: Duration = Duration::from_secs(3600);
/// How much of what the host wrote may wait, in bytes.
const WAITING: usize = 16 << 20;
/// How much of arguments is told, in characters.
const EXCERPT: usize = 200;

/// Plays the scripts until the end.
pub(super) fn run(
    scripts: Vec<Script>,
    ending: Ending,
    input: impl Read + Send + 'static,
    output: impl Write,
    tell: impl FnMut(&str),
) -> Ended {
    let (sender, lines) = queue(WAITING);
    // It may wait for the host for ever: the end of the process ends it.
    let mut input = input;
    let read = move || {
        let mut from_host = Lines::default();
        let mut chunk = vec![0; 64 * 1024];
        let mut is_heard = true;
        while is_heard {
            let count = match input.read(&mut chunk) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Ok(0) | Err(_) => break,
                Ok(count) => count,
            };
            from_host.push(&chunk[..count], |line| {
                // No host writes a longer one.
                if line.more_bytes == 0 {
                    is_heard &= sender.send(line.bytes.len(), line.bytes);
                }
            });
        }
        if let Some(line) = from_host.end() {
            sender.send(line.bytes.len(), line.bytes);
        }
    };
    if let Err(error) = thread::Builder::new().name("from the host".to_owned()).spawn(read) {
        let mut tell = tell;
        tell(&format!("no thread can be started: {error}"));
        return Ended::Status(1);
    }
    let mut live = Live { scripts, running: Vec::new(), output: Some(output), tell, ended: None };
    live.open(|opening| matches!(opening, Opening::Start));
    live.listen(&lines, ending)
}

struct Live<W, T> {
    scripts: Vec<Script>,
    running: Vec<Running>,
    /// Until it is closed.
    output: Option<W>,
    tell: T,
    ended: Option<Ended>,
}

/// A script that has begun.
struct Running {
    steps: VecDeque<Step>,
    /// What the ids of the script are now.
    ids: BTreeMap<String, String>,
    /// The question that it answers.
    question: Value,
    due: Option<Instant>,
    /// How often the same script was played before.
    before: u64,
}

impl<W: Write, T: FnMut(&str)> Live<W, T> {
    fn listen(&mut self, lines: &QueueReceiver<Vec<u8>>, ending: Ending) -> Ended {
        let ending = || match ending {
            Ending::Status(status) => Ended::Status(status),
            // Only a signal ends it.
            Ending::Killed => loop {
                thread::park();
            },
        };
        loop {
            self.go_on();
            if let Some(ended) = self.ended.take() {
                return ended;
            }
            if self.running.iter().any(Running::ends) {
                return ending();
            }
            let due = self.running.iter().filter_map(|running| running.due).min();
            let patience = due.map_or(IDLE, |due| due.saturating_duration_since(Instant::now()));
            match lines.recv_timeout(patience) {
                Ok(line) => match serde_json::from_slice::<Value>(&line) {
                    Ok(frame) if frame.is_object() => self.take(&frame),
                    _ => {}
                },
                Err(RecvTimeoutError::Timeout) => {}
                // What is under way is not answered any more.
                Err(RecvTimeoutError::Disconnected) => return ending(),
            }
        }
    }

    fn take(&mut self, frame: &Value) {
        let kind = frame["type"].as_str().unwrap_or_default();
        if kind == "hello_ack" {
            return self.open(|opening| matches!(opening, Opening::Acknowledged));
        }
        if let Some(running) = self.running.iter_mut().find(|it| it.awaits(frame)) {
            // With the waits before it: what was waited for came sooner this time.
            while let Some(Step::Wait(_)) = running.steps.pop_front() {}
            running.due = None;
            return;
        }
        if kind == "tool_cancel" {
            return self.cancel(&frame["id"]);
        }
        let Some(script) = self.script_for(frame) else { return self.miss(frame) };
        let script = &mut self.scripts[script];
        let recorded = script.frame().map(|it| it["id"].clone()).unwrap_or_default();
        let mut ids = BTreeMap::new();
        if let (Some(recorded), Some(id)) = (recorded.as_str(), frame["id"].as_str()) {
            ids.insert(recorded.to_owned(), id.to_owned());
        }
        let before = script.played;
        script.played += 1;
        let steps = script.steps.iter().cloned().collect();
        self.running.push(Running { steps, ids, question: frame.clone(), due: None, before });
    }

    /// The first of those that fit that was not played yet, or else the last of them.
    fn script_for(&self, frame: &Value) -> Option<usize> {
        let best = |fits: &dyn Fn(&Value) -> bool| {
            let scripts = self.scripts.iter().enumerate();
            let mut fitting = scripts.filter(|(_, script)| script.frame().is_some_and(fits));
            // After the last of those that differ, the last one again.
            let unused = fitting.clone().find(|(_, script)| script.played == 0);
            unused.or_else(|| fitting.next_back()).map(|(number, _)| number)
        };
        best(&|it| is_same_question(it, frame)).or_else(|| best(&|it| is_same_kind(it, frame)))
    }

    /// Begins the scripts with that opening.
    fn open(&mut self, is_wanted: impl Fn(&Opening) -> bool) {
        for script in self.scripts.iter_mut().filter(|script| is_wanted(&script.opening)) {
            script.played += 1;
            let steps = script.steps.iter().cloned().collect();
            let (ids, question) = (BTreeMap::new(), Value::Null);
            self.running.push(Running { steps, ids, question, due: None, before: 0 });
        }
    }

    /// Does what can be done by now.
    fn go_on(&mut self) {
        let mut running = std::mem::take(&mut self.running);
        for script in &mut running {
            while self.ended.is_none() && self.step(script) {}
        }
        running.retain(|script| !script.steps.is_empty() || script.ends());
        self.running = running;
    }

    /// Whether there was something to do.
    fn step(&mut self, running: &mut Running) -> bool {
        let Some(step) = running.steps.front() else { return false };
        match step {
            Step::Await(..) => return false,
            Step::Wait(time) => {
                let due = *running.due.get_or_insert_with(|| Instant::now() + *time);
                if Instant::now() < due {
                    return false;
                }
                running.due = None;
            }
            Step::Say(line) => {
                let line = line.clone();
                let line = running.said(&line);
                self.write(&line);
            }
            Step::Stderr(text) => (self.tell)(text),
            Step::Close => self.output = None,
            Step::Exit(ended) => self.ended = Some(ended.clone()),
        }
        running.steps.pop_front();
        true
    }

    /// A call is cancelled whose script knows nothing of it: an answer that was due does not come
    /// any more.
    fn cancel(&mut self, id: &Value) {
        let is_it = |it: &Running| it.question["type"] == "tool_call" && it.question["id"] == *id;
        let before = self.running.len();
        self.running.retain(|running| !is_it(running));
        if self.running.len() < before {
            self.fail(id, "cancelled", "cancelled");
        }
    }

    /// No script has it: what can be answered is, and it is told.
    fn miss(&mut self, frame: &Value) {
        let word = |name: &str| frame[name].as_str().unwrap_or_default();
        let (kind, name, id) = (word("type"), word("name"), &frame["id"]);
        match kind {
            "tool_call" if self.known(kind, name).is_empty() => {
                self.fail(id, "not_found", &format!("unknown tool {name}"));
            }
            "tool_call" => {
                let why = self.unknown_arguments(kind, name, &frame["args"]);
                self.fail(id, "not_found", &why);
            }
            "command_invoked" => {
                let why = if self.known(kind, name).is_empty() {
                    format!("unknown command {name}")
                } else {
                    self.unknown_arguments(kind, name, &frame["args"])
                };
                (self.tell)(&why);
                self.say(&json!({"type": "command_response", "id": id, "error": why}));
            }
            "event_intercept" => self.say(&json!({"type": "event_intercept_response", "id": id})),
            "request" => {
                let why = format!("the mock has no answer to {}", word("method"));
                (self.tell)(&why);
                let error = json!({"code": "unsupported", "message": why});
                self.say(&json!({"type": "response", "id": id, "error": error}));
            }
            "shutdown" => {
                self.say(&json!({"type": "shutdown_ack"}));
                let (steps, ids) = (VecDeque::new(), BTreeMap::new());
                let question = frame.clone();
                self.running.push(Running { steps, ids, question, due: None, before: 0 });
            }
            // Nobody waits for an answer.
            _ => {}
        }
    }

    /// The scripts for that tool or command.
    fn known(&self, kind: &str, name: &str) -> Vec<&Script> {
        let is_it = |frame: &Value| frame["type"] == kind && frame["name"] == name;
        self.scripts.iter().filter(|script| script.frame().is_some_and(is_it)).collect()
    }

    fn unknown_arguments(&self, kind: &str, name: &str, args: &Value) -> String {
        let known = self.known(kind, name);
        let file = known.first().map(|script| script.file.as_str()).unwrap_or_default();
        let short = |args: &Value| args.to_string().chars().take(EXCERPT).collect::<String>();
        let has = known.iter().filter_map(|script| Some(short(&script.frame()?["args"])));
        let has = has.collect::<Vec<_>>().join(", ");
        format!("the mock has no answer of {name} to {}; {file} has those to {has}", short(args))
    }

    fn fail(&mut self, id: &Value, kind: &str, message: &str) {
        if kind != "cancelled" {
            (self.tell)(message);
        }
        self.say(&json!({
            "type": "tool_result",
            "id": id,
            "content": [{"type": "text", "text": message}],
            "is_error": true,
            "error": {"kind": kind, "message": message},
        }));
    }

    fn say(&mut self, frame: &Value) {
        self.write(format!("{frame}\n").as_bytes());
    }

    fn write(&mut self, line: &[u8]) {
        let Some(output) = &mut self.output else { return };
        if output.write_all(line).and_then(|()| output.flush()).is_err() {
            // The host is gone.
            self.ended = Some(Ended::Status(0));
        }
    }
}

impl Running {
    /// Whether the host's frame is what its next step waits for.
    fn awaits(&self, frame: &Value) -> bool {
        match self.steps.iter().find(|step| !matches!(step, Step::Wait(_))) {
            Some(Step::Await(kinds, id)) => {
                let is_one = kinds.iter().any(|kind| frame["type"] == **kind);
                let id = self.ids.get(id).unwrap_or(id);
                is_one && frame["id"] == id.as_str()
            }
            _ => false,
        }
    }

    /// It said all there is to say before the process ends.
    fn ends(&self) -> bool {
        self.question["type"] == "shutdown" && self.steps.is_empty()
    }

    /// The line with the ids of this time. A question that was asked before gets a new one.
    fn said(&mut self, line: &[u8]) -> Vec<u8> {
        if self.before > 0 {
            let frame: Value = serde_json::from_slice(line).unwrap_or_default();
            let kind = frame["type"].as_str().unwrap_or_default();
            if let (Some(id), true) = (frame["id"].as_str(), answers_to(kind).is_some()) {
                self.ids.insert(id.to_owned(), format!("{id}-{}", self.before + 1));
            }
        }
        with_ids(line, &self.ids)
    }
}
