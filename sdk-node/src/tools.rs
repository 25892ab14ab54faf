//! What an extension offers, checked where its author wrote it down.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use extline_driver::by_hand;
use extline_protocol::frame::ExtensionFrame;
use extline_protocol::{ArgsValidator, Registrations as Frames, Requirement};
use extline_stdio::Pace;
use napi::{Error, Result};
use napi_derive::napi;

use crate::calls::Label;
use crate::event_filter;
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

/// The registrations of an extension before it runs.
#[napi]
#[derive(Debug, Default)]
pub struct Registrations {
    frames: RefCell<Frames>,
    tools: RefCell<Tools>,
    deciders: RefCell<Deciders>,
}

#[napi]
impl Registrations {
    /// None.
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool: its frame as text, the number of its handler, and whether its arguments are to be
    /// checked against the schema before the handler is called. Says what of the schema cannot be.
    #[napi(catch_unwind)]
    pub fn tool(&self, frame: String, index: u32, checked: bool) -> Result<Vec<String>> {
        let ExtensionFrame::RegisterTool(frame) = frame_of(&frame)? else { return Ok(Vec::new()) };
        let (tool, unchecked) = tool_of(&frame, index, checked)?;
        let name = frame.name.clone();
        self.frames.borrow_mut().tool(frame).map_err(mistake)?;
        self.tools.borrow_mut().insert(name, tool);
        Ok(unchecked)
    }

    /// Adds a command by its frame.
    #[napi(catch_unwind)]
    pub fn command(&self, frame: String) -> Result<()> {
        match frame_of(&frame)? {
            ExtensionFrame::RegisterCommand(frame) => {
                self.frames.borrow_mut().command(frame).map_err(mistake)
            }
            _ => Ok(()),
        }
    }

    /// Asks for an event, of these tools alone where some are named.
    #[napi(catch_unwind)]
    pub fn event(&self, name: String, tools: Option<Vec<String>>) -> Result<()> {
        let filter = event_filter::of(&name, tools)?;
        self.frames.borrow_mut().subscribe.listen(&name, filter.as_ref());
        Ok(())
    }

    /// Asks to be asked at a point by an interceptor, or by the guard of that name.
    #[napi(catch_unwind)]
    pub fn decider(&self, point: String, guard: Option<String>) {
        self.deciders.borrow_mut().add(&mut self.frames.borrow_mut().subscribe, point, guard);
    }

    /// What a failure means at a point: `allow` or `block`.
    #[napi(catch_unwind)]
    pub fn on_failure(&self, point: String, mode: String) {
        self.frames.borrow_mut().subscribe.set_on_failure(&point, &mode);
    }

    /// Adds something that the extension cannot do without.
    #[napi(catch_unwind)]
    pub fn require(&self, kind: String, name: String) -> Result<()> {
        self.frames.borrow_mut().requirements.push(requirement(&kind, &name)?);
        Ok(())
    }

    /// Whether a person started the program in a terminal, and has been told how it is tried.
    #[napi(catch_unwind)]
    pub fn is_tried(&self, name: String, version: String, program: String, is_mcp: bool) -> bool {
        by_hand::is_tried((&name, &version), &self.frames.borrow(), &program, || is_mcp)
    }
}

impl Registrations {
    /// A copy, for one session that may add to it.
    pub(crate) fn copy(&self) -> (Frames, (Tools, Deciders)) {
        let known = (self.tools.borrow().clone(), self.deciders.borrow().clone());
        (self.frames.borrow().clone(), known)
    }
}

pub(crate) fn requirement(kind: &str, name: &str) -> Result<Requirement> {
    Requirement::of(kind, name).map_err(Error::from_reason)
}

/// How a tool is called, and what of its schema is not checked here.
pub(crate) fn tool_of(
    frame: &extline_protocol::frame::RegisterTool,
    index: u32,
    checked: bool,
) -> Result<(Arc<Tool>, Vec<String>)> {
    let validator = checked.then(|| ArgsValidator::compile(&frame.schema)).transpose();
    let validator = validator.map_err(|problem| {
        Error::from_reason(format!("the schema of the tool {:?}: {problem}", frame.name))
    })?;
    let unchecked = validator.iter().flat_map(ArgsValidator::unsupported);
    let unchecked = unchecked.map(ToString::to_string).collect();
    let label = format!("tool {}", frame.name).into();
    Ok((Arc::new(Tool { label, index, validator, pace: Pace::new() }), unchecked))
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub(crate) fn mistake(error: extline_protocol::RegistrationError) -> Error {
    Error::from_reason(error.to_string())
}
