//! How extensions stand: of a host that runs them, of folders in which they were found, or of both.

mod extension;
mod finding;
mod report;
mod started;
mod support;

pub use self::extension::{ExtensionState, ExtensionStatus};
pub use self::finding::{Finding, Level};
pub use self::report::{Conflict, Standing, StatusReport, ToolCounts};
