//! Traces: what others recorded is checked as a run is, or played again.

mod recorded;
mod replay;

pub use self::recorded::{Recorded, trace_cases};
pub use self::replay::{Ignored, replay};
