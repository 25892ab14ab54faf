//! What a host's session says of the extension, for Python.

use std::collections::HashMap;

use extline_protocol::frame::{Frame, Object};
use extline_protocol::{CallKey, HostEvent};
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::Open;
use crate::frames::{members, to_dict};
use crate::load::load;

/// The name of an event, the serial of the call that it belongs to or 0, and what it says.
pub(crate) type Seen<'py> = (&'static str, u64, Option<Bound<'py, PyAny>>);

/// An event as Python sees it; `open` has the calls that are not answered.
pub(super) fn seen<'py>(py: Python<'py>, event: HostEvent, open: &mut Open) -> PyResult<Seen<'py>> {
    let mut answered = |key: CallKey| {
        open.calls.remove(&key.serial());
        key.serial()
    };
    Ok(match event {
        HostEvent::Hello(hello) => ("hello", 0, frame(py, &hello)?),
        HostEvent::HandshakeFailed(error) => ("handshake_failed", 0, text(py, &error.to_string())),
        HostEvent::RegisterTool(tool) => ("register_tool", 0, frame(py, &tool)?),
        HostEvent::UnregisterTool(name) => ("unregister_tool", 0, text(py, &name)),
        HostEvent::RegisterCommand(command) => ("register_command", 0, frame(py, &command)?),
        HostEvent::Subscribe(subscribe) => ("subscribe", 0, frame(py, &subscribe)?),
        HostEvent::Rejected(rejection) => ("rejected", 0, object(py, &rejection)?),
        HostEvent::Ready => ("ready", 0, None),
        HostEvent::ToolResult { key, result } => {
            ("tool_result", answered(key), frame(py, &result)?)
        }
        HostEvent::ToolUpdate { key, update } => ("tool_update", key.serial(), frame(py, &update)?),
        HostEvent::CommandResponse { key, response } => {
            ("command_response", answered(key), frame(py, &response)?)
        }
        HostEvent::InterceptResponse { key, response } => {
            ("intercept_response", answered(key), frame(py, &response)?)
        }
        HostEvent::CallFailed { key, error } => ("call_failed", answered(key), object(py, &error)?),
        HostEvent::CallTool { key, call } => {
            ("call_tool", remember(&mut open.asked, key), frame(py, &call)?)
        }
        HostEvent::Request { key, request } => {
            ("request", remember(&mut open.asked, key), frame(py, &request)?)
        }
        HostEvent::Cancelled { key } => {
            open.asked.remove(&key.serial());
            ("cancelled", 0, None)
        }
        HostEvent::ResponsePart { key, data, .. } => {
            ("response_part", key.serial(), Some(load(py, data.get())?))
        }
        HostEvent::Response { key, result: Ok(result) } => {
            ("response", answered(key), Some(load(py, result.get())?))
        }
        HostEvent::Response { key, result: Err(error) } => {
            ("refusal", answered(key), object(py, &error)?)
        }
        HostEvent::Notify { level, message } => {
            let note = (level.as_str().to_owned(), message).into_pyobject(py)?;
            ("notify", 0, Some(note.into_any()))
        }
        HostEvent::ClearNotes => ("clear_notes", 0, None),
        HostEvent::Log(log) => ("log", 0, frame(py, &log)?),
        HostEvent::Submit(prompt) | HostEvent::SubmitSlash(prompt) => {
            ("submit", 0, text(py, &prompt))
        }
        HostEvent::OpenPanel(panel) => ("open_panel", 0, object(py, &panel)?),
        HostEvent::PanelRender(render) => ("panel_render", 0, frame(py, &render)?),
        HostEvent::PanelClose(id) => ("panel_close", 0, text(py, &id)),
        HostEvent::Notice(notice) => ("notice", 0, text(py, &notice.to_string())),
        // The rest is of processes.
        _ => ("", 0, None),
    })
}

fn remember(keys: &mut HashMap<u64, CallKey>, key: CallKey) -> u64 {
    let serial = key.serial();
    keys.insert(serial, key);
    serial
}

fn frame<'py, F: Frame>(py: Python<'py>, frame: &F) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(Some(to_dict(py, frame)?.into_any()))
}

fn object<'py, O: Object>(py: Python<'py>, object: &O) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(Some(members(py, object)?.into_any()))
}

#[expect(clippy::unnecessary_wraps, reason = "as its siblings")]
fn text<'py>(py: Python<'py>, text: &str) -> Option<Bound<'py, PyAny>> {
    Some(PyString::new(py, text).into_any())
}
