//! Which events of a kind a handler is told of.

use extline_protocol::frame::EventFilter;
use napi::Result;
use napi_derive::napi;

use crate::tools::mistake;

pub(crate) fn of(event: &str, tools: Option<Vec<String>>) -> Result<Option<EventFilter>> {
    tools.map(|tools| EventFilter::of_tools(event, tools)).transpose().map_err(mistake)
}

/// Whether a handler for these tools is told of an event about that one (`subscribe.filter-sdk`).
#[napi(catch_unwind)]
pub fn fits_tools(tools: Vec<String>, tool: Option<String>) -> bool {
    EventFilter { tools: Some(tools) }.fits_tool(tool.as_deref())
}
