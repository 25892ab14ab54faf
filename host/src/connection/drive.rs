//! The task of one extension: from the start of its process to the end of the last one it started.

use std::collections::HashMap;
use std::future::{self, poll_fn};
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::time::{sleep, timeout};

use super::calls::Unanswered;
use super::news::News;
use super::state::{Phase, State};
use super::{Connection, Ends};
use crate::process::{Exit, Input, Output, Process, Stray};
use crate::report::{Diagnosis, Ending, ExtensionTrace, Manner, Notice, Problem};

/// How long the exit status may take after the end of the output.
const EXIT_TAKES: Duration = Duration::from_millis(500);

/// How long the last lines on stderr may take after the exit status.
const STDERR_TAKES: Duration = Duration::from_millis(200);

/// How long children may take to end after their parent did, before they are killed.
const CHILDREN_TAKE: Duration = Duration::from_millis(100);

/// How often something is looked for that nothing tells of.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// How long a process that cannot be used may take to end after SIGTERM, and after SIGKILL.
const TERMINATE_TAKES: Duration = Duration::from_secs(1);
const KILL_TAKES: Duration = Duration::from_secs(2);

/// Why an extension is no longer served.
enum Cause {
    Exited(Exit),
    Failed(Problem),
}

/// What outlived the process.
struct Remains {
    count: usize,
    /// Nothing of it is left.
    gone: bool,
}

impl Connection {
    /// Serves the extension until nothing of it is left.
    pub(crate) async fn drive(self: Arc<Self>, ends: Ends) {
        let Ends { mut process, mut output } = ends;
        let _abandoned = Abandoned(Arc::clone(&self));
        let (exit, problem) = match self.serve(&mut process, &mut output).await {
            Cause::Exited(exit) => {
                self.read_rest(&output);
                self.log.settle(STDERR_TAKES).await;
                (Some(exit), None)
            }
            Cause::Failed(problem) => (None, Some(problem)),
        };
        self.tell_of_log();
        self.fail_calls(exit.clone(), problem);
        self.shared.publish();
        let exit = match exit {
            Some(exit) => Some(exit),
            None => self.terminate(&mut process).await,
        };
        let remains = self.end_children().await;
        self.finish(exit, &remains).await;
    }

    /// Reads, writes and keeps the time until the process ends or must be given up.
    async fn serve(&self, process: &mut Process, output: &mut Output) -> Cause {
        let mut output_is_open = true;
        // Set again only where another time is waited for: that costs more than the rest of a turn.
        let mut timer = pin!(sleep(Duration::ZERO));
        let mut timer_is_set_to = None;
        loop {
            let (blocked, wake_at, may_read) = self.prepare_to_wait();
            if let Some(at) = wake_at.filter(|_| wake_at != timer_is_set_to) {
                timer.as_mut().reset(at.into());
                timer_is_set_to = wake_at;
            }
            tokio::select! {
                exit = process.wait() => return Cause::Exited(exit),
                is_open = poll_fn(|context| self.poll_read(output, context)), if output_is_open && may_read => {
                    output_is_open = is_open;
                }
                () = async {
                    match &blocked {
                        Some(input) => input.writable().await,
                        None => future::pending().await,
                    }
                } => self.write_on(),
                () = timer.as_mut(), if wake_at.is_some() => {
                    if output_is_open && may_read {
                        self.catch_up(output);
                    }
                    self.handle_timeout();
                }
                () = self.changed.notified() => {}
            }
            let (problem, registrations_changed) = {
                let mut state = self.lock();
                (state.failure.take(), std::mem::take(&mut state.registrations_changed))
            };
            // First, as what is too much to keep is not copied into a report either.
            if let Some(problem) = problem {
                return Cause::Failed(problem);
            }
            if registrations_changed {
                self.shared.publish();
            }
            self.tell_of_log();
            // A flood on one pipe must not keep other tasks of this thread waiting.
            tokio::task::coop::consume_budget().await;
        }
    }

    fn tell_of_log(&self) {
        for notice in self.log.take_notices() {
            self.notice(&mut self.lock(), notice);
        }
    }

