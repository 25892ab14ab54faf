//! What happened instead of what was expected: the same words here and in the SDKs' testing hosts.

pub use extline_scenario::{Failure, Outcome};
