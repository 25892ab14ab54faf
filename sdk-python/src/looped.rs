//! The session under an event loop of Python's: asked to do what there is, and never to wait.

use std::io::Write;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use extline_protocol::CallKey;
use extline_protocol::frame::ToolCall;
use pyo3::intern;
use pyo3::prelude::*;

use crate::call::Call;
use crate::claim::to_python;
use crate::context::Context;
use crate::core::{Core, refuse_in_child};
use crate::run_tool::{Failed, keywords};
use crate::stand_in;
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

/// Whether the host takes nothing, in how many seconds something is due, the exit code at the end,
/// and whether the turn is to be ended by `end_turn`, behind the tasks that were begun.
pub(crate) type State = (bool, Option<f64>, Option<u8>, bool);

impl Core {
    /// The descriptors to read, of the bell, and to write.
    pub(crate) fn begin_loop(
        self: &Arc<Self>,
        create_task: Py<PyAny>,
        run_tool: Py<PyAny>,
    ) -> (i32, i32, i32) {
        let thread = thread::current().id();
        let _ = self.looped.set(Looped { create_task, run_tool, thread });
        *self.stand_in.lock().unwrap_or_else(PoisonError::into_inner) = stand_in::start(self);
        let inlet = self.inlet();
        let (read, bell) = crate::wait::descriptors(&inlet.input);
        (read, bell, self.room.descriptor())
    }

    /// Does everything that there is to do; `is_rung` where the bell may have rung.
    pub(crate) fn pump(self: &Arc<Self>, py: Python<'_>, is_rung: bool) -> PyResult<State> {
        self.pumps.fetch_add(1, SeqCst);
        self.take_in(is_rung).map_err(to_python)?;
        let mut begun = 0;
        loop {
            while let Some(event) = { self.wire().next_event(true) } {
                if let Some(event) = self.settle(event) {
                    self.run(py, event);
                    begun += 1;
                }
            }
            let mut wire = self.wire();
            let was_stalled = wire.is_stalled();
            wire.write().map_err(to_python)?;
            let has_news = wire.has_news();
            if !has_news && (wire.is_stalled() || !was_stalled) {
                let left = |due: Instant| due.saturating_duration_since(Instant::now());
                let due = wire.due().map(|due| left(due).as_secs_f64());
                let code = self.finished().filter(|_| self.is_done(&wire));
                // One alone answers as soon as it can.
                let is_turn = begun > 1 && !wire.is_in_turn();
                let is_unwatched = is_turn && wire.begin_turn();
                let is_stalled = wire.is_stalled();
                drop(wire);
                if code.is_some() {
                    drop(self.stand_in.lock().unwrap_or_else(PoisonError::into_inner).take());
                } else if is_unwatched {
                    self.wake_stand_in();
                }
                return Ok((is_stalled, due, code, is_turn));
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
        let mut wire = self.wire();
        // An error comes again where the loop pumps, who can end the session.
        if !matches!(wire.end_turn(), Ok(true)) {
            drop(wire);
            self.crew.wake();
        }
    }

    fn wake_stand_in(&self) {
        let bell = self.stand_in.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut bell) = bell.as_ref() {
            // It was asleep and so has taken all that was written; where it has ended, nobody reads.
            let _ = bell.write(&[0]);
        }
    }

    /// One step in the place of a loop that does nothing.
    pub(crate) fn stand_in(self: &Arc<Self>) -> Result<(), extline_stdio::Error> {
        self.take_in(true)?;
        self.settle_all();
        self.wire().write()?;
        // The loop is told by the bell alone: what it would have seen has been read.
        self.crew.wake();
        Ok(())
    }

    /// Reads what is there, and does what is due.
    fn take_in(&self, is_rung: bool) -> Result<(), extline_stdio::Error> {
        let input = &mut self.inlet().input;
        let sigterm = is_rung && input.wait(Some(Duration::ZERO))?.sigterm;
        let mut wire = self.wire();
        if sigterm {
            wire.session.handle_sigterm(Instant::now());
        }
        if wire.may_read() {
            wire.read(input)?;
        }
        wire.handle_timeout();
        Ok(())
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
        if let Err(failed) = self.begin_task(py, looped, tool, &running, call, deadline) {
            self.running.remove(number);
            self.reply(key, self.failed(py, &failed, tool.name()));
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
