//! The native half of the Python package `extline`: the session, stdin and stdout, and JSON.
//!
//! It decides nothing about the protocol (extline-protocol does) and nothing about an author's
//! functions (the Python half does). What happens for every call is here, so that a call runs no
//! Python but its handler's.

mod answer;
mod author;
#[cfg(windows)]
mod bell;
mod call;
mod claim;
mod context;
mod core;
mod dispatch;
mod dump;
mod failure;
mod frames;
mod imports;
mod intercept_chain;
mod level;
mod looped;
mod outgoing;
mod raw;
mod replies;
mod run_tool;
mod serve;
mod session;
mod signals;
mod stuck;
mod text;
mod tool;
mod turn;
mod visit;

/// Private to the package `extline`.
#[pyo3::pymodule(name = "_native")]
mod native {
    #[pymodule_export]
    const ERROR_KINDS: &[&str] = extline_protocol::ErrorKind::KNOWN;
    #[pymodule_export]
    const LATE_TEARDOWN: &str = extline_protocol::limits::LATE_TEARDOWN;

    #[pymodule_export]
    use crate::author::AtTheAuthorsLine;
    #[pymodule_export]
    use crate::claim::{asks_for_mcp, claim_at_import};
    #[pymodule_export]
    use crate::context::Context;
    #[pymodule_export]
    use crate::core::forked;
    #[pymodule_export]
    use crate::intercept_chain::InterceptChain;
    #[pymodule_export]
    use crate::outgoing::{Question, elsewhere, tries_again};
    #[pymodule_export]
    use crate::raw::RawJson;
    #[pymodule_export]
    use crate::replies::{
        answer_approval, answer_command, answer_request, answer_tool, begin, call_tool,
        cancel_tool, context, end, enter, fail_command, fail_intercept, fail_request, fail_tool,
        forget, leave, on_cancel, request, send_part, show, step_aside,
    };
    #[pymodule_export]
    use crate::session::Session;
    #[pymodule_export]
    use crate::text::{dumps, loads, report};
    #[pymodule_export]
    use crate::tool::{Registrations, fits_tools};
}
