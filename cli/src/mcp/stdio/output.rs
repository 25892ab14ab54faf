//! What a client reads.

use std::io::{self, Stdout, Write};

#[cfg(unix)]
use super::watched::Watched;

/// So much is kept for a client that does not read: as much as it may have in one frame.
const MOST: usize = 16 * 1024 * 1024;

enum To {
    #[cfg(unix)]
    Watched(Watched),
    /// What no event loop can watch is waited for.
    Blocking(Stdout),
}

/// Stdout, with what the client has not taken yet.
pub(super) struct Output {
    to: To,
    bytes: Vec<u8>,
    written: usize,
}

impl Output {
    pub(super) fn open() -> Self {
        // Without the layer for colours, which asks the descriptor at each write whether it is a terminal.
        let stdout = anstream::stdout().into_inner();
        #[cfg(unix)]
        if let Some(watched) = Watched::to_write(&stdout) {
            return Self::to(To::Watched(watched));
        }
        Self::to(To::Blocking(stdout))
    }

    fn to(to: To) -> Self {
        Self { to, bytes: Vec::new(), written: 0 }
    }

    /// What is written next goes behind what it has.
    pub(super) fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Whether something is left to be written.
    pub(super) fn has_bytes(&self) -> bool {
        self.written < self.bytes.len()
    }

    /// Whether no more should be asked for, until the client has read.
    pub(super) fn is_full(&self) -> bool {
        self.bytes.len() - self.written > MOST
    }

    /// Writes what the client takes now.
    pub(super) fn write(&mut self) -> io::Result<()> {
        match &mut self.to {
            #[cfg(unix)]
            To::Watched(watched) => {
                while self.written < self.bytes.len() {
                    match watched.write(&self.bytes[self.written..])? {
                        0 => return Ok(()),
                        count => self.written += count,
                    }
                }
            }
            To::Blocking(stdout) => {
                stdout.write_all(&self.bytes[self.written..])?;
                stdout.flush()?;
            }
        }
        self.bytes.clear();
        self.written = 0;
        Ok(())
    }

    /// Waits until the client takes bytes; for ever where none are left.
    pub(super) async fn writable(&self) -> io::Result<()> {
        match &self.to {
            #[cfg(unix)]
            To::Watched(watched) if self.has_bytes() => watched.writable().await,
            _ => std::future::pending().await,
        }
    }
}
