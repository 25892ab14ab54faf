//! Draws sessions: the same seed and number, the same session, on every machine.

use fastrand::Rng;

use super::known::Known;
use super::moves::{Cut, Dress, End, Move, Session, Start, Tool, What};
use super::payload::{any, id, index, junk, object, one, text};
use super::server::draw_server;

/// What a host may understand beside the base.
const CAPABILITIES: [&str; 4] = ["tool_update", "tool_registry", "log", "rpc"];
/// Kinds of frames that want an answer, with a member that must be there.
const ASKING: [(&str, &str); 4] = [
    ("tool_call", "name"),
    ("command_invoked", "name"),
    ("event_intercept", "event"),
    ("request", "method"),
];
/// Arguments that the interceptors of a kit look at.
const LOOKED_AT: [&str; 5] = [
    r#"{"do":"block"}"#,
    r#"{"do":"rewrite"}"#,
    r#"{"do":"throw"}"#,
    r#"{"do":"rewrite","veto":true}"#,
    r#"{"do":"veto"}"#,
];
/// Ids of its own questions that no kit comes to.
pub(super) const NEVER_ASKED: u32 = 9000;
/// The longest line that every extension must accept, without its LF.
const LONGEST: u64 = 4_194_303;

/// The session of that number, of about so many moves.
pub(super) fn draw(seed: u32, number: u32, steps: u32, known: &Known) -> Session {
    if let Some(era) = known.server {
        return draw_server(seed, number, steps, known, era);
    }
    let chance = Rng::with_seed(u64::from(seed) << 32 | u64::from(number));
    let mut drawing =
        Drawing { chance, known, ids: Vec::new(), held: Vec::new(), panel: false, count: 0 };
    let start = drawing.start();
    let mut moves = Vec::new();
    for _ in 0..steps {
        let what = drawing.what();
        let mut dress = drawing.dress();
        if matches!(what, What::Ask { .. } | What::Panel(_)) {
            // What comes of one that may be unusable is what the next moves build on.
            dress = Dress { surrogate: false, no_utf8: false, twice: false, ..dress };
        }
        moves.push(Move { what, dress });
        if drawing.chance.u8(0..6) == 0 {
            moves.push(Move::plain(What::Sync));
        }
    }
    Session { start, moves, end: drawing.end() }
}

pub(super) struct Drawing<'a> {
    pub(super) chance: Rng,
    pub(super) known: &'a Known,
    /// The ids of calls of unknown tools, which may be used again.
    ids: Vec<String>,
    /// The names that calls of `hold` wait for, and the ids of those that wait for a cancel.
    pub(super) held: Vec<Held>,
    /// The kit's panel was opened, and may still be.
    pub(super) panel: bool,
    pub(super) count: u32,
}

pub(super) enum Held {
    Name(String),
    Id(String),
    /// A call of `ask`.
    Ask(String),
}

