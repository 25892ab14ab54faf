//! What a host does in a session, one thing at a time. A session is a list of these: whatever is
//! taken out of it, the rest is a session too.

use super::asks::Said;
use super::panel::Panel;

/// A session: how it begins, what is done in it, how it ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Session {
    pub(super) start: Start,
    pub(super) moves: Vec<Move>,
    pub(super) end: End,
}

/// How a session begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Start {
    /// What `hello_ack` names beside the base; `None` for the tester's usual one.
    pub(super) capabilities: Option<Vec<&'static str>>,
    /// At most so many bytes of `hello_ack` a write.
    pub(super) chunk: Option<usize>,
}

/// How a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// `shutdown`.
    Shutdown,
    /// `shutdown`, in one write with the calls before it.
    ShutdownAtOnce,
    /// Its stdin ends.
    Eof,
    /// Its stdin ends behind a call without LF.
    EofInLine,
    /// SIGTERM.
    Term,
    /// Nobody reads its stdout any more when it answers.
    StdoutClosed,
}

/// One thing that a host does.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Move {
    pub(super) what: What,
    pub(super) dress: Dress,
}

/// What is done. Ids and texts are as they stand between the quotes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    /// Calls a tool.
    Call { id: String, tool: Tool },
    /// Invokes a command; an unknown one when it has no name.
    Command { id: String, name: Option<String>, args: Option<String> },
    /// Asks at a point.
    Intercept { id: String, point: String, phase: Option<&'static str>, args: String },
    /// Asks for a method that nobody serves.
    Request { id: String, params: Option<String> },
    /// Cancels a call, which may be open, over or unknown.
    Cancel { id: String },
    /// A frame that wants no answer: its members, with their values as JSON.
    Quiet { members: Vec<(String, String)> },
    /// An event of a kit, which the tool `order` tells of.
    Happens { event: &'static str, text: Option<String> },
    /// Has a kit call a tool of the host.
    Ask { id: String, tool: &'static str, args: String },
    /// Answers what came of that call of a kit.
    Reply { ask: String, said: Said },
    /// Something happens to a kit's panel.
    Panel(Panel),
    /// A frame that wants an answer and cannot be used.
    Unusable { kind: &'static str, id: String, member: &'static str, value: String },
    /// A call or question whose id is no id, as JSON.
    BadId { kind: &'static str, id: String },
    /// A client of MCP writes a line.
    Message(Message),
    /// A line that is no frame.
    Junk(Vec<u8>),
    /// So many bytes of questions that are written without reading.
    Burst(u64),
    /// Waits for so many milliseconds.
    Pause(u64),
    /// Waits for every answer that is due, and asks whether the extension lives.
    Sync,
}

/// A line of a client of MCP, with placeholders of cases.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Message {
    /// A word or two for it.
    pub(super) kind: &'static str,
    pub(super) line: String,
    /// The id of the answer that is due, as JSON.
    pub(super) due: Option<String>,
    /// The id of the request that it cancels, as JSON.
    pub(super) cancels: Option<String>,
    /// How long the line is, where that is said.
    pub(super) bytes: Option<u64>,
}

/// What is called, and with what.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tool {
    /// One that nobody registered.
    Unknown { args: String },
    /// The same, in a line of so many bytes.
    Long { bytes: u64 },
    /// The same, with arrays inside each other.
    Deep { depth: u64 },
    /// The same, with a number of so many digits.
    Digits { digits: u64 },
    /// One that may be called.
    Named { name: String, args: String },
}

/// How a line is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Dress {
    /// A CR before the LF.
    pub(super) cr: bool,
    /// White space between the tokens, and before the first.
    pub(super) spaces: bool,
    /// The members in another order.
    pub(super) turned: bool,
    /// A member that nobody knows.
    pub(super) extra: bool,
    /// A member that is there twice; the first time it is wrong.
    pub(super) twice: bool,
    /// A member with half of a surrogate pair.
    pub(super) surrogate: bool,
    /// A member whose text is no UTF-8.
    pub(super) no_utf8: bool,
    /// In which writes it goes out.
    pub(super) cut: Cut,
}

/// In which writes a line goes out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Cut {
    /// In one of its own.
    #[default]
    Whole,
    /// In one with the next.
    Glued,
    /// In pieces of so many bytes.
    Pieces(usize),
    /// In two, cut there by so many of 1,000 parts, with a pause between.
    Two(usize),
}

