//! What the testing host has for the extension: other tools to call, and methods.

use std::collections::BTreeMap;

use extline_protocol::RawJson;
use extline_protocol::frame::RpcError;
use serde_json::Value;

use crate::{IntoToolResult, ToolError, ToolResult};

type StandInTool = Box<dyn FnMut(Value) -> ToolResult>;
type StandInMethod = Box<dyn FnMut(Value) -> Result<RawJson, RpcError>>;

/// The test's closures, by the name of what they stand in for.
#[derive(Default)]
pub(super) struct StandIns {
    tools: BTreeMap<String, StandInTool>,
    methods: BTreeMap<String, StandInMethod>,
}

impl StandIns {
    pub(super) fn tool<R: IntoToolResult>(
        &mut self,
        name: String,
        mut run: impl FnMut(Value) -> Result<R, ToolError> + 'static,
    ) {
        let run = move |args| {
            let result = run(args).and_then(R::into_tool_result);
            result.unwrap_or_else(ToolResult::from)
        };
        self.tools.insert(name, Box::new(run));
    }

    pub(super) fn method(
        &mut self,
        name: String,
        mut serve: impl FnMut(Value) -> Result<Value, ToolError> + 'static,
    ) {
        let serve = move |params| match serve(params) {
            Ok(value) => Ok(value.into()),
            Err(error) => {
                let info = error.into_info();
                Err(RpcError::new(info.kind, info.message))
            }
        };
        self.methods.insert(name, Box::new(serve));
    }

    /// The methods that the host lists.
    pub(super) fn methods(&self) -> Vec<String> {
        self.methods.keys().cloned().collect()
    }

    /// What the tool answers; `None` when there is none of that name.
    pub(super) fn call(&mut self, tool: &str, args: &RawJson) -> Option<ToolResult> {
        let run = self.tools.get_mut(tool)?;
        Some(run(args.to().unwrap_or_default()))
    }

    /// What the method answers.
    pub(super) fn request(
        &mut self,
        method: &str,
        params: Option<&RawJson>,
    ) -> Result<RawJson, RpcError> {
        let params = params.and_then(|params| params.to().ok()).unwrap_or_default();
        match self.methods.get_mut(method) {
            Some(serve) => serve(params),
            // The session lets only listed methods through.
            None => Err(RpcError::new(extline_protocol::ErrorKind::Unsupported, method)),
        }
    }
}
