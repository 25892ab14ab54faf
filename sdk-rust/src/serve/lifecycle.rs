//! The beginning and the end: the host's answer, setup, teardown.

use std::rc::Rc;

use extline_protocol::Capability;
use extline_protocol::frame::HelloAck;
use extline_protocol::limits::{LATE_TEARDOWN, SHUTDOWN_TEARDOWN};

use super::Serving;
use crate::handler::Guarded;
use crate::running::{Name, RunId};
use crate::setup::SetupFailure;
use crate::stderr::report_failure;
use crate::{Context, Host, Setup};

impl Serving {
    pub(super) fn accepted(&mut self, ack: HelloAck) {
        let session = self.connection.session();
        let supported =
            Capability::ALL.into_iter().filter(|capability| session.supports(*capability));
        let host = Host::new(ack, supported.collect());
        drop(session);
        self.connection.set_host(host);
        self.set_up();
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
            match outcome.map_err(SetupFailure::from).and_then(|outcome| outcome) {
                Ok(()) => connection.finish_setup(),
                Err(failure) => connection.fail_setup(failure),
            }
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
        let since = self.connection.session().ending_since();
        let deadline = since.map(|since| since + SHUTDOWN_TEARDOWN);
        let context = Context::of_teardown(&self.connection, deadline);
        let teardowns = std::mem::take(&mut self.teardowns);
        let cancellation = context.cancellation();
        let work = Box::pin(async move {
            for teardown in teardowns {
                let outcome = Guarded::new(teardown(context.clone())).await;
                if let Err(failure) = outcome.and_then(|outcome| outcome) {
                    report_failure(&format!("teardown failed: {failure}"));
                }
            }
        });
        let name = Name { kind: "teardown", name: String::new() };
        self.start(RunId::Teardown, name, cancellation, work, |connection, _| {
            connection.finish_teardown();
        });
    }

    pub(super) fn end(&mut self) {
        if self.connection.running.contains(&RunId::Teardown) {
            report_failure(LATE_TEARDOWN);
        }
        self.has_finished = true;
    }
}
