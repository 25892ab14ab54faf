//! The serving loop: reads, runs handlers, writes, on one thread.
//!
//! The session decides everything about the protocol; this loop only waits, calls and moves bytes.
//! A handler is polled once where its frame was read, so that one that need not wait is answered
//! without a task, a timer or a second look at the descriptors; it becomes a task when it is
//! pending.

mod decide;
mod dispatch;
mod lifecycle;
mod observer;
mod readiness;
mod source;
mod stand_in;
mod tasks;
#[cfg(not(windows))]
mod threaded;
mod watchdog;
mod wire;

use std::cell::OnceCell;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::time::Instant;

use extline_driver::Read;
use extline_protocol::frame::SdkInfo;
use extline_protocol::{ExtensionConfig, ExtensionSession};
use extline_stdio::{Interrupter, Stdio};
use tokio::runtime::RuntimeMetrics;
use tokio::task::yield_now;
use tokio::time::{Sleep, sleep_until};

pub(crate) use self::observer::{Observed, Observer};
pub(crate) use self::wire::{SharedWire, Wire, lock};

use self::readiness::Readiness;
use self::stand_in::StandIn;
use self::tasks::Tasks;
use self::watchdog::Watchdog;
use crate::connection::Connection;
use crate::setup::{SetupHandler, TeardownHandler};
use crate::stderr::report;
use crate::{Error, Extension, claim};

/// Serves over the process's stdin and stdout until the end; the exit code.
/// `own` is the runtime, where it was made for this extension alone.
pub(crate) async fn serve(
    mut extension: Extension,
    own: Option<RuntimeMetrics>,
) -> Result<u8, Error> {
    if let Some(mistake) = extension.mistake {
        return Err(mistake);
    }
    let mut stdio = match extension.stdio.take() {
        Some(stdio) => stdio,
        None => Stdio::claim()?,
    };
    stdio.input.listen_for_sigterm()?;
    serve_over(extension, stdio, own, None).await
}

/// Serves an extension without mistakes. With an observer the process is not the extension's, so it
/// is not ended, however long the extension takes to end.
pub(crate) async fn serve_over(
    extension: Extension,
    stdio: Stdio,
    own: Option<RuntimeMetrics>,
    observer: Option<Observer>,
) -> Result<u8, Error> {
    for remark in &extension.remarks {
        report(remark);
    }
    let config = ExtensionConfig {
        sdk: Some(SdkInfo::extline("rust")),
        registrations: extension.registrations,
        methods: extension.methods,
        state_version: extension.state_version,
        teardown: !extension.teardowns.is_empty(),
        ..ExtensionConfig::new(extension.name, extension.version)
    };
    let session = ExtensionSession::new(config);
    let is_mcp = observer.is_none() && claim::is_mcp();
    let wire = Arc::new(Mutex::new(Wire::new(session, stdio, is_mcp)?));
    let mut serving = Serving {
        readiness: Readiness::of(&wire)?,
        connection: Rc::new(Connection::new(wire, extension.handlers)),
        setups: extension.setups,
        teardowns: extension.teardowns,
        timer: None,
        is_ending: false,
        more_waits: false,
        stand_in: OnceCell::new(),
        has_finished: false,
        own,
        observer,
    };
    let served = serving.serve().await;
    // A handler may hold a context, which holds the handlers.
    drop(serving.connection.handlers.take());
    lock(serving.connection.wire()).watchdog = None;
    match serving.connection.failure.take() {
        Some(failure) => Err(failure),
        None => served,
    }
}

/// When something is due, and the wait for it.
type Timer = (Instant, Pin<Box<Sleep>>);

struct Serving {
    connection: Rc<Connection>,
    /// Until they run.
    setups: Vec<SetupHandler>,
    teardowns: Vec<TeardownHandler>,
    readiness: Readiness,
    timer: Option<Timer>,
    /// An end has begun that is not watched yet.
    is_ending: bool,
    /// The session had more to do when the last event was taken from it.
    more_waits: bool,
    stand_in: OnceCell<StandIn>,
    /// Everything is answered.
    has_finished: bool,
    /// The runtime, where nobody else serves anything in it.
    own: Option<RuntimeMetrics>,
    /// A testing host in the same process.
    observer: Option<Observer>,
}

impl Serving {
    async fn serve(&mut self) -> Result<u8, Error> {
        let mut tasks = Tasks::new();
        loop {
            {
                let _spawning = tasks.enter();
                self.go_on()?;
            }
            if self.has_finished {
                let channel = &lock(self.connection.wire()).channel;
                if !channel.is_stalled() {
                    return Ok(channel.session.exit_code());
                }
            }
            self.watch();
            self.show();
            self.progress(&mut tasks).await?;
        }
    }

