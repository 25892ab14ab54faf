//! Requests that are no tool calls, in both directions (capability `rpc`).

use super::object::object;
use crate::error_kind::ErrorKind;
use crate::id::Id;
use crate::json::RawJson;
use crate::word::words;

words! {
    /// What a request belongs to.
    pub enum ParentKind {
        /// A `tool_call`.
        ToolCall = "tool_call",
        /// A `command_invoked`.
        Command = "command",
        /// An `event_intercept`.
        Intercept = "intercept",
        /// Another `request`.
        Request = "request",
        /// An `event`.
        Event = "event",
        /// A panel.
        Panel = "panel",
    }
}

object! {
    /// The call that a request belongs to: when it ends, so does the request.
    pub struct Parent {
        /// What it is.
        required kind: ParentKind,
        /// Its id.
        required id: Id,
    }
}

object! {
    /// Asks the peer for something by method.
    pub struct Request = "request" {
        /// Names the request among its sender's.
        required id: Id,
        /// What is asked for; one of the peer's `methods`.
        required method: String,
        /// What the method takes.
        optional params: RawJson,
        /// The call it belongs to.
        optional parent: Parent,
        /// How long it may take from receipt, in milliseconds.
        optional deadline_ms: u64,
    }
}

object! {
    /// Why a request failed.
    pub struct RpcError {
        /// What kind of failure it is.
        required code: ErrorKind,
        /// What happened, for a person.
        required message: String,
        /// More about it, for a program.
        optional data: RawJson,
    }
}

impl RpcError {
    /// An error without data.
    pub fn new(code: ErrorKind, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }
}

object! {
    /// The answer to a request: a result or an error.
    pub struct Response = "response" {
        /// The request's id.
        stamped id: Id,
        /// What the method returns.
        optional result: RawJson,
        /// Why it failed; then `result` means nothing.
        optional error: RpcError,
    }
}

object! {
    /// A part of an answer that comes before the answer.
    pub struct ResponsePart = "response_part" {
        /// The request's id.
        required id: Id,
        /// 1 for the first part.
        required seq: u64,
        /// The part.
        lenient data: RawJson,
    }
}

object! {
    /// The sender of a request no longer wants it. It is still answered.
    pub struct Cancel = "cancel" {
        /// The request's id.
        required id: Id,
    }
}
