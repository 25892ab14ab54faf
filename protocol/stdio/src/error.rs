//! What can go wrong between an extension and its descriptors.

use std::io;

/// Why a call of this crate failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// `Stdio::claim` was called twice without a release in between.
    #[error(
        "stdin and stdout of this process are already claimed; one process is one extension \
         (a test host that wants to claim again must release them first)"
    )]
    AlreadyClaimed,

    /// `Stdio::release` was called on descriptors that did not come from `Stdio::claim`.
    #[error(
        "these descriptors were not claimed from stdin and stdout, so there is nothing to put back"
    )]
    NotClaimed,

    /// The process is the child of a fork of the one that opened the session.
    #[error("this process was forked from an extension; only the parent may talk to the host")]
    Forked,

    /// The host closed its end; nothing more can be sent.
    #[error("the host is gone: it closed the extension's stdout")]
    HostGone,

    /// The callback of `Output::write_all_reading` answered `Next::GiveUp`.
    #[error("the write was given up after {written} bytes")]
    GivenUp {
        /// How many bytes the host's pipe has taken. When it is not 0 the frame is cut: write the
        /// rest before anything else, or nothing at all.
        written: usize,
    },

    /// `Input::listen_for_sigterm` was called while another session of this process listens.
    #[error("another session of this process already listens for SIGTERM")]
    AlreadyListening,

    /// `EXTLINE_STDIO` holds something else than `claim` or `leave`.
    #[error(
        "EXTLINE_STDIO is {value:?}; set it to \"claim\" (the extension takes stdin and stdout over \
         when its library is loaded) or \"leave\" (it does not), or unset it"
    )]
    BadLoadChoice {
        /// What the variable holds, unreadable bytes replaced.
        value: String,
    },

    /// The operating system refused.
    #[error("cannot {doing}: {source}")]
    Io {
        /// What was tried, as the words after "cannot".
        doing: &'static str,
        /// The system's reason.
        source: io::Error,
    },

    /// This platform has no implementation yet.
    #[error(
        "extensions over stdin and stdout are not supported on this platform yet (Linux and macOS are, \
         and on Windows those in Rust and C)"
    )]
    Unsupported,

    /// The program is to be an MCP server, and its library was built without.
    #[error(
        "this build of extline is no MCP server by itself: start the program by \
         `extline mcp -- PROGRAM`, without --mcp"
    )]
    NoMcp,
}
