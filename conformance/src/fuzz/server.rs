//! Sessions of a client of MCP: what is drawn, and what it is as steps of a case.

use std::collections::BTreeSet;

use fastrand::Rng;

use super::known::Known;
use super::line::Line;
use super::moves::{Cut, Dress, End, Message, Move, Session, Start, What};
use super::payload::{any, index, junk, object, one, text};
use super::pen::{Pen, Script};
use super::toml::quoted;
use crate::conversation::{Era, call_params};

/// The longest line that is drawn, in bytes.
const LONGEST: u32 = 1 << 20;
/// Ids that are numbers begin here: the canary has smaller ones.
const NUMBERS: u32 = 7_000_000;
/// Methods of the specification, each with params that lack what must be there, or have it wrong.
const WRONG: [(&str, &str); 10] = [
    ("tools/call", r#""arguments":{}"#),
    ("tools/call", r#""name":7"#),
    ("tools/call", r#""name":"extline_nobody_registered_one","arguments":[1]"#),
    ("tools/list", r#""cursor":7"#),
    ("prompts/get", r#""name":null"#),
    ("resources/read", r#""uri":["file:///"]"#),
    ("resources/read", r#""uri":"no uri""#),
    ("completion/complete", r#""ref":{"type":"ref/nobody"}"#),
    ("logging/setLevel", r#""level":"deafening""#),
    ("resources/subscribe", r#""uri":"extline-nobody://x""#),
];
/// Notifications that a client may send, and some that none does.
const NOTES: [&str; 6] = [
    "notifications/initialized",
    "notifications/roots/list_changed",
    "notifications/progress",
    "notifications/message",
    "notifications/extline/nobody",
    "",
];
const BATCH: &str = r#"[{"jsonrpc":"2.0","id":$n,"method":"tools/list"}]"#;
/// Objects that are neither requests nor notifications nor responses, or have ids that are none; `$n` is
/// a number of its own.
const ODD: [&str; 8] = [
    r#"{"jsonrpc":"2.0"}"#,
    r#"{"jsonrpc":"2.0","id":$n}"#,
    r#"{"jsonrpc":"2.0","id":$n,"method":7}"#,
    r#"{"jsonrpc":"1.0","id":$n,"method":"ping"}"#,
    r#"{"id":$n,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":$n,"method":"tools/list","params":[1]}"#,
    r#"{"jsonrpc":"2.0","id":$n,"method":"tools/call","params":"x"}"#,
];

/// The session of that number, of about so many moves.
pub(super) fn draw_server(seed: u32, number: u32, steps: u32, known: &Known, era: Era) -> Session {
    let chance = Rng::with_seed(u64::from(seed) << 32 | u64::from(number));
    let mut drawing = Drawing { chance, known, era, ids: Vec::new(), count: 0 };
    let mut moves = Vec::new();
    for _ in 0..steps {
        let what = drawing.what();
        moves.push(Move { what, dress: drawing.dress() });
        if drawing.chance.u8(0..6) == 0 {
            moves.push(Move::plain(What::Sync));
        }
    }
    Session { start: Start::default(), moves, end: End::Shutdown }
}

struct Drawing<'a> {
    chance: Rng,
    known: &'a Known,
    era: Era,
    /// The ids of the requests so far, as JSON.
    ids: Vec<String>,
    count: u32,
}

impl Drawing<'_> {
    fn what(&mut self) -> What {
        match self.chance.u8(0..26) {
            0..4 => {
                let params = object(&mut self.chance, false);
                let inner = params.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
                let inner = inner.unwrap_or_default();
                self.request("request of a method that nobody knows", "extline/nobody", inner)
            }
            4 => {
                let bytes = u64::from(self.chance.u32(512..LONGEST));
                let asked = self.request("long request", "extline/nobody", r#""pad":"$pad""#);
                match asked {
                    What::Message(message) => {
                        What::Message(Message { bytes: Some(bytes), ..message })
                    }
                    what => what,
                }
            }
            5..8 => self.request("tools/list", "tools/list", ""),
            8 => self.request("ping", "ping", ""),
            9 | 10 if !self.known.samples.is_empty() => {
                let at = index(&mut self.chance, self.known.samples.len());
                let (name, args) = &self.known.samples[at];
                let params = call_params(name, args);
                self.request("call of a tool", "tools/call", &params)
            }
            9..12 => {
                let args = object(&mut self.chance, false);
                let params =
                    format!(r#""name":"extline_nobody_registered_one","arguments":{args}"#);
                self.request("call of a tool that nobody has", "tools/call", &params)
            }
            12..15 => {
                let (method, params) = WRONG[index(&mut self.chance, WRONG.len())];
                self.request("request with wrong params", method, params)
            }
            15 | 16 => self.cancel(),
            17 | 18 => {
                let method = one(&mut self.chance, &NOTES);
                let params = object(&mut self.chance, false);
                note(
                    "notification",
                    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#),
                )
            }
            19 => {
                let (id, result) = (self.chance.u32(0..9), any(&mut self.chance));
                note(
                    "response to nothing",
                    format!(r#"{{"jsonrpc":"2.0","id":"{id}","result":{result}}}"#),
                )
            }
            20 | 21 => {
                let line = one(&mut self.chance, &ODD);
                note("object that is no request", self.numbered(line))
            }
            22 if !self.known.batches => note("batch", self.numbered(BATCH)),
            23 => What::Pause(u64::from(self.chance.u32(1..8))),
            _ => What::Junk(junk(&mut self.chance)),
        }
    }

    /// A request, whose answer is due.
    fn request(&mut self, kind: &'static str, method: &str, params: &str) -> What {
        self.count += 1;
        let id = if self.chance.bool() {
            (NUMBERS + self.count).to_string()
        } else {
            format!("\"f-{}{}\"", text(&mut self.chance), self.count)
        };
        self.ids.push(id.clone());
        let meta = match self.era {
            Era::Initialize if self.chance.bool() => "",
            era => era.meta(),
        };
        let comma = if params.is_empty() || meta.is_empty() { "" } else { "," };
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}{comma}{meta}}}}}"#
        );
        What::Message(Message { kind, line, due: Some(id), cancels: None, bytes: None })
    }

    /// A line with an id that no other has.
    fn numbered(&mut self, line: &str) -> String {
        self.count += 1;
        line.replace("$n", &(NUMBERS + self.count).to_string())
    }

    /// Cancels a request that may be open, or none.
    fn cancel(&mut self) -> What {
        let known = self.chance.u8(0..4) > 0 && !self.ids.is_empty();
        let id = if known {
            self.ids[index(&mut self.chance, self.ids.len())].clone()
        } else {
            "\"nobody\"".to_owned()
        };
        let line = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id},"reason":"x"}}}}"#
        );
        What::Message(Message {
            kind: "cancellation",
            line,
            due: None,
            cancels: Some(id),
            bytes: None,
        })
    }

    fn dress(&mut self) -> Dress {
        if self.chance.u8(0..3) > 0 {
            return Dress::default();
        }
        let cut = match self.chance.u8(0..5) {
            0 | 1 => Cut::Glued,
            2 => Cut::Pieces(1 + index(&mut self.chance, 60)),
            3 => Cut::Two(index(&mut self.chance, 1000)),
            _ => Cut::Whole,
        };
        Dress { cr: self.chance.u8(0..5) == 0, cut, ..Dress::default() }
    }
}

