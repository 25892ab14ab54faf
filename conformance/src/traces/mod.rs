//! Traces: what others recorded is checked as a run is, or played again.

mod recorded;
mod replay;
mod spoken;

pub use self::recorded::Recorded;
pub use self::replay::{Ignored, replay};
pub(crate) use self::spoken::protocol_of;
