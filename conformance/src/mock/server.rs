//! A mock of an MCP server: it answers what a trace has answers to, in place of the real one.

use std::io::{BufRead, BufReader, Read, Write};

use extline_protocol::trace::{self, Side, What};
use serde_json::{Value, json};

use super::Ended;
use super::frame::with_member;
use crate::conversation::is_response;

/// How much of arguments is told, in characters.
const EXCERPT: usize = 200;

/// What a server said, request by request.
#[derive(Debug, Default)]
pub(super) struct MockServer {
    exchanges: Vec<Exchange>,
    /// How it ends when its stdin does.
    status: i32,
    /// The files it comes from.
    files: Vec<String>,
}

/// A request, and what was said until it was answered.
#[derive(Debug)]
struct Exchange {
    method: String,
    params: Value,
    id: Value,
    says: Vec<Vec<u8>>,
    is_answered: bool,
    was_played: bool,
}

/// What is still to be said to a request, once the client has answered what it was asked.
struct Held {
    until: Value,
    says: Vec<Vec<u8>>,
    request: Value,
}

impl MockServer {
    /// Adds what the first process of a trace said.
    pub(super) fn add(&mut self, file: &str, records: &[trace::Record]) -> Result<(), String> {
        self.files.push(file.to_owned());
        let from = self.exchanges.len();
        let mut spawned = false;
        for record in records {
            match &record.what {
                What::Spawn { .. } if std::mem::replace(&mut spawned, true) => break,
                What::Line { line, .. } if line.more_bytes > 0 => {
                    let bytes = line.bytes.len() as u64 + line.more_bytes;
                    return Err(format!("{file}: a line of {bytes} bytes was not recorded whole"));
                }
                What::Line { from: Side::Host, line } => self.asked(&line.bytes),
                What::Line { line, .. } => self.said(&line.bytes, from),
                What::Exit { code: Some(code), .. } => self.status = *code,
                _ => {}
            }
        }
        Ok(())
    }

    /// The client sent this line.
    fn asked(&mut self, line: &[u8]) {
        let message: Value = serde_json::from_slice(line).unwrap_or_default();
        let (Some(method), Some(id)) = (message["method"].as_str(), message.get("id")) else {
            return;
        };
        self.exchanges.push(Exchange {
            method: method.to_owned(),
            params: without_meta(&message["params"]),
            id: id.clone(),
            says: Vec::new(),
            is_answered: false,
            was_played: false,
        });
    }

    /// The server wrote this line: it belongs to the request that it answers, or to the newest one that is not
    /// answered.
    fn said(&mut self, line: &[u8], from: usize) {
        let message: Value = serde_json::from_slice(line).unwrap_or_default();
        let mut open = self.exchanges[from..].iter_mut().filter(|it| !it.is_answered);
        let is_answer = is_response(&message);
        let exchange = if is_answer {
            open.find(|exchange| exchange.id == message["id"])
        } else {
            open.next_back()
        };
        // What is said between two requests is nobody's.
        if let Some(exchange) = exchange {
            exchange.says.push([line, b"\n"].concat());
            exchange.is_answered = is_answer;
        }
    }

    /// Answers a client until its input ends. `tell` gets what has no answer.
    pub(super) fn run(
        mut self,
        input: impl Read,
        mut output: impl Write,
        mut tell: impl FnMut(&str),
    ) -> Ended {
        let mut held: Vec<Held> = Vec::new();
        let mut input = BufReader::new(input);
        let mut line = Vec::new();
        loop {
            line.clear();
            if !matches!(input.read_until(b'\n', &mut line), Ok(count) if count > 0) {
                return Ended::Status(self.status);
            }
            let message: Value = serde_json::from_slice(&line).unwrap_or_default();
            let (says, request) = if is_response(&message) {
                let waits = held.iter().position(|it| it.until == message["id"]);
                let Some(waits) = waits else { continue };
                let Held { says, request, .. } = held.swap_remove(waits);
                (says, request)
            } else if message.get("id").is_some() && message["method"].is_string() {
                (self.answer(&message, &mut tell), message)
            } else {
                continue;
            };
            if say(says, request, &mut output, &mut held).is_err() {
                // The client is gone.
                return Ended::Status(self.status);
            }
        }
    }

