//! What a kit asks of the host: calls of `ask`, the `call_tool` that comes of each, and what the
//! host answers.

use std::collections::BTreeMap;

use fastrand::Rng;

use super::payload::text;

/// What the host answers to a `call_tool`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Said {
    /// A text, as it stands between the quotes.
    Text(String),
    /// That it failed.
    Failed,
    /// What is no answer: a frame that cannot be used.
    Unusable,
}

impl Said {
    pub(super) fn drawn(chance: &mut Rng) -> Self {
        match chance.u8(0..6) {
            0 => Self::Failed,
            1 => Self::Unusable,
            _ => Self::Text(text(chance)),
        }
    }

    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "answer to ask",
            Self::Failed => "failure of ask",
            Self::Unusable => "unusable answer to ask",
        }
    }

    pub(super) fn simpler(&self) -> Option<Self> {
        match self {
            Self::Text(text) if text.len() > 1 => Some(Self::Text("a".to_owned())),
            _ => None,
        }
    }

    /// The members of the frame behind its type and id.
    pub(super) fn members(&self) -> Vec<(String, String)> {
        let content = |text: &str| format!(r#"[{{"type":"text","text":"{text}"}}]"#);
        let pairs = match self {
            Self::Text(text) => vec![("content", content(text))],
            Self::Failed => {
                vec![("content", content("it is not there")), ("is_error", "true".to_owned())]
            }
            Self::Unusable => vec![("content", "7".to_owned())],
        };
        pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// What the answer to the call of `ask` has then, where it is known; `odd` says that the frame
    /// was written in a way that may make it unusable.
    pub(super) fn comes_of_it(&self, sdk: bool, odd: bool) -> String {
        match self {
            Self::Text(text) if !odd => {
                format!(r#","content":[{{"type":"text","text":"{text}"}}]"#)
            }
            // A frame that may be unusable fails it too.
            Self::Failed => r#","is_error":true"#.to_owned(),
            Self::Unusable if sdk => r#","is_error":true"#.to_owned(),
            _ => String::new(),
        }
    }
}

/// The calls of `ask` in a session, by their ids.
#[derive(Debug, Default)]
pub(super) struct Asks {
    /// The id of the `call_tool` of each, and how far it is.
    calls: BTreeMap<String, (String, State)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    Answered,
    /// Cancelled, and it may not have said so yet.
    Cancelled,
    Over,
}

impl Asks {
    /// A call of `ask`: the frame that must come of it, which has everything but its end.
    pub(super) fn asked(&mut self, id: &str) -> String {
        // `id.outgoing`: each has the next number.
        let number = (self.calls.len() + 1).to_string();
        self.calls.insert(id.to_owned(), (number.clone(), State::Open));
        number
    }

    /// The id of the `call_tool` that a call of `ask` made.
    pub(super) fn call_tool_of(&self, id: &str) -> Option<&str> {
        self.calls.get(id).map(|(number, _)| number.as_str())
    }

    /// Whether that call has its answer, or does not wait for one any more.
    pub(super) fn is_over(&self, id: &str) -> bool {
        self.calls.get(id).is_some_and(|(_, state)| *state != State::Open)
    }

    /// Whether it was cancelled since all was waited for.
    pub(super) fn is_crossing(&self, id: &str) -> bool {
        self.calls.get(id).is_some_and(|(_, state)| *state == State::Cancelled)
    }

    /// The host answers it; `false` when that is too late and changes nothing.
    pub(super) fn answered(&mut self, id: &str) -> bool {
        self.change(id, State::Answered)
    }

    /// The call of `ask` is cancelled; `false` when that changes nothing.
    pub(super) fn cancelled(&mut self, id: &str) -> bool {
        self.change(id, State::Cancelled)
    }

    /// All that is due was waited for.
    pub(super) fn synced(&mut self) {
        for (_, state) in self.calls.values_mut().filter(|(_, state)| *state != State::Open) {
            *state = State::Over;
        }
    }

    fn change(&mut self, id: &str, to: State) -> bool {
        let open = self.calls.get_mut(id).filter(|(_, state)| *state == State::Open);
        open.map(|(_, state)| *state = to).is_some()
    }
}
