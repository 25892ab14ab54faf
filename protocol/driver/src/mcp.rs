//! MCP in the place of the extline wire: what is read and written are the lines of a client, and a bridge
//! stands between them and the session.

use std::env;
use std::ffi::OsStr;

use extline_stdio::report;

#[cfg(not(feature = "mcp"))]
pub(crate) use self::absent::Mcp;
#[cfg(feature = "mcp")]
pub(crate) use self::bridged::Mcp;

#[cfg(not(feature = "mcp"))]
mod absent;
#[cfg(feature = "mcp")]
mod bridged;

/// The argument that asks for MCP.
const ARGUMENT: &str = "--mcp";

/// The variable that names the wire, `mcp` or `extline`.
const VARIABLE: &str = "EXTLINE_WIRE";

/// Whether the program is to be an MCP server: by its first argument, which is `--mcp`, or by the variable
/// `EXTLINE_WIRE`.
pub fn is_asked_for(first_argument: Option<&OsStr>) -> bool {
    if first_argument == Some(OsStr::new(ARGUMENT)) {
        return true;
    }
    let Some(wire) = env::var_os(VARIABLE) else { return false };
    match wire.to_str() {
        Some("mcp") => true,
        Some("" | "extline") => false,
        _ => {
            let wire = wire.to_string_lossy();
            report(&format!(
                "{VARIABLE} is {wire:?}, and has to be mcp or extline; it is left at extline"
            ));
            false
        }
    }
}
