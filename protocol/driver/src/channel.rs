//! The session with both ways to the host: how far is read ahead, and what waits to be written.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use extline_protocol::limits::{READ_AHEAD_BYTES, READ_AHEAD_FRAMES, SHUTDOWN_END};
use extline_protocol::{ExtensionEvent, ExtensionSession};
use extline_stdio::watchdog::{self, Unfinished};
use extline_stdio::{Error, Input, Output, Received};

use crate::mcp::Mcp;

/// A buffer that grew beyond this for one batch is given back.
const KEPT: usize = 4 * 1024 * 1024;

/// Answers are gathered for one write, but none waits longer than this for the next handler.
pub const BATCH: Duration = Duration::from_millis(1);

/// The session of an extension, what is read for it and what it says.
///
/// Whoever drives the extension locks it for a moment at a time, never while a handler runs. No method
/// waits, except [`Channel::read_waiting`] and [`Channel::write_all`].
///
/// The input is handed in by whoever reads, since a thread may wait for it meanwhile. The output may be
/// missing: then the program writes what [`Channel::take_batch`] gives it.
#[derive(Debug)]
pub struct Channel {
    /// What is to be said and done.
    pub session: ExtensionSession,
    /// Between the session and an MCP client, where there is one.
    mcp: Option<Mcp>,
    /// It has given the session something to do since the session was last asked for it.
    is_fed: bool,
    output: Option<Output>,
    /// Frames on their way out, of which `written` bytes are with the host.
    batch: Vec<u8>,
    written: usize,
    /// The program has taken a batch and not said yet that it is written.
    is_taken: bool,
    /// Something was taken from the session to be written.
    has_written: bool,
    /// Since when answers are held back.
    held: Option<Instant>,
    is_gone: bool,
    gone_is_news: bool,
    has_ended: bool,
    /// The host has closed its end, and what is there to read is the last.
    has_hung_up: bool,
    /// Bytes read in all.
    total: u64,
    /// Bytes read since the host last took everything.
    read_ahead: usize,
    read_at: Instant,
    /// What was taken from the session before its turn.
    left: VecDeque<ExtensionEvent>,
}

/// What one read brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// Bytes or the end; there may be more.
    Some,
    /// Bytes, and there were no more.
    All,
    /// Nothing is there.
    Nothing,
    /// A signal came in between.
    Interrupted,
}

/// What the session waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wants {
    /// Bytes of the host's.
    pub input: bool,
    /// The host to take bytes.
    pub room: bool,
    /// Time.
    pub due: Option<Instant>,
}

impl Wants {
    /// Whether nothing but bytes of the host's, or a signal, gives it anything to do.
    pub fn is_input_alone(&self) -> bool {
        self.input && !self.room && self.due.is_none()
    }
}

impl Channel {
    /// Without an output the program moves the bytes itself.
    pub fn new(session: ExtensionSession, output: Option<Output>) -> Self {
        Self {
            session,
            mcp: None,
            is_fed: false,
            output,
            batch: Vec::new(),
            written: 0,
            is_taken: false,
            has_written: false,
            held: None,
            is_gone: false,
            gone_is_news: false,
            has_ended: false,
            has_hung_up: false,
            total: 0,
            read_ahead: 0,
            read_at: Instant::now(),
            left: VecDeque::new(),
        }
    }

    /// The same where what is read and written are the lines of an MCP client, if `is_mcp`.
    ///
    /// # Errors
    ///
    /// This build has no MCP.
    pub fn over_mcp(mut self, is_mcp: bool) -> Result<Self, Error> {
        if is_mcp {
            self.mcp = Some(Mcp::new()?);
            self.session.hand_over_results();
        }
        Ok(self)
    }

    /// The way out; `None` where the program writes.
    pub fn output(&self) -> Option<&Output> {
        self.output.as_ref()
    }

    /// Whether there is something that the host has not taken.
    pub fn is_stalled(&self) -> bool {
        self.is_taken || self.written < self.batch.len()
    }

    /// Whether everything that there was to say is written, or taken by the program.
    pub fn is_said(&self) -> bool {
        !self.is_stalled() && !self.has_output()
    }

    /// Whether something may be written now.
    pub fn has_output(&self) -> bool {
        self.session.has_output() || self.mcp.as_ref().is_some_and(Mcp::has_output)
    }

