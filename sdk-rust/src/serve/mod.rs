//! The serving loop: reads, runs handlers, writes, on one thread.
//!
//! The session decides everything about the protocol; this loop only waits, calls and moves bytes.
//! A handler is polled once where its frame was read, so that one that need not wait is answered
//! without a task, a timer or a second look at the descriptors; it becomes a task when it is
//! pending.

mod decide;
#[cfg(unix)]
mod descriptor;
mod dispatch;
mod inlet;
mod lifecycle;
mod observer;
mod outlet;
mod watchdog;

use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Instant;

use extline_protocol::frame::SdkInfo;
use extline_protocol::limits::{READ_AHEAD_BYTES, READ_AHEAD_FRAMES};
use extline_protocol::{ExtensionConfig, ExtensionSession};
use extline_stdio::Stdio;
use tokio::task::{LocalSet, yield_now};
use tokio::time::{Sleep, sleep_until};

pub(crate) use self::observer::{Observed, Observer};

use self::inlet::Inlet;
use self::outlet::Outlet;
use self::watchdog::Watchdog;
use crate::connection::Connection;
use crate::setup::{SetupHandler, TeardownHandler};
use crate::stderr::report;
use crate::{Error, Extension, Requirement};

/// Serves over the process's stdin and stdout until the end; the exit code.
pub(crate) async fn serve(mut extension: Extension) -> Result<u8, Error> {
    if let Some(mistake) = extension.mistake {
        return Err(mistake);
    }
    let mut stdio = match extension.stdio.take() {
        Some(stdio) => stdio,
        None => Stdio::claim()?,
    };
    stdio.input.listen_for_sigterm()?;
    serve_over(extension, stdio, None).await
}

/// Serves an extension without mistakes. With an observer the process is not the extension's, so it
/// is not ended, however long the extension takes to end.
pub(crate) async fn serve_over(
    extension: Extension,
    stdio: Stdio,
    observer: Option<Observer>,
) -> Result<u8, Error> {
    for remark in &extension.remarks {
        report(remark);
    }
    let config = ExtensionConfig {
        sdk: Some(SdkInfo {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            language: "rust".to_owned(),
        }),
        registrations: extension.registrations,
        methods: extension.methods,
        teardown: !extension.teardowns.is_empty(),
        ..ExtensionConfig::new(extension.name.clone(), extension.version)
    };
    let mut serving = Serving {
        connection: Rc::new(Connection::new(ExtensionSession::new(config), extension.handlers)),
        name: extension.name,
        setups: extension.setups,
        teardowns: extension.teardowns,
        requirements: extension.requirements,
        inlet: Inlet::new(stdio.input)?,
        outlet: Outlet::new(stdio.output),
        timer: None,
        ending: None,
        end_began: None,
        watchdog: None,
        finished: None,
        observer,
    };
    // Tasks that still run at the end are dropped with the set.
    let served = LocalSet::new().run_until(serving.serve()).await;
    // A handler may hold a context, which holds the handlers.
    drop(serving.connection.handlers.take());
    match serving.connection.failure.take() {
        Some(failure) => Err(failure),
        None => served,
    }
}

struct Serving {
    connection: Rc<Connection>,
    /// The extension's.
    name: String,
    /// Until they run.
    setups: Vec<SetupHandler>,
    teardowns: Vec<TeardownHandler>,
    requirements: Vec<Requirement>,
    inlet: Inlet,
    outlet: Outlet,
    timer: Option<(Instant, Pin<Box<Sleep>>)>,
    /// The exit code of an end that has begun and is not watched yet.
    ending: Option<u8>,
    end_began: Option<Instant>,
    watchdog: Option<Watchdog>,
    /// The exit code, when everything is answered.
    finished: Option<u8>,
    /// A testing host in the same process.
    observer: Option<Observer>,
}

impl Serving {
    async fn serve(&mut self) -> Result<u8, Error> {
        loop {
            self.dispatch()?;
            self.connection.forget_touched();
            self.write()?;
            if let Some(code) = self.finished
                && !self.outlet.is_waiting()
            {
                return Ok(code);
            }
            self.watch_the_end();
            self.show();
            self.progress().await?;
        }
    }

    /// Waits until there may be something to dispatch or to write.
    async fn progress(&mut self) -> Result<(), Error> {
        let mut has_waited = false;
        let progress = poll_fn(|context| {
            let polled = self.poll_progress(context);
            has_waited |= polled.is_pending();
            polled
        });
        progress.await?;
        if !has_waited {
            // A host that never stops sending must not keep the handlers that wait from going on.
            yield_now().await;
        }
        Ok(())
    }

    /// An end that has to wait is watched; most do not.
    fn watch_the_end(&mut self) {
        if let Some(exit_code) = self.ending.take()
            && self.observer.is_none()
        {
            self.watchdog = Watchdog::start(self.connection.running.clone(), exit_code);
        }
    }

    /// Shows a testing host how far the extension is.
    fn show(&self) {
        let Some(observer) = &self.observer else { return };
        // Nothing waits in the session then, except for the end of a lane's handler.
        let is_calm = !self.outlet.is_waiting() && !self.connection.running.has_lane();
        observer.show(self.inlet.total(), is_calm);
    }

    fn poll_progress(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let mut progress = self.connection.take_touched(context.waker());
        if self.outlet.is_waiting() {
            progress |= self.outlet.poll_write(context)?.is_ready();
            self.pass_gone();
        }
        let reading = self.may_read();
        progress |= self.inlet.poll(context, &self.connection, reading)?.is_ready();
        progress |= self.poll_timer(context).is_ready();
        if progress { Poll::Ready(Ok(())) } else { Poll::Pending }
    }

    /// Who waits to write, reads, up to a bound; calls that were read ahead wait in the session.
    fn may_read(&self) -> bool {
        !self.outlet.is_waiting()
            || (self.inlet.read_ahead() < READ_AHEAD_BYTES
                && self.connection.session().waiting() < READ_AHEAD_FRAMES)
    }

    fn poll_timer(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let session = self.connection.session();
        let stalled = self.outlet.is_waiting();
        let due = if stalled { session.poll_timeout_stalled() } else { session.poll_timeout() };
        drop(session);
        let Some(due) = due else {
            self.timer = None;
            return Poll::Pending;
        };
        if self.timer.as_ref().is_none_or(|(at, _)| *at != due) {
            self.timer = Some((due, Box::pin(sleep_until(due.into()))));
        }
        let Some((_, sleep)) = &mut self.timer else { return Poll::Pending };
        if sleep.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        self.timer = None;
        self.connection.session().handle_timeout(Instant::now());
        Poll::Ready(())
    }

    /// Writes what there is, as much as the host takes now.
    fn write(&mut self) -> Result<(), Error> {
        while !self.outlet.is_waiting() {
            let any = self.connection.session().poll_output(Instant::now(), self.outlet.space());
            if !any {
                self.inlet.forget_read_ahead();
                break;
            }
            self.connection.written.notify_waiters();
            self.outlet.write()?;
            self.pass_gone();
        }
        Ok(())
    }

    /// Without a host that reads nobody waits for answers.
    fn pass_gone(&mut self) {
        if self.outlet.take_gone() {
            self.connection.tell(|session| session.handle_write_failed(Instant::now()));
        }
    }
}
