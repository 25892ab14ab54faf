//! The way out: what is written at once, what waits for the next answer, and a host that is gone.

use std::time::{Duration, Instant};

use extline_stdio::Error;

use super::Channel;

/// A buffer that grew beyond this for one batch is given back.
const KEPT: usize = 4 * 1024 * 1024;

/// Answers are gathered for one write, but none waits longer than this for the next handler.
pub const BATCH: Duration = Duration::from_millis(1);

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
            Ok(count) => {
                self.written += count;
                self.total_written += count as u64;
            }
            Err(Error::HostGone) => self.lose_host(),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Writes all of the batch that is under way, to a file, which takes everything.
    pub fn write_all(&mut self) -> Result<(), Error> {
        if let Some(output) = &mut self.output {
            let rest = &self.batch[self.written..];
            output.write_all(rest)?;
            self.total_written += rest.len() as u64;
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
