//! What an extension offers, checked where its author wrote it down.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use extline_driver::{Registry, by_hand, validator_of};
use extline_protocol::frame::{EventFilter, ExtensionFrame};
use extline_protocol::{ArgsValidator, RegisterError, Registrations as Frames, Requirement};
use extline_stdio::Pace;
use napi::{Error, Result};
use napi_derive::napi;

use crate::calls::Label;
use crate::core::State;
use crate::driver::Driver;
use crate::frames::frame_of;
use crate::intercept_chain::Deciders;

/// How a tool is called.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) label: Label,
    /// Under which number JavaScript keeps its handler.
    pub(crate) index: u32,
    /// Checks the arguments, where no library of the author's does.
    pub(crate) validator: Option<ArgsValidator>,
    /// Whether its handler keeps the loop for longer than an answer may be held back.
    pub(crate) pace: Pace,
}

/// By name.
pub(crate) type Tools = HashMap<String, Arc<Tool>>;

/// What an extension registers with.
#[napi]
#[derive(Default)]
pub struct Registrations {
    frames: RefCell<Frames>,
    tools: RefCell<Tools>,
    deciders: RefCell<Deciders>,
    /// Where they are those of an extension that runs.
    driver: Option<Rc<Driver>>,
}

#[napi]
impl Registrations {
    /// Those of an extension before it runs: none.
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool: its frame as text, the number of its handler, and whether its arguments are to be
    /// checked against the schema before the handler is called. Says what of the schema cannot be.
    #[napi(catch_unwind)]
    pub fn tool(&self, frame: String, index: u32, checked: bool) -> Result<Vec<String>> {
        let ExtensionFrame::RegisterTool(frame) = frame_of(&frame)? else { return Ok(Vec::new()) };
        let checked = checked.then(|| validator_of(&frame)).transpose();
        let (validator, unchecked) = checked.map_err(Error::from_reason)?.unzip();
        let label = format!("tool {}", frame.name).into();
        let tool = Arc::new(Tool { label, index, validator, pace: Pace::new() });
        self.with(|mut registry, tools, _| {
            registry.tool(&frame)?;
            tools.insert(frame.name, tool);
            Ok(unchecked.unwrap_or_default())
        })
        .map_err(mistake)
    }

    /// Takes a tool away; unknown names are ignored.
    #[napi(catch_unwind)]
    pub fn remove_tool(&self, name: String) -> Result<()> {
        self.with(|mut registry, _, _| registry.remove_tool(&name)).map_err(mistake)
    }

    /// Adds a command by its frame.
    #[napi(catch_unwind)]
    pub fn command(&self, frame: String) -> Result<()> {
        let ExtensionFrame::RegisterCommand(frame) = frame_of(&frame)? else { return Ok(()) };
        self.with(|mut registry, _, _| registry.command(&frame)).map_err(mistake)
    }

    /// Asks for an event, of these tools alone where some are named.
    #[napi(catch_unwind)]
    pub fn event(&self, name: String, tools: Option<Vec<String>>) -> Result<()> {
        let filter = tools.map(|tools| EventFilter::of_tools(&name, tools)).transpose();
        let filter = filter.map_err(|unfit| mistake(unfit.into()))?;
        self.with(|mut registry, _, _| registry.subscribe().listen(&name, filter.as_ref()));
        Ok(())
    }

    /// Asks to be asked at a point by an interceptor, or by the guard of that name.
    #[napi(catch_unwind)]
    pub fn decider(&self, point: String, guard: Option<String>) {
        self.with(|mut registry, _, deciders| deciders.add(registry.subscribe(), point, guard));
    }

    /// What a failure means at a point: `allow` or `block`.
    #[napi(catch_unwind)]
    pub fn on_failure(&self, point: String, mode: String) {
        self.with(|mut registry, _, _| registry.subscribe().set_on_failure(&point, &mode));
    }

    /// Adds something that the extension cannot do without.
    #[napi(catch_unwind)]
    pub fn require(&self, kind: String, name: String) -> Result<()> {
        let requirement = Requirement::of(&kind, &name).map_err(Error::from_reason)?;
        self.with(|mut registry, _, _| registry.require(requirement));
        Ok(())
    }

    /// Whether a person started the program in a terminal, and has been told how it is tried.
    #[napi(catch_unwind)]
    pub fn is_tried(&self, name: String, version: String, program: String, is_mcp: bool) -> bool {
        by_hand::is_tried((&name, &version), &self.frames.borrow(), &program, || is_mcp)
    }
}

impl Registrations {
    /// Those of an extension that runs.
    pub(crate) fn of(driver: &Rc<Driver>) -> Self {
        Self { driver: Some(Rc::clone(driver)), ..Self::default() }
    }

    /// A copy, for one session that may add to it.
    pub(crate) fn copy(&self) -> (Frames, (Tools, Deciders)) {
        let known = (self.tools.borrow().clone(), self.deciders.borrow().clone());
        (self.frames.borrow().clone(), known)
    }

    fn with<R>(&self, register: impl FnOnce(Registry<'_>, &mut Tools, &mut Deciders) -> R) -> R {
        if let Some(driver) = &self.driver {
            return driver.tell(|State { channel, tools, deciders, .. }| {
                register(Registry::Running(&mut channel.session), tools, deciders)
            });
        }
        let (frames, tools) = (&mut *self.frames.borrow_mut(), &mut *self.tools.borrow_mut());
        register(Registry::Before(frames), tools, &mut self.deciders.borrow_mut())
    }
}

/// Whether a handler for these tools is told of an event about that one (`subscribe.filter-sdk`).
#[napi(catch_unwind)]
pub fn fits_tools(tools: Vec<String>, tool: Option<String>) -> bool {
    EventFilter { tools: Some(tools) }.fits_tool(tool.as_deref())
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn mistake(error: RegisterError) -> Error {
    Error::from_reason(error.to_string())
}