impl Move {
    pub(super) fn plain(what: What) -> Self {
        Self { what, dress: Dress::default() }
    }

    /// A word or two for what is special about it.
    pub(super) fn kind(&self) -> String {
        let Dress { cr, spaces, turned, extra, twice, surrogate, no_utf8, cut } = &self.dress;
        let cut = match cut {
            Cut::Whole => "",
            Cut::Glued => "in one write with the next",
            Cut::Pieces(_) => "in pieces",
            Cut::Two(_) => "cut in two",
        };
        let marks = [
            (*cr, "with a CR"),
            (*spaces, "with spaces"),
            (*turned, "in another order"),
            (*extra, "with a later member"),
            (*twice, "with a member twice"),
            (*surrogate, "with half a surrogate pair"),
            (*no_utf8, "with bytes that are no UTF-8"),
            (!cut.is_empty(), cut),
        ];
        let marks = marks.iter().filter(|(has, _)| *has).map(|(_, mark)| *mark);
        [self.what.kind().as_str()].into_iter().chain(marks).collect::<Vec<_>>().join(" ")
    }

    /// What can be more or less of it: bytes, levels, digits, milliseconds.
    pub(super) fn size(&mut self) -> Option<&mut u64> {
        match &mut self.what {
            What::Burst(size) | What::Pause(size) => Some(size),
            What::Message(message) => message.bytes.as_mut(),
            What::Call { tool, .. } => match tool {
                Tool::Long { bytes } => Some(bytes),
                Tool::Deep { depth } => Some(depth),
                Tool::Digits { digits } => Some(digits),
                Tool::Unknown { .. } | Tool::Named { .. } => None,
            },
            _ => None,
        }
    }

    /// Simpler ones that might do the same, the simplest first.
    pub(super) fn simpler(&self) -> Vec<Self> {
        let dressed = self.dress.simpler().into_iter();
        let dressed = dressed.map(|dress| Self { what: self.what.clone(), dress });
        let plainer = self.what.simpler().into_iter();
        dressed.chain(plainer.map(|what| Self { what, dress: self.dress.clone() })).collect()
    }
}

impl Dress {
    /// Whether a member is there that may make the frame unusable.
    pub(super) fn is_odd(&self) -> bool {
        self.surrogate || self.no_utf8 || self.twice
    }

    fn simpler(&self) -> Vec<Self> {
        let mut simpler = vec![Self::default()];
        let without = |change: fn(&mut Self)| {
            let mut one = self.clone();
            change(&mut one);
            one
        };
        simpler.push(without(|one| one.cr = false));
        simpler.push(without(|one| one.spaces = false));
        simpler.push(without(|one| one.turned = false));
        simpler.push(without(|one| one.extra = false));
        simpler.push(without(|one| one.twice = false));
        simpler.push(without(|one| one.surrogate = false));
        simpler.push(without(|one| one.no_utf8 = false));
        simpler.push(without(|one| one.cut = Cut::Whole));
        simpler.retain(|one| one != self);
        simpler.dedup();
        simpler
    }
}

impl What {
    fn kind(&self) -> String {
        match self {
            Self::Call { tool, .. } => match tool {
                Tool::Unknown { .. } => "call".to_owned(),
                Tool::Long { .. } => "long call".to_owned(),
                Tool::Deep { .. } => "deep call".to_owned(),
                Tool::Digits { .. } => "call with a long number".to_owned(),
                Tool::Named { name, .. } => format!("call of {name}"),
            },
            Self::Command { name, .. } => match name {
                Some(name) => format!("command {name}"),
                None => "command".to_owned(),
            },
            Self::Intercept { point, .. } => format!("intercept of {point}"),
            Self::Request { .. } => "request".to_owned(),
            Self::Cancel { .. } => "cancel".to_owned(),
            Self::Quiet { members } => {
                let named = members.iter().find(|(name, _)| name == "type");
                named.map_or("object", |(_, value)| value.trim_matches('"')).to_owned()
            }
            Self::Happens { event, .. } => (*event).to_owned(),
            Self::Ask { .. } => "call of ask".to_owned(),
            Self::Reply { said, .. } => said.kind().to_owned(),
            Self::Panel(panel) => panel.kind(),
            Self::Unusable { kind, .. } => format!("unusable {kind}"),
            Self::BadId { kind, .. } => format!("{kind} without an id"),
            Self::Message(message) => message.kind.to_owned(),
            Self::Junk(_) => "line that is no frame".to_owned(),
            Self::Burst(_) => "burst".to_owned(),
            Self::Pause(_) => "pause".to_owned(),
            Self::Sync => "canary".to_owned(),
        }
    }