    /// Passes on what the session and an MCP client have for each other, where there is one.
    fn pass(&mut self) {
        let is_stalled = self.is_stalled();
        if let Some(mcp) = &mut self.mcp {
            self.is_fed |= mcp.pass(&mut self.session, is_stalled);
        }
    }

    /// Whether what was written led to something to do, since the last time: an MCP client's call goes on
    /// when a guard has let it pass. [`Channel::settle`] asks it itself.
    pub fn goes_on(&mut self) -> bool {
        std::mem::take(&mut self.is_fed)
    }

    /// Bytes read in all.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// When the last bytes came.
    pub fn read_at(&self) -> Instant {
        self.read_at
    }
}

/// What is to be done.
impl Channel {
    /// The next thing to do. While the host does not take what was said, or `may_begin` is false,
    /// nothing new is begun.
    pub fn next_event(&mut self, may_begin: bool) -> Option<ExtensionEvent> {
        self.pass();
        self.is_fed = false;
        if let Some(event) = self.left.pop_front() {
            return Some(event);
        }
        if may_begin && !self.is_stalled() {
            self.session.poll_event()
        } else {
            self.session.poll_control()
        }
    }

    /// Puts aside what cannot be done now; it comes before everything else.
    pub fn leave(&mut self, event: ExtensionEvent) {
        self.left.push_back(event);
    }

    /// Whether something came up that nothing holds back.
    pub fn has_news(&mut self) -> bool {
        self.pass();
        self.left.extend(self.session.poll_control());
        !self.left.is_empty()
    }

    /// Whether something waits to be done, now or once the host takes what was said.
    pub fn has_events(&self) -> bool {
        !self.left.is_empty() || self.session.waiting() > 0
    }

    /// Whether something waits that can be begun now.
    pub fn can_go_on(&self) -> bool {
        !self.left.is_empty() || !self.is_stalled() && self.session.waiting() > 0
    }

    /// Does what is due.
    pub fn handle_timeout(&mut self) {
        if self.due().is_some_and(|due| due <= Instant::now()) {
            self.session.handle_timeout(Instant::now());
            if let Some(mcp) = &mut self.mcp {
                mcp.handle_timeout(Instant::now());
                self.pass();
            }
        }
    }

    /// When [`Channel::handle_timeout`] is due, if ever.
    pub fn due(&self) -> Option<Instant> {
        let session = if self.is_stalled() {
            self.session.poll_timeout_stalled()
        } else {
            self.session.poll_timeout()
        };
        self.with_mcp(session)
    }

    /// When it is due where only what can be done without a write counts.
    pub fn due_stalled(&self) -> Option<Instant> {
        self.with_mcp(self.session.poll_timeout_stalled())
    }

    fn with_mcp(&self, due: Option<Instant>) -> Option<Instant> {
        let mcp = self.mcp.as_ref().and_then(Mcp::due);
        [due, mcp].into_iter().flatten().min()
    }
}

/// What it waits for.
impl Channel {
    /// Writes what there is. `None` when that led to something to do: what was not begun while the
    /// host took nothing can be now, or the host is gone.
    pub fn settle(&mut self) -> Result<Option<Wants>, Error> {
        let was_stalled = self.is_stalled();
        let has_room = self.write()? && was_stalled;
        let goes_on = self.has_news() || has_room || self.goes_on();
        Ok((!goes_on).then(|| self.wants()))
    }

    /// What the session waits for now.
    pub fn wants(&self) -> Wants {
        Wants { input: self.may_read(), room: self.is_stalled(), due: self.due() }
    }

    /// Takes in what ended a wait: SIGTERM, bytes where they are `readable`, time. Where no bytes are
    /// waited for, their end is looked for.
    pub fn take_in(
        &mut self,
        input: &mut Input,
        (sigterm, readable): (bool, bool),
    ) -> Result<(), Error> {
        if sigterm {
            self.session.handle_sigterm(Instant::now());
        }
        if self.is_full() {
            self.look_for_hang_up(input)?;
        }
        if readable {
            self.read(input)?;
        }
        self.handle_timeout();
        Ok(())
    }
}

/// The way in.
impl Channel {
    /// Who waits to write, reads, up to a bound; calls that were read ahead wait in the session.
    pub fn may_read(&self) -> bool {
        let is_held_up = self.mcp.as_ref().is_some_and(Mcp::is_full);
        !self.has_ended && !is_held_up && (!self.is_stalled() || self.may_read_ahead())
    }

