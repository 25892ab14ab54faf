//! What the host has asked of the extension, and what came of it.

use std::collections::HashMap;

use extline_protocol::frame::{
    CommandResponse, ErrorInfo, EventInterceptResponse, RpcError, ToolResult,
};
use extline_protocol::{CallKey, RawJson};

/// What became of a call.
#[derive(Debug)]
pub(crate) enum Outcome {
    Tool(ToolResult),
    Command(CommandResponse),
    Intercept(EventInterceptResponse),
    Method(Result<RawJson, RpcError>),
    Failed(ErrorInfo),
}

/// One that the test makes.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) key: CallKey,
    /// The tool, the command, the point or the method.
    pub(crate) name: String,
    /// The schema of its structured result, where it is a tool's that has one.
    pub(crate) output: Option<RawJson>,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) is_answered: bool,
    /// The updates that came, and how many of them the test was shown.
    pub(crate) updates: Vec<RawJson>,
    pub(crate) shown: usize,
    pub(crate) parts: Vec<RawJson>,
}

/// By their serials.
#[derive(Debug, Default)]
pub(crate) struct Calls(HashMap<u64, Call>);

impl Calls {
    /// Its serial.
    pub(crate) fn add(&mut self, key: CallKey, name: &str, output: Option<RawJson>) -> u64 {
        let serial = key.serial();
        let call = Call {
            key,
            name: name.to_owned(),
            output,
            outcome: None,
            is_answered: false,
            updates: Vec::new(),
            shown: 0,
            parts: Vec::new(),
        };
        self.0.insert(serial, call);
        serial
    }

    pub(crate) fn get_mut(&mut self, serial: u64) -> Option<&mut Call> {
        self.0.get_mut(&serial)
    }

    pub(crate) fn get(&self, serial: u64) -> Option<&Call> {
        self.0.get(&serial)
    }

    pub(crate) fn take_outcome(&mut self, serial: u64) -> Option<Outcome> {
        self.0.get_mut(&serial)?.outcome.take()
    }

    pub(crate) fn are_answered(&self) -> bool {
        self.0.values().all(|call| call.is_answered)
    }
}