    fn simpler(&self) -> Vec<Self> {
        match self {
            Self::Call { id, tool } => {
                let call = |tool| Self::Call { id: id.clone(), tool };
                let mut simpler: Vec<_> = tool.simpler().into_iter().map(call).collect();
                simpler.extend(plain_id(id).map(|id| Self::Call { id, tool: tool.clone() }));
                simpler
            }
            Self::Command { id, name, args } => {
                let command = |args| Self::Command { id: id.clone(), name: name.clone(), args };
                let shorter = args.iter().filter_map(|args| shorter_text(args)).map(Some);
                args.iter().map(|_| None).chain(shorter).map(command).collect()
            }
            Self::Intercept { id, point, phase, args } => {
                let asked = |phase, args| Self::Intercept {
                    id: id.clone(),
                    point: point.clone(),
                    phase,
                    args,
                };
                let mut simpler = Vec::new();
                simpler.extend((args != "{}").then(|| asked(*phase, "{}".to_owned())));
                simpler.extend(phase.map(|_| asked(None, args.clone())));
                simpler
            }
            Self::Request { id, params: Some(_) } => {
                vec![Self::Request { id: id.clone(), params: None }]
            }
            Self::Quiet { members } => {
                let without = |number: usize| {
                    let mut members = members.clone();
                    members.remove(number);
                    Self::Quiet { members }
                };
                (1..members.len()).map(without).collect()
            }
            Self::Happens { event, text: Some(_) } => vec![Self::Happens { event, text: None }],
            Self::Ask { id, tool, args } if args != "{}" => {
                vec![Self::Ask { id: id.clone(), tool, args: "{}".to_owned() }]
            }
            Self::Reply { ask, said } => {
                let simpler = said.simpler().map(|said| Self::Reply { ask: ask.clone(), said });
                simpler.into_iter().collect()
            }
            Self::Panel(panel) => panel.simpler().into_iter().map(Self::Panel).collect(),
            Self::Junk(bytes) => shorter(bytes).into_iter().map(Self::Junk).collect(),
            _ => Vec::new(),
        }
    }
}

impl Tool {
    fn simpler(&self) -> Vec<Self> {
        let plain = Self::Unknown { args: "{}".to_owned() };
        match self {
            Self::Unknown { args } if args == "{}" => Vec::new(),
            Self::Unknown { .. } | Self::Long { .. } | Self::Deep { .. } | Self::Digits { .. } => {
                vec![plain]
            }
            Self::Named { name, args } => {
                let named = |args: String| Self::Named { name: name.clone(), args };
                match (name.as_str(), args.as_str()) {
                    ("echo" | "native", args) if args != "{}" => vec![named("{}".to_owned())],
                    ("text", args) if args != r#"{"text":""}"# => {
                        vec![
                            named(r#"{"text":""}"#.to_owned()),
                            named(r#"{"text":"a"}"#.to_owned()),
                        ]
                    }
                    _ => Vec::new(),
                }
            }
        }
    }
}

fn shorter(bytes: &[u8]) -> Vec<Vec<u8>> {
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let mut shorter = vec![first.to_vec(), second.to_vec()];
    if bytes.len() <= 24 {
        shorter.extend((0..bytes.len()).map(|at| [&bytes[..at], &bytes[at + 1..]].concat()));
    }
    shorter.retain(|one| one.len() < bytes.len());
    shorter
}

/// No cut may fall into an escape, so it is all or nothing.
fn shorter_text(text: &str) -> Option<String> {
    (text.len() > 1).then(|| "a".to_owned())
}

/// The number at the end of an id alone, which is what makes it one of its own.
fn plain_id(id: &str) -> Option<String> {
    let number = id.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    (number != id && !number.is_empty()).then(|| format!("s{number}"))
}