impl Drawing<'_> {
    fn start(&mut self) -> Start {
        // What a kit asks for depends on what the host names.
        let usual = if self.known.kit { self.chance.u8(0..4) == 0 } else { self.chance.bool() };
        if usual {
            return Start::default();
        }
        let mut names = CAPABILITIES.to_vec();
        names.retain(|_| self.chance.bool());
        if self.known.kit && self.chance.u8(0..4) > 0 {
            names.push("call_tool");
        }
        let others = self.known.kit && self.chance.u8(0..4) > 0;
        let others = others || self.known.sdk && self.chance.bool();
        let capabilities = others.then_some(names);
        let chunk = self.chance.bool().then(|| 1 + index(&mut self.chance, 40));
        Start { capabilities, chunk }
    }

    fn end(&mut self) -> End {
        match self.chance.u8(0..12) {
            0..5 => End::Shutdown,
            5 => End::ShutdownAtOnce,
            6 | 7 => End::Eof,
            8 => End::EofInLine,
            9 => End::StdoutClosed,
            _ => End::Term,
        }
    }

    pub(super) fn fresh(&mut self) -> String {
        self.count += 1;
        id(&mut self.chance, self.count)
    }

    fn what(&mut self) -> What {
        // Most that there is to know of a kit is known of its own answers.
        if self.known.kit && self.chance.u8(0..3) == 0 {
            return self.kit();
        }
        match self.chance.u8(0..34) {
            5 | 6 if !self.known.samples.is_empty() => {
                let at = index(&mut self.chance, self.known.samples.len());
                let (name, args) = self.known.samples[at].clone();
                What::Call { id: self.fresh(), tool: Tool::Named { name, args } }
            }
            0..7 => {
                // One that is open still is ignored, and one that is over may be used again.
                let again = self.chance.u8(0..8) == 0;
                let id = if again { self.some_id() } else { self.fresh() };
                self.ids.push(id.clone());
                let args = object(&mut self.chance, false);
                What::Call { id, tool: Tool::Unknown { args } }
            }
            7 => self.sized(),
            8 | 9 if self.known.commands => {
                let args = self.chance.bool().then(|| text(&mut self.chance));
                What::Command { id: self.fresh(), name: None, args }
            }
            10..12 => What::Cancel { id: self.some_id() },
            12..14 if !self.known.points.is_empty() => self.intercept(),
            14 if self.known.sdk => {
                let params = self.chance.bool().then(|| any(&mut self.chance));
                What::Request { id: self.fresh(), params }
            }
            15..18 => self.event(),
            18 | 19 => self.panel(),
            20..22 => self.unknown_frame(),
            22 | 23 => self.reply(),
            24 | 25 => self.unusable(),
            26 => {
                let (kind, _) = ASKING[index(&mut self.chance, ASKING.len())];
                let id = one(
                    &mut self.chance,
                    &["7", "null", "\"\"", "[]", "{\"a\":\"1\"}", "true", "1.5"],
                );
                What::BadId { kind, id: id.to_owned() }
            }
            27 if self.known.canary && self.chance.u8(0..6) == 0 => {
                What::Burst(u64::from(self.chance.u32(1..12)) << 15)
            }
            28 => What::Pause(u64::from(self.chance.u32(1..8))),
            _ => What::Junk(junk(&mut self.chance)),
        }
    }

    fn sized(&mut self) -> What {
        let tool = match self.chance.u8(0..3) {
            0 => {
                // Sizes of buffers, and a little more or less.
                let size = 1_u64 << self.chance.u32(9..23);
                let bytes = (size + u64::from(self.chance.u32(0..9))).saturating_sub(4);
                Tool::Long { bytes: bytes.min(LONGEST) }
            }
            1 => {
                const DEPTHS: [u64; 9] = [2, 20, 61, 62, 120, 125, 126, 127, 1000];
                Tool::Deep { depth: DEPTHS[index(&mut self.chance, DEPTHS.len())] }
            }
            _ => Tool::Digits { digits: u64::from(self.chance.u32(1..6000)) },
        };
        What::Call { id: self.fresh(), tool }
    }

    /// An id of a call that may be open, or of none.
    fn some_id(&mut self) -> String {
        match self.chance.u8(0..4) {
            0 => self.fresh(),
            _ if self.ids.is_empty() => self.fresh(),
            _ => self.ids[index(&mut self.chance, self.ids.len())].clone(),
        }
    }

    fn intercept(&mut self) -> What {
        let known = self.chance.u8(0..5) > 0 || !self.known.sdk;
        let point = if known {
            self.known.points[index(&mut self.chance, self.known.points.len())].clone()
        } else {
            "a_later_point".to_owned()
        };
        let phases = [None, Some("intercept"), Some("guard")];
        let phase = phases[index(&mut self.chance, 3)];
        let args = if self.known.kit && self.chance.bool() {
            one(&mut self.chance, &LOOKED_AT).to_owned()
        } else {
            object(&mut self.chance, false)
        };
        What::Intercept { id: self.fresh(), point, phase, args }
    }

    fn event(&mut self) -> What {
        const EVENTS: [&str; 8] = [
            "session_start",
            "turn_start",
            "turn_end",
            "tool_call",
            "assistant_message",
            "session_end",
            "tool_result",
            "a_later_event",
        ];
        if self.known.kit {
            const TOLD: [&str; 3] = ["session_start", "turn_end", "assistant_message"];
            if self.chance.bool() {
                let event = TOLD[index(&mut self.chance, TOLD.len())];
                return What::Happens {
                    event,
                    text: self.chance.bool().then(|| "said".to_owned()),
                };
            }
        }
        let event = one(&mut self.chance, &EVENTS).to_owned();
        // A kit must know each that it hears of, for the tool that tells their order.
        let event = if self.known.kit { "a_later_event".to_owned() } else { event };
        let mut members = members("event", "event", &event);
        for name in ["step", "stop", "text", "tool_name", "tool_args", "error"] {
            if self.chance.u8(0..4) == 0 {
                let value = match name {
                    "step" => self.chance.u32(0..99).to_string(),
                    "tool_args" => object(&mut self.chance, false),
                    _ => format!("\"{}\"", text(&mut self.chance)),
                };
                members.push((name.to_owned(), value));
            }
        }
        What::Quiet { members }
    }

    fn panel(&mut self) -> What {
        let panel = format!("p{}", text(&mut self.chance));
        let members = match self.chance.u8(0..3) {
            0 => {
                let mut members = members("panel_key", "panel_id", &panel);
                let key = one(&mut self.chance, &["up", "enter", "rune", "f13", "unknown", ""]);
                members.push(("key".to_owned(), format!("\"{key}\"")));
                members.push(("text".to_owned(), format!("\"{}\"", text(&mut self.chance))));
                members
            }
            1 => {
                let mut members = members("panel_resize", "panel_id", &panel);
                for side in ["width", "height"] {
                    members.push((side.to_owned(), self.chance.u32(0..70_000).to_string()));
                }
                members
            }
            _ => members("panel_close", "panel_id", &panel),
        };
        What::Quiet { members }
    }

    fn unknown_frame(&mut self) -> What {
        let kind = format!("a_later_{}", one(&mut self.chance, &["frame", "thing", "é"]));
        let mut members = members(&kind, "id", "x");
        for number in 0..self.chance.u32(0..4) {
            members.push((format!("m{number}"), any(&mut self.chance)));
        }
        What::Quiet { members }
    }

    /// Answers to questions that were never asked, and frames that say nothing new.
    fn reply(&mut self) -> What {
        const KINDS: [&str; 8] = [
            "tool_result",
            "response",
            "response_part",
            "cancel",
            "hello_ack",
            "registered",
            "hello",
            "tool_update",
        ];
        let kind = one(&mut self.chance, &KINDS);
        // A kit asks the host for something now and then, by the ids from 1 on.
        let never = if self.known.kit { NEVER_ASKED } else { 1 };
        let id = self.chance.u32(never..never + 8).to_string();
        let mut members = members(kind, "id", &id);
        match kind {
            "tool_result" => members = result(&id),
            "response" => members.push(("result".to_owned(), any(&mut self.chance))),
            "response_part" => members.push(("seq".to_owned(), "1".to_owned())),
            "hello_ack" => {
                members.push(("protocol_version".to_owned(), "1".to_owned()));
                members.push(("capabilities".to_owned(), "[]".to_owned()));
            }
            _ => {}
        }
        What::Quiet { members }
    }

    fn unusable(&mut self) -> What {
        let asking = if self.known.sdk { ASKING.len() - 1 } else { 2 };
        let (kind, member) = ASKING[index(&mut self.chance, asking)];
        let value = one(&mut self.chance, &["7", "null", "[]", "{}", "true", "[[\"a\"]]"]);
        What::Unusable { kind, id: self.fresh(), member, value: value.to_owned() }
    }

    fn dress(&mut self) -> Dress {
        if self.chance.u8(0..3) > 0 {
            return Dress::default();
        }
        let sdk = self.known.sdk;
        let mut is = |often: u8| self.chance.u8(0..often) == 0;
        let dress = Dress {
            cr: is(5),
            spaces: is(5),
            turned: is(5),
            extra: is(5),
            // These bind SDKs: others may take them for what they like.
            twice: is(8) && sdk,
            surrogate: is(8) && sdk,
            no_utf8: is(8) && sdk,
            cut: Cut::Whole,
        };
        let cut = match self.chance.u8(0..5) {
            0 | 1 => Cut::Glued,
            2 => Cut::Pieces(1 + index(&mut self.chance, 60)),
            3 => Cut::Two(index(&mut self.chance, 1000)),
            _ => Cut::Whole,
        };
        Dress { cut, ..dress }
    }
}

/// The host's answer to a call of one of its tools.
pub(super) fn result(id: &str) -> Vec<(String, String)> {
    let mut members = members("tool_result", "id", id);
    members.push(("name".to_owned(), "\"read\"".to_owned()));
    members.push(("content".to_owned(), "[]".to_owned()));
    members
}

/// The first members of a frame.
fn members(kind: &str, name: &str, value: &str) -> Vec<(String, String)> {
    let pair = |name: &str, value: &str| (name.to_owned(), format!("\"{value}\""));
    vec![pair("type", kind), pair(name, value)]
}
