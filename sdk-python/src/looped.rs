//! The session under an event loop of Python's: asked to do what there is, and never to wait.

use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use extline_driver::{Channel, LoopServed, StandIn};
use extline_protocol::CallKey;
use extline_protocol::frame::ToolCall;
use extline_stdio::{Error, HANG_UP_LOOK, Input};
use pyo3::intern;
use pyo3::prelude::*;

use crate::call::Call;
use crate::claim::to_python;
use crate::context::Context;
use crate::core::{Core, refuse_in_child};
use crate::run_tool::{Failed, keywords};
use crate::stuck::KEPT;
use crate::tool::Tool;

/// The loop, as far as it is known here.
pub(crate) struct Looped {
    /// Makes a task of a coroutine.
    create_task: Py<PyAny>,
    /// Makes the coroutine that awaits a handler and answers.
    run_tool: Py<PyAny>,
    /// Where it runs.
    pub(crate) thread: ThreadId,
}

/// Whether bytes are waited for, whether the host takes nothing, in how many seconds something is due,
/// the exit code at the end, and whether the turn is to be ended by `end_turn`, behind the tasks that
/// were begun.
pub(crate) type State = (bool, bool, Option<f64>, Option<u8>, bool);

impl Core {
    /// The descriptors to read, of the bell, and to write.
    pub(crate) fn begin_loop(
        self: &Arc<Self>,
        create_task: Py<PyAny>,
        run_tool: Py<PyAny>,
    ) -> (i32, i32, i32) {
        let thread = thread::current().id();
        let _ = self.looped.set(Looped { create_task, run_tool, thread });
        let inlet = self.inlet();
        *self.stand_in() = StandIn::start(self, inlet.input.arrivals());
        descriptors(&inlet.input, &self.channel())
    }

    fn stand_in(&self) -> MutexGuard<'_, Option<StandIn>> {
        self.stand_in.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does everything that there is to do; `is_rung` where the bell may have rung.
    pub(crate) fn pump(self: &Arc<Self>, py: Python<'_>, is_rung: bool) -> PyResult<State> {
        self.pumps.fetch_add(1, SeqCst);
        self.take_in(is_rung).map_err(to_python)?;
        let mut begun = 0;
        loop {
            while let Some(event) = { self.channel().next_event(true) } {
                if let Some(event) = self.settle(event) {
                    self.run(py, event);
                    begun += 1;
                }
            }
            let mut channel = self.channel();
            if let Some(wants) = channel.settle().map_err(to_python)? {
                let left = |due: Instant| due.saturating_duration_since(Instant::now());
                // Where bytes are not waited for, their end may come.
                let longest = channel.is_full().then_some(HANG_UP_LOOK);
                let due = [wants.due.map(left), longest].into_iter().flatten().min();
                let due = due.map(|left| left.as_secs_f64());
                let code = self.is_done(&channel).then(|| channel.session.exit_code());
                // One alone answers as soon as it can.
                let is_turn = begun > 1 && !channel.is_in_turn();
                if is_turn {
                    channel.begin_turn();
                }
                drop(channel);
                if code.is_some() {
                    self.visits.end(py);
                }
                self.tell_stand_in(code.is_some(), is_turn, wants.due);
                #[cfg(windows)]
                self.ask_for_ring(&wants).map_err(to_python)?;
                return Ok((wants.input, wants.room, due, code, is_turn));
            }
        }
    }

    /// The tasks that were begun together have had their turn.
    pub(crate) fn end_turn(&self) {
        if refuse_in_child().is_err() {
            // The loop is the child's of a fork, and the turn the parent's.
            return;
        }
        self.pumps.fetch_add(1, SeqCst);
        let mut channel = self.channel();
        // An error comes again where the loop pumps, who can end the session.
        if !matches!(channel.end_turn(), Ok(true)) {
            drop(channel);
            self.handover.wake();
        }
    }

    /// What the thread that stands in for the loop has to know when the loop has looked.
    fn tell_stand_in(&self, is_over: bool, is_turn: bool, due: Option<Instant>) {
        let mut stand_in = self.stand_in();
        if is_over {
            drop(stand_in.take());
        } else if let Some(stand_in) = &*stand_in {
            if is_turn {
                stand_in.expect_held(Instant::now());
            }
            if let Some(due) = due {
                stand_in.expect(due);
            }
        }
    }

