//! What events of agents carry beside the members that every SDK reads by itself: kept as text, read where it is
//! wanted. A library that only passes them on has nothing of their types.

use serde_json::{Map, Value};

use super::event::{EventMessage, EventPayload, Todo};
use super::object::{Object, described, write_member};
use crate::json::{Field, FieldError, Members, RawJson};

/// Those members, in the order in which they are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventDetails(Vec<(usize, RawJson)>);

macro_rules! details {
    ($( $(#[doc = $doc:literal])* $name:ident / $with:ident: $ty:ty, )*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];

        impl EventPayload {
            $(
                $(#[doc = $doc])*
                /// `None` where the host does not say it, or says it as something else.
                pub fn $name(&self) -> Option<$ty> {
                    self.details.read(stringify!($name))
                }

                /// The payload with it.
                #[must_use]
                pub fn $with(mut self, value: &$ty) -> Self {
                    self.details.set(stringify!($name), value);
                    self
                }
            )*
        }

        fn describe_all(properties: &mut Map<String, Value>) {
            $(
                let schema = described(<$ty as Field>::schema(), &[$($doc),*]);
                properties.insert(stringify!($name).to_owned(), schema);
            )*
        }
    };
}

details! {
    /// The message.
    message / with_message: EventMessage,
    /// The messages that came of the prompt, the newest last.
    messages / with_messages: Vec<EventMessage>,
    /// What the tools of the turn answered, as messages of the role `tool`.
    tool_results / with_tool_results: Vec<EventMessage>,
    /// What led to it.
    trigger / with_trigger: String,
    /// What is done.
    action / with_action: String,
    /// Which try it is, from 1.
    attempt / with_attempt: u64,
    /// How many tries there are at most; absent where there is no limit.
    max_attempts / with_max_attempts: u64,
    /// How long it waits before, in milliseconds.
    delay_ms / with_delay_ms: u64,
    /// It is tried again.
    will_retry / with_will_retry: bool,
    /// Names of rules.
    rules / with_rules: Vec<String>,
    /// What is not done yet.
    todos / with_todos: Vec<Todo>,
}

impl EventDetails {
    fn read<T: Field>(&self, name: &str) -> Option<T> {
        let (_, value) = self.0.iter().find(|(place, _)| NAMES[*place] == name)?;
        T::read(value.get()).ok()
    }

    fn set<T: Field>(&mut self, name: &str, value: &T) {
        let Some(place) = NAMES.iter().position(|known| *known == name) else { return };
        let mut text = Vec::new();
        value.write(&mut text);
        self.put(place, RawJson::of_repaired(&String::from_utf8_lossy(&text)));
    }

    /// The last one of a name counts (`frm.duplicate-keys`).
    fn put(&mut self, place: usize, value: RawJson) {
        match self.0.binary_search_by_key(&place, |(place, _)| *place) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (place, value)),
        }
    }
}

impl Object for EventDetails {
    fn read_members(members: &Members<'_>) -> Result<Self, FieldError> {
        let mut details = Self::default();
        for member in members.iter() {
            let key = member.key();
            if let Some(place) = NAMES.iter().position(|name| *name == key)
                && member.value != "null"
            {
                details.put(place, RawJson::of_repaired(member.value));
            }
        }
        Ok(details)
    }

    fn write_members(&self, out: &mut Vec<u8>) {
        for (place, value) in &self.0 {
            write_member(NAMES[*place], value, out);
        }
    }

    fn members_depth(&self) -> usize {
        self.0.iter().map(|(_, value)| value.depth()).max().unwrap_or_default()
    }

    fn describe(properties: &mut Map<String, Value>, _: &mut Vec<&'static str>) {
        describe_all(properties);
    }
}
