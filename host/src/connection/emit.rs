//! The events that a host sends to its extensions.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use extline_protocol::frame::{Event, EventPayload, SessionInfo};

use super::news::News;
use super::shared::Shared;
use super::turns::Turns;
use crate::audit::{Audit, Record};
use crate::lock::lock;

/// What a host says in every event, and which events it sends by itself.
#[derive(Debug)]
pub(crate) struct Emission {
    /// The host tells of calls by itself.
    pub(crate) of_calls: bool,
    /// The conversation.
    session: Mutex<Option<SessionInfo>>,
    /// The working directory.
    cwd: String,
    /// The file of what was called, where there is one.
    audit: Option<Arc<Audit>>,
    /// That it cannot be written was told.
    audit_failed: AtomicBool,
    /// The number of the last event that had one. Held until the event is written, so that the
    /// numbers grow on each pipe.
    sequence: Mutex<u64>,
    pub(crate) turns: Turns,
}

impl Emission {
    pub(crate) fn new(
        of_calls: bool,
        (session, cwd): (Option<SessionInfo>, String),
        audit: Option<Arc<Audit>>,
    ) -> Self {
        Self {
            of_calls,
            session: Mutex::new(session),
            cwd,
            audit,
            audit_failed: AtomicBool::new(false),
            sequence: Mutex::new(0),
            turns: Turns::default(),
        }
    }

    /// The conversation that is served now.
    pub(crate) fn session(&self) -> Option<SessionInfo> {
        lock(&self.session).clone()
    }

    /// Serves another one from now on; its events are counted anew. Says which it was.
    pub(crate) fn set_session(&self, session: SessionInfo) -> Option<SessionInfo> {
        let mut sequence = lock(&self.sequence);
        *sequence = 0;
        lock(&self.session).replace(session)
    }
}

impl Shared {
    /// Tells an event to those who subscribed to it, in load order. Where the host has a session it
    /// says which, the working directory and the number of the event, unless the caller does.
    pub(crate) fn emit(&self, event: &str, payload: EventPayload) {
        self.emission.turns.follow(event);
        let mut event = Event { event: event.to_owned(), payload };
        let subscribers = self.registry().subscribers(&event);
        if subscribers.is_empty() {
            return;
        }
        event.payload = event.payload.bound();
        let payload = &mut event.payload;
        let mut in_order = None;
        let mut sequence = lock(&self.emission.sequence);
        if let Some(session) = self.emission.session() {
            *sequence += 1;
            payload.session_id.get_or_insert(session.id);
            payload.cwd.get_or_insert_with(|| self.emission.cwd.clone());
            payload.sequence.get_or_insert(*sequence);
            in_order = Some(sequence);
        }
        for connection in subscribers.into_iter().filter_map(|it| self.connection(it)) {
            connection.send_event(&event);
        }
        drop(in_order);
    }

    /// Whether calls are written down.
    pub(crate) fn is_audited(&self) -> bool {
        self.emission.audit.is_some()
    }

    /// The hash of arguments, where it is written down.
    pub(crate) fn audit_hash(&self, args: &str) -> Option<String> {
        self.emission.audit.as_ref().map(|audit| audit.hash(args))
    }

    /// Writes a record of the audit, if there is one. That it cannot is told once.
    pub(crate) fn audit(&self, record: &Record<'_>) {
        let Some(audit) = &self.emission.audit else { return };
        let session = self.emission.session();
        let session = session.as_ref().map(|session| session.id.as_str());
        if let Err(error) = audit.write(session, record, &self.redactor)
            && !self.emission.audit_failed.swap(true, Ordering::Relaxed)
        {
            self.news.tell(News::AuditFailed { reason: error.to_string() });
        }
    }

    /// Whether anybody wants to hear from the host that a call begins, and that it ends.
    pub(crate) fn call_subscribers(&self) -> (bool, bool) {
        if !self.emission.of_calls {
            return (false, false);
        }
        let registry = self.registry();
        (registry.has_subscriber("tool_call"), registry.has_subscriber("tool_result"))
    }
}
