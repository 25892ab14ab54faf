//! How long a host waits.

use std::time::Duration;

use crate::limits::{
    CALL_TOOL_DEADLINE, COMMAND_DEADLINE, HELLO_DEADLINE, INTERCEPT_DEADLINE, READY_DEADLINE,
    TOOL_DEADLINE, WRITE_DEADLINE,
};

/// How long a host waits for what (`host.deadlines`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// For `hello`, from the start of the process.
    pub hello: Duration,
    /// For `ready`, from `hello_ack`.
    pub ready: Duration,
    /// For the answer to a command.
    pub command: Duration,
    /// For the answer to a tool call that declares no time of its own.
    pub tool: Duration,
    /// For the answer to an intercept.
    pub intercept: Duration,
    /// For its own answer to a `call_tool` (`call.deadline`).
    pub call_tool: Duration,
    /// For the answer to a call that was cancelled.
    pub cancelled: Duration,
    /// For one write to the extension (`host.write-deadline`). The session does not write; whoever
    /// drives it keeps this one.
    pub write: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            hello: HELLO_DEADLINE,
            ready: READY_DEADLINE,
            command: COMMAND_DEADLINE,
            tool: TOOL_DEADLINE,
            intercept: INTERCEPT_DEADLINE,
            call_tool: CALL_TOOL_DEADLINE,
            cancelled: Duration::from_secs(2),
            write: WRITE_DEADLINE,
        }
    }
}
