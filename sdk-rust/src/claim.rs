//! When stdin and stdout are taken over.

use std::cell::Cell;
use std::env;
use std::path::Path;

use extline_stdio::{Stdio, claims_at_load};

use crate::Error;

thread_local! {
    /// This thread creates an extension for a testing host, which has a connection for it.
    static LEAVES: Cell<bool> = const { Cell::new(false) };
}

/// Creates an extension that leaves stdin and stdout alone, whatever they are.
pub(crate) fn leaving<T>(create: impl FnOnce() -> T) -> T {
    LEAVES.set(true);
    let created = create();
    LEAVES.set(false);
    created
}

/// In Rust nothing runs when a library is loaded, so creating the extension is that moment.
pub(crate) fn at_creation() -> Result<Option<Stdio>, Error> {
    if LEAVES.get() {
        return Ok(None);
    }
    if claims_at_load(is_under_test())? { Ok(Some(Stdio::claim()?)) } else { Ok(None) }
}

/// Whether the program is to be an MCP server, by its first argument or by the environment.
pub(crate) fn is_mcp() -> bool {
    extline_driver::mcp::is_asked_for(env::args_os().nth(1).as_deref())
}

/// Whether this process is a test binary, whose output belongs to the test runner: nextest says so,
/// and cargo puts a test binary, unlike a program, into `deps` under a name with a hash.
fn is_under_test() -> bool {
    env::var_os("NEXTEST").is_some() || env::current_exe().is_ok_and(|exe| is_test_binary(&exe))
}

fn is_test_binary(exe: &Path) -> bool {
    let in_deps = exe.parent().and_then(Path::file_name).is_some_and(|folder| folder == "deps");
    let stem = exe.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let hash = stem.rsplit_once('-').map(|(_, hash)| hash).unwrap_or_default();
    in_deps && hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_binary_is_told_from_a_program_by_where_cargo_puts_it() {
        assert!(is_test_binary(Path::new("/p/target/debug/deps/wire-0123456789abcdef")));
        assert!(!is_test_binary(Path::new("/p/target/debug/wire-0123456789abcdef")));
        assert!(!is_test_binary(Path::new("/p/target/debug/deps/weather-rust")));
        assert!(!is_test_binary(Path::new("/p/target/debug/weather")));
        assert!(is_under_test(), "this test itself runs in a test binary");
    }
}
