//! The agent's own tools, offered through the host: to the model beside those of extensions, and
//! to extensions that call tools.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use extline_protocol::frame::{Content, ErrorInfo, RegisterTool, ToolResult};
use extline_protocol::{ErrorKind, Id, RawJson, RegistrationError, Registrations};
use extline_schema::{SchemaError, ToolSchema};
use thiserror::Error;
use tokio::sync::{Notify, OwnedSemaphorePermit, oneshot, watch};

use crate::call::{Call, Runner};
use crate::connection::Unanswered;
use crate::handler::{self, Ended};
use crate::offer::{HOST, Owner, Tool};
use crate::shared::Shared;

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

type Answer = Pin<Box<dyn Future<Output = Result<ToolResult, ErrorInfo>> + Send>>;

/// What runs one of the agent's own tools.
#[derive(Clone)]
pub(crate) struct Builtin(Arc<dyn Fn(BuiltinCall) -> Answer + Send + Sync>);

/// Ends a call of a built-in when nobody waits for it any more.
#[derive(Debug)]
pub(crate) struct Stop(Arc<Notify>);

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

    /// Starts a call, which holds `turn` until it has ended.
    pub(crate) fn start(
        &self,
        shared: &Shared,
        call: BuiltinCall,
        timeout: Option<Duration>,
        turn: Option<OwnedSemaphorePermit>,
    ) -> Call {
        let stop = Arc::new(Notify::new());
        let (sender, result) = oneshot::channel();
        let (_, updates) = watch::channel(None);
        let (id, name) = (call.id.clone(), call.tool.clone());
        let runner = Runner::Agent(Stop(Arc::clone(&stop)));
        let started = Call {
            name: name.clone(),
            runner,
            result,
            updates,
            timeout: timeout.unwrap_or_default(),
        };
        let handler = Self::clone(self);
        let runtime = shared.runtime.clone();
        shared.runtime.spawn(async move {
            let _turn = turn;
            let work = async move { (handler.0)(call).await };
            let error = |error| Ok(ToolResult::error(id, error));
            let answer = match handler::run(&runtime, work, stop.notified(), timeout).await {
                Ended::Answered(Ok(result)) => Ok(result),
                // One that fails or panics answers with an error, as an extension's does.
                Ended::Answered(Err(failure)) => error(failure),
                Ended::Panicked => {
                    let text = format!("the tool {name} panicked");
                    error(ErrorInfo::new(ErrorKind::Internal, text))
                }
                Ended::Stopped => Err((ErrorKind::Cancelled, "was cancelled")),
                Ended::TookTooLong => Err((ErrorKind::Timeout, "did not answer in time")),
            };
            let answer = answer.map_err(|(kind, words)| {
                Unanswered::Failed(ErrorInfo::new(kind, format!("{name} {words}")))
            });
            // Whoever asked may have gone.
            let _ = sender.send(answer);
        });
        started
    }
}

impl Stop {
    pub(crate) fn stop(&self) {
        self.0.notify_one();
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for Builtin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Builtin").finish_non_exhaustive()
    }
}
