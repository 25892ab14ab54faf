//! The panel of a kit: what is pressed, and what it must draw then.
//!
//! A host presses keys where it shows a panel, so what is pressed waits for the answer that opens
//! it. From then on each key that changes something is drawn once, in order, whole.

use fastrand::Rng;
use serde_json::{Value, json};

use super::payload::{index, one};
use super::toml::quoted;

/// The panel of every kit.
const PANEL: &str = "keys";

/// What happens to a panel.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Panel {
    /// The command that opens it, with a title.
    Open { id: String, title: String },
    /// A key, and the text of a rune as it stands between the quotes.
    Key { key: &'static str, text: String },
    /// Another size.
    Resize { width: u32, height: u32 },
    /// The user closes it.
    Close,
}

/// What a rune may be. There is no NUL, with which a text ends in C.
const RUNES: [&str; 12] =
    ["a", "Z", "7", " ", "!", "é", "日本", "😀", r"\n", r#"\""#, r"\u00e9", r"\ud83d\ude00"];
/// Keys of which the kit's panel draws nothing.
const OTHERS: [&str; 6] = ["up", "esc", "backspace", "f13", "unknown", ""];

impl Panel {
    /// Something that happens to one that is open.
    pub(super) fn drawn(chance: &mut Rng) -> Self {
        let rune = |text: &str| Self::Key { key: "rune", text: text.to_owned() };
        match chance.u8(0..16) {
            0..8 => rune(one(chance, &RUNES)),
            8 | 9 => Self::Key { key: "enter", text: String::new() },
            10 => Self::Key { key: "tab", text: String::new() },
            11 => Self::Close,
            12 | 13 => Self::Key {
                key: OTHERS[index(chance, OTHERS.len())],
                text: one(chance, &RUNES).to_owned(),
            },
            _ => Self::Resize { width: chance.u32(1..500), height: chance.u32(1..200) },
        }
    }

    pub(super) fn kind(&self) -> String {
        match self {
            Self::Open { .. } => "panel opened".to_owned(),
            Self::Key { key, .. } => format!("panel key {key}"),
            Self::Resize { .. } => "panel resized".to_owned(),
            Self::Close => "panel closed".to_owned(),
        }
    }

    pub(super) fn simpler(&self) -> Vec<Self> {
        match self {
            Self::Open { id, title } if title != "T" => {
                vec![Self::Open { id: id.clone(), title: "T".to_owned() }]
            }
            Self::Key { key, text } if *key == "rune" && text != "a" => {
                vec![Self::Key { key, text: "a".to_owned() }]
            }
            Self::Resize { width, height } if (*width, *height) != (1, 1) => {
                vec![Self::Resize { width: 1, height: 1 }]
            }
            _ => Vec::new(),
        }
    }

    /// The members of its frame, with their values as JSON.
    pub(super) fn members(&self) -> Vec<(String, String)> {
        let pairs = match self {
            Self::Open { id, title } => vec![
                ("type", "\"command_invoked\"".to_owned()),
                ("id", format!("\"{id}\"")),
                ("name", "\"panel\"".to_owned()),
                ("args", format!("\"{title}\"")),
            ],
            Self::Key { key, text } => vec![
                ("type", "\"panel_key\"".to_owned()),
                ("panel_id", format!("\"{PANEL}\"")),
                ("key", format!("\"{key}\"")),
                ("text", format!("\"{text}\"")),
            ],
            Self::Resize { width, height } => vec![
                ("type", "\"panel_resize\"".to_owned()),
                ("panel_id", format!("\"{PANEL}\"")),
                ("width", width.to_string()),
                ("height", height.to_string()),
            ],
            Self::Close => {
                vec![("type", "\"panel_close\"".to_owned()), ("panel_id", format!("\"{PANEL}\""))]
            }
        };
        pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// What a kit's panel shows, and what it has not shown yet.
#[derive(Debug, Default)]
pub(super) struct Screen {
    shown: Option<Shown>,
    /// Steps that wait for what is drawn, in order.
    due: Vec<String>,
    /// The user closed it, which the kit has not told of yet.
    closing: bool,
    /// Its notes of being closed are all alike: a second one could not be told from the first.
    was_closed: bool,
}

#[derive(Debug)]
struct Shown {
    title: String,
    typed: String,
}

impl Screen {
    /// Whether the host could do that now.
    pub(super) fn has(&self, what: &Panel) -> bool {
        match what {
            Panel::Open { .. } => self.shown.is_none() && !(self.closing && self.was_closed),
            // Keys cross with a close.
            Panel::Key { .. } => true,
            Panel::Resize { .. } => self.shown.is_some(),
            Panel::Close => self.shown.is_some() && !self.was_closed,
        }
    }

    /// What must come before it is done: what the handlers of a panel that was closed still do would
    /// change the next one.
    pub(super) fn before(&mut self, what: &Panel) -> Vec<String> {
        if matches!(what, Panel::Open { .. }) { self.synced() } else { Vec::new() }
    }

    /// It is done. What is returned must come at once.
    pub(super) fn done(&mut self, what: &Panel) -> Option<String> {
        match what {
            Panel::Open { id, title } => {
                let title: String = decoded(title);
                let opened = json!({"id": PANEL, "title": title, "lines": [""], "footer": "type"});
                self.shown = Some(Shown { title, typed: String::new() });
                let id = json!(decoded(id));
                let opened = in_order(&opened, &["id", "title", "lines", "footer"]);
                let answer = format!(
                    r#"{{"type":"command_response","id":{id},"action":"open_panel","open_panel":{opened}}}"#
                );
                return Some(frame(&answer));
            }
            Panel::Close => {
                // What it draws of the keys before may cross with it.
                self.due.clear();
                self.shown = None;
                (self.closing, self.was_closed) = (true, true);
            }
            Panel::Key { key: "tab", .. } if self.shown.take().is_some() => {
                let close = json!({"type": "panel_close", "panel_id": PANEL});
                self.due.push(frame(&in_order(&close, &["type", "panel_id"])));
            }
            Panel::Key { key, text } => self.press(key, &decoded(text)),
            Panel::Resize { width, height } => {
                if let Some(shown) = &mut self.shown {
                    shown.title = format!("{width}x{height}");
                    self.draw();
                }
            }
        }
        None
    }

    fn press(&mut self, key: &str, text: &str) {
        let Some(shown) = &mut self.shown else { return };
        match (key, text) {
            // Its handler fails.
            ("rune", "!") => return,
            ("rune", text) => shown.typed += text,
            ("enter", _) => shown.typed.push('/'),
            _ => return,
        }
        self.draw();
    }

    fn draw(&mut self) {
        let Some(Shown { title, typed }) = &self.shown else { return };
        let drawn = json!({
            "type": "panel_render", "panel_id": PANEL, "title": title, "lines": [typed],
            "footer": "type",
        });
        let members = ["type", "panel_id", "title", "lines", "footer"];
        self.due.push(frame(&in_order(&drawn, &members)));
    }

    /// The steps that wait for all that must have been drawn by now.
    pub(super) fn synced(&mut self) -> Vec<String> {
        let mut steps = std::mem::take(&mut self.due);
        if std::mem::take(&mut self.closing) {
            steps.push(note_of_closing());
            steps.push(format!(
                "{{ refuse = {} }}",
                quoted(r#"{"type":"panel_render","lines":["too late"]}"#)
            ));
        }
        steps
    }
}

fn note_of_closing() -> String {
    format!("{{ expect = {} }}", quoted(r#"{"type":"notify","message":"closed"}"#))
}

fn frame(text: &str) -> String {
    format!("{{ frame = {} }}", quoted(text))
}

/// A frame as an SDK writes it: the members in this order.
fn in_order(value: &Value, members: &[&str]) -> String {
    let members: Vec<_> =
        members.iter().map(|name| format!("\"{name}\":{}", value[*name])).collect();
    format!("{{{}}}", members.join(","))
}

/// A text, from how it stands between the quotes.
fn decoded(text: &str) -> String {
    serde_json::from_str(&format!("\"{text}\"")).unwrap_or_default()
}
