//! The session as the Python half of the driver sees it.

use std::sync::{Arc, PoisonError};
use std::thread;

use extline_protocol::frame::{Frame, OpenPanel, PanelRender, SdkInfo};
use extline_protocol::{Capability, ExtensionConfig};
use extline_stdio::handover::{Duty, Seat};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::claim::{over_descriptors, stdio, to_python};
use crate::core::{Core, Wants};
use crate::dump::dump_raw;
use crate::level::{log_level, note_level};
use crate::looped::State;
use crate::signals::Signals;
use crate::text::Text;
use crate::tool::{Registrations, frame_of};

/// The extension's end of the connection. Its methods may be called from any thread.
#[pyclass(frozen, module = "extline._native", weakref)]
pub(crate) struct Session {
    pub(crate) core: Arc<Core>,
}

#[pymethods]
impl Session {
    /// A session over the process's stdin and stdout, which are claimed unless they are; or over two
    /// other descriptors, which it owns from then on, for a host in the same process. `mcp` where the
    /// other end is an MCP client.
    #[new]
    #[pyo3(signature = (registrations, serving, *, name, version, methods=vec![], state_version=None, setup=false, teardown=false, max_threads=32, over=None, mcp=false))]
    #[expect(clippy::too_many_arguments, reason = "by name, from Python")]
    fn new(
        registrations: &Registrations,
        serving: Py<PyAny>,
        name: String,
        version: String,
        methods: Vec<String>,
        state_version: Option<u64>,
        setup: bool,
        teardown: bool,
        max_threads: usize,
        over: Option<(i32, i32)>,
        mcp: bool,
    ) -> PyResult<Self> {
        let stdio = if let Some(descriptors) = over {
            over_descriptors(descriptors)?
        } else {
            let mut stdio = stdio()?;
            stdio.input.listen_for_sigterm().map_err(to_python)?;
            stdio
        };
        let config = ExtensionConfig {
            sdk: Some(SdkInfo::extline("python")),
            registrations: registrations.frames(),
            methods,
            state_version,
            teardown,
            ..ExtensionConfig::new(name, version)
        };
        let tools = Arc::clone(&registrations.tools);
        let wants = Wants { threads: max_threads, ends_process: over.is_none(), setup, mcp };
        let core = Core::new(config, stdio, tools, serving, wants).map_err(to_python)?;
        Ok(Self { core })
    }

    /// Serves in this thread until the end; the exit code. Raises what ended the extension, Ctrl-C
    /// for one.
    fn serve(&self, py: Python<'_>) -> PyResult<u8> {
        let signals = Signals::of_main_thread(py, &mut self.core.inlet().input);
        if signals.is_some() {
            self.core.main_thread.get_or_init(|| thread::current().id());
        }
        self.core.work(py, &Seat::new(true), Duty::Own);
        self.core.visits.end(py);
        Signals::stop(py);
        drop(signals);
        let failure = self.core.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        match failure {
            Some(failure) => Err(failure),
            None => Ok(self.core.channel().session.exit_code()),
        }
    }

    /// What an event loop watches: the descriptors to read, of the bell that rings for signals and
    /// other threads, and to write. From now on the loop, which is this thread's, drives the session
    /// by `pump`; `run_tool` makes the coroutine that awaits a handler and answers.
    fn begin_loop(&self, create_task: Py<PyAny>, run_tool: Py<PyAny>) -> (i32, i32, i32) {
        self.core.begin_loop(create_task, run_tool)
    }

    /// Has a loop told by bytes to a socket, where it waits for no descriptors: it pumps at each.
    #[cfg(windows)]
    fn ring_at(&self, socket: u64) -> PyResult<()> {
        Ok(self.core.ring_at(socket)?)
    }

    /// Does everything that there is to do and does not wait: `(reads, stalled, due, exit code, is
    /// turn)`, where due is in seconds from now. Several tasks that were begun have a turn, which the loop
    /// ends behind them by `end_turn`. Only where the bell may have rung it is asked why.
    fn pump(&self, py: Python<'_>, is_rung: bool) -> PyResult<State> {
        self.core.pump(py, is_rung)
    }