    /// What to wait for. A timer that is already set earlier than needed stays: setting it anew for
    /// every call costs more than one idle look at the clock.
    fn prepare_to_wait(&self) -> (Option<Arc<Input>>, Option<Instant>, bool) {
        let mut state = self.lock();
        if !state.disordered.is_empty() {
            self.send_disordered(&mut state);
            self.carry_out(&mut state, Instant::now());
        }
        state.wake_at = [state.wake_at, state.next_step()].into_iter().flatten().min();
        (state.queue.blocked(), state.wake_at, !state.registering.is_full())
    }

    /// Reads once; whether more may come.
    fn poll_read(&self, output: &mut Output, context: &mut Context<'_>) -> Poll<bool> {
        let mut state = self.lock();
        let read = |space: &mut [u8]| match output.poll_read(context, space) {
            Poll::Ready(outcome) => outcome,
            Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
        };
        let (is_open, now) = match read_into(&mut state, read) {
            Read::NothingYet => return Poll::Pending,
            Read::Bytes { count, outgrown, at } => {
                take_note(&mut state, output, (count, outgrown), at);
                (true, at)
            }
            Read::End => {
                let now = Instant::now();
                state.trace_output_end();
                state.session.handle_eof(now);
                if !state.is_ending() {
                    self.lose_output(&mut state, Problem::OutputClosed, now);
                }
                (false, now)
            }
        };
        self.carry_out(&mut state, now);
        Poll::Ready(is_open && !state.stopped_reading)
    }

    /// Reads before a deadline is looked at: what came in time counts, also when this task is late.
    fn catch_up(&self, output: &Output) {
        let mut state = self.lock();
        let read = read_into(&mut state, |space| output.try_read(space));
        if let Read::Bytes { count, outgrown, at } = read {
            take_note(&mut state, output, (count, outgrown), at);
            self.carry_out(&mut state, at);
        }
    }

    /// It says nothing more. That is its end in a moment, if it is not on its way already; but
    /// under a profile in which nobody notices it only loses what it offers (`zot.output-ended`).
    pub(super) fn lose_output(&self, state: &mut State, problem: Problem, now: Instant) {
        let profile = &self.shared.rules.profile;
        if profile.kills_unresponsive || state.session.extension().is_none() {
            state.give_up_after(EXIT_TAKES, problem, now);
        } else {
            self.shared.registry().withdraw(self.index);
            state.registering.give_up();
            state.registrations_changed = true;
            let text = format!("{problem}; a {} goes on without what it offered", profile.name);
            self.notice(state, Notice::new(text));
        }
    }

    /// Reads what the process wrote before it ended. A child of it may hold the pipe open and write
    /// on, so only what one pipe can hold is read.
    fn read_rest(&self, output: &Output) {
        const A_PIPE_HOLDS: usize = 1024 * 1024;
        let now = Instant::now();
        let mut state = self.lock();
        let mut read = 0;
        while read < A_PIPE_HOLDS
            && let Read::Bytes { count, .. } =
                read_into(&mut state, |space: &mut [u8]| output.try_read(space))
        {
            read += count;
        }
        state.session.handle_eof(now);
        self.carry_out(&mut state, now);
    }

    fn write_on(&self) {
        let now = Instant::now();
        let mut state = self.lock();
        state.write_on(now);
        self.carry_out(&mut state, now);
    }

    fn handle_timeout(&self) {
        let now = Instant::now();
        let mut state = self.lock();
        if state.wake_at.is_some_and(|at| at <= now) {
            state.handle_timeout(now);
            self.carry_out(&mut state, now);
            state.wake_at = None;
        }
    }

