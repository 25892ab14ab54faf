//! The frames a host sends.

use super::content::Content;
use super::object::object;
use crate::error_kind::ErrorKind;
use crate::id::Id;
use crate::json::{Members, RawJson, read_string};
use crate::word::words;

object! {
    /// The program an extension runs under.
    #[derive(Default)]
    pub struct HostInfo {
        /// Its name.
        required name: String,
        /// Its version.
        lenient version: String,
    }
}

object! {
    /// What the host grants.
    #[derive(Default)]
    pub struct Limits {
        /// Longest frame it accepts, in bytes, without the LF.
        optional frame_bytes: u64,
        /// Its deadline for a tool, in milliseconds.
        optional tool_timeout_ms: u64,
        /// Its deadline for an intercept, in milliseconds.
        optional intercept_timeout_ms: u64,
        /// Its deadline for a command, in milliseconds.
        optional command_timeout_ms: u64,
    }
}

object! {
    /// The conversation an extension serves.
    #[derive(Default)]
    pub struct SessionInfo {
        /// Its id.
        required id: String,
        /// How often it was replaced by another under the same id.
        optional generation: u64,
    }
}

object! {
    /// The first frame of a host (`hello.ack`).
    #[derive(Default)]
    pub struct HelloAck = "hello_ack" {
        /// 1 over the whole history of the protocol.
        lenient protocol_version: u64,
        /// What the host understands; absent on an old zot.
        optional capabilities: Vec<String>,
        /// The version of zot it is, or is like.
        lenient zot_version: String,
        /// The model's provider.
        lenient provider: String,
        /// The model.
        lenient model: String,
        /// The project's directory.
        lenient cwd: String,
        /// Where the extension is.
        optional extension_dir: String,
        /// Where the extension may keep data.
        optional data_dir: String,
        /// The program; a fork of zot says it in a member of its own.
        named host: HostInfo,
        /// The methods it serves.
        optional methods: Vec<String>,
        /// What it grants.
        optional limits: Limits,
        /// The conversation.
        optional session: SessionInfo,
        /// The events that it tells of, where it says which.
        optional supported_events: Vec<String>,
        /// The configuration of the extension, an object (`config.ack`).
        optional config: RawJson,
    }
}

/// The members by which a fork of zot says its version, and with that who it is.
const FORKS: [(&str, &str); 3] =
    [("terva_version", "terva"), ("zut_version", "zut"), ("ncode_version", "ncode")];

impl HostInfo {
    /// Who the host is, where it is a fork of zot.
    pub(super) fn of_fork(members: &Members<'_>) -> Option<Self> {
        let (member, name) =
            FORKS.iter().find_map(|(key, name)| Some((members.last(key)?, name)))?;
        let version = read_string(member.value)?.into_owned();
        Some(Self { name: (*name).to_owned(), version })
    }
}

object! {
    /// The conversation as zut says it.
    #[derive(Default)]
    pub struct ForkSession {
        /// Its id.
        required id: String,
        /// The project's directory.
        lenient cwd: String,
    }
}

object! {
    /// The first frame of a fork of zot, for hosts that play one; an extension reads it as
    /// [`HelloAck`].
    #[derive(Default)]
    pub struct ForkAck = "hello_ack" {
        /// Who it is: of ncode.
        optional product: String,
        /// The version of its protocol.
        lenient protocol_version: u64,
        /// Its version once more, for extensions of zot: of terva.
        optional zot_version: String,
        /// Its version: of zut.
        optional zut_version: String,
        /// Its version: of ncode.
        optional ncode_version: String,
        /// Its version: of terva.
        optional terva_version: String,
        /// The model's provider.
        lenient provider: String,
        /// The model.
        lenient model: String,
        /// The project's directory.
        lenient cwd: String,
        /// Where the extension is.
        optional extension_dir: String,
        /// Where the extension may keep data.
        optional data_dir: String,
        /// The conversation: of zut.
        optional session: ForkSession,
        /// The events that it tells of: of terva.
        optional supported_events: Vec<String>,
        /// The user's settings for the extension: of terva.
        optional config: RawJson,
    }
}

