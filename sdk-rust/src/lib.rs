#![doc = include_str!("../README.md")]

mod agent;
mod args;
mod asked;
mod awaited;
mod call_tool;
mod cancellation;
mod claim;
mod command;
mod connection;
mod context;
mod error;
mod exec;
mod extension;
mod guard;
mod handler;
mod host;
mod image;
mod intercept;
mod method;
mod moment;
mod panel;
pub mod pending;
pub mod point;
pub mod prelude;
mod pulse;
mod raw_args;
mod registry;
mod request;
mod required;
mod response;
mod result;
mod run;
mod running;
mod schema;
mod secret;
mod serve;
mod setup;
mod state;
mod stderr;
mod stream;
pub mod testing;
mod tool;
mod tool_answer;
mod tool_error;
mod ui;
mod update;

pub use agent::Agent;
pub use args::NoArgs;
pub use call_tool::ToolOutput;
pub use cancellation::Cancellation;
pub use command::Command;
pub use context::Context;
pub use error::Error;
pub use extension::Extension;
pub use guard::{GuardedCall, Verdict};
pub use handler::HandlerOutcome;
pub use host::Host;
pub use image::Image;
pub use intercept::{Decision, DecisionOutcome};
pub use moment::{AgentStart, Message, ModelCall, ToolUse, UserPrompt};
pub use panel::{Key, Panel, PanelInput};
pub use pending::{Pending, Proposal};
pub use raw_args::RawArgs;
pub use required::Requirement;
pub use response::{IntoResponse, Response};
pub use result::{IntoContent, IntoToolResult, Json, ToolResult};
pub use schema::schema_of;
pub use secret::Secret;
pub use setup::Setup;
pub use state::{History, Slot, State};
pub use stream::{Step, Steps, ToolOutcome};
pub use tool::Tool;
pub use tool_answer::{Replacement, ToolAnswer};
pub use tool_error::ToolError;
pub use ui::Ui;
pub use update::{Amount, Track, Update};

pub use extline_protocol::frame::{
    Approval, Content, Effect, ErrorInfo, Event, EventMessage, EventPayload, EventResult, Exposure,
    FileOp, Level, Limits, OnFailure, OutputFormat, Preference, Replay, SessionInfo, Tier, Todo,
};
pub use extline_protocol::{Capability, ErrorKind, RawJson};
/// What hosts serve, with its types, see [`Ui::ask`].
pub use extline_services as services;
pub use extline_services::approval::{Advice, Policy};
/// How results, updates, panels and calls are shown to a person: [`ToolResult::view`] and its like.
pub use extline_services::view;
pub use futures_core::Stream;
/// The versions that this crate is built with, for authors who need more of them.
pub use {schemars, serde, serde_json, tokio};

/// The pages of docs/rust, whose samples are compiled and run.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../docs/rust/tools-and-types.md")]
    mod tools_and_types {}
    #[doc = include_str!("../../docs/rust/events-and-guards.md")]
    mod events_and_guards {}
    #[doc = include_str!("../../docs/rust/testing.md")]
    mod testing {}
    #[doc = include_str!("../../docs/rust/running.md")]
    mod running {}
}