    /// It can answer nothing more: fails every call, forgets what it offered, and says why.
    fn fail_calls(&self, exit: Option<Exit>, problem: Option<Problem>) {
        let now = Instant::now();
        let activity = match &problem {
            None | Some(Problem::ShutDown | Problem::Unkillable) => None,
            Some(_) => self.group.activity(),
        };
        let mut state = self.lock();
        let was_asked = state.is_ending();
        let problem = problem.or_else(|| state.failure.take());
        let early_end = state.early_end.take();
        let problem = match (&state.phase, problem) {
            (_, Some(problem)) => problem,
            (Phase::Ending, None) => Problem::ShutDown,
            (Phase::Starting, None) if early_end.is_some() => early_end.unwrap_or(Problem::Died),
            (Phase::Starting, None) if state.session.extension().is_none() => {
                Problem::ExitedBeforeHello
            }
            (Phase::Starting, None) => Problem::ExitedBeforeReady,
            _ => Problem::Died,
        };
        let mut diagnosis = Diagnosis::new(&self.name, problem, state.doing(), exit);
        diagnosis.process = activity;
        diagnosis.add_output(
            state.wrong_output(&diagnosis.problem),
            &self.log,
            &self.environment.withheld,
        );
        self.add_refusals(&mut diagnosis);
        let diagnosis = Arc::new(diagnosis.redacted(&self.shared.redactor));
        let how = diagnosis.summary();
        if !was_asked {
            self.log.remark(&how);
        }
        state.kept_answers = 0;
        // Whoever waits for one that is being applied reads that it is not pending any more.
        let why = format!("{} has ended", self.name);
        self.shared.release_pending(Some(&self.name), &why);
        self.shared.registry().activate_all_of(&self.name);
        for (_, waiting) in state.waiting.drain() {
            waiting.fail(Unanswered::Died(Arc::clone(&diagnosis)));
        }
        state.session.handle_gone(&how);
        self.carry_out(&mut state, now);
        self.close_panels(&mut state);
        state.registering.give_up();
        self.forget_offers(&state, was_asked);
        self.shared.standings.send_replace(());
        if !was_asked {
            state.phase = Phase::Failed(Arc::clone(&diagnosis));
            let extension = self.name.clone();
            self.tell(News::Failed { extension, diagnosis });
            self.flush_trace(&mut state);
        }
        drop(state);
        self.started.send_replace(true);
    }

    /// Takes back what it offered; of one that may be started again the names stay its own.
    fn forget_offers(&self, state: &State, was_asked: bool) {
        let mut registry = self.shared.registry();
        if was_asked {
            registry.free_names(self.index);
        } else if self.restarts && state.start_took.is_some() {
            registry.keep_names(self.index);
        }
        registry.remove_extension(self.index);
    }

    /// Ends a process that cannot be used.
    async fn terminate(&self, process: &mut Process) -> Option<Exit> {
        {
            let mut state = self.lock();
            state.queue.close_now();
            state.trace_signal("SIGTERM");
        }
        self.group.terminate();
        if let Ok(exit) = timeout(TERMINATE_TAKES, process.wait()).await {
            return Some(exit);
        }
        self.lock().trace_signal("SIGKILL");
        self.group.kill();
        timeout(KILL_TAKES, process.wait()).await.ok()
    }

    /// Ends what the process left behind: in its group, then what left that.
    async fn end_children(&self) -> Remains {
        let mut count = 0;
        if !self.group.is_gone() && !self.group_ends_within(CHILDREN_TAKE).await {
            count = self.group.living_members().unwrap_or(1);
            self.group.kill();
            self.group_ends_within(KILL_TAKES).await;
        }
        let strays = self.end_strays().await;
        Remains { count: count + strays.count, gone: self.group.is_gone() && strays.gone }
    }

    async fn end_strays(&self) -> Remains {
        let mut killed = HashMap::new();
        let look = || self.shared.processes.strays.of(self.group.mark());
        if look().await.is_empty() {
            return Remains { count: 0, gone: true };
        }
        sleep(CHILDREN_TAKE).await;
        let began = Instant::now();
        while began.elapsed() < KILL_TAKES {
            let strays = look().await;
            if strays.is_empty() && killed.values().all(Stray::has_ended) {
                return Remains { count: killed.len(), gone: true };
            }
            for stray in strays {
                stray.kill();
                killed.insert(stray.id(), stray);
            }
            // Each look may find what was started since the last one.
            sleep(LOOK_EVERY).await;
        }
        Remains { count: killed.len(), gone: false }
    }

