//! The process under test.

mod pump;

use std::collections::VecDeque;
use std::io;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use extline_host::{Exit, Program, Stray};

use super::group::{Group, close_for_all};
use super::outgoing::{GLANCE, Outgoing};
use super::stalls::Stalls;
use super::system::{Outflow, ToStdin, send};
use super::timeline::{Timeline, What};
use super::{Conditions, Cutting, Setting, Signal, process};

/// One running process. Dropping it kills its whole group.
#[derive(Debug)]
pub(crate) struct Target {
    child: Child,
    group: Group,
    /// What it left behind, once somebody has looked.
    left: Option<Vec<Stray>>,
    stdin: Option<ToStdin>,
    stdout: Option<Outflow>,
    closed_stdout: bool,
    stderr: Option<Outflow>,
    outgoing: VecDeque<Outgoing>,
    /// What came from stdout behind the last LF, and in how many reads.
    partial: (Vec<u8>, usize),
    reading: bool,
    conditions: Conditions,
    /// What waits to be written together with what comes next.
    held: Vec<u8>,
    /// A slow reader does not read before.
    next_read: Instant,
    stalls: Stalls,
    exit: Option<Exit>,
    timeline: Timeline,
    /// How much is kept of what it wrote, and of what it was sent.
    kept: usize,
    sent: usize,
    /// How many lines it wrote.
    lines: usize,
    /// It wrote more than that, and was ended.
    flood: Option<String>,
}

