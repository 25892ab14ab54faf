//! Stands in for the serving thread while a handler keeps it: computes without awaiting, or blocks.
//!
//! Then nobody would read a cancel or the end of the session, and no guard would be answered for in
//! time. So a second thread looks now and then whether the serving thread is still in the same
//! handler. If it is, that thread reads and writes in its place, answers what falls due, and passes
//! cancels on. It runs no handler: calls wait in the session, and what else is to do is left for the
//! serving thread.
//!
//! It also ends what the serving thread waits in away from its event loop, [`Serving::wait_away`].
//!
//! [`Serving::wait_away`]: super::Serving::wait_away

use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

use extline_driver::{Read, Settling, settle};
use extline_protocol::{CallKey, ExtensionEvent};
use extline_stdio::Interrupter;

use super::watchdog::Watchdog;
use super::wire::{Wire, try_lock};
use crate::Error;
use crate::connection::Connection;
use crate::pulse::{Away, HandlerRun, Pulse};
use crate::running::{RunId, Running};
use crate::stderr::{self, report};

/// How often it looks whether the serving thread goes on.
const LOOK: Duration = Duration::from_millis(25);
/// How often it does what there is to do once it stands in.
const STEP: Duration = Duration::from_millis(10);
/// After so many looks at which nothing ran it sleeps until something does.
const QUIET_LOOKS: u32 = 40;

/// Ends with the serving: dropping it says so to the thread.
pub(super) struct StandIn {
    pulse: Pulse,
    calls_back: bool,
}

impl StandIn {
    /// Starts the thread. Where the system has none left the extension is served all the same, as
    /// long as its handlers let the serving thread go on. `ends_process` is false where the process
    /// is not the extension's; `serving` is the serving thread where it may wait away from its event
    /// loop.
    pub(super) fn start(
        connection: &Connection,
        ends_process: bool,
        serving: Option<Interrupter>,
    ) -> Self {
        let pulse = connection.pulse.clone();
        let watch = Watch {
            wire: Arc::downgrade(connection.wire()),
            pulse: pulse.clone(),
            running: connection.running.clone(),
            ends_process,
            serving,
        };
        let lines = stderr::kept();
        let started = thread::Builder::new().name("extline stand-in".to_owned()).spawn(move || {
            if let Some(lines) = lines {
                stderr::keep_in(lines);
            }
            watch.run();
        });
        let calls_back = started.is_ok() && serving.is_some();
        if let Ok(thread) = started {
            pulse.set_watcher(thread.thread().clone());
        }
        Self { pulse, calls_back }
    }

    /// Whether it ends what the serving thread waits in away from its event loop.
    pub(super) fn calls_back(&self) -> bool {
        self.calls_back
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.pulse.end();
    }
}

struct Watch {
    wire: Weak<Mutex<Wire>>,
    pulse: Pulse,
    running: Running,
    ends_process: bool,
    serving: Option<Interrupter>,
}

impl Watch {
    fn run(&self) {
        let mut seen = self.pulse.run();
        let mut seen_away = self.pulse.away_now();
        let mut beats = self.pulse.beats();
        let mut quiet = 0;
        while !self.pulse.is_over() {
            thread::park_timeout(LOOK);
            let run = self.pulse.run();
            if let Some(run) = run.filter(|_| run == seen) {
                self.stand_in(run);
            }
            seen = run;
            let away = self.pulse.look();
            if let Some(away) = away.filter(|_| away == seen_away) {
                self.call_back(away);
            }
            seen_away = away;
            let before = std::mem::replace(&mut beats, self.pulse.beats());
            quiet = if before == beats { quiet + 1 } else { 0 };
            if quiet >= QUIET_LOOKS && self.pulse.may_sleep(beats) {
                while self.pulse.is_asleep() {
                    thread::park();
                }
                quiet = 0;
            }
        }
    }

    /// Until the serving thread is back in its event loop.
    fn call_back(&self, away: Away) {
        while self.pulse.away_now() == Some(away) {
            if let Some(serving) = self.serving {
                serving.interrupt();
            }
            thread::park_timeout(STEP);
        }
    }

    /// Until the serving thread is out of the handler.
    fn stand_in(&self, run: HandlerRun) {
        while let Some(wire) = self.wire.upgrade() {
            // The serving thread has it for a moment, or is out of the handler and away with it.
            if let Some(mut wire) = try_lock(&wire) {
                if !self.pulse.stands_in(run) {
                    return;
                }
                // What fails here fails again for the serving thread, which can say so.
                if self.step(&mut wire).is_err() {
                    return;
                }
            } else if self.pulse.run() != Some(run) {
                return;
            }
            drop(wire);
            thread::park_timeout(STEP);
        }
    }

    fn step(&self, wire: &mut Wire) -> Result<(), Error> {
        let Wire { channel, source, .. } = wire;
        source.take_sigterm(channel)?;
        if !channel.may_read_ahead() {
            source.look_for_hang_up(channel)?;
        }
        while channel.may_read_ahead() && source.read(channel)? == Read::Some {}
        if channel.due_stalled().is_some_and(|due| due <= Instant::now()) {
            channel.handle_timeout();
        }
        while let Some(event) = wire.channel.session.poll_control() {
            let is_end =
                matches!(event, ExtensionEvent::Finished { .. } | ExtensionEvent::Overdue { .. });
            let left =
                if is_end { Some(event) } else { settle(&mut Kept { watch: self, wire }, event) };
            if let Some(event) = left {
                wire.channel.leave(event);
            }
        }
        wire.channel.write()?;
        Ok(())
    }
}

/// The extension, whose serving thread is kept by a handler.
struct Kept<'a> {
    watch: &'a Watch,
    wire: &'a mut Wire,
}

impl Settling for Kept<'_> {
    fn cancel(&mut self, key: &CallKey) -> bool {
        self.watch.running.cancel(&RunId::Call(key.serial()));
        false
    }

    /// The serving thread has to know of it too.
    fn cancel_all(&mut self) -> bool {
        self.watch.running.cancel_all();
        true
    }

    fn watch_end(&mut self) {
        if self.watch.ends_process
            && let Some(shared) = self.watch.wire.upgrade()
        {
            let session = &self.wire.channel.session;
            self.wire.watchdog = Watchdog::start(&shared, session, &self.watch.running);
        }
    }

    // Both are left for the serving thread.
    fn finish(&mut self) {}
    fn overdue(&mut self, _: u8) {}

    fn report(&self, text: &str) {
        report(text);
    }
}
