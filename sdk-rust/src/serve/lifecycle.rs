//! The beginning and the end: the host's answer, setup, what is required, teardown.

use std::rc::Rc;
use std::time::Instant;

use extline_protocol::Capability;
use extline_protocol::frame::{HelloAck, Level, Registered};
use extline_protocol::limits::SHUTDOWN_TEARDOWN;

use super::Serving;
use crate::handler::Guarded;
use crate::running::{Name, RunId};
use crate::stderr::report;
use crate::{Context, Host, Requirement, Setup};

/// The exit status where something required is missing: `EX_CONFIG`.
const CONFIG: u8 = 78;

impl Serving {
    pub(super) fn accepted(&mut self, ack: HelloAck) {
        let session = self.connection.session();
        let supported =
            Capability::ALL.into_iter().filter(|capability| session.supports(*capability));
        let host = Host::new(ack, supported.collect());
        drop(session);
        let missing = self.requirements.iter().find(|required| required.is_missing_from(&host));
        let missing = missing.map(ToString::to_string);
        self.connection.set_host(host);
        match missing {
            Some(missing) => self.give_up(&missing, "does not offer"),
            None => self.set_up(),
        }
    }

    fn set_up(&mut self) {
        if self.setups.is_empty() {
            self.connection.finish_setup();
            return;
        }
        let context = Context::of_event(&self.connection);
        let (setups, connection) = (std::mem::take(&mut self.setups), Rc::clone(&self.connection));
        let cancellation = context.cancellation();
        let work = Box::pin(async move {
            for setup in setups {
                let run = setup(Setup::new(Rc::clone(&connection)), context.clone());
                Guarded::new(run).await??;
            }
            Ok(())
        });
        let name = Name { kind: "setup", name: String::new() };
        self.start(RunId::Setup, name, cancellation, work, |connection, outcome| {
            match outcome.and_then(|outcome| outcome) {
                Ok(()) => connection.finish_setup(),
                Err(reason) => connection.fail_setup(reason),
            }
        });
    }

    pub(super) fn check_report(&self, registered: &Registered) {
        let is_rejected = |required: &&Requirement| {
            registered.rejected.iter().any(|rejection| required.is_rejected_by(rejection))
        };
        if let Some(missing) = self.requirements.iter().find(is_rejected) {
            self.give_up(&missing.to_string(), "did not take");
        }
    }

    /// Something required is missing (`report.required`).
    fn give_up(&self, missing: &str, what: &str) {
        let host = self.connection.host();
        let (host, version, name) = (host.name(), host.version(), &self.name);
        let message = format!("the host {host} {version} {what} {missing}, which {name} requires");
        report(&message);
        self.connection.tell(|session| {
            session.notify(Level::Error, message);
            session.end(CONFIG, Instant::now());
        });
    }

    /// Only where there was a setup to the end is there something to take down.
    pub(super) fn tear_down(&mut self) {
        if !self.connection.is_set_up.get() {
            self.connection.finish_teardown();
            return;
        }
        // It may keep the thread from here on.
        self.watch();
        let deadline = self.end_began.map(|began| began + SHUTDOWN_TEARDOWN);
        let context = Context::of_teardown(&self.connection, deadline);
        let teardowns = std::mem::take(&mut self.teardowns);
        let cancellation = context.cancellation();
        let work = Box::pin(async move {
            for teardown in teardowns {
                let outcome = Guarded::new(teardown(context.clone())).await;
                if let Err(failure) = outcome.and_then(|outcome| outcome) {
                    report(&format!("teardown failed: {failure}"));
                }
            }
        });
        let name = Name { kind: "teardown", name: String::new() };
        self.start(RunId::Teardown, name, cancellation, work, |connection, _| {
            connection.finish_teardown();
        });
    }

    pub(super) fn finish(&mut self, exit_code: u8) {
        if self.connection.running.contains(&RunId::Teardown) {
            report("teardown did not end in time");
        }
        self.finished = Some(exit_code);
    }
}