impl Target {
    /// Starts it, as the leader of its own process group.
    pub(crate) fn start(program: &Program, setting: Setting) -> io::Result<Self> {
        let started = Instant::now();
        let mut command = program.command();
        command
            .envs(setting.conditions.locale.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let (mut child, group) = Group::start(&mut command)?;
        let mut target = Self {
            stdin: None,
            stdout: child.stdout.take().map(Outflow::new).transpose()?,
            closed_stdout: false,
            stderr: child.stderr.take().map(Outflow::new).transpose()?,
            child,
            group,
            left: None,
            outgoing: VecDeque::new(),
            partial: (Vec::new(), 0),
            reading: true,
            conditions: setting.conditions,
            held: Vec::new(),
            next_read: started,
            stalls: Stalls::new(),
            exit: None,
            timeline: Timeline::new(started),
            kept: 0,
            sent: 0,
            lines: 0,
            flood: None,
        };
        target.timeline.add(What::Action(format!("started, process {}", target.id())));
        target.stdin = target.child.stdin.take().map(ToStdin::new).transpose()?;
        if setting.stdin_at_end {
            target.close_stdin();
        }
        if let Some(bytes) = setting.conditions.pipe_bytes {
            target.set_pipes(bytes)?;
        }
        Ok(target)
    }

    fn set_pipes(&self, bytes: usize) -> io::Result<()> {
        self.stdin.as_ref().map_or(Ok(()), |stdin| stdin.set_size(bytes))?;
        let outflows = [&self.stdout, &self.stderr].into_iter().flatten();
        outflows.into_iter().try_for_each(|pipe| pipe.set_size(bytes))
    }

    /// Its process id, which is its group's too.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// What was seen of it.
    pub(crate) fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Writes bytes behind those that still wait, as fast as the pipe takes them.
    pub(crate) fn write(&mut self, bytes: Vec<u8>) {
        self.write_in_chunks(bytes, usize::MAX, Duration::ZERO);
    }

    /// Writes bytes at most `chunk` at a time, with a pause between two writes.
    pub(crate) fn write_in_chunks(&mut self, bytes: Vec<u8>, chunk: usize, pause: Duration) {
        if self.stdin.is_none() || bytes.is_empty() {
            return;
        }
        let cutting = if chunk == usize::MAX { self.conditions.cutting } else { Cutting::Whole };
        if cutting == Cutting::Joined {
            self.held.extend(bytes);
            return;
        }
        let pause = if cutting.is_cut() { GLANCE } else { pause };
        self.release();
        self.enqueue(bytes, chunk, cutting, pause);
    }

    /// Writes what waited to be written together.
    fn release(&mut self) {
        let held = std::mem::take(&mut self.held);
        if !held.is_empty() {
            self.enqueue(held, usize::MAX, Cutting::Whole, Duration::ZERO);
        }
    }

    fn enqueue(&mut self, bytes: Vec<u8>, chunk: usize, cutting: Cutting, pause: Duration) {
        let not_before = Instant::now();
        self.outgoing.push_back(Outgoing {
            bytes,
            chunk: chunk.max(1),
            cutting,
            pause,
            written: 0,
            writes: Vec::new(),
            not_before,
            last_write: not_before,
        });
        self.write_some();
    }

    /// How many bytes were not taken yet.
    pub(crate) fn unwritten(&self) -> usize {
        let queued = self.outgoing.iter().map(|outgoing| outgoing.bytes.len() - outgoing.written);
        self.held.len() + queued.sum::<usize>()
    }

    /// Closes its stdin, what was not written yet forgotten.
    pub(crate) fn close_stdin(&mut self) {
        self.release();
        self.forget_unwritten();
        if self.stdin.take().is_some() {
            self.timeline.add(What::Action("stdin closed".to_owned()));
        }
    }

    /// Closes the reading end of its stdout.
    pub(crate) fn close_stdout(&mut self) {
        self.release();
        if let Some(stdout) = self.stdout.take() {
            close_for_all(stdout);
            self.closed_stdout = true;
            self.timeline.add(What::Action("stdout closed by the host".to_owned()));
        }
    }

    /// Whether the tester closed its stdout.
    pub(crate) fn closed_stdout(&self) -> bool {
        self.closed_stdout
    }

    /// Stops or goes on reading its stdout; stderr is read all the time.
    pub(crate) fn set_reading(&mut self, reading: bool) {
        if self.reading != reading {
            self.reading = reading;
            let what =
                if reading { "host reads stdout again" } else { "host stops reading stdout" };
            self.timeline.add(What::Action(what.to_owned()));
        }
    }

    /// Sends a signal to the process, or to its whole group.
    pub(crate) fn signal(&mut self, signal: Signal, whole_group: bool) {
        self.release();
        if self.exit.is_none() {
            send(signal, whole_group, &self.group.supervised, &mut self.child);
            self.timeline.add(What::Action(signal.name().to_owned()));
        }
    }

    /// How it ended, if it did.
    pub(crate) fn exit(&self) -> Option<&Exit> {
        self.exit.as_ref()
    }

    /// Whether nothing more can come from its stdout.
    pub(crate) fn stdout_ended(&self) -> bool {
        self.stdout.is_none()
    }

    /// What came from its stdout behind the last LF.
    pub(crate) fn partial(&self) -> &[u8] {
        &self.partial.0
    }

    /// Where it waits, as far as the system tells.
    pub(crate) fn activity(&self) -> Option<String> {
        if self.exit.is_some() { None } else { process::activity(self.id()) }
    }

    /// Whether it has read all that it was sent and waits for more; `false` where the system does
    /// not tell.
    pub(crate) fn is_idle(&self) -> bool {
        let waits = || self.activity().is_some_and(|activity| activity.contains(" waits"));
        // One that waits for a disk, as for the lines of its traceback, or for a process of its own that
        // runs, goes on by itself.
        self.unread() == Some(0) && waits() && !self.is_busy()
    }

    /// Whether it has read all that it was sent, and does nothing ever again unless it is sent
    /// more; `false` where the system does not tell.
    pub(crate) fn only_waits_for_input(&self) -> bool {
        self.unread() == Some(0) && process::only_reads_stdin(self.id())
    }

    /// How many bytes it was sent and has not read.
    fn unread(&self) -> Option<u64> {
        self.stdin.as_ref().and_then(ToStdin::unread)
    }

    /// Whether it runs or waits for a processor or a disk, and so for nothing it could miss; `false`
    /// where the system does not tell.
    pub(crate) fn is_busy(&self) -> bool {
        self.exit.is_none() && process::is_busy(self.id())
    }

    /// How much memory it and what it started hold, in bytes; `None` where that is not known, or says nothing.
    pub(crate) fn memory(&self) -> Option<u64> {
        process::memory(self.id())
    }

    /// The processor time that it and what it started used so far; `None` where the system does
    /// not tell.
    pub(crate) fn processor_time(&self) -> Option<Duration> {
        process::processor_time(self.id())
    }

    /// For how long it and what it started had no processor so far; `None` where the system does not
    /// tell.
    pub(crate) fn delayed(&self) -> Option<Duration> {
        process::delayed(self.id())
    }

    /// Begins a wait; gives for how long the tester itself had no processor before.
    pub(crate) fn begin_wait(&mut self) -> Duration {
        self.stalls.begin()
    }

    /// For how long the tester itself had no processor while it waited.
    pub(crate) fn stalled(&self) -> Duration {
        self.stalls.sum()
    }

    /// The processes it started and left behind, as `pid command`. Ask when it has ended.
    pub(crate) fn left_behind(&mut self) -> Vec<String> {
        let left = self.group.others();
        let named = left.iter().map(|process| process::named(process.id())).collect();
        self.left = Some(left);
        named
    }

    /// Why it was ended, where it wrote more than is kept.
    pub(crate) fn flood(&self) -> Option<&str> {
        self.flood.as_deref()
    }

    /// How much is kept of what it wrote and was sent, in bytes.
    pub(crate) fn kept(&self) -> usize {
        self.kept + self.sent
    }

    fn look_for_exit(&mut self) {
        if self.exit.is_some() {
            return;
        }
        let exit = match self.child.try_wait() {
            Ok(None) => return,
            Ok(Some(status)) => Exit::of(status),
            Err(error) => Exit::Unknown { reason: error.to_string() },
        };
        self.note_written();
        self.forget_unwritten();
        // What it wrote before it ended is in the pipes still, also where nothing was read of late. One
        // that it started may go on: of that no more is read here, and the end of the pipe only where
        // it has come.
        let mut left = self.stdout.as_ref().map_or(0, Outflow::waiting);
        while left > 0 || self.stdout.as_ref().is_some_and(Outflow::has_ended) {
            left = left.saturating_sub(self.read_stdout().max(1));
        }
        let mut left = self.stderr.as_ref().map_or(0, Outflow::waiting);
        while left > 0 || self.stderr.as_ref().is_some_and(Outflow::has_ended) {
            left = left.saturating_sub(self.read_stderr().max(1));
        }
        self.exit = Some(exit.clone());
        self.timeline.add(What::Exited(exit));
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        self.group.end(&mut self.child, self.left.take());
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::path::Path;

    use extline_host::ExtensionSource;

    use super::*;

    /// What one was sent that reads a line, answers it, and ends.
    fn sent_to_one_that_ends(bytes: Vec<u8>) -> Vec<u8> {
        let args = ["-c", "read -r line; echo \"$line\""].map(Into::into).to_vec();
        let source = ExtensionSource::Command { program: "/bin/sh".into(), args, name: None };
        let program = Program::of(&source, Path::new("/")).unwrap();
        let mut target = Target::start(&program, Setting::default()).unwrap();
        target.write(bytes);
        let until = Instant::now() + Duration::from_secs(20);
        while target.exit().is_none() && target.pump(until) {}
        let records = target.timeline().records().iter();
        let sent = records.filter_map(|record| match &record.what {
            What::Sent { bytes, writes } => {
                assert_eq!(writes.iter().sum::<usize>(), bytes.len());
                Some(bytes.as_slice())
            }
            _ => None,
        });
        sent.collect::<Vec<_>>().concat()
    }

    #[test]
    fn what_was_taken_of_a_write_is_noted_where_the_rest_never_is() {
        let whole = b"first\n".to_vec();
        assert_eq!(sent_to_one_that_ends(whole.clone()), whole);
        let more_than_a_pipe_holds = [whole.clone(), vec![b'x'; 4 << 20]].concat();
        let sent = sent_to_one_that_ends(more_than_a_pipe_holds.clone());
        assert!(sent.starts_with(&whole) && sent.len() < more_than_a_pipe_holds.len());
    }
}
