//! The tools of an extension, as they are called.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use extline_driver::{Registry, by_hand, validator_of};
use extline_protocol::frame::{EventFilter, Frame, RegisterTool};
use extline_protocol::{
    ArgsValidator, Problem, Registrations as Frames, Requirement, decode_frame, decode_members,
};
use extline_stdio::Pace;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::claim::asks_for_mcp;
use crate::core::Core;
use crate::dump::dump_raw;

/// How a tool is called.
#[derive(Debug)]
pub(crate) struct Tool {
    /// As a person reads it: `tool weather`.
    pub(crate) label: Arc<str>,
    pub(crate) function: Py<PyAny>,
    /// Makes keyword arguments of the members, where they are no such already.
    pub(crate) bind: Option<Py<PyAny>>,
    /// `bind` is needed only where a number is written as another type writes it.
    pub(crate) binds_numbers_only: bool,
    /// Checks the arguments, where `bind` does not.
    pub(crate) validator: Option<ArgsValidator>,
    /// The keyword that takes the context.
    pub(crate) context: Option<Py<PyString>>,
    pub(crate) is_async: bool,
    pub(crate) is_generator: bool,
    /// Whether its handler takes longer than a tick.
    pub(crate) pace: Pace,
}

impl Tool {
    pub(crate) fn name(&self) -> &str {
        self.label.strip_prefix("tool ").unwrap_or(&self.label)
    }
}

/// By name.
pub(crate) type Tools = RwLock<HashMap<String, Arc<Tool>>>;

/// What an extension offers, checked where its author wrote it down.
#[pyclass(frozen, module = "extline._native")]
#[derive(Default)]
pub(crate) struct Registrations {
    frames: Mutex<Frames>,
    pub(crate) tools: Arc<Tools>,
    /// Where they are those of an extension that runs.
    core: Option<Arc<Core>>,
}

#[pymethods]
impl Registrations {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Adds a tool: its frame as a dict, and how it is called. A mistake is a `ValueError`.
    #[pyo3(signature = (frame, function, *, bind=None, plain=false, makes_objects=false, context=None, is_async=false, is_generator=false))]
    #[expect(
        clippy::too_many_arguments,
        clippy::fn_params_excessive_bools,
        reason = "by name, from Python"
    )]
    fn tool(
        &self,
        frame: &Bound<'_, PyDict>,
        function: Py<PyAny>,
        bind: Option<Py<PyAny>>,
        plain: bool,
        makes_objects: bool,
        context: Option<Py<PyString>>,
        is_async: bool,
        is_generator: bool,
    ) -> PyResult<Vec<String>> {
        let frame: RegisterTool = frame_of(frame)?;
        let checked = (plain || bind.is_none()).then(|| validator_of(&frame)).transpose();
        let (validator, unchecked) = checked.map_err(PyValueError::new_err)?.unzip();
        let takes_floats = frame.schema.get().contains("\"number\"");
        let tool = Tool {
            label: format!("tool {}", frame.name).into(),
            function,
            bind,
            binds_numbers_only: plain && !takes_floats && !makes_objects,
            validator,
            context,
            is_async,
            is_generator,
            pace: Pace::new(),
        };
        self.with(|registry| registry.tool(&frame))?.map_err(mistake)?;
        let mut tools = self.tools.write().unwrap_or_else(PoisonError::into_inner);
        let replaced = tools.insert(frame.name, Arc::new(tool));
        drop(tools);
        drop(replaced);
        Ok(unchecked.unwrap_or_default())
    }

    /// Takes a tool back.
    fn remove_tool(&self, name: &str) -> PyResult<()> {
        self.with(|registry| registry.remove_tool(name))?.map_err(mistake)
    }

    /// The same, for one session that may add to it.
    fn copy(&self) -> Self {
        let tools = self.tools.read().unwrap_or_else(PoisonError::into_inner).clone();
        Self { frames: Mutex::new(self.frames()), tools: Arc::new(RwLock::new(tools)), core: None }
    }

    /// Adds a command by its frame. A mistake is a `ValueError`.
    fn command(&self, frame: &Bound<'_, PyDict>) -> PyResult<()> {
        let frame = frame_of(frame)?;
        self.with(|registry| registry.command(&frame))?.map_err(mistake)
    }

    /// Asks for an event, of these tools alone where some are named. A mistake is a `ValueError`.
    #[pyo3(signature = (name, tools=None))]
    fn listen(&self, name: &str, tools: Option<Vec<String>>) -> PyResult<()> {
        let filter = tools.map(|tools| EventFilter::of_tools(name, tools)).transpose();
        let filter = filter.map_err(mistake)?;
        self.with(|registry| registry.subscribe().listen(name, filter.as_ref()))
    }

    /// Asks to be asked at a point, as `interceptor` or as `guard`.
    fn subscribe(&self, kind: &str, name: &str) -> PyResult<()> {
        self.with(|registry| registry.subscribe().add(kind, name))
    }

    /// What a failure means at a point: `allow` or `block`.
    fn on_failure(&self, point: &str, mode: &str) -> PyResult<()> {
        self.with(|registry| registry.subscribe().set_on_failure(point, mode))
    }

    /// Adds something that the extension cannot do without. A mistake is a `ValueError`.
    fn require(&self, kind: &str, name: &str) -> PyResult<()> {
        let requirement = Requirement::of(kind, name).map_err(PyValueError::new_err)?;
        self.with(|registry| registry.require(requirement))
    }

    /// Whether a person started the program in a terminal, and has been told how it is tried.
    #[pyo3(signature = (name, version, program, first_argument=None))]
    fn is_tried(
        &self,
        name: &str,
        version: &str,
        program: &str,
        first_argument: Option<&str>,
    ) -> bool {
        by_hand::is_tried((name, version), &self.frames(), program, || asks_for_mcp(first_argument))
    }
}

/// Whether a handler for these tools is told of an event about that one (`subscribe.filter-sdk`).
#[pyfunction]
pub(crate) fn fits_tools(tools: Vec<String>, tool: Option<&str>) -> bool {
    EventFilter { tools: Some(tools) }.fits_tool(tool)
}

impl Registrations {
    /// Those of an extension that runs.
    pub(crate) fn of(core: &Arc<Core>) -> Self {
        Self { tools: Arc::clone(&core.tools), core: Some(Arc::clone(core)), ..Self::default() }
    }

    fn with<R>(&self, register: impl FnOnce(&mut Registry<'_>) -> R) -> PyResult<R> {
        if let Some(core) = &self.core {
            return core.tell(|session| register(&mut Registry::Running(session)));
        }
        let mut frames = self.frames.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(register(&mut Registry::Before(&mut frames)))
    }

    pub(crate) fn frames(&self) -> Frames {
        self.frames.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

pub(crate) fn get(tools: &Tools, name: &str) -> Option<Arc<Tool>> {
    tools.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
}

/// A frame of the extension's from a dict with its `type`: what the protocol knows of it is read as
/// from the wire.
pub(crate) fn frame_of<F: Frame>(frame: &Bound<'_, PyDict>) -> PyResult<F> {
    // What cannot be on the channel is repaired before it is read.
    decode_frame(dump_raw(frame)?.get()).map_err(unusable)
}

/// A frame from a dict with an author's members alone: the session writes the rest.
pub(crate) fn members_of<F: Frame>(members: &Bound<'_, PyDict>) -> PyResult<F> {
    decode_members(dump_raw(members)?.get()).map_err(unusable)
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn unusable(problem: Problem) -> PyErr {
    PyValueError::new_err(problem.to_string())
}

fn mistake(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
