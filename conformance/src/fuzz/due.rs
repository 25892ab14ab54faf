//! Which answer is due to what a host does, and when.

use super::known::Known;
use super::moves::{Dress, Tool, What};

/// An answer that must come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Due {
    /// The type of the frame.
    pub(super) kind: &'static str,
    /// Its id, as it stands between the quotes.
    pub(super) id: String,
    /// What else stands in it, as more members of a JSON object: `,"is_error":true`.
    pub(super) with: String,
    pub(super) when: When,
}

/// What an answer waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// Nothing.
    Now,
    /// A call of `release` with these arguments.
    Released(String),
    /// Its cancel.
    Cancelled,
    /// The host's answer to what it asked for, or its cancel.
    Answered,
}

/// What a session has come to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sofar<'a> {
    /// What the kit's tool `order` has to tell.
    pub(super) labels: &'a [String],
    /// The host said that it serves `call_tool`.
    pub(super) serves_calls: bool,
}

/// What nests deeper is answered by SDKs alone (`frm.depth-args`): `args` are a level themselves.
const DEEP: u64 = 63;
/// Longer numbers make a frame unusable in some languages, which only SDKs must answer.
const DIGITS: u64 = 300;

/// The answer to a move, if one is due to everybody who breaks no rule.
pub(super) fn due(what: &What, dress: &Dress, known: &Known, sofar: Sofar<'_>) -> Option<Due> {
    let kind = kind_of(what)?;
    let (id, with, when) = match what {
        What::Call { id, tool } => {
            let by_all = match tool {
                Tool::Deep { depth } => *depth <= DEEP,
                Tool::Digits { digits } => *digits <= DIGITS,
                _ => true,
            };
            let named = matches!(tool, Tool::Named { .. });
            if !named && !known.tools || !by_all && !known.sdk {
                return None;
            }
            (id, answer(tool, known, sofar.labels), when(tool, known))
        }
        What::Command { id, name, args } => {
            if name.is_none() && !known.answers_commands {
                return None;
            }
            let shown = args.as_deref().unwrap_or_default();
            let with = match name.as_deref() {
                Some("echo") => format!(r#","action":"display","display":"{shown}""#),
                _ => String::new(),
            };
            (id, with, When::Now)
        }
        What::Intercept { id, point, phase, args } => {
            if !known.sdk && !known.points.contains(point) {
                return None;
            }
            let asks = |wanted: &str| phase.is_none_or(|phase| phase == wanted);
            let says_no = match args.as_str() {
                r#"{"do":"block"}"# | r#"{"do":"throw"}"# => asks("intercept"),
                r#"{"do":"veto"}"# => asks("guard"),
                // The guard sees what the interceptors made of it, where one call asks both.
                r#"{"do":"rewrite","veto":true}"# => phase.is_none(),
                _ => false,
            };
            let blocks = known.kit && point == "tool_call" && says_no;
            let with = if blocks { r#","block":true"# } else { "" };
            (id, with.to_owned(), When::Now)
        }
        What::Ask { id, .. } if sofar.serves_calls => (id, String::new(), When::Answered),
        What::Ask { id, .. } => {
            let with = r#","is_error":true,"error":{"kind":"unsupported"}"#;
            (id, with.to_owned(), When::Now)
        }
        What::Unusable { id, kind, .. } if known.sdk => {
            let with = match *kind {
                "tool_call" => r#","is_error":true"#,
                "command_invoked" => r#","action":"noop""#,
                _ => "",
            };
            (id, with.to_owned(), When::Now)
        }
        What::Request { id, .. } if known.sdk => {
            (id, r#","error":{"code":"unsupported"}"#.to_owned(), When::Now)
        }
        _ => return None,
    };
    // A later member may make it unusable, and so may one that is there twice: for these it is
    // enough that an answer comes.
    let with = if dress.is_odd() { String::new() } else { with };
    Some(Due { kind, id: id.clone(), with, when })
}

fn kind_of(what: &What) -> Option<&'static str> {
    let asking = match what {
        What::Call { .. } | What::Ask { .. } => "tool_call",
        What::Command { .. } => "command_invoked",
        What::Intercept { .. } => "event_intercept",
        What::Request { .. } => "request",
        What::Unusable { kind, .. } => kind,
        _ => return None,
    };
    Some(match asking {
        "tool_call" => "tool_result",
        "command_invoked" => "command_response",
        "event_intercept" => "event_intercept_response",
        _ => "response",
    })
}

fn when(tool: &Tool, known: &Known) -> When {
    match tool {
        Tool::Named { name, args } if known.kit && name == "hold" => When::Released(args.clone()),
        Tool::Named { name, .. } if known.kit && name == "await_cancel" => When::Cancelled,
        _ => When::Now,
    }
}

/// What the answer holds, as far as it is known.
fn answer(tool: &Tool, known: &Known, labels: &[String]) -> String {
    const ERROR: &str = r#","is_error":true"#;
    let said = |text: &str| format!(r#","content":[{{"type":"text","text":"{text}"}}]"#);
    let Tool::Named { name, args } = tool else {
        return if known.tools { ERROR.to_owned() } else { String::new() };
    };
    if !known.kit {
        return String::new();
    }
    match name.as_str() {
        "echo" | "native" => format!(r#","structured_content":{args}"#),
        "text" => {
            let text = args.strip_prefix(r#"{"text":""#).and_then(|text| text.strip_suffix("\"}"));
            text.map(said).unwrap_or_default()
        }
        "typed" if args.contains("\"x\"") => said("x"),
        "typed" => format!(r#"{ERROR},"error":{{"kind":"validation","field":"/city"}}"#),
        "sleep" => said("slept"),
        "updates" | "notify_then" => said("done"),
        "stderr" => said("written"),
        "release" => said("released"),
        "nothing" => r#","content":[]"#.to_owned(),
        "fail" => ERROR.to_owned(),
        "order" => {
            let labels: Vec<_> = labels.iter().map(|label| format!("\"{label}\"")).collect();
            format!(r#","structured_content":[{}]"#, labels.join(","))
        }
        _ => String::new(),
    }
}
