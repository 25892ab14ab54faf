//! Cases: the built-in ones and an author's own, held to what is known of clauses and checks.

mod builtin;
mod known;

pub use self::builtin::builtin;
pub use self::known::{Cited, parse, parse_own};
pub(crate) use extline_scenario::Values;
pub use extline_scenario::{
    Amount, Case, CaseError, Cases, Close, Exits, Handshake, Need, Process, Step, Text, Verb,
};
