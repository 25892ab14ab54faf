//! The channel to the host where an event loop of Python's drives it: answers that tasks give in one turn
//! of the loop are written together.

use std::ops::{Deref, DerefMut};

use extline_driver::Channel;
use extline_protocol::ExtensionSession;
use extline_stdio::{Error, Output};

/// Nobody keeps it locked while Python runs or anything is waited for.
pub(crate) struct TurnChannel {
    channel: Channel,
    /// The turn of an event loop in which handlers may end together has not ended.
    is_in_turn: bool,
}

impl TurnChannel {
    /// `is_mcp` where the other end is an MCP client.
    pub(crate) fn new(
        session: ExtensionSession,
        output: Output,
        is_mcp: bool,
    ) -> Result<Self, Error> {
        let channel = Channel::new(session, Some(output)).over_mcp(is_mcp)?;
        Ok(Self { channel, is_in_turn: false })
    }

    /// From now on handlers answer in the same turn of an event loop.
    pub(crate) fn begin_turn(&mut self) {
        self.is_in_turn = true;
    }

    pub(crate) fn is_in_turn(&self) -> bool {
        self.is_in_turn
    }

    /// Writes what was held back for the turn.
    pub(crate) fn end_turn(&mut self) -> Result<bool, Error> {
        self.is_in_turn = false;
        self.channel.write()
    }
}

impl Deref for TurnChannel {
    type Target = Channel;

    fn deref(&self) -> &Channel {
        &self.channel
    }
}

impl DerefMut for TurnChannel {
    fn deref_mut(&mut self) -> &mut Channel {
        &mut self.channel
    }
}