    /// The same for who reads in the place of a thread that begins nothing meanwhile.
    pub fn may_read_ahead(&self) -> bool {
        self.has_hung_up
            || self.read_ahead < READ_AHEAD_BYTES && self.session.waiting() < READ_AHEAD_FRAMES
    }

    /// Whether so much is read ahead that the end of the input is not found by reading.
    pub fn is_full(&self) -> bool {
        !self.has_ended && !self.may_read()
    }

    /// Whether the input has ended.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Whether the host has closed its end.
    pub fn has_hung_up(&self) -> bool {
        self.has_hung_up
    }

    /// Feeds the session with what is there now.
    pub fn read(&mut self, input: &mut Input) -> Result<(), Error> {
        while self.may_read() && self.read_once(input)? == Read::Some {}
        Ok(())
    }

    /// Feeds the session with one read of what is there.
    pub fn read_once(&mut self, input: &mut Input) -> Result<Read, Error> {
        self.read_by(input, Input::try_read)
    }

    /// Feeds the session with one read, which waits until something comes, a signal at the least.
    pub fn read_waiting(&mut self, input: &mut Input) -> Result<Read, Error> {
        self.read_by(input, Input::read)
    }

    fn read_by(
        &mut self,
        input: &mut Input,
        read: fn(&mut Input, &mut [u8]) -> Result<Received, Error>,
    ) -> Result<Read, Error> {
        if self.has_ended {
            return Ok(Read::Nothing);
        }
        let space = match &mut self.mcp {
            None => self.session.read_space(),
            Some(mcp) => mcp.space(),
        };
        let room = space.len();
        Ok(match read(input, space)? {
            Received::Data(count) => {
                let now = Instant::now();
                match &mut self.mcp {
                    None => self.session.handle_read(count, now),
                    Some(mcp) => mcp.handle_read(count, now),
                }
                self.count(count, now);
                self.pass();
                // Less than there was room for: that was all.
                if count < room { Read::All } else { Read::Some }
            }
            Received::Eof => {
                self.end_input();
                Read::Some
            }
            Received::WouldBlock => Read::Nothing,
            Received::Interrupted => Read::Interrupted,
        })
    }

    /// Takes in what was read elsewhere.
    pub fn feed(&mut self, bytes: &[u8]) {
        let now = Instant::now();
        match &mut self.mcp {
            None => self.session.handle_input(bytes, now),
            Some(mcp) => mcp.handle_input(bytes, now),
        }
        self.count(bytes.len(), now);
        self.pass();
    }

    fn count(&mut self, count: usize, now: Instant) {
        self.read_ahead += count;
        self.total += count as u64;
        self.read_at = now;
    }

    /// The input has ended (`end.eof`). What an MCP client has asked for is answered first.
    pub fn end_input(&mut self) {
        if !std::mem::replace(&mut self.has_ended, true) {
            match &mut self.mcp {
                None => self.session.handle_eof(Instant::now()),
                Some(mcp) => mcp.handle_eof(Instant::now()),
            }
            self.pass();
        }
    }

    /// For who does not read, and so does not find the end: looks whether the host has closed its end.
    /// Whether that is news.
    pub fn look_for_hang_up(&mut self, input: &Input) -> Result<bool, Error> {
        if self.has_ended || self.has_hung_up || !input.has_hung_up()? {
            return Ok(false);
        }
        self.hang_up();
        Ok(true)
    }

    /// The host has closed its end: what is there to read is no more than its pipe holds.
    pub fn hang_up(&mut self) {
        if !std::mem::replace(&mut self.has_hung_up, true) && self.mcp.is_none() {
            self.session.handle_hang_up(Instant::now());
        }
    }
}

/// The way out.
impl Channel {
    /// Writes what there is, as much as the host takes now. Whether nothing is left. Where the program
    /// writes, nothing happens.
    pub fn write(&mut self) -> Result<bool, Error> {
        self.held = None;
        if self.output.is_none() {
            self.pass();
            return Ok(true);
        }
        loop {
            self.write_batch()?;
            if self.is_stalled() {
                return Ok(false);
            }
            if !self.fill() {
                return Ok(true);
            }
        }
    }