    /// Writes what was said in a turn of the loop.
    fn end_turn(&self) {
        self.core.end_turn();
    }

    /// What a further thread does: it begins as the owner, in the place of one that has taken the
    /// session over and needs Python.
    fn go_on(&self, py: Python<'_>) {
        self.core.go_on(py);
    }

    /// Bytes read in all, bytes written in all, whether all that was read was begun, and whether all of it is
    /// done and written except the calls that still run.
    fn progress(&self) -> (u64, u64, bool, bool) {
        let channel = self.core.channel();
        let is_begun = !channel.has_events();
        let is_calm = is_begun && channel.is_said() && channel.session.is_calm();
        (channel.total(), channel.total_written(), is_begun, is_calm)
    }

    /// Everything is registered.
    fn ready(&self) -> PyResult<()> {
        self.core.tell(extline_protocol::ExtensionSession::ready)
    }

    /// The extension ends by itself, in order; whether it had not begun to.
    fn end(&self, exit_code: u8) -> PyResult<bool> {
        self.core.tell(|session| session.end(exit_code, std::time::Instant::now()))
    }

    /// What a setup that fails ends the extension with: 0 for one that the end has cancelled.
    fn setup_exit_code(&self, is_cancelled: bool) -> u8 {
        self.core.channel().session.setup_exit_code(is_cancelled)
    }

    /// Whether the host understands what the extension would send under that capability.
    fn supports(&self, capability: &str) -> bool {
        let known = Capability::of(capability);
        known.is_some_and(|capability| self.core.channel().session.supports(capability))
    }

    /// The configuration as the host gave it last, JSON text of an object; None where it gives none.
    fn config(&self) -> Option<String> {
        let channel = self.core.channel();
        channel.session.config().map(|config| config.get().to_owned())
    }

    /// What the extension registers with while it runs.
    #[getter]
    fn registrations(&self) -> Registrations {
        Registrations::of(&self.core)
    }

    fn notify(&self, message: Text, level: &str) -> PyResult<()> {
        let level = note_level(level)?;
        self.core.tell_host(|session| session.notify(level, message.0))
    }

    #[pyo3(signature = (message, level, fields=None))]
    fn log(&self, message: Text, level: &str, fields: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let level = log_level(level)?;
        let fields = fields.map(dump_raw).transpose()?;
        self.core.tell_host(|session| session.log(level, message.0, fields))
    }

    fn submit(&self, text: Text) -> PyResult<()> {
        self.core.submit(text)
    }

    fn clear_notes(&self) -> PyResult<()> {
        self.core.tell_host(extline_protocol::ExtensionSession::clear_notes)
    }

    /// Opens a panel, or draws it anew, by the frame. Whether it is open.
    fn panel(&self, frame: &Bound<'_, PyDict>) -> PyResult<bool> {
        if is::<OpenPanel>(frame)? {
            let open: OpenPanel = frame_of(frame)?;
            self.core.tell_host(|session| session.open_panel(open.panel))?;
            return Ok(true);
        }
        let render: PanelRender = frame_of(frame)?;
        self.core.tell_host(|session| session.render_panel(render))
    }

    fn close_panel(&self, id: &str) -> PyResult<()> {
        self.core.tell_host(|session| session.close_panel(id))
    }

    fn panel_is_open(&self, id: &str) -> bool {
        self.core.channel().session.panel_is_open(id)
    }

    /// The handlers of an event have ended.
    fn event_done(&self) -> PyResult<()> {
        self.core.tell(extline_protocol::ExtensionSession::event_done)
    }

    /// The handler of a panel's input has ended.
    fn panel_done(&self, id: &str) -> PyResult<()> {
        self.core.tell(|session| session.panel_done(id))
    }

    fn teardown_done(&self) -> PyResult<()> {
        self.core.tell(extline_protocol::ExtensionSession::teardown_done)
    }
}

/// Whether the frame is of that type.
fn is<F: Frame>(frame: &Bound<'_, PyDict>) -> PyResult<bool> {
    frame.as_any().get_item("type")?.eq(F::TYPE)
}