    /// What is said to a request.
    fn answer(&mut self, request: &Value, tell: &mut impl FnMut(&str)) -> Vec<Vec<u8>> {
        let method = request["method"].as_str().unwrap_or_default();
        let params = without_meta(&request["params"]);
        if let Some(exchange) = self.exchange_for(method, &params) {
            exchange.was_played = true;
            return exchange.says.clone();
        }
        let outcome = match method {
            "ping" => json!({"jsonrpc": "2.0", "id": null, "result": {}}),
            "tools/call" => {
                let why = self.unknown(&params);
                tell(&why);
                json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32602, "message": why}})
            }
            _ => {
                let why = format!("Method not found: {method}: {} has none", self.files.join(", "));
                tell(&why);
                json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32601, "message": why}})
            }
        };
        vec![format!("{outcome}\n").into_bytes()]
    }

    /// The first of those that fit that was not played yet, or else the last of them. The beginning is the same
    /// whatever a client says of itself.
    fn exchange_for(&mut self, method: &str, params: &Value) -> Option<&mut Exchange> {
        let begins = matches!(method, "initialize" | "server/discover");
        let fits = |exchange: &Exchange| {
            let same = begins || extline_scenario::differences(&exchange.params, params).is_empty();
            exchange.method == method && exchange.is_answered && same
        };
        let fitting: Vec<_> =
            (0..self.exchanges.len()).filter(|at| fits(&self.exchanges[*at])).collect();
        let unused = fitting.iter().find(|at| !self.exchanges[**at].was_played);
        let at = unused.or(fitting.last()).copied()?;
        self.exchanges.get_mut(at)
    }

    fn unknown(&self, params: &Value) -> String {
        let short = |args: &Value| args.to_string().chars().take(EXCERPT).collect::<String>();
        let (name, args) = (&params["name"], &params["arguments"]);
        let calls = self.exchanges.iter().filter(|it| it.method == "tools/call");
        let known: Vec<_> = calls
            .filter(|it| it.params["name"] == *name)
            .map(|it| short(&it.params["arguments"]))
            .collect();
        let files = self.files.join(", ");
        if known.is_empty() {
            return format!("the mock has no call of {name}: {files} has none");
        }
        let known = known.join(", ");
        format!("the mock has no answer of {name} to {}; {files} has those to {known}", short(args))
    }
}

/// Says what is to be said, until the client is asked something.
fn say(
    says: Vec<Vec<u8>>,
    request: Value,
    output: &mut impl Write,
    held: &mut Vec<Held>,
) -> std::io::Result<()> {
    let mut says = says.into_iter();
    while let Some(line) = says.next() {
        let message: Value = serde_json::from_slice(&line).unwrap_or_default();
        let line = if is_response(&message) {
            with_member(&line, &["id"], &request["id"])
        } else {
            let token = &request["params"]["_meta"]["progressToken"];
            with_member(&line, &["params", "progressToken"], token)
        };
        output.write_all(&line)?;
        if let (Some(id), true) = (message.get("id"), message["method"].is_string()) {
            held.push(Held { until: id.clone(), says: says.collect(), request });
            break;
        }
    }
    output.flush()
}

/// What a request asks: who asks, and with which token, is another matter.
fn without_meta(params: &Value) -> Value {
    let mut params = params.clone();
    if let Some(members) = params.as_object_mut() {
        members.remove("_meta");
    }
    // Absent params are the same as empty ones.
    if params.is_null() { json!({}) } else { params }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(lines: &[(&str, Value)]) -> Vec<trace::Record> {
        let line = |(dir, message): &(&str, Value)| {
            json!({"t_us": 0, "dir": dir, "line": message.to_string()}).to_string()
        };
        let text = lines.iter().map(line).collect::<Vec<_>>().join("\n");
        trace::read("t.ndjson", &text).unwrap()
    }

    #[test]
    fn what_the_user_is_asked_is_waited_for() {
        let call =
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "greet"}});
        let ask =
            json!({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": {}});
        let said = json!({"jsonrpc": "2.0", "id": "q", "result": {"action": "decline"}});
        let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {"content": []}});
        let records = trace(&[
            ("h>e", call.clone()),
            ("e>h", ask.clone()),
            ("h>e", said.clone()),
            ("e>h", answer),
        ]);
        let mut server = MockServer::default();
        server.add("t.ndjson", &records).unwrap();
        let again =
            json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "greet"}});
        let input = format!("{again}\n{said}\n");
        let mut output = Vec::new();
        let ended = server.run(input.as_bytes(), &mut output, |told| panic!("{told}"));
        assert_eq!(ended, Ended::Status(0));
        let output = String::from_utf8(output).unwrap();
        let lines: Vec<Value> =
            output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines[0], ask);
        assert_eq!((&lines[1]["id"], &lines[1]["result"]), (&json!(7), &json!({"content": []})));
    }
}
