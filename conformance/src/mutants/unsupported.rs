//! Where there are no Unix sockets, neither hosts nor clients of MCP can be tested, nor can what tests them.

use super::{Selftest, SelftestError};

/// Reports that nothing could be tested.
pub fn host_selftest(
    _: &[std::ffi::OsString],
    _: &(dyn Fn(usize, usize) + Sync),
) -> Result<Selftest, SelftestError> {
    Err(SelftestError::Start("hosts can be tested on Unix only".to_owned()))
}

/// Reports that nothing could be tested.
pub fn client_selftest(
    _: &[std::ffi::OsString],
    _: &(dyn Fn(usize, usize) + Sync),
) -> Result<Selftest, SelftestError> {
    Err(SelftestError::Start("clients of MCP can be tested on Unix only".to_owned()))
}
