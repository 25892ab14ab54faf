//! The agent's own tools, offered through the host: to the model beside those of extensions, and
//! to extensions that call tools.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use extline_protocol::frame::{Content, ErrorInfo, RegisterTool, ToolResult};
use extline_protocol::{ErrorKind, Id, RawJson, RegistrationError, Registrations};
use extline_schema::{SchemaError, ToolSchema};
use thiserror::Error;

use super::{HOST, Owner, Tool, ToolFilter};

/// A call of one of the agent's own tools. It went through interceptors, the schema and the guards.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuiltinCall {
    /// The host's own name for the call, the same that interceptors and guards were told.
    pub id: Id,
    /// The tool.
    pub tool: String,
    /// The arguments, an object that fits the tool's schema.
    pub args: RawJson,
    /// The extension that calls; absent when the agent does.
    pub caller: Option<String>,
    /// The filter of the model that calls.
    pub(crate) filter: Option<Arc<ToolFilter>>,
}

/// A tool of the agent's own that cannot be offered.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuiltinToolError {
    /// Its name is not allowed, or its schema is no object.
    #[error(transparent)]
    Registration(#[from] RegistrationError),
    /// Its schema is no valid JSON Schema.
    #[error("the schema of the tool {name}: {error}")]
    Schema {
        /// The tool.
        name: String,
        /// What is wrong with the schema.
        error: SchemaError,
    },
}

type BuiltinFuture = Pin<Box<dyn Future<Output = Result<ToolResult, ErrorInfo>> + Send>>;

/// What runs one of the agent's own tools.
#[derive(Clone)]
pub(crate) struct Builtin(Arc<dyn Fn(BuiltinCall) -> BuiltinFuture + Send + Sync>);

impl BuiltinCall {
    /// A result of these blocks; its other fields can be set afterwards.
    pub fn result(&self, content: Vec<Content>) -> ToolResult {
        ToolResult::new(self.id.clone(), content)
    }
}

impl Builtin {
    pub(crate) fn new<F, A>(handler: F) -> Self
    where
        F: Fn(BuiltinCall) -> A + Send + Sync + 'static,
        A: Future<Output = Result<ToolResult, ErrorInfo>> + Send + 'static,
    {
        Self(Arc::new(move |call| Box::pin(handler(call))))
    }

    /// The tool that it runs.
    pub(crate) fn tool(self, definition: RegisterTool) -> Result<Tool, BuiltinToolError> {
        Registrations::default().tool(definition.clone())?;
        let schema = ToolSchema::compile(&definition.schema).map_err(|error| {
            let name = definition.name.clone();
            BuiltinToolError::Schema { name, error }
        })?;
        Ok(Tool::new(HOST, Owner::Agent(self), definition, Some(schema)))
    }

    /// What is no tool that can be called, and is asked about like one, for that extension. Its arguments are checked
    /// elsewhere.
    pub(crate) fn seen_as(extension: &str, definition: RegisterTool) -> Tool {
        let never = |_| async { Err(ErrorInfo::new(ErrorKind::Unsupported, "it is no tool")) };
        Tool::new(extension, Owner::Agent(Self::new(never)), definition, None)
    }

    pub(crate) async fn answer(self, call: BuiltinCall) -> Result<ToolResult, ErrorInfo> {
        (self.0)(call).await
    }
}

impl fmt::Debug for Builtin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Builtin").finish_non_exhaustive()
    }
}
