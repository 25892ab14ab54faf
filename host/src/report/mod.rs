//! What a host says of extensions: why one cannot be used, what is wrong with it, how it ended, why
//! a call has no answer, what it wrote to stderr, what passed on its pipes.

mod advice;
mod blocked;
mod call_error;
mod call_status;
mod diagnosis;
mod ending;
mod intercept_failure;
mod log;
mod log_file;
mod notice;
mod problem;
mod trace;

pub use self::blocked::Blocked;
pub use self::call_error::CallError;
pub use self::call_status::CallStatus;
pub use self::diagnosis::Diagnosis;
pub use self::ending::{Ending, Manner};
pub(crate) use self::intercept_failure::NoAnswer;
pub use self::intercept_failure::{FailureCause, InterceptFailure, Role};
pub(crate) use self::log::{Log, readable};
pub(crate) use self::notice::Author;
pub use self::notice::Notice;
pub use self::problem::Problem;
pub(crate) use self::trace::ExtensionTrace;
pub use self::trace::Trace;
