//! The frames and fields a host knows.

use std::fmt;

use super::near::near;
use super::words::Words;
use super::{forks, zots};
use crate::frame::{EventPayload, ExtensionFrame};

/// The event that brings an extension its new configuration (`config.changed`).
pub(crate) const CONFIG_CHANGED: &str = "config_changed";
/// Events of the specification that no zot has.
const EVENTS: &[&[&str]] = &[&[
    CONFIG_CHANGED,
    "session_switch",
    "session_branch",
    "session_tree",
    "agent_start",
    "agent_end",
    "message_start",
    MESSAGE_UPDATE,
    "message_end",
    "auto_retry_start",
    "auto_retry_end",
    "rule_triggered",
    "todo_reminder",
    "model_changed",
    "cwd_changed",
]];
/// The event of which the newest one says it all (`event.newest`).
pub(crate) const MESSAGE_UPDATE: &str = "message_update";

/// The frames and fields a host knows: those of one zot, of a fork of it, or of the whole
/// specification, whose column *since* has the same words.
///
/// Each is a table that is used where it is named, so a program has only those that it plays.
#[derive(Clone, Copy)]
pub struct Vocabulary(&'static Words);

impl Vocabulary {
    /// What zot 0.1.62 has.
    pub const BASE: Self = Self(&zots::BASE);
    /// What zot 37c7945 has: the base, and what is marked upstream.
    pub const UPSTREAM: Self = Self(&zots::UPSTREAM);
    /// What zot 9d3e5db has: what is marked upstream, and what a call needs that may be repeated.
    pub const DURABLE: Self = Self(&zots::DURABLE);
    /// What zut 3900ec7 has.
    pub const ZUT: Self = Self(&forks::ZUT);
    /// What ncode 408d40c has.
    pub const NCODE: Self = Self(&forks::NCODE);
    /// What terva of protocol version 6 has.
    pub const TERVA: Self = Self(&forks::TERVA);
    /// Everything.
    pub const EXTLINE: Self = Self(&zots::EXTLINE);

    pub(crate) fn words(self) -> &'static Words {
        self.0
    }
}

/// What is known of.
impl Vocabulary {
    /// Whether it holds all that the specification has, fields and frames of extline among them.
    pub fn is_extline(self) -> bool {
        self.0.frames.is_none()
    }

    /// Whether an extension's frame of that type is known.
    pub fn has_frame(self, frame_type: &str) -> bool {
        has(self.0.frames, frame_type)
    }

    /// That frame of an extension, where it stands in a list.
    pub(crate) fn frame_named(self, frame_type: &str) -> Option<&'static str> {
        let frames = self.0.frames.iter().flat_map(|lists| lists.iter());
        frames.flat_map(|list| list.iter()).find(|name| **name == frame_type).copied()
    }

    /// Whether that event is known.
    pub fn has_event(self, event: &str) -> bool {
        has(self.0.events, event)
    }

    /// Whether extensions are asked at that point.
    pub fn has_point(self, point: &str) -> bool {
        has(self.0.points, point)
    }

    /// Whether an extension may call the tools of the host itself, and of no other extension.
    pub fn calls_host_tools(self) -> bool {
        self.0.tell_result.is_some()
    }

    /// Whether it makes a call again whose result it has lost, or asks what became of it
    /// (`tool.replay`).
    pub fn repeats_calls(self) -> bool {
        self.words().repeats_calls
    }

    /// Whether a command may be answered with `tool_prompt`.
    pub fn has_tool_prompt(self) -> bool {
        self.0.has_tool_prompt
    }

    /// Every event that some host sends, zot's own first.
    pub fn events() -> impl Iterator<Item = &'static str> {
        zots::EVENTS
            .iter()
            .chain(EVENTS)
            .chain(forks::EVENTS)
            .flat_map(|events| events.iter().copied())
    }

    /// Every point at which some host asks interceptors, zot's own first.
    pub fn points() -> impl Iterator<Item = &'static str> {
        let points = zots::POINTS.iter().chain(zots::OWN_POINTS).chain(forks::POINTS);
        points.flat_map(|points| points.iter().copied())
    }

    /// The known events that look like that one, which is none of them; none for a known one.
    pub(crate) fn events_near(event: &str) -> Vec<&'static str> {
        let known: Vec<_> = Self::events().collect();
        if known.contains(&event) { Vec::new() } else { near(event, &known) }
    }
}

/// Fields that are not known count for nothing, whoever wrote them.
impl Vocabulary {
    /// The frame as a host with this vocabulary sees it.
    pub(crate) fn trim(self, frame: ExtensionFrame) -> ExtensionFrame {
        match self.0.trim {
            Some(trim) => trim(frame),
            None => frame,
        }
    }

    /// What an event or an intercept carries, as a host with this vocabulary sends it.
    pub(crate) fn trim_payload(self, payload: EventPayload) -> EventPayload {
        match self.0.trim_payload {
            Some(trim) => trim(payload),
            None => payload,
        }
    }
}

impl fmt::Debug for Vocabulary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.name)
    }
}

impl PartialEq for Vocabulary {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Vocabulary {}

/// Whether a name stands in one of the lists; without lists there is nothing that is not known.
fn has(lists: Option<&[&[&str]]>, name: &str) -> bool {
    lists.is_none_or(|lists| lists.iter().any(|list| list.contains(&name)))
}
