//! Registrations in the order of the wire, though a schema may take long to compile.
//!
//! Most schemas are compiled where they are read. One that may take long is compiled on a thread of
//! its own, one at a time for each extension; what the extension says meanwhile that may depend on
//! it waits: other registrations, `ready`, and what it asks for. Answers and all else do not wait; a
//! subscription does not either, as a guard that waited would not guard.

use std::collections::VecDeque;
use std::sync::Weak;
use std::time::Instant;

use extline_protocol::frame::{RegisterTool, Rejection};
use extline_protocol::{ErrorKind, HostEvent};
use extline_schema::{SchemaError, ToolSchema};

use super::Connection;
use super::state::{Phase, State};
use crate::aside;
use crate::memory::{EXTENSION_MEMORY, Memory, shorten};
use crate::report::{Notice, Problem};
use crate::tool::Tool;

/// What may wait for a schema before nothing more is read.
const WAITING: usize = 1_000;
const WAITING_BYTES: usize = 8 * 1024 * 1024;

/// Longest name and longest reason that are kept of a registration that cannot be used, in bytes.
const NAME: usize = 256;
const REASON: usize = 1024;

/// What waits until a schema is compiled.
#[derive(Debug, Default)]
pub(super) struct Registering {
    is_compiling: bool,
    waiting: VecDeque<HostEvent>,
    waiting_bytes: usize,
}

impl Registering {
    /// What can be handled now; everything else waits.
    pub(super) fn pass(&mut self, event: HostEvent) -> Option<HostEvent> {
        let is_idle = !self.is_compiling && self.waiting.is_empty();
        if is_idle || !depends_on_registrations(&event) {
            return Some(event);
        }
        self.waiting_bytes += memory_of(&event);
        self.waiting.push_back(event);
        None
    }

    /// So much waits that nothing more should be read.
    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() >= WAITING || self.waiting_bytes >= WAITING_BYTES
    }

    /// Nobody wants it any more.
    pub(super) fn give_up(&mut self) {
        self.waiting.clear();
        self.waiting_bytes = 0;
    }

    fn next(&mut self) -> Option<HostEvent> {
        if self.is_compiling {
            return None;
        }
        let event = self.waiting.pop_front()?;
        self.waiting_bytes -= memory_of(&event);
        Some(event)
    }
}

fn depends_on_registrations(event: &HostEvent) -> bool {
    matches!(
        event,
        HostEvent::RegisterTool(_)
            | HostEvent::UnregisterTool(_)
            | HostEvent::RegisterCommand(_)
            | HostEvent::Rejected(_)
            | HostEvent::Ready
            | HostEvent::SaidReady
            | HostEvent::CallTool { .. }
            | HostEvent::Request { .. }
            | HostEvent::Cancelled { .. }
    )
}

fn memory_of(event: &HostEvent) -> usize {
    match event {
        HostEvent::RegisterTool(tool) => tool.memory(),
        HostEvent::UnregisterTool(name) => name.memory(),
        HostEvent::RegisterCommand(command) => command.memory(),
        HostEvent::Rejected(rejection) => rejection.name.memory() + rejection.message.memory(),
        HostEvent::CallTool { call, .. } => call.name.memory() + call.args.memory(),
        HostEvent::Request { request, .. } => request.method.memory() + request.params.memory(),
        _ => 0,
    }
}

impl Connection {
    pub(super) fn register_tool(&self, state: &mut State, mut definition: RegisterTool) {
        self.check_call_view(state, &definition.name, &mut definition.call_view);
        if !self.shared.rules.profile.validates {
            self.take_tool(state, definition, None);
            return;
        }
        if let Some(schema) = ToolSchema::compile_if_quick(&definition.schema) {
            self.take_tool(state, definition, Some(schema));
            return;
        }
        state.registering.is_compiling = true;
        let this = Weak::clone(&self.this);
        let text = definition.schema.clone();
        let compiled = aside::run("extline-compile", move || ToolSchema::compile(&text));
        self.shared.runtime.spawn(async move {
            let schema = compiled.await;
            if let Some(this) = this.upgrade() {
                this.schema_is_compiled(definition, schema);
            }
        });
    }

    fn schema_is_compiled(
        &self,
        definition: RegisterTool,
        schema: Option<Result<ToolSchema, SchemaError>>,
    ) {
        let now = Instant::now();
        let mut state = self.lock();
        state.registering.is_compiling = false;
        // What it offered is forgotten when it ends.
        if matches!(state.phase, Phase::Starting | Phase::Ready) && !state.stopped_reading {
            match schema {
                Some(schema) => self.take_tool(&mut state, definition, Some(schema)),
                None => self.refuse(&mut state, no_thread(definition.name)),
            }
            while let Some(event) = state.registering.next() {
                self.handle(&mut state, event, now);
            }
        } else {
            state.registering.give_up();
        }
        self.carry_out(&mut state, now);
        drop(state);
        // It may read again.
        self.changed.notify_one();
    }

    fn take_tool(
        &self,
        state: &mut State,
        definition: RegisterTool,
        schema: Option<Result<ToolSchema, SchemaError>>,
    ) {
        let profile = &self.shared.rules.profile;
        match Tool::of_extension(&self.name, self.index, definition, schema, profile) {
            Ok(tool) => {
                self.shared.registry().register_tool(self.index, tool);
                self.registrations_changed(state);
            }
            Err(rejection) => self.refuse(state, rejection),
        }
    }

    pub(super) fn refuse(&self, state: &mut State, mut rejection: Rejection) {
        shorten(&mut rejection.name, NAME);
        shorten(&mut rejection.message, REASON);
        let text =
            format!("rejected the {} {:?}: {}", rejection.kind, rejection.name, rejection.message);
        self.notice(state, Notice::new(text));
        self.shared.registry().refuse(self.index, rejection);
        self.registrations_changed(state);
    }

    pub(super) fn registrations_changed(&self, state: &mut State) {
        state.registrations_changed = true;
        state.kept_registrations = self.shared.registry().memory(self.index);
    }
}

impl State {
    /// Gives up an extension of which too much is kept (`host.memory`).
    pub(super) fn check_memory(&mut self) {
        let bytes = self.kept_hello
            + self.kept_registrations
            + self.kept_answers
            + self.kept_panels
            + self.kept_questions;
        if bytes > EXTENSION_MEMORY && !self.is_ending() {
            self.failure.get_or_insert(Problem::TooMuchKept { bytes });
        }
    }
}

fn no_thread(tool: String) -> Rejection {
    Rejection {
        kind: "tool".to_owned(),
        message: format!("the schema of the tool {tool}: there is no thread to compile it"),
        name: tool,
        code: ErrorKind::Internal,
        winner: None,
    }
}
