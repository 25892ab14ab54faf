//! Whether a call may run: by the rules of a host and its user, by what was remembered, or because a
//! person was asked (§4.2 of the protocol).
//!
//! Nothing here waits: `calls` asks the approver, one call after the other.

mod approver;
mod key;
mod mode;
mod pattern;
#[cfg(test)]
mod properties;
mod remembered;
mod rules;
mod stated;

pub(crate) use self::approver::AskApprover;
pub use self::approver::{ApprovalRequest, Approver, ApproverError, Decision};
pub use self::mode::ApprovalMode;
pub use self::pattern::{ApprovalPattern, PatternError};
pub(crate) use self::remembered::Covered;
pub(crate) use self::rules::{Approvals, Considered, Rules, Ruling, Source};
pub(crate) use self::stated::Stated;
