//! What the testing host has for the extension: other tools to call, and methods.

use std::collections::BTreeMap;

use extline_protocol::frame::RpcError;
use extline_protocol::{ErrorKind, RawJson};
use serde_json::Value;

use crate::{IntoToolResult, ToolError, ToolResult};

type Serve<T> = Box<dyn FnMut(Value) -> Result<T, ToolError>>;

/// The test's closures, by the name of what they stand in for.
#[derive(Default)]
pub(super) struct StandIns {
    /// `None` never answers.
    tools: BTreeMap<String, Option<Serve<ToolResult>>>,
    methods: BTreeMap<String, Serve<(Vec<Value>, Value)>>,
}

/// What becomes of a call that the extension makes.
pub(super) enum Called {
    Answered(Box<ToolResult>),
    NeverAnswered,
    /// No closure stands in for it.
    Unknown,
}

impl StandIns {
    pub(super) fn tool<R: IntoToolResult>(
        &mut self,
        name: String,
        mut run: impl FnMut(Value) -> Result<R, ToolError> + 'static,
    ) {
        let run: Serve<_> = Box::new(move |args| run(args)?.into_tool_result());
        self.tools.insert(name, Some(run));
    }

    pub(super) fn silent_tool(&mut self, name: String) {
        self.tools.insert(name, None);
    }

    pub(super) fn method(
        &mut self,
        name: String,
        serve: impl FnMut(Value) -> Result<(Vec<Value>, Value), ToolError> + 'static,
    ) {
        self.methods.insert(name, Box::new(serve));
    }

    /// The methods that the host lists.
    pub(super) fn methods(&self) -> Vec<String> {
        self.methods.keys().cloned().collect()
    }

    pub(super) fn call(&mut self, tool: &str, args: &RawJson) -> Called {
        match self.tools.get_mut(tool) {
            Some(Some(run)) => {
                let result = run(args.to().unwrap_or_default());
                Called::Answered(Box::new(result.unwrap_or_else(ToolResult::from)))
            }
            Some(None) => Called::NeverAnswered,
            None => Called::Unknown,
        }
    }

    /// The parts, and the result.
    pub(super) fn request(
        &mut self,
        method: &str,
        params: Option<&RawJson>,
    ) -> Result<(Vec<Value>, Value), RpcError> {
        let params = params.and_then(|params| params.to().ok()).unwrap_or_default();
        let Some(serve) = self.methods.get_mut(method) else {
            // The session lets only listed methods through; this host has forgotten its own.
            return Err(RpcError::new(ErrorKind::Unsupported, format!("unknown method {method}")));
        };
        serve(params).map_err(|error| {
            let info = error.into_info();
            RpcError::new(info.kind, info.message)
        })
    }
}
