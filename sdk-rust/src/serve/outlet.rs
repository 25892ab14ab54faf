//! The way out: one batch of frames at a time, written as the host takes it.

use extline_stdio::{Error as StdioError, Output};

use crate::Error;

/// A buffer that grew beyond this for one batch is given back.
const KEPT: usize = 4 * 1024 * 1024;

pub(super) struct Outlet {
    output: Output,
    bytes: Vec<u8>,
    written: usize,
    is_gone: bool,
    gone_is_news: bool,
}

impl Outlet {
    pub(super) fn new(output: Output) -> Self {
        Self { output, bytes: Vec::new(), written: 0, is_gone: false, gone_is_news: false }
    }

    #[cfg(unix)]
    pub(super) fn output(&self) -> &Output {
        &self.output
    }

    /// Whether there is something that the host has not taken.
    pub(super) fn is_waiting(&self) -> bool {
        self.written < self.bytes.len()
    }

    /// Room for the next batch, once nothing waits.
    pub(super) fn space(&mut self) -> &mut Vec<u8> {
        if self.bytes.capacity() > KEPT {
            self.bytes = Vec::new();
        }
        self.bytes.clear();
        self.written = 0;
        &mut self.bytes
    }

    /// Writes as much of what waits as the host takes now; whether it took anything.
    pub(super) fn write(&mut self) -> Result<bool, Error> {
        let before = self.written;
        match self.output.try_write(&self.bytes[before..]) {
            Ok(count) => self.written += count,
            Err(StdioError::HostGone) => {
                self.gone_is_news = !self.is_gone;
                self.is_gone = true;
                self.written = self.bytes.len();
            }
            Err(error) => return Err(error.into()),
        }
        Ok(self.written > before)
    }

    /// Writes all of what waits, to a file, which takes everything.
    pub(super) fn write_all(&mut self) -> Result<(), Error> {
        self.output.write_all(&self.bytes[self.written..])?;
        self.written = self.bytes.len();
        Ok(())
    }

    /// Whether the host has closed its end since the last call; what is written then goes nowhere.
    pub(super) fn take_gone(&mut self) -> bool {
        std::mem::take(&mut self.gone_is_news)
    }
}