/// A line to which no answer is due.
fn note(kind: &'static str, line: String) -> What {
    What::Message(Message { kind, line, due: None, cancels: None, bytes: None })
}

/// Writes a session down for a server.
pub(super) fn server_script(session: &Session) -> Script {
    let mut pen = Pen::default();
    let mut due: Vec<String> = Vec::new();
    let mut cancelled = BTreeSet::new();
    for one in &session.moves {
        match &one.what {
            What::Message(message) => {
                pen.line(&Line::of(one, 0, ""), one.dress.cut);
                cancelled.extend(message.cancels.clone());
                due.extend(message.due.clone());
            }
            What::Junk(_) => pen.line(&Line::of(one, 0, ""), one.dress.cut),
            What::Pause(millis) => pen.step(format!("{{ wait_ms = {millis} }}")),
            What::Sync => sync(&mut pen, &mut due, &cancelled),
            _ => {}
        }
    }
    sync(&mut pen, &mut due, &cancelled);
    Script { raw: false, server: true, steps: pen.steps }
}

/// Waits for every answer that is due, and asks whether the server lives.
fn sync(pen: &mut Pen, due: &mut Vec<String>, cancelled: &BTreeSet<String>) {
    for id in due.drain(..).filter(|id| !cancelled.contains(id)) {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":{id}}}"#);
        pen.step(format!("{{ expect = {} }}", quoted(&frame)));
    }
    pen.step("{ canary = 1 }");
}