    /// Writes what there is, or holds it back for what comes next, when that is known to be quick. It
    /// does not wait for longer than a batch may take.
    pub fn write_or_hold(&mut self, holds: bool) -> Result<(), Error> {
        if !holds {
            self.write()?;
        } else if self.output.is_some() && self.has_output() {
            let since = *self.held.get_or_insert_with(Instant::now);
            if since.elapsed() >= BATCH {
                self.write()?;
            }
        }
        Ok(())
    }

    /// Whether something is held back.
    pub fn is_holding(&self) -> bool {
        self.held.is_some()
    }

    /// Goes on with the batch that is under way, and takes no further one.
    pub fn write_batch(&mut self) -> Result<(), Error> {
        let Some(output) = &mut self.output else { return Ok(()) };
        if self.written == self.batch.len() {
            return Ok(());
        }
        match output.try_write(&self.batch[self.written..]) {
            Ok(count) => self.written += count,
            Err(Error::HostGone) => self.lose_host(),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Writes all of the batch that is under way, to a file, which takes everything.
    pub fn write_all(&mut self) -> Result<(), Error> {
        if let Some(output) = &mut self.output {
            output.write_all(&self.batch[self.written..])?;
            self.written = self.batch.len();
        }
        Ok(())
    }

    /// Puts what the program is to write in the place of what stands in `taken`, whose memory is used
    /// again. False when there is nothing, or while the program is still at the last.
    pub fn take_batch(&mut self, taken: &mut Vec<u8>) -> bool {
        if self.output.is_some() || self.is_taken || !self.fill() || self.is_gone {
            return false;
        }
        taken.clear();
        std::mem::swap(&mut self.batch, taken);
        true
    }

    /// The program writes what it took until [`Channel::batch_is_written`]; nothing new is begun
    /// meanwhile.
    pub fn batch_is_under_way(&mut self) {
        self.is_taken = true;
    }

    /// The program has written what it took.
    pub fn batch_is_written(&mut self) {
        self.is_taken = false;
    }

    /// Without a host that reads nobody waits for answers.
    pub fn lose_host(&mut self) {
        self.written = self.batch.len();
        self.is_taken = false;
        if !std::mem::replace(&mut self.is_gone, true) {
            self.gone_is_news = true;
            self.session.handle_write_failed(Instant::now());
        }
    }

    /// Whether the host was found gone since the last time; the session has events then.
    pub fn take_lost_host(&mut self) -> bool {
        std::mem::take(&mut self.gone_is_news)
    }

    /// Whether anything was taken to be written since the last time.
    pub fn take_wrote(&mut self) -> bool {
        std::mem::take(&mut self.has_written)
    }

    /// Takes what the session has to say; whether there is anything.
    fn fill(&mut self) -> bool {
        if self.batch.capacity() > KEPT {
            self.batch = Vec::new();
        }
        self.batch.clear();
        self.written = 0;
        if !self.poll_output() {
            self.read_ahead = 0;
            return false;
        }
        self.has_written = true;
        // A host that is gone takes nothing.
        if self.is_gone {
            self.written = self.batch.len();
        }
        true
    }

    fn poll_output(&mut self) -> bool {
        self.pass();
        if let Some(mcp) = &mut self.mcp {
            return mcp.poll_output(&mut self.batch);
        }
        // A look at the clock is not free, and only updates depend on the time.
        let now = if self.session.has_updates() { Instant::now() } else { self.read_at };
        self.session.poll_output(now, &mut self.batch)
    }
}

/// The end.
impl Channel {
    /// Ends the process when its end takes too long (`end.in-time`), whatever handlers do meanwhile.
    /// `finish` is [`Channel::last_act`], as far as the channel is still there.
    pub fn watch_end(&self, finish: impl FnOnce() -> Unfinished + Send + 'static) {
        let since = self.session.ending_since().unwrap_or_else(Instant::now);
        watchdog::start(since, SHUTDOWN_END, self.session.exit_code(), finish);
    }

    /// At the end of the end: what was due is answered and written, as far as that goes without
    /// waiting. What is not finished; `handlers` are those that have not ended.
    pub fn last_act(&mut self, handlers: Vec<String>) -> Unfinished {
        self.session.handle_overdue(Instant::now());
        // What fails here is not worth telling any more.
        let _ = self.write();
        Unfinished { handlers, unread: !self.is_said() }
    }
}
