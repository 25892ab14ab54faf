//! The session with both ways to the host: how far is read ahead, and what waits to be written.

use std::collections::VecDeque;
use std::time::Instant;

use extline_protocol::limits::SHUTDOWN_END;
use extline_protocol::{ExtensionEvent, ExtensionSession};
use extline_stdio::watchdog::{self, Unfinished};
use extline_stdio::{Error, Input, Output};

use crate::mcp::Mcp;

pub use self::way_in::Read;
pub use self::way_out::BATCH;

mod way_in;
mod way_out;

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
    /// Bytes that the host has taken in all.
    total_written: u64,
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
            total_written: 0,
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

    /// Bytes that the host has taken in all, where the program does not write itself.
    pub fn total_written(&self) -> u64 {
        self.total_written
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
