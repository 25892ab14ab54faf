//! Everything an extension's source usually names: `use extline::prelude::*;`

pub use schemars::JsonSchema;
pub use serde::{Deserialize, Serialize};
pub use serde_json::{Value, json};

pub use crate::{
    Cancellation, Capability, Command, Content, Context, Decision, Event, Extension, GuardedCall,
    Image, IntoResponse, IntoToolResult, Json, Key, Level, NoArgs, OnFailure, Panel, PanelInput,
    Proposal, RawJson, Requirement, Response, Secret, Setup, Step, Steps, Tool, ToolError,
    ToolOutput, ToolResult, ToolUse, Update, Verdict, point,
};
