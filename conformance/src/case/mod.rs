//! Cases: the built-in ones and an author's own, held to what is known of clauses and checks.

mod builtin;
mod copy;
mod known;

pub use self::builtin::builtin;
pub(crate) use self::copy::original_id;
pub use self::copy::{copied_id, copy_of};
pub use self::known::{Cited, parse, parse_own};
pub use extline_scenario::{
    Amount, Case, CaseError, Cases, Close, Exits, Handshake, Need, Process, Step, Text, Verb,
};
pub(crate) use extline_scenario::{Aside, Each, Values};
