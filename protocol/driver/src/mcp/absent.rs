//! A build without MCP, which makes a library smaller.

use std::time::Instant;

use extline_protocol::ExtensionSession;
use extline_stdio::Error;

/// There is none.
#[derive(Debug)]
pub(crate) enum Mcp {}

impl Mcp {
    pub(crate) fn new() -> Result<Self, Error> {
        Err(Error::NoMcp)
    }

    pub(crate) fn space(&mut self) -> &mut [u8] {
        match *self {}
    }

    pub(crate) fn handle_read(&mut self, _count: usize, _now: Instant) {
        match *self {}
    }

    pub(crate) fn handle_input(&mut self, _bytes: &[u8], _now: Instant) {
        match *self {}
    }

    pub(crate) fn handle_eof(&mut self, _now: Instant) {
        match *self {}
    }

    pub(crate) fn handle_timeout(&mut self, _now: Instant) {
        match *self {}
    }

    pub(crate) fn due(&self) -> Option<Instant> {
        match *self {}
    }

    pub(crate) fn has_output(&self) -> bool {
        match *self {}
    }

    pub(crate) fn is_full(&self) -> bool {
        match *self {}
    }

    pub(crate) fn poll_output(&mut self, _out: &mut Vec<u8>) -> bool {
        match *self {}
    }

    pub(crate) fn pass(&mut self, _session: &mut ExtensionSession, _is_stalled: bool) -> bool {
        match *self {}
    }
}
