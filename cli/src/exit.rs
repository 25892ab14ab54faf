//! The exit codes; `extline --help` lists them.

use std::process::ExitCode;

use extline_host::CallError;
use extline_protocol::ErrorKind;

/// How the command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Ok = 0,
    /// The tool answered with an error, or a line of `run` failed.
    ToolError = 1,
    Usage = 2,
    NotStarted = 3,
    Died = 4,
    Timeout = 5,
    Validation = 6,
    /// Ctrl-C: 128 and the number of SIGINT, as shells have it.
    Interrupted = 130,
    /// The same for SIGTERM, and for the end of the terminal.
    Terminated = 143,
}

impl Exit {
    /// The code of `extline conformance`, which has codes of its own: 0 conformant, 1 not, 2
    /// incomplete, 3 usage, 4 the tester itself failed.
    pub(crate) fn of_conformance(code: u8) -> Self {
        match code {
            0 => Self::Ok,
            1 => Self::ToolError,
            2 => Self::Usage,
            3 => Self::NotStarted,
            _ => Self::Died,
        }
    }

    /// The code for a call without a result.
    pub(crate) fn of(error: &CallError) -> Self {
        match error {
            CallError::Unknown { .. } => Self::Usage,
            CallError::Died { .. } => Self::Died,
            error => match error.kind() {
                ErrorKind::Validation => Self::Validation,
                ErrorKind::Timeout => Self::Timeout,
                _ => Self::ToolError,
            },
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_are_what_the_help_says() {
        let codes = [
            (Exit::Ok, 0),
            (Exit::ToolError, 1),
            (Exit::Usage, 2),
            (Exit::NotStarted, 3),
            (Exit::Died, 4),
            (Exit::Timeout, 5),
            (Exit::Validation, 6),
            (Exit::Interrupted, 130),
            (Exit::Terminated, 143),
        ];
        for (exit, code) in codes {
            assert_eq!(exit as u8, code);
            assert!(crate::args::EXIT_CODES.contains(&format!("\n  {code:<4} ")), "{code}");
        }
    }
}
