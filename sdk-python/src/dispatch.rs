//! From the session's events to the author's handlers, and back.

use std::sync::Arc;

use extline_driver::{Questions, owner, running};
use extline_protocol::ExtensionEvent;
use extline_protocol::frame::RpcError;
use extline_protocol::{CallKey, ErrorKind};
use pyo3::exceptions::{PyException, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::call::Call;
use crate::context::Context;
use crate::core::{Core, end_if_in_child};
use crate::failure;
use crate::frames::to_dict;
use crate::intercept_chain::InterceptChain;
use crate::stuck;
use crate::tool::Tool;
use extline_python_json::load;

impl Core {
    /// Does what an event asks for; whether the session is still this thread's.
    pub(crate) fn handle(
        self: &Arc<Self>,
        py: Python<'_>,
        event: ExtensionEvent,
        is_quick: bool,
    ) -> bool {
        if self.runs_handler(&event) {
            owner::start_watcher(&self.handover, || self.start_watcher());
        }
        let run = || {
            let tool = self.run(py, event);
            end_if_in_child();
            tool
        };
        owner::run_handler(&self.handover, is_quick, run, |tool| {
            if let Some(tool) = tool {
                tool.pace.was_slow();
            }
            // An error comes again where the owner writes, who can end the session.
            let _ = self.channel().write();
        })
    }

    /// Whether an author's code runs, which may take its time.
    fn runs_handler(&self, event: &ExtensionEvent) -> bool {
        match event {
            ExtensionEvent::Accepted(_) => self.wants.setup,
            event => running::handler_name(event).is_some(),
        }
    }

    /// The handler that runs in this thread is about to wait for the host, whose answer somebody else
    /// has to read.
    pub(crate) fn step_aside(&self) -> PyResult<()> {
        if owner::step_aside(&self.handover) {
            return Ok(());
        }
        Err(PyRuntimeError::new_err("there is no other thread to read the answer"))
    }

    pub(crate) fn run(
        self: &Arc<Self>,
        py: Python<'_>,
        event: ExtensionEvent,
    ) -> Option<Arc<Tool>> {
        match event {
            ExtensionEvent::ToolCall { key, call, deadline } => {
                return self.run_tool(py, &key, call, deadline);
            }
            ExtensionEvent::Cancelled { key, .. } => {
                if let Some(call) = self.running.get(&key) {
                    call.tell(py);
                }
                self.interrupt_questions(py, |questions, session| {
                    questions.interrupt(session, &key)
                });
            }
            ExtensionEvent::ShuttingDown(_) => {
                for call in self.running.all() {
                    call.tell(py);
                }
                self.interrupt_questions(py, Questions::interrupt_all);
            }
            ExtensionEvent::CallToolDone { .. }
            | ExtensionEvent::ResponsePart { .. }
            | ExtensionEvent::Response { .. } => self.deliver(py, event),
            event => self.run_in_python(py, event),
        }
        None
    }

    fn run_in_python(self: &Arc<Self>, py: Python<'_>, event: ExtensionEvent) {
        let Some(name) = running::handler_name(&event) else { return };
        let (key, lane) = (key_of(&event), Lane::of(&event));
        stuck::enter(py, name, key.as_ref().map(CallKey::serial));
        if let Err(error) = self.pass(py, event) {
            self.fail_event(py, &error, key.as_ref(), lane);
        }
        running::leave();
    }

    /// Hands the event to the Python half.
    fn pass(self: &Arc<Self>, py: Python<'_>, event: ExtensionEvent) -> PyResult<()> {
        let serving = self.serving(py);
        let context =
            |key, deadline| Context::new(self, Call::new(key), deadline, None).into_pyobject(py);
        match event {
            ExtensionEvent::Accepted(ack) => {
                serving.call_method1("accepted", (to_dict(py, &*ack)?,))?;
            }
            ExtensionEvent::Command { key, command } => {
                let args = command.args.unwrap_or_default();
                let context = context(Some(key), None)?;
                serving.call_method1("command", (context, command.name, args))?;
            }
            ExtensionEvent::Intercept { key, intercept, deadline } => {
                let context = context(Some(key.clone()), Some(deadline))?;
                let frame = to_dict(py, &*intercept)?;
                let (interceptors, guards) = serving
                    .call_method1("deciding", (&intercept.event,))?
                    .extract::<(Bound<'_, PyList>, Bound<'_, PyList>)>()?;
                let chain = InterceptChain::new(self, key, *intercept, interceptors, guards);
                serving.call_method1("intercept", (context, frame, chain))?;
            }
            ExtensionEvent::Request { key, request, deadline } => {
                let params = request.params.map(|params| load(py, params.get())).transpose()?;
                let context = context(Some(key), deadline)?;
                serving.call_method1("request", (context, request.method, params))?;
            }
            ExtensionEvent::Approval { key, tool, args, deadline } => {
                let args = load(py, args.get())?;
                let context = context(Some(key), deadline)?;
                serving.call_method1("approval", (context, tool, args))?;
            }
            ExtensionEvent::Event(event) => {
                serving.call_method1("event", (context(None, None)?, to_dict(py, &*event)?))?;
            }
            ExtensionEvent::Panel(input) => {
                let id = input.panel_id().to_owned();
                let input = match input {
                    extline_protocol::PanelInput::Key(key) => to_dict(py, &key)?,
                    extline_protocol::PanelInput::Resize(resize) => to_dict(py, &resize)?,
                    extline_protocol::PanelInput::Close { panel_id } => {
                        to_dict(py, &extline_protocol::frame::PanelClose { panel_id })?
                    }
                };
                serving.call_method1("panel", (context(None, None)?, id, input))?;
            }
            ExtensionEvent::Teardown => {
                serving.call_method1("teardown", (context(None, None)?,))?;
            }
            _ => {}
        }
        Ok(())
    }

    /// What the Python half did not catch: Ctrl-C, which ends the extension, or a mistake of its own.
    /// Whoever waits gets an answer all the same.
    fn fail_event(&self, py: Python<'_>, error: &PyErr, key: Option<&CallKey>, lane: Lane) {
        if error.is_instance_of::<PyException>(py) {
            error.clone_ref(py).display(py);
        } else {
            self.interrupt(error.clone_ref(py));
        }
        let text = failure::unforeseen(py, error, "the handler").message;
        let mut channel = self.channel();
        let session = &mut channel.session;
        // Most are answered, and then this changes nothing.
        if let Some(key) = key {
            let _ = match lane {
                Lane::Command => session.reply_command(
                    key,
                    extline_protocol::frame::CommandResponse::error(key.id().clone(), text),
                ),
                Lane::Intercept => session.fail_intercept(key, &text),
                _ => session.reply_request(key, Err(RpcError::new(ErrorKind::Internal, text))),
            };
        }
        match lane {
            Lane::Event => session.event_done(),
            Lane::Panel(id) => session.panel_done(&id),
            Lane::Teardown => session.teardown_done(),
            _ => {}
        }
    }
}

/// Where the next one may wait for the end of this one.
enum Lane {
    Command,
    Intercept,
    Event,
    Panel(String),
    Teardown,
    Other,
}

impl Lane {
    fn of(event: &ExtensionEvent) -> Self {
        match event {
            ExtensionEvent::Command { .. } => Self::Command,
            ExtensionEvent::Intercept { .. } => Self::Intercept,
            ExtensionEvent::Event(_) => Self::Event,
            ExtensionEvent::Panel(input) => Self::Panel(input.panel_id().to_owned()),
            ExtensionEvent::Teardown => Self::Teardown,
            _ => Self::Other,
        }
    }
}

fn key_of(event: &ExtensionEvent) -> Option<CallKey> {
    match event {
        ExtensionEvent::Command { key, .. }
        | ExtensionEvent::Intercept { key, .. }
        | ExtensionEvent::Request { key, .. }
        | ExtensionEvent::Approval { key, .. } => Some(key.clone()),
        _ => None,
    }
}
