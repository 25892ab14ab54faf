//! What went wrong without ending anything: one line each, for stderr or a log.

use std::fmt;

use crate::decode::Problem;
use crate::frame::{Level, RegisterTool, Rejection};
use crate::id::Id;
use crate::session::CallKind;

/// Something a person should know of. `Display` gives the line.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Notice {
    /// A line from the peer that could not be used, and that nobody waits for.
    Skipped(Problem),
    /// A `subscribe` of which some member cannot be used; the others count.
    ReadInPart(Problem),
    /// A frame that could not be used; its sender, or whoever waits for it, got an error.
    Refused {
        /// Its type.
        frame_type: String,
        /// Its id.
        id: Id,
        /// Why.
        problem: Problem,
    },
    /// The first frame of a type this version does not know; further ones are skipped silently.
    UnknownType(String),
    /// A frame that has no place where it came.
    OutOfPlace {
        /// Its type.
        frame_type: &'static str,
        /// Why it has none.
        why: &'static str,
    },
    /// A frame of ours that breaks a limit.
    NotSent {
        /// Its type.
        frame_type: &'static str,
        /// Which limit.
        why: String,
    },
    /// An id that is still in flight came again; the newcomer is ignored.
    IdInUse {
        /// Its kind.
        kind: CallKind,
        /// The id.
        id: Id,
    },
    /// An answer that nobody waits for: late, twice, or to an id that was never used.
    Unexpected {
        /// Its kind.
        kind: CallKind,
        /// The id.
        id: Id,
    },
    /// The host's protocol version is another; the session goes on.
    ProtocolVersion(u64),
    /// The host is older than what was sent; said once for each.
    MayNotKnow {
        /// The host, with its version.
        host: String,
        /// A frame's type, or an intercept point.
        what: String,
    },
    /// An event that was asked for, and that this host does not tell of, or no host is known to; one of a newer host may
    /// be, so it is asked for all the same.
    UnknownEvent {
        /// Its name.
        event: String,
        /// Those that it looks like.
        near: Vec<&'static str>,
    },
    /// Events waited too long for their handler; the oldest are gone.
    EventsDropped(u64),
    /// A handler of an intercept did not decide in time, and the session answered.
    InterceptTimedOut {
        /// The handler.
        handler: String,
        /// What it was asked about.
        point: String,
        /// The answer was a block.
        blocked: bool,
    },
    /// A line for a log the host does not keep.
    Log {
        /// How much it matters.
        level: Level,
        /// The line.
        message: String,
    },
    /// The host did not take a registration.
    Rejected(Rejection),
    /// The host lacks what the extension requires, which ends (`report.required`).
    GivesUp(String),
    /// An extension never sent `ready`; it is used as it is.
    NotReady {
        /// How long it was waited for, in milliseconds.
        waited_ms: u64,
    },
    /// A tool without a schema; it gets one that allows any object.
    NoSchema(String),
    /// A tool that has a model choose how its value is written, and returned none; said once for each.
    NoValue(String),
    /// A tool's registration that cannot be used.
    BadTool {
        /// The registration.
        tool: Box<RegisterTool>,
        /// Why.
        why: String,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Skipped(problem) => write!(formatter, "skipped a line: {problem}"),
            Self::ReadInPart(problem) => {
                write!(formatter, "left out what cannot be read of a frame: {problem}")
            }
            Self::Refused { frame_type, id, problem } => {
                write!(formatter, "refused {frame_type} {id}: {problem}")
            }
            Self::UnknownType(name) => {
                write!(formatter, "skipped a frame of the unknown type {name:?}")
            }
            Self::OutOfPlace { frame_type, why } => {
                write!(formatter, "ignored {frame_type}: {why}")
            }
            Self::NotSent { frame_type, why } => {
                write!(formatter, "did not send {frame_type}: {why}")
            }
            Self::IdInUse { kind, id } => {
                write!(formatter, "ignored a second {kind} {id}: the first is not answered yet")
            }
            Self::Unexpected { kind, id } => {
                write!(formatter, "ignored an answer to {kind} {id}: nobody waits for it")
            }
            Self::ProtocolVersion(version) => {
                write!(formatter, "the host speaks protocol version {version}, not 1; going on")
            }
            Self::MayNotKnow { host, what } => {
                write!(formatter, "host {host} may not know {what}")
            }
            Self::UnknownEvent { event, near } => {
                if near.is_empty() {
                    return write!(formatter, "this host does not tell of the event {event}");
                }
                let near = near.join(" or ");
                write!(
                    formatter,
                    "no host is known to have the event {event}, did you mean {near}?"
                )
            }
            Self::EventsDropped(count) => {
                write!(formatter, "dropped the {count} oldest events: their handler is too slow")
            }
            Self::InterceptTimedOut { handler, point, blocked } => {
                let answer = if *blocked { "blocked" } else { "let it pass" };
                write!(formatter, "{handler} did not decide on {point} in time: {answer}")
            }
            Self::Log { level, message } => write!(formatter, "{level}: {message}"),
            Self::Rejected(Rejection { kind, name, code, message, winner }) => {
                write!(formatter, "the host rejected the {kind} {name}: {message} ({code})")?;
                winner.as_ref().map_or(Ok(()), |winner| write!(formatter, "; {winner} has it"))
            }
            Self::GivesUp(why) => formatter.write_str(why),
            Self::NotReady { waited_ms } => write!(
                formatter,
                "no ready frame after {waited_ms} ms; going on with what is registered \
                 (send {{\"type\":\"ready\"}} after the last registration)"
            ),
            Self::NoSchema(tool) => {
                write!(formatter, "the tool {tool} has no schema; any arguments will pass")
            }
            Self::NoValue(tool) => write!(
                formatter,
                "the tool {tool} has outputs, and returned no value to write in them: return the \
                 value itself, not a text"
            ),
            Self::BadTool { why, .. } => write!(formatter, "rejected a tool: {why}"),
        }
    }
}
