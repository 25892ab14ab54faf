//! From `hello` to `ready` (`start.*`).

use std::time::Instant;

use super::{ExtensionEvent, ExtensionSession};
use crate::capability::{Capabilities, Capability};
use crate::frame::{Hello, HelloAck, Ready, RegisterCommand, RegisterTool, SdkInfo, Subscribe};
use crate::frame::{OnFailure, UnregisterTool};
use crate::limits::{FRAME_BYTES, PROTOCOL_VERSION, SETUP_KEEPALIVE};
use crate::method::{APPROVAL_METHOD, PENDING_METHODS};
use crate::profile::Vocabulary;
use crate::registrations::RegistrationError;
use crate::session::{Notice, RequestError};

/// What every zot lets an extension intercept.
const BASE_POINTS: [&str; 3] = ["tool_call", "turn_start", "assistant_message"];

/// What upstream added, and each fork has.
const FORK_FRAMES: [&str; 4] = ["open_panel", "clear_notes", "submit", "submit_slash"];

/// Registrations.
impl ExtensionSession {
    /// Adds a tool. Before `ready` it is sent with the others; after it at once, where the host
    /// re-reads its list (capability `tool_registry`).
    pub fn register_tool(&mut self, tool: &RegisterTool) -> Result<(), RegisterError> {
        self.check_still_registers()?;
        let is_dynamic = tool.approval.as_ref().is_some_and(|approval| approval.dynamic);
        if is_dynamic && !self.methods.iter().any(|method| method == APPROVAL_METHOD) {
            return Err(RegisterError::NotAsked);
        }
        self.registrations.tool(tool.clone())?;
        if let Some(tool) = self.registrations.tools().last().filter(|_| self.is_ready) {
            self.send_tool(&tool.clone());
        }
        Ok(())
    }

    /// Takes a tool away; unknown names are ignored. Calls of it that run go on.
    pub fn unregister_tool(&mut self, name: &str) -> Result<(), RegisterError> {
        self.check_still_registers()?;
        if self.registrations.remove_tool(name) && self.is_ready {
            self.send(&UnregisterTool { name: name.to_owned() });
        }
        Ok(())
    }

    /// Adds a command; hosts take them at any time.
    pub fn register_command(&mut self, command: &RegisterCommand) -> Result<(), RegisterError> {
        self.registrations.command(command.clone())?;
        if self.is_ready {
            self.send(command);
        }
        Ok(())
    }

    /// What the extension asks to be told and asked about. Changes count until `ready`.
    pub fn subscribe_mut(&mut self) -> &mut Subscribe {
        &mut self.registrations.subscribe
    }

    /// Sends every registration, the subscription and `ready` in one piece. Call it once, after
    /// [`ExtensionEvent::Accepted`] and `setup`; a second call does nothing.
    pub fn ready(&mut self) {
        if self.is_ready || self.host.is_none() {
            return;
        }
        self.is_ready = true;
        self.is_setting_up = false;
        self.next_keepalive = None;
        let registrations = std::mem::take(&mut self.registrations);
        for command in registrations.commands() {
            self.send(command);
        }
        for tool in registrations.tools() {
            self.send_tool(tool);
        }
        let mut subscribe = on_the_wire(&registrations.subscribe);
        // The session keeps away what nobody wants in any case; whoever does not know filters need not read
        // them.
        if !self.supports(Capability::EventFilters) {
            subscribe.filters = None;
        }
        if subscribe != Subscribe::default() {
            self.warn_of_new_points(&subscribe);
            self.warn_of_events(&subscribe);
            self.send(&subscribe);
        }
        self.registrations = registrations;
        self.send(&Ready {});
        self.finish_if_idle();
    }

    fn check_still_registers(&self) -> Result<(), RegisterError> {
        if self.is_ready && !self.supports(Capability::ToolRegistry) {
            return Err(RegisterError::TooLate);
        }
        Ok(())
    }

    fn warn_of_new_points(&mut self, subscribe: &Subscribe) {
        let points = subscribe.intercept.iter().flatten();
        for point in points.filter(|point| !BASE_POINTS.contains(&point.as_str())) {
            self.warn_old_host(point);
        }
    }

    /// Of those that the host does not tell of, where it says which it does (`subscribe.told`), and of
    /// those that look misspelt.
    fn warn_of_events(&mut self, subscribe: &Subscribe) {
        let told = self.host.as_ref().and_then(|host| host.supported_events.clone());
        for event in subscribe.events.iter().flatten() {
            let near = Vocabulary::events_near(event);
            let is_told = told.as_ref().is_none_or(|told| told.contains(event));
            if !near.is_empty() || !is_told {
                self.notice(Notice::UnknownEvent { event: event.clone(), near });
            }
        }
    }
}

/// A registration that cannot be made.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegisterError {
    /// It is wrong in itself.
    #[error(transparent)]
    Registration(#[from] RegistrationError),
    /// The host reads the tools once, and has read them.
    #[error("the host takes no tools after `ready` (it does not offer tool_registry)")]
    TooLate,
    /// The host asks only for methods that `hello` names.
    #[error(
        "the host would not ask about its calls: `hello` names the method {APPROVAL_METHOD} only \
         where a tool with an approval that is `dynamic` is given before the start"
    )]
    NotAsked,
}