    /// Reads what is there, and does what is due.
    fn take_in(&self, is_rung: bool) -> Result<(), Error> {
        let input = &mut self.inlet().input;
        let sigterm = is_rung && input.wait(Some(Duration::ZERO))?.sigterm;
        self.channel().take_in(input, (sigterm, true))
    }

    /// Has the loop run a tool's handler.
    pub(crate) fn begin_tool(
        self: &Arc<Self>,
        py: Python<'_>,
        looped: &Looped,
        tool: &Tool,
        key: &CallKey,
        call: ToolCall,
        deadline: Option<Instant>,
    ) {
        let running = Call::of_task(Some(key.clone()), Arc::clone(&tool.label));
        let number = self.running.insert(&running);
        self.see_early_cancel(&running);
        if let Err(failed) = self.begin_task(py, looped, tool, &running, call, deadline) {
            self.running.remove(number);
            self.reply(key, self.failed(py, &failed, tool));
        }
    }

    /// As a task, or one without `async` in a thread.
    fn begin_task(
        self: &Arc<Self>,
        py: Python<'_>,
        looped: &Looped,
        tool: &Tool,
        running: &Arc<Call>,
        call: ToolCall,
        deadline: Option<Instant>,
    ) -> Result<(), Failed> {
        let keywords = keywords(py, tool, &call.args)?;
        let context = Context::new(self, Arc::clone(running), deadline, call.session);
        let context = match &tool.context {
            Some(name) => {
                let context = Bound::new(py, context.with_args(call.args))?;
                keywords.set_item(name, &context)?;
                context
            }
            None => Bound::new(py, context)?,
        };
        let function = tool.function.bind(py);
        if tool.is_async && !tool.is_generator {
            let work = function.call((), Some(&keywords))?;
            let work = looped.run_tool.bind(py).call1((work, context))?;
            running.set_task(&looped.create_task.bind(py).call1((work,))?);
            return Ok(());
        }
        let kind = (tool.is_async, tool.is_generator);
        let start = (function, keywords, context, kind);
        self.serving(py).call_method1(intern!(py, "start_tool"), start)?;
        Ok(())
    }
}

impl LoopServed for Core {
    fn channel<R>(&self, look: impl FnOnce(&mut Channel) -> R) -> R {
        look(&mut Self::channel(self))
    }

    fn turns(&self) -> u64 {
        self.pumps.load(SeqCst)
    }

    fn is_in_turn(&self) -> bool {
        Self::channel(self).is_in_turn()
    }

    fn has_missed(&self) -> bool {
        let is_full = Self::channel(self).is_full();
        // Who has it locked sees it.
        let Some(inlet) = self.try_inlet() else { return false };
        inlet.input.signal_waits() || is_full && inlet.input.has_hung_up().unwrap_or(false)
    }

    fn has_ended(&self) -> bool {
        self.has_finished()
    }

    fn step(self: &Arc<Self>) -> Result<(), Error> {
        self.take_in(true)?;
        self.settle_all();
        Self::channel(self).write()?;
        // The loop is told by the bell alone: what it would have seen has been read.
        self.handover.wake();
        Ok(())
    }

    fn tell_kept(self: &Arc<Self>, time: Duration) -> bool {
        let is_kept = time >= KEPT;
        if is_kept {
            self.loop_is_kept();
        }
        is_kept
    }
}

#[cfg(unix)]
fn descriptors(input: &Input, channel: &Channel) -> (i32, i32, i32) {
    use std::os::fd::{AsFd, AsRawFd};

    let output = channel.output().map_or(-1, |output| output.as_fd().as_raw_fd());
    (input.as_fd().as_raw_fd(), input.doorbell().as_raw_fd(), output)
}

/// The loop is rung, and waits for none.
#[cfg(not(unix))]
fn descriptors(_input: &Input, _channel: &Channel) -> (i32, i32, i32) {
    (-1, -1, -1)
}
