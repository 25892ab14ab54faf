//! How much a host keeps of what one extension says (`host.memory`).

use std::collections::BTreeMap;

use extline_protocol::frame::{
    Content, EventFilter, Hello, Preference, RegisterCommand, RegisterTool, Subscribe, ToolUpdate,
};

/// What a host keeps for one extension at most, in bytes: its hello, its tools with their compiled schemas, its
/// commands and subscriptions, its panels, what it asked for, and what it answered and nobody has
/// taken. One that makes it keep more is ended.
///
/// What is on its way is bounded beside: a frame, and what waits to be written to the extension.
pub const EXTENSION_MEMORY: usize = 128 * 1024 * 1024;

/// What a string or a value takes beside its bytes.
pub(crate) const EACH: usize = 64;

/// A text of an extension's as it is kept where people read it: a reason, a name, a note of its
/// author's mistake.
pub(crate) fn shorten(text: &mut String, most: usize) {
    if text.len() <= most {
        return;
    }
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.truncate(end);
    text.push_str("...");
    text.shrink_to_fit();
}

/// Roughly what it takes to keep something.
pub(crate) trait Memory {
    fn memory(&self) -> usize;
}

impl Memory for str {
    fn memory(&self) -> usize {
        EACH + self.len()
    }
}

impl Memory for String {
    fn memory(&self) -> usize {
        self.as_str().memory()
    }
}

impl<T: Memory> Memory for Option<T> {
    fn memory(&self) -> usize {
        self.as_ref().map_or(0, Memory::memory)
    }
}

impl<T: Memory> Memory for Vec<T> {
    fn memory(&self) -> usize {
        self.iter().map(Memory::memory).sum()
    }
}

impl Memory for extline_protocol::RawJson {
    fn memory(&self) -> usize {
        EACH + self.get().len()
    }
}

impl Memory for Preference {
    fn memory(&self) -> usize {
        self.parameters.memory() + self.reason.memory()
    }
}

impl Memory for Hello {
    fn memory(&self) -> usize {
        let sdk = self
            .sdk
            .iter()
            .map(|sdk| sdk.name.memory() + sdk.version.memory() + sdk.language.memory());
        let lists = [&self.capabilities, &self.methods, &self.guards];
        let lists: usize = lists.into_iter().map(Memory::memory).sum();
        self.name.memory() + self.version.memory() + lists + sdk.sum::<usize>()
    }
}

impl Memory for RegisterTool {
    fn memory(&self) -> usize {
        let texts = [
            &self.description,
            &self.namespace,
            &self.namespace_description,
            &self.namespace_instructions,
            &self.label,
        ];
        let texts: usize = texts.into_iter().map(Memory::memory).sum();
        let replay = self.replay.as_ref().map_or(0, |replay| replay.as_str().len());
        4 * EACH
            + replay
            + 2 * self.name.memory()
            + texts
            + self.schema.memory()
            + self.output_schema.memory()
            + self.call_view.memory()
            + self.preference.memory()
    }
}

impl Memory for RegisterCommand {
    fn memory(&self) -> usize {
        EACH + 2 * self.name.memory() + self.description.memory() + self.usage.memory()
    }
}

impl Memory for Subscribe {
    fn memory(&self) -> usize {
        let modes = self.on_failure.iter().flatten().map(|(point, _)| point.memory());
        let names = self.events.memory() + self.intercept.memory() + self.guards.memory();
        names + modes.sum::<usize>() + self.filters.memory()
    }
}

impl Memory for BTreeMap<String, EventFilter> {
    fn memory(&self) -> usize {
        self.iter().map(|(event, filter)| event.memory() + filter.tools.memory()).sum()
    }
}

impl Memory for Content {
    fn memory(&self) -> usize {
        EACH + match self {
            Self::Text(text) => text.len(),
            Self::Image { mime_type, data } => mime_type.len() + data.len(),
            Self::Other(json) | Self::TextJson(json) => json.get().len(),
        }
    }
}

impl Memory for ToolUpdate {
    fn memory(&self) -> usize {
        EACH + self.content.memory() + self.details.memory() + self.view.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_list_of_a_hello_counts() {
        let hello = |count: usize| Hello {
            capabilities: Some(vec![String::new(); count]),
            methods: Some(vec!["a".to_owned(); count]),
            guards: Some(vec![String::new(); count]),
            ..Hello::default()
        };
        assert_eq!(hello(10).memory() - hello(0).memory(), 10 * (3 * EACH + 1));
    }
}
