//! The line that a move writes.

use super::moves::{Move, Tool, What};

/// A name that nobody registers; the checks know it by how it begins.
const UNKNOWN: &str = "extline_nobody_registered_one";

/// A line without its LF.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Its bytes, perhaps with a placeholder of cases.
    pub(super) bytes: Vec<u8>,
    /// How large what stands for the placeholder is, as an option of a step: `depth = 7`.
    pub(super) size: Option<String>,
}

type Members = Vec<(String, String)>;

impl Line {
    /// The line of a move; `labels` is how many events the kit's tool `order` has to tell of,
    /// `asked` the id of the `call_tool` that it answers.
    pub(super) fn of(one: &Move, labels: usize, asked: &str) -> Self {
        let (members, size) = match &one.what {
            What::Junk(bytes) => return Self::junk(bytes, one),
            What::Message(message) => {
                let size = message.bytes.map(|bytes| format!("bytes = {bytes}"));
                return Self { size, ..Self::junk(message.line.as_bytes(), one) };
            }
            what => members(what, labels, asked),
        };
        Self { bytes: dressed(members, one, size.is_some()), size }
    }

    fn junk(bytes: &[u8], one: &Move) -> Self {
        let mut bytes = bytes.to_vec();
        bytes.extend(one.dress.cr.then_some(b'\r'));
        Self { bytes, size: None }
    }
}

fn members(what: &What, labels: usize, asked: &str) -> (Members, Option<String>) {
    let text = |name: &str, value: &str| (name.to_owned(), format!("\"{value}\""));
    let json = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let frame = |kind: &str, id: &str| vec![text("type", kind), text("id", id)];
    let mut size = None;
    let members = match what {
        What::Call { id, tool } => {
            let mut members = frame("tool_call", id);
            let name = if let Tool::Named { name, .. } = tool { name } else { UNKNOWN };
            members.push(text("name", name));
            let args = match tool {
                Tool::Named { name, .. } if name == "order" => format!("{{\"count\":{labels}}}"),
                Tool::Unknown { args } | Tool::Named { args, .. } => args.clone(),
                Tool::Long { bytes } => {
                    size = Some(format!("bytes = {bytes}"));
                    "{\"x\":\"$pad\"}".to_owned()
                }
                Tool::Deep { depth } => {
                    size = Some(format!("depth = {depth}"));
                    "{\"x\":$nested}".to_owned()
                }
                Tool::Digits { digits } => {
                    size = Some(format!("digits = {digits}"));
                    "{\"x\":$digits}".to_owned()
                }
            };
            members.push(("args".to_owned(), args));
            members
        }
        What::Command { id, name, args } => {
            let mut members = frame("command_invoked", id);
            members.push(text("name", name.as_deref().unwrap_or(UNKNOWN)));
            members.extend(args.as_ref().map(|args| text("args", args)));
            members
        }
        What::Intercept { id, point, phase, args } => {
            let mut members = frame("event_intercept", id);
            members.push(text("event", point));
            members.extend(phase.map(|phase| text("phase", phase)));
            members.push(text("tool_id", "call_1"));
            members.push(text("tool_name", "bash"));
            members.push(json("tool_args", args));
            members
        }
        What::Request { id, params } => {
            let mut members = frame("request", id);
            members.push(text("method", "nobody.serves"));
            members.extend(params.as_ref().map(|params| json("params", params)));
            members
        }
        What::Cancel { id } => frame("tool_cancel", id),
        What::Quiet { members } => members.clone(),
        What::Happens { event, text: said } => {
            let mut members = vec![text("type", "event"), text("event", event)];
            let said = said.as_ref().filter(|_| *event == "assistant_message");
            members.extend(said.map(|said| text("text", said)));
            members
        }
        What::Ask { id, tool, args } => {
            let mut members = frame("tool_call", id);
            members.push(text("name", "ask"));
            members.push(("args".to_owned(), format!(r#"{{"name":"{tool}","args":{args}}}"#)));
            members
        }
        What::Reply { said, .. } => {
            let mut members = frame("tool_result", asked);
            members.push(text("name", "read"));
            members.extend(said.members());
            members
        }
        What::Panel(panel) => panel.members(),
        What::Unusable { kind, id, member, value } => {
            let mut members = frame(kind, id);
            members.push(json(member, value));
            members
        }
        What::BadId { kind, id } => {
            vec![text("type", kind), json("id", id), text("name", UNKNOWN)]
        }
        What::Message(_) | What::Junk(_) | What::Burst(_) | What::Pause(_) | What::Sync => {
            Vec::new()
        }
    };
    (members, size)
}

fn dressed(mut members: Members, one: &Move, sized: bool) -> Vec<u8> {
    let dress = &one.dress;
    let add = |members: &mut Members, name: &str, value: &str| {
        members.push((name.to_owned(), value.to_owned()));
    };
    if dress.extra {
        add(&mut members, "a_later_member", r#"{"a":[1,null,{"type":"shutdown"}]}"#);
    }
    if dress.surrogate {
        add(&mut members, "half", r#""\ud83d x""#);
    }
    if dress.no_utf8 {
        // Replaced below: no text of Rust can hold it.
        add(&mut members, "bytes", "\"\u{1}\"");
    }
    if dress.turned {
        members.reverse();
    }
    if dress.twice {
        // The last one counts.
        let first = members.iter().position(|(name, _)| name == "id");
        if let Some((name, _)) = first.map(|at| members[at].clone()) {
            members.insert(0, (name, "\"another\"".to_owned()));
        }
    }
    // What is sized counts its bytes: spaces would be no different there.
    let spaces = dress.spaces && !sized;
    let [open, colon, comma, close] =
        if spaces { [" \t{ ", " : ", " ,\t", " } "] } else { ["{", ":", ",", "}"] };
    let members: Vec<_> =
        members.iter().map(|(name, value)| format!("\"{name}\"{colon}{value}")).collect();
    let mut line = format!("{open}{}{close}", members.join(comma)).into_bytes();
    if dress.no_utf8 {
        line = line
            .iter()
            .flat_map(|byte| match byte {
                1 => vec![0xff, 0xc3, 0x28],
                byte => vec![*byte],
            })
            .collect();
    }
    line.extend(dress.cr.then_some(b'\r'));
    line
}
