//! Whether a library claims stdin and stdout in the moment it is loaded.

use std::env;
use std::ffi::OsStr;

use crate::{Error, platform};

/// Decides whether an SDK claims stdin and stdout when its library is loaded, before the author's
/// code has printed anything.
///
/// Yes when both are pipes or sockets, as a host gives them, and no test runner is loaded;
/// `under_test` is the caller's knowledge of its language's runners. `EXTLINE_STDIO=claim` or
/// `leave` decides alone; empty counts as unset.
///
/// # Errors
///
/// [`Error::BadLoadChoice`] when the variable holds anything else.
pub fn claims_at_load(under_test: bool) -> Result<bool, Error> {
    let choice = env::var_os("EXTLINE_STDIO");
    decide(choice.as_deref(), under_test, platform::both_are_pipes)
}

fn decide(
    choice: Option<&OsStr>,
    under_test: bool,
    both_are_pipes: impl FnOnce() -> bool,
) -> Result<bool, Error> {
    match choice.map(|value| value.to_string_lossy()).as_deref() {
        None | Some("") => Ok(!under_test && both_are_pipes()),
        Some("claim") => Ok(true),
        Some("leave") => Ok(false),
        Some(other) => Err(Error::BadLoadChoice { value: other.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(choice: Option<&str>, under_test: bool, piped: bool) -> Result<bool, Error> {
        decide(choice.map(OsStr::new), under_test, || piped)
    }

    #[test]
    fn pipes_are_claimed_unless_a_test_runner_is_loaded() {
        assert!(decided(None, false, true).unwrap());
        assert!(decided(Some(""), false, true).unwrap());
        assert!(!decided(None, true, true).unwrap());
        assert!(!decided(None, false, false).unwrap());
    }

    #[test]
    fn the_variable_overrides_both() {
        assert!(decided(Some("claim"), true, false).unwrap());
        assert!(!decided(Some("leave"), false, true).unwrap());
    }

    #[test]
    fn an_unknown_choice_is_an_error_that_names_the_variable_and_the_choices() {
        let text = decided(Some("leve"), false, true).unwrap_err().to_string();
        for part in ["EXTLINE_STDIO", "\"leve\"", "\"claim\"", "\"leave\""] {
            assert!(text.contains(part), "{part} is not in: {text}");
        }
    }
}
