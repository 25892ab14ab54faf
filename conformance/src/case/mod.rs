//! Cases: the built-in ones and an author's own, held to what is known of clauses and checks.

mod all;
mod builtin;
mod clause;
mod copy;
mod deep;
pub(crate) mod host;
mod known;
mod mcp;

pub use self::all::{all_cases, case_named};
pub use self::builtin::builtin;
pub use self::clause::{Binds, Clause, Level};
pub(crate) use self::copy::original_id;
pub use self::copy::{copied_id, copy_of};
pub(crate) use self::deep::without_point;
pub use self::deep::{POINTS, Point, deepened};
pub use self::host::{client_cases, host_cases, parse_host};
pub use self::known::{Cited, parse, parse_own};
pub use self::mcp::mcp_cases;
pub(crate) use self::mcp::{era_of, is_played_once};
pub use extline_scenario::{
    Amount, Case, CaseError, Cases, Exits, Handshake, Need, Pipe, Process, Step, Text, Verb,
};
pub(crate) use extline_scenario::{Aside, Each, Values};