impl ExtensionSession {
    pub(super) fn say_hello(&mut self, name: String, version: String, sdk: Option<SdkInfo>) {
        // Who pushes an action serves these without saying so (`pending.served`).
        let named = self.methods.iter().filter(|name| !PENDING_METHODS.contains(&name.as_str()));
        let methods: Vec<_> = named.cloned().collect();
        let methods = (!methods.is_empty()).then_some(methods);
        let capabilities = Some(self.own_capabilities.names());
        let guards = declared_guards(&self.registrations.subscribe);
        let protocol_version = Some(PROTOCOL_VERSION);
        let min_protocol = None;
        self.send(&Hello {
            name,
            version,
            capabilities,
            sdk,
            methods,
            guards,
            protocol_version,
            min_protocol,
        });
    }

    pub(super) fn handle_hello_ack(&mut self, mut ack: Box<HelloAck>, now: Instant) {
        if self.host.is_some() {
            self.notice(Notice::OutOfPlace { frame_type: "hello_ack", why: "it came before" });
            return;
        }
        if ack.protocol_version != 1 && !ack.is_of_fork() {
            self.notice(Notice::ProtocolVersion(ack.protocol_version));
        }
        self.host_capabilities = Capabilities::named(ack.capabilities.as_deref().unwrap_or(&[]));
        self.note_methods(&mut ack);
        let granted = ack.limits.as_ref().and_then(|limits| limits.frame_bytes);
        let granted = granted.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(0);
        self.outbox.set_limit(granted.max(FRAME_BYTES));
        self.next_keepalive = Some(now + SETUP_KEEPALIVE);
        self.host = Some((*ack).clone());
        if !self.gives_up_at_start(now) {
            self.is_setting_up = true;
            self.lanes.control(ExtensionEvent::Accepted(ack));
        }
    }

    /// An empty `subscribe` restarts a zot's idle window of 250 ms and changes nothing
    /// (`start.keepalive`).
    pub(super) fn keep_setup_alive(&mut self, now: Instant) {
        if self.next_keepalive.is_some_and(|due| due <= now) {
            self.send(&Subscribe::default());
            self.next_keepalive = Some(now + SETUP_KEEPALIVE);
        }
    }

    /// One line for each frame or point that a host without `hello_ack.capabilities` may not
    /// know (`cap.upstream`).
    pub(super) fn warn_old_host(&mut self, what: &str) {
        let Some(host) = &self.host else { return };
        let is_known = host.is_of_fork() && FORK_FRAMES.contains(&what);
        if host.capabilities.is_none() && !is_known && self.warned.insert(what.to_owned()) {
            let host = [host.host_name(), " ", host.host_version()].concat();
            self.notice(Notice::MayNotKnow { host, what: what.to_owned() });
        }
    }

    /// Whether the host serves a method. False before it has answered.
    pub fn serves(&self, method: &str) -> bool {
        let methods = self.host.as_ref().and_then(|host| host.methods.as_ref());
        methods.is_some_and(|methods| methods.iter().any(|name| name == method))
    }

    pub(super) fn may_use_methods(&self, method: &str) -> Result<(), RequestError> {
        let unsupported = || RequestError::Unsupported { method: method.to_owned() };
        self.serves(method).then_some(()).ok_or_else(unsupported)
    }
}

/// The points at which nothing may pass before the guards that are registered by now can be asked:
/// all of theirs where the author did not choose that a guard that fails lets pass
/// (`guard.hello`).
fn declared_guards(subscribe: &Subscribe) -> Option<Vec<String>> {
    let allows = |point: &str| {
        let modes = subscribe.on_failure.as_ref();
        modes.and_then(|modes| modes.get(point)) == Some(&OnFailure::Allow)
    };
    let guards = subscribe.guards.iter().flatten().filter(|point| !allows(point));
    let guards: Vec<_> = guards.cloned().collect();
    Some(guards).filter(|guards| !guards.is_empty())
}

/// A guard is also named as an intercept, so that a zot, which knows no guards, asks it
/// (`guard.on-zot`).
fn on_the_wire(subscribe: &Subscribe) -> Subscribe {
    let mut subscribe = subscribe.clone();
    for point in subscribe.guards.iter().flatten() {
        let intercept = subscribe.intercept.get_or_insert_default();
        if !intercept.contains(point) {
            intercept.push(point.clone());
        }
    }
    let empty =
        |list: &mut Option<Vec<String>>| *list = list.take().filter(|list| !list.is_empty());
    empty(&mut subscribe.events);
    empty(&mut subscribe.intercept);
    empty(&mut subscribe.guards);
    subscribe.on_failure = subscribe.on_failure.take().filter(|modes| !modes.is_empty());
    subscribe.filters = subscribe.filters.take().filter(|filters| !filters.is_empty());
    subscribe
}

/// What a handler that fails means at a point, where its author did not say (`intercept.failure`).
pub(super) fn default_on_failure(point: &str) -> OnFailure {
    if BASE_POINTS.contains(&point) { OnFailure::Block } else { OnFailure::Allow }
}