    /// Waits until there may be something to dispatch or to write; the handlers that wait go on
    /// meanwhile.
    async fn progress(&mut self, tasks: &mut Tasks) -> Result<(), Error> {
        let mut has_waited = false;
        let progress = poll_fn(|context| {
            if !tasks.poll(context) && !has_waited && self.wait_away()? {
                has_waited = true;
                return Poll::Ready(Ok(()));
            }
            let polled = self.poll_progress(context);
            has_waited |= polled.is_pending();
            polled
        });
        progress.await?;
        self.connection.stop_waiting();
        if !has_waited {
            // A host that never stops sending must not keep the handlers that wait from going on.
            yield_now().await;
        }
        Ok(())
    }

    /// While nothing but the host and SIGTERM can give this thread anything to do, it waits in the
    /// read itself: that saves a call the look at the descriptors and the event loop's turn, about an
    /// eighth of its time. Whether anything came.
    ///
    /// Nobody can be sure of the "nothing": another thread may hold the runtime's handle and count on
    /// its timers. And SIGTERM does not end a read. So the stand-in looks after it: it ends a read
    /// that lasts, within about 50 milliseconds, and gives the event loop a turn about as often while
    /// the host keeps sending. Whoever is not seen here waits that long and no longer; an extension
    /// that has nothing to do sleeps in the event loop.
    fn wait_away(&self) -> Result<bool, Error> {
        let Some(runtime) = &self.own else { return Ok(false) };
        let may_wait = self.stand_in.get().is_some_and(StandIn::calls_back)
            && runtime.num_alive_tasks() == 0
            && !self.connection.is_touched();
        let mut wire = lock(self.connection.wire());
        if !may_wait || !wire.waits_for_input_alone() {
            return Ok(false);
        }
        let Wire { channel, source, .. } = &mut *wire;
        let read = self.connection.pulse.away(|| source.read_waiting(channel)).transpose()?;
        Ok(matches!(read, Some(Read::Some | Read::All)))
    }

    /// Has an end watched that has to wait; most do not.
    fn watch(&mut self) {
        let ends_process = self.observer.is_none();
        if std::mem::take(&mut self.is_ending) && ends_process && !self.is_watched() {
            let mut wire = lock(self.connection.wire());
            let running = &self.connection.running;
            wire.watchdog = Watchdog::start(self.connection.wire(), &wire.channel.session, running);
        }
    }

    /// Starts the stand-in, unless it has been: before the first handler. One more thread would keep
    /// `ready` waiting, and the extensions beside this one; many are never called.
    fn watch_handlers(&self) {
        let ends_process = self.observer.is_none();
        self.stand_in.get_or_init(|| {
            let serving = self.own.as_ref().and_then(|_| Interrupter::of_this_thread());
            StandIn::start(&self.connection, ends_process, serving)
        });
    }

    /// Whether a watchdog waits for the end.
    fn is_watched(&self) -> bool {
        lock(self.connection.wire()).watchdog.is_some()
    }

    /// Shows a testing host how far the extension is.
    fn show(&self) {
        let Some(observer) = &self.observer else { return };
        let wire = lock(self.connection.wire());
        // Nothing waits in the session then, except for the end of a lane's handler.
        let is_calm = !wire.channel.is_stalled() && !self.connection.running.has_lane();
        observer.show(wire.channel.total(), wire.channel.total_written(), is_calm);
    }

    fn poll_progress(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let mut progress = self.connection.take_touched(context.waker());
        let mut wire = lock(self.connection.wire());
        if wire.channel.is_stalled() {
            progress |= self.readiness.poll_write(context, &mut wire)?.is_ready();
        }
        let reading = wire.may_read();
        progress |= self.readiness.poll_read(context, &mut wire, reading)?.is_ready();
        progress |= poll_timer(&mut self.timer, context, &mut wire).is_ready();
        if progress { Poll::Ready(Ok(())) } else { Poll::Pending }
    }

    fn write(&self, mut wire: MutexGuard<'_, Wire>) -> Result<(), Error> {
        wire.write()?;
        let (wrote, lost_host) = (wire.channel.take_wrote(), wire.channel.take_lost_host());
        drop(wire);
        if wrote {
            self.connection.tell_written();
        }
        if lost_host {
            self.connection.touch();
        }
        Ok(())
    }
}

fn poll_timer(timer: &mut Option<Timer>, context: &mut Context<'_>, wire: &mut Wire) -> Poll<()> {
    let Some(due) = wire.channel.due() else {
        *timer = None;
        return Poll::Pending;
    };
    let (_, sleep) = match timer.take_if(|(at, _)| *at == due) {
        Some(same) => timer.insert(same),
        None => timer.insert((due, Box::pin(sleep_until(due.into())))),
    };
    if sleep.as_mut().poll(context).is_pending() {
        return Poll::Pending;
    }
    *timer = None;
    wire.channel.handle_timeout();
    Poll::Ready(())
}
