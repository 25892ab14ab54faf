//! Why an extension cannot be served.

use std::fmt;
use std::io;
use std::panic::Location;

use extline_protocol::{RegistrationError, SchemaProblem};

/// Why [`Extension::run`](crate::Extension::run) or [`serve`](crate::Extension::serve) gave up.
///
/// Its `Debug` is its `Display`, so that `fn main() -> Result<(), extline::Error>` prints a sentence.
///
/// ```
/// use extline::{Error, Extension};
///
/// fn main() -> Result<(), Error> {
///     # if true { return Ok(()); }
///     Extension::new("clock", "1.0.0").run()
/// }
/// ```
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A registration is wrong: two tools of one name, a name that is not allowed. Nothing was sent.
    #[error("{location}: {mistake}")]
    Registration {
        /// The line that made it.
        location: &'static Location<'static>,
        /// What is wrong with it.
        mistake: RegistrationError,
    },
    /// The schema of a tool is no JSON Schema, or not one of an object. Nothing was sent.
    #[error("{location}: the schema of the tool {tool:?} cannot be used: {problem}")]
    Schema {
        /// The line that registered it.
        location: &'static Location<'static>,
        /// The tool.
        tool: String,
        /// What is wrong with it, and where.
        problem: SchemaProblem,
    },
    /// A `setup` failed, with its error or its panic. The host was told nothing of what the extension
    /// offers; what it had asked already was answered.
    #[error("setup failed: {reason}")]
    Setup {
        /// What the setup said.
        reason: String,
    },
    /// Stdin and stdout cannot be used.
    #[error(transparent)]
    Stdio(#[from] extline_stdio::Error),
    /// `run` was called where a runtime runs already.
    #[error(
        "run() starts a tokio runtime of its own and was called inside another one; \
         use `extension.serve().await` there"
    )]
    InsideRuntime,
    /// The system refused what the serving loop needs.
    #[error("cannot {doing}: {source}")]
    System {
        /// What was tried, as the words after "cannot".
        doing: &'static str,
        /// The system's reason.
        source: io::Error,
    },
}

impl Error {
    pub(crate) fn system(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::System { doing, source }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}