    /// Nothing tells of the end of a process that is not our child, so this looks.
    async fn group_ends_within(&self, at_most: Duration) -> bool {
        let gone = async {
            while !self.group.is_gone() {
                sleep(LOOK_EVERY).await;
            }
        };
        timeout(at_most, gone).await.is_ok()
    }

    async fn finish(&self, exit: Option<Exit>, remains: &Remains) {
        self.end_trace(exit.as_ref());
        self.lock().give_pipes_back();
        let ending = self.ending(exit, remains);
        self.log.remark(&ending.to_string());
        self.log.settle(STDERR_TAKES).await;
        self.tell_of_log();
        self.tell(News::Ended(ending.clone()));
        self.ended.send_replace(Some(ending));
    }

    fn end_trace(&self, exit: Option<&Exit>) {
        let mut state = self.lock();
        state.trace_output_end();
        if let (Some(trace), Some(exit)) = (&state.trace, exit) {
            trace.exited(exit);
        }
        self.flush_trace(&mut state);
    }

    /// A trace that cannot be written is no reason to end anything, but to say so.
    pub(super) fn flush_trace(&self, state: &mut State) {
        if let Some(Err(error)) = state.trace.as_ref().map(ExtensionTrace::flush) {
            self.notice(state, Notice::new(format!("the trace is incomplete: {error}")));
        }
    }

    fn ending(&self, exit: Option<Exit>, remains: &Remains) -> Ending {
        let state = self.lock();
        let diagnosis = match &state.phase {
            Phase::Failed(diagnosis) => Some(Arc::clone(diagnosis)),
            _ => None,
        };
        let began = state.asked_to_end.unwrap_or_else(Instant::now);
        Ending {
            extension: self.name.clone(),
            manner: if diagnosis.is_some() { Manner::Failed } else { state.manner },
            exit,
            took: began.elapsed(),
            left_behind: remains.count,
            gone: remains.gone,
            diagnosis,
        }
    }
}

/// Tells those who wait when the task is dropped before its end: its runtime is gone, and the
/// process with it.
struct Abandoned(Arc<Connection>);

impl Drop for Abandoned {
    fn drop(&mut self) {
        let connection = &self.0;
        if connection.ended.borrow().is_some() {
            return;
        }
        connection.group.kill();
        connection.fail_calls(None, Some(Problem::ShutDown));
        let remains = Remains { count: 0, gone: connection.group.is_gone() };
        let ending = connection.ending(None, &remains);
        connection.ended.send_replace(Some(ending));
    }
}

/// What one look at the output brought.
enum Read {
    /// `outgrown`: the first long frame is among them. They were read `at` that time.
    Bytes {
        count: usize,
        outgrown: bool,
        at: Instant,
    },
    NothingYet,
    End,
}

/// What follows from bytes that came, beside what they say.
fn take_note(state: &mut State, output: &Output, (count, outgrown): (usize, bool), now: Instant) {
    if outgrown && state.may_enlarge() {
        output.enlarge();
    }
    state.flood.note_bytes(count, now);
}

fn read_into(state: &mut State, read: impl FnOnce(&mut [u8]) -> io::Result<usize>) -> Read {
    let before_hello = state.session.extension().is_none();
    let State { session, trace, long_read, .. } = state;
    let space = session.read_space();
    let count = match read(space) {
        Ok(0) => return Read::End,
        Ok(count) => count,
        Err(error) => match error.kind() {
            io::ErrorKind::WouldBlock => return Read::NothingYet,
            _ => return Read::End,
        },
    };
    if let Some(trace) = trace {
        trace.received(&space[..count]);
    }
    let outgrown = long_read.note(&space[..count]);
    let first = before_hello.then(|| space[..count].to_vec());
    if let Some(first) = first {
        state.note_before_hello(&first);
    }
    let at = Instant::now();
    state.session.handle_read(count, at);
    Read::Bytes { count, outgrown, at }
}
