//! Draws what a host does with a kit: calls of its tools and commands, its panel, the answers to
//! what it asks for.

use super::asks::Said;
use super::draw::{Drawing, Held, NEVER_ASKED, result};
use super::moves::{Tool, What};
use super::panel::Panel;
use super::payload::{index, object, one, text};

/// What a kit asks the host to call.
const HOST_TOOLS: [&str; 3] = ["read", "bash", "x"];
/// How many calls that wait for something are open at once at most: an SDK may have few threads.
const HELD: usize = 4;

impl Drawing<'_> {
    /// Something that a kit can do.
    pub(super) fn kit(&mut self) -> What {
        const FAILS: [&str; 6] = ["conflict", "not_found", "internal", "throw", "panic", "full"];
        const PLAIN: [&str; 6] = ["nothing", "image", "full", "counter", "report", "declared"];
        if self.chance.u8(0..5) == 0 {
            return self.kit_command();
        }
        if self.chance.u8(0..4) == 0 {
            return self.kit_panel();
        }
        let short = self.chance.u32(0..20);
        let (name, args) = match self.chance.u8(0..20) {
            0 | 1 => ("echo", object(&mut self.chance, true)),
            2 => ("native", object(&mut self.chance, true)),
            3 | 4 => ("text", format!("{{\"text\":\"{}\"}}", text(&mut self.chance))),
            5 => ("bytes", format!("{{\"n\":{}}}", 1_u32 << self.chance.u32(0..19))),
            6 => ("sleep", format!("{{\"ms\":{short}}}")),
            7 => ("busy", format!("{{\"ms\":{short}}}")),
            8 => ("updates", format!("{{\"n\":{},\"ms\":{}}}", short % 4, short % 6)),
            9 => ("notify_then", format!("{{\"n\":{short}}}")),
            10 => ("stderr", format!("{{\"n\":{}}}", 1_u32 << self.chance.u32(0..18))),
            11 => ("fail", format!("{{\"how\":\"{}\"}}", one(&mut self.chance, &FAILS))),
            12 => ("order", String::new()),
            13 | 16.. => return self.waiting(),
            14 if self.known.sdk => (
                "typed",
                one(&mut self.chance, &["{\"city\":\"x\"}", "{}", "{\"city\":7}"]).to_owned(),
            ),
            _ => (one(&mut self.chance, &PLAIN), "{}".to_owned()),
        };
        What::Call { id: self.fresh(), tool: Tool::Named { name: name.to_owned(), args } }
    }

    /// A call that waits for something, or what it waits for.
    fn waiting(&mut self) -> What {
        let named = |name: &str, args| Tool::Named { name: name.to_owned(), args };
        let ends = !self.held.is_empty() && (self.held.len() >= HELD || self.chance.bool());
        if ends {
            let at = index(&mut self.chance, self.held.len());
            return match self.held.swap_remove(at) {
                Held::Id(id) => What::Cancel { id },
                Held::Ask(ask) => self.answer(ask),
                Held::Name(name) => What::Call {
                    id: self.fresh(),
                    tool: named("release", format!("{{\"name\":\"{name}\"}}")),
                },
            };
        }
        let id = self.fresh();
        if self.chance.bool() {
            self.held.push(Held::Ask(id.clone()));
            let tool = HOST_TOOLS[index(&mut self.chance, HOST_TOOLS.len())];
            return What::Ask { id, tool, args: object(&mut self.chance, true) };
        }
        if self.known.cancel && self.chance.bool() {
            self.held.push(Held::Id(id.clone()));
            return What::Call { id, tool: named("await_cancel", "{}".to_owned()) };
        }
        let name = format!("h{}", self.count);
        self.held.push(Held::Name(name.clone()));
        What::Call { id, tool: named("hold", format!("{{\"name\":\"{name}\"}}")) }
    }

    /// What comes of a call of `ask` that is open.
    fn answer(&mut self, ask: String) -> What {
        match self.chance.u8(0..8) {
            0 | 1 if self.known.cancel => What::Cancel { id: ask },
            2 => {
                // The answer to what was never asked, meanwhile.
                self.held.push(Held::Ask(ask));
                let id = self.chance.u32(NEVER_ASKED..NEVER_ASKED + 9).to_string();
                What::Quiet { members: result(&id) }
            }
            said => {
                // Once more, and late then.
                self.held.extend((said == 3).then(|| Held::Ask(ask.clone())));
                What::Reply { ask, said: Said::drawn(&mut self.chance) }
            }
        }
    }

    fn kit_panel(&mut self) -> What {
        let open = !self.panel || self.chance.u8(0..12) == 0;
        if !open {
            return What::Panel(Panel::drawn(&mut self.chance));
        }
        self.panel = true;
        let title = format!("{}{}", one(&mut self.chance, &["T", "é", r"\t"]), self.count);
        What::Panel(Panel::Open { id: self.fresh(), title })
    }

    fn kit_command(&mut self) -> What {
        const ACTIONS: [&str; 6] = ["prompt", "insert", "display", "noop", "tool_prompt", "else"];
        let (name, args) = match self.chance.u8(0..5) {
            0 => ("action", Some(one(&mut self.chance, &ACTIONS).to_owned())),
            1 => ("fail", None),
            2 => ("panic", None),
            _ => ("echo", self.chance.bool().then(|| text(&mut self.chance))),
        };
        What::Command { id: self.fresh(), name: Some(name.to_owned()), args }
    }
}
