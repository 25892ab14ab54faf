//! The extline wire: newline-delimited JSON between a coding agent (the host) and its extensions.
//!
//! This crate decides everything that can be right or wrong on the wire, and does no I/O: no
//! threads, no clock, no files, no runtime, no `unsafe`. Bytes go in, events come out; calls go
//! in, bytes come out; time is an argument.
//!
//! - [`Decoder`] turns bytes into lines, [`decode`] a line into a frame.
//! - [`ExtensionSession`] is an extension's end of the connection, [`HostSession`] a host's.
//! - [`InterceptChain`] is the way of an intercept through an extension's interceptors and guards.
//! - [`Profile`] says which host a host is like: the spec's own, or a particular zot.
//! - [`frame`] has a type for each frame, [`RawJson`] a value that passes through as text.
//! - [`limits`] has every number, [`Capability`] every negotiated feature, [`ErrorKind`] every
//!   error code.
//!
//! Words like `frm.max-line` in these docs are clauses of docs/protocol/specification.md.

#![forbid(unsafe_code)]

mod approval_answer;
mod approval_key;
mod args;
mod base64;
mod capability;
mod decode;
mod error_kind;
mod event_filter;
pub mod frame;
mod glob;
mod head;
mod id;
pub mod limits;
mod line;
mod method;
mod model_args;
mod name;
mod outputs;
mod profile;
mod registrations;
mod requirement;
mod session;
mod shown;
pub mod trace;
mod word;

use extline_json as json;

pub use approval_answer::approval_answer;
pub use approval_key::approval_key;
pub use args::{ArgsError, ArgsFailure, ArgsValidator, SchemaProblem, Unsupported};
pub use base64::{decode as read_base64, encode as write_base64};
pub use capability::{Capabilities, Capability};
pub use decode::{Incoming, Problem, Unusable, decode, decode_frame, decode_members, decode_text};
pub use error_kind::ErrorKind;
#[doc(hidden)]
pub use extline_json::bytes;
pub use extline_json::pointer;
pub use extline_json::{
    Elements, Ends, Field, FieldError, Member, Members, RawJson, RawJsonError, read_string,
    write_array, write_object, write_string,
};
pub use glob::{Glob, LoneBackslash};
pub use head::Head;
pub use id::Id;
pub use line::{Decoder, Line, TooLong};
pub use method::{APPROVAL_METHOD, waits_for_person};
pub use model_args::{ModelArgsError, model_args};
pub use name::check_extension_name;
pub use outputs::labeled;
pub use profile::{AckCapabilities, Profile, UnknownProfile, Vocabulary, nearest};
pub use registrations::{RegistrationError, Registrations, check_schema};
pub use requirement::Requirement;
pub use session::{
    CallKey, CallKind, CallToolError, Change, ChangeError, Deadlines, ExtensionConfig,
    ExtensionEvent, ExtensionSession, HandshakeError, HostConfig, HostEvent, HostSession,
    Intercept, InterceptChain, Notice, PanelInput, RegisterError, Repetition, ReplyError,
    RequestError, SendError, ToolCallOptions, Turn, Update,
};
pub use shown::{is_hidden, shown, shown_json, shown_line};
