//! What was spoken in a conversation that somebody recorded: extline's protocol, or MCP in which eras.

use std::collections::BTreeSet;

use extline_protocol::trace::{Record, Side, What};
use serde_json::Value;

use crate::conversation::{Era, Protocol};

/// The eras of MCP that a client speaks in this line; none where it is no message of MCP.
pub(super) fn eras_of(record: &Record) -> BTreeSet<Era> {
    let What::Line { from: Side::Host, line } = &record.what else { return BTreeSet::new() };
    let message: Value = serde_json::from_slice(&line.bytes).unwrap_or_default();
    let version = &message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
    let is_newer = version.is_string() || message["method"] == "server/discover";
    let is_older = message["method"] == "initialize";
    let spoken = [(Era::Initialize, is_older), (Era::Discover, is_newer)];
    let spoken = spoken.into_iter().filter(|(_, is_spoken)| *is_spoken);
    spoken.map(|(era, _)| era).filter(|_| message["jsonrpc"] == "2.0").collect()
}

/// What is spoken in a trace.
pub(crate) fn protocol_of(trace: &[Record]) -> Protocol {
    let first = trace.iter().flat_map(eras_of).next();
    first.map_or(Protocol::Extension, Protocol::Mcp)
}