impl HelloAck {
    /// Whether it is one of a fork of zot: such a host says who it is and names no capabilities. It counts
    /// the versions of its protocol itself.
    pub fn is_of_fork(&self) -> bool {
        self.capabilities.is_none() && self.host.is_some()
    }

    /// The program's name; `zot` for one that does not say it, as a real zot.
    pub fn host_name(&self) -> &str {
        let name = self.host.as_ref().map(|host| &*host.name);
        name.filter(|name| !name.is_empty()).unwrap_or("zot")
    }

    /// The program's version; that of zot for one that does not say its own.
    pub fn host_version(&self) -> &str {
        let version = self.host.as_ref().map(|host| &*host.version);
        version.filter(|version| !version.is_empty()).unwrap_or(&self.zot_version)
    }
}

object! {
    /// A user ran a slash command.
    pub struct CommandInvoked = "command_invoked" {
        /// Names the invocation.
        required id: Id,
        /// The command, as it was registered.
        required name: String,
        /// What the user typed behind it; absent when nothing.
        optional args: String,
    }
}

object! {
    /// The model calls a tool.
    pub struct ToolCall = "tool_call" {
        /// Names the call.
        required id: Id,
        /// The tool.
        required name: String,
        /// Its arguments; `null` when the frame had none.
        opened args: RawJson,
        /// Names what the call does: the same when it is repeated.
        optional operation_key: String,
        /// The call is not to be done: the answer says what became of it (`tool.reconcile`).
        flag reconcile: bool,
        /// How long it may take from receipt, in milliseconds.
        optional deadline_ms: u64,
        /// The conversation.
        optional session: SessionInfo,
    }
}

object! {
    /// The host no longer wants the result of a tool call. It is still answered.
    pub struct ToolCancel = "tool_cancel" {
        /// The call's id.
        required id: Id,
        /// Why.
        optional reason: String,
    }
}

object! {
    /// The answer to a `call_tool`.
    pub struct CallToolResult = "tool_result" {
        /// The id of the `call_tool`.
        required id: Id,
        /// The tool.
        lenient name: String,
        /// The blocks.
        lenient content: Vec<Content>,
        /// The call failed.
        flag is_error: bool,
        /// The blocks were cut to 256 KiB.
        flag truncated: bool,
    }
}

object! {
    /// The answer to a tool of the host's that an extension calls: of terva.
    pub struct ForkToolResult = "host_tool_result" {
        /// The id of its `host_tool_call`.
        required id: Id,
        /// The blocks.
        lenient content: Vec<Content>,
        /// The call failed.
        flag is_error: bool,
    }
}

words! {
    /// Why an extension is asked to end.
    pub enum ShutdownReason {
        /// The host ends.
        Exit = "exit",
        /// The extension is started anew.
        Reload = "reload",
        /// The extension was switched off.
        Disabled = "disabled",
    }
}

object! {
    /// The extension must end.
    #[derive(Default)]
    pub struct Shutdown = "shutdown" {
        /// Why.
        optional reason: ShutdownReason,
    }
}

object! {
    /// A registration the host did not take.
    pub struct Rejection {
        /// What it was: `tool`, `command`, `event`, `intercept`, `guard`.
        required kind: String,
        /// Its name.
        required name: String,
        /// Why not.
        required code: ErrorKind,
        /// Why not, for a person.
        required message: String,
        /// Who has the name instead.
        optional winner: String,
    }
}

object! {
    /// What the host took of the registrations (capability `registration_report`).
    #[derive(Default)]
    pub struct Registered = "registered" {
        /// Tools.
        lenient tools: Vec<String>,
        /// Commands.
        lenient commands: Vec<String>,
        /// Events.
        lenient events: Vec<String>,
        /// Intercept points.
        lenient intercept: Vec<String>,
        /// Guard points.
        lenient guards: Vec<String>,
        /// What was not taken.
        lenient rejected: Vec<Rejection>,
    }
}
