//! The process under test on Unix.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use extline_host::{Exit, Program, Stray};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Signal as SystemSignal, kill_process, kill_process_group};

use super::group::{Group, close_for_all};
use super::outgoing::{GLANCE, Outgoing};
use super::pipe::{has_ended, set_pipe_bytes, unread};
use super::timeline::{Timeline, What};
use super::{Conditions, Cutting, Setting, Signal, process, weight};

/// The end of a process has no descriptor to wait for, so it is asked for this often.
const EXIT_TICK: Duration = Duration::from_millis(5);
const READ_BYTES: usize = 64 * 1024;
/// The tester had no processor when it comes back from a wait so much later than it asked for.
const STALL: Duration = Duration::from_millis(20);
/// How much a slow reader reads at once, and how long it rests then: 2 MB a second.
const SLOW_BYTES: usize = 4096;
const SLOW_PAUSE: Duration = Duration::from_millis(2);
/// How much is kept of what one process writes to stdout, in bytes of memory: one that writes more is
/// ended (`io.flood`). Several live at a time, and the checks need as much again.
const KEPT: usize = 64 << 20;
/// The longest line that is waited for; hosts take a quarter of that.
const LONGEST_LINE: usize = 16 << 20;

/// One running process. Dropping it kills its whole group.
#[derive(Debug)]
pub(crate) struct Target {
    child: Child,
    group: Group,
    /// What it left behind, once somebody has looked.
    left: Option<Vec<Stray>>,
    stdin: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    closed_stdout: bool,
    stderr: Option<OwnedFd>,
    outgoing: VecDeque<Outgoing>,
    /// What came from stdout behind the last LF, and in how many reads.
    partial: (Vec<u8>, usize),
    reading: bool,
    conditions: Conditions,
    /// What waits to be written together with what comes next.
    held: Vec<u8>,
    /// A slow reader does not read before.
    next_read: Instant,
    /// For how long the tester itself had no processor while it waited.
    stalled: Duration,
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
            stdin: child.stdin.take().map(OwnedFd::from),
            stdout: child.stdout.take().map(OwnedFd::from),
            closed_stdout: false,
            stderr: child.stderr.take().map(OwnedFd::from),
            child,
            group,
            left: None,
            outgoing: VecDeque::new(),
            partial: (Vec::new(), 0),
            reading: true,
            conditions: setting.conditions,
            held: Vec::new(),
            next_read: started,
            stalled: Duration::ZERO,
            exit: None,
            timeline: Timeline::new(started),
            kept: 0,
            sent: 0,
            lines: 0,
            flood: None,
        };
        target.timeline.add(What::Action(format!("started, process {}", target.id())));
        if setting.stdin_at_end {
            target.close_stdin();
        }
        for descriptor in [&target.stdin, &target.stdout, &target.stderr].into_iter().flatten() {
            // Ours alone: the child has the other end of each pipe, with flags of its own.
            fcntl_setfl(descriptor, fcntl_getfl(descriptor)? | OFlags::NONBLOCK)?;
            if let Some(bytes) = setting.conditions.pipe_bytes {
                set_pipe_bytes(descriptor, bytes)?;
            }
        }
        Ok(target)
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

    /// Waits until something happened or the time is over; `false` when the time is over.
    pub(crate) fn pump(&mut self, until: Instant) -> bool {
        self.release();
        let before = self.timeline.mark();
        loop {
            self.look_for_exit();
            if self.timeline.mark() > before {
                return true;
            }
            let now = Instant::now();
            if now >= until {
                return false;
            }
            let longest = until.saturating_duration_since(now).min(self.tick());
            self.wait_once(longest);
            let late = now.elapsed().saturating_sub(longest);
            if late >= STALL {
                self.stalled += late;
            }
        }
    }

    /// Closes its stdin, what was not written yet forgotten.
    pub(crate) fn close_stdin(&mut self) {
        self.release();
        self.outgoing.clear();
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
        let number = match signal {
            Signal::Term => SystemSignal::TERM,
            Signal::Int => SystemSignal::INT,
            Signal::Kill => SystemSignal::KILL,
            Signal::Stop => SystemSignal::STOP,
            Signal::Cont => SystemSignal::CONT,
        };
        if self.exit.is_none() {
            // It may have ended this very moment; then there is nothing to do.
            let _ = if whole_group {
                kill_process_group(self.group.leader, number)
            } else {
                kill_process(self.group.leader, number)
            };
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

    /// Whether it has read all that it was sent and waits for more; `None` where the system does
    /// not tell.
    pub(crate) fn is_idle(&self) -> Option<bool> {
        let unread = rustix::io::ioctl_fionread(self.stdin.as_ref()?).ok()?;
        let activity = self.activity()?;
        // One that waits for a disk, as for the lines of its traceback, goes on by itself.
        let waits = activity.contains(" waits") && !activity.contains(" waits for a device");
        Some(unread == 0 && waits)
    }

    /// Whether it has read all that it was sent, and does nothing ever again unless it is sent
    /// more; `false` where the system does not tell.
    pub(crate) fn only_waits_for_input(&self) -> bool {
        let unread = self.stdin.as_ref().and_then(|stdin| rustix::io::ioctl_fionread(stdin).ok());
        unread == Some(0) && process::only_reads_stdin(self.id())
    }

    /// Whether it runs or waits for a processor or a disk, and so for nothing it could miss; `false`
    /// where the system does not tell.
    pub(crate) fn is_busy(&self) -> bool {
        self.exit.is_none() && process::is_busy(self.id())
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

    /// For how long the tester itself had no processor while it waited.
    pub(crate) fn stalled(&self) -> Duration {
        self.stalled
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

    fn tick(&self) -> Duration {
        if self.conditions.slow_reader && self.reading {
            return SLOW_PAUSE;
        }
        match self.outgoing.front() {
            Some(outgoing) if !outgoing.pause.is_zero() => outgoing.pause.min(EXIT_TICK),
            _ => EXIT_TICK,
        }
    }

    fn wait_once(&mut self, longest: Duration) {
        let wants_write =
            self.outgoing.front().is_some_and(|outgoing| outgoing.not_before <= Instant::now());
        let reads = self.reading && self.next_read <= Instant::now();
        let wanted = [
            (self.stderr.as_ref(), PollFlags::IN),
            (self.stdout.as_ref().filter(|_| reads), PollFlags::IN),
            (self.stdin.as_ref().filter(|_| wants_write), PollFlags::OUT),
        ];
        let mut fds: Vec<_> = wanted
            .iter()
            .filter_map(|(descriptor, flags)| Some(PollFd::new(*descriptor.as_ref()?, *flags)))
            .collect();
        let timeout = Timespec::try_from(longest).ok();
        let _ = poll(&mut fds, timeout.as_ref());
        let mut happened = fds.iter().map(|fd| !fd.revents().is_empty());
        let [errors, output, input] = wanted
            .map(|(descriptor, _)| descriptor.is_some() && happened.next().unwrap_or_default());
        if errors {
            self.read_stderr();
        }
        if output {
            self.read_stdout();
        } else if reads && self.stdout.is_some() {
            self.timeline.heard_nothing();
        }
        if input || self.outgoing.front().is_some_and(|one| !one.pause.is_zero()) {
            self.write_some();
        }
    }

    fn write_some(&mut self) {
        while let (Some(stdin), Some(outgoing)) = (&self.stdin, self.outgoing.front_mut()) {
            if outgoing.not_before > Instant::now() {
                return;
            }
            if outgoing.waits_for_reader(stdin) {
                outgoing.not_before = Instant::now() + outgoing.pause;
                return;
            }
            let next = outgoing.cutting.next(&outgoing.bytes, outgoing.written);
            let rest = &outgoing.bytes[outgoing.written..];
            match rustix::io::write(stdin, &rest[..next.min(outgoing.chunk)]) {
                Ok(count) => {
                    outgoing.written += count;
                    outgoing.last_write = Instant::now();
                    outgoing.writes.push(count);
                    outgoing.not_before = Instant::now() + outgoing.pause;
                }
                Err(Errno::AGAIN | Errno::INTR) => return,
                Err(error) => {
                    self.outgoing.clear();
                    self.stdin = None;
                    self.timeline.add(What::Action(format!("stdin cannot be written: {error}")));
                    return;
                }
            }
            if outgoing.written == outgoing.bytes.len() {
                let Outgoing { bytes, writes, .. } = self
                    .outgoing
                    .pop_front()
                    .unwrap_or_else(|| unreachable!("the front was looked at above"));
                self.sent += bytes.len();
                self.timeline.add(What::Sent { bytes, writes });
            }
        }
    }

    /// Reads once, and says how many bytes came.
    fn read_stdout(&mut self) -> usize {
        let Some(stdout) = &self.stdout else { return 0 };
        let slow = self.conditions.slow_reader && self.exit.is_none();
        self.next_read = Instant::now() + if slow { SLOW_PAUSE } else { Duration::ZERO };
        let mut space = vec![0; if slow { SLOW_BYTES } else { READ_BYTES }];
        match rustix::io::read(stdout, &mut space) {
            Ok(0) => self.end_stdout(),
            Ok(count) => {
                self.take_output(&space[..count]);
                return count;
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.end_stdout(),
        }
        0
    }

    fn take_output(&mut self, mut bytes: &[u8]) {
        let now = Instant::now();
        self.partial.1 += 1;
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.partial.0.extend_from_slice(&bytes[..end]);
            bytes = &bytes[end + 1..];
            let (line, reads) = std::mem::replace(&mut self.partial, (Vec::new(), 1));
            self.kept += weight(&line);
            if self.kept > KEPT {
                return self.end_flood("so much", &line);
            }
            self.lines += 1;
            self.timeline.add_at(now, What::Line { bytes: line, reads, terminated: true });
        }
        self.partial.0.extend_from_slice(bytes);
        if self.partial.0.len() > LONGEST_LINE {
            let line = std::mem::take(&mut self.partial.0);
            return self.end_flood("a line of that length", &line);
        }
        if self.partial.0.is_empty() {
            self.partial.1 = 0;
        }
    }

    /// Ends one that wrote more than is kept: `line` is what it wrote last.
    fn end_flood(&mut self, what: &str, line: &[u8]) {
        let lines = self.lines;
        let time = self.timeline.lasted().as_secs_f64();
        let text = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
        let told = format!(
            "it floods its stdout: {lines} lines in {time:.1} s, and then {what} that the tester \
             ended it; the last one begins with {text:?}"
        );
        self.partial = (Vec::new(), 0);
        self.stdout = None;
        let _ = kill_process_group(self.group.leader, SystemSignal::KILL);
        self.timeline.add(What::Action(format!("SIGKILL: {told}")));
        self.flood = Some(told);
    }

    fn end_stdout(&mut self) {
        self.stdout = None;
        let (bytes, reads) = std::mem::take(&mut self.partial);
        if !bytes.is_empty() {
            self.timeline.add(What::Line { bytes, reads, terminated: false });
        }
        self.timeline.add(What::StdoutEnded);
    }

    /// Reads once, and says how many bytes came.
    fn read_stderr(&mut self) -> usize {
        let Some(stderr) = &self.stderr else { return 0 };
        let mut space = vec![0; READ_BYTES];
        match rustix::io::read(stderr, &mut space) {
            Ok(count) if count > 0 => {
                self.timeline.heard_on_stderr(&space[..count]);
                return count;
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Ok(_) | Err(_) => self.stderr = None,
        }
        0
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
        // What it wrote before it ended is in the pipes still, also where nothing was read of late. One
        // that it started may go on: of that no more is read here, and the end of the pipe only where
        // it has come.
        let mut left = unread(self.stdout.as_ref());
        while left > 0 || has_ended(self.stdout.as_ref()) {
            left = left.saturating_sub(self.read_stdout().max(1));
        }
        let mut left = unread(self.stderr.as_ref());
        while left > 0 || has_ended(self.stderr.as_ref()) {
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
