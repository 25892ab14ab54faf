//! What is needed to start a program.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use super::confinement::Confinement;
use super::environment::Environment;

/// A program with all that is needed to start it.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    /// The working directory: the extension's folder.
    pub(crate) dir: PathBuf,
    pub(crate) environment: Arc<Environment>,
    /// Nothing is started here: what it is runs somewhere else.
    pub(crate) is_remote: bool,
    /// The digest that its folder has to have just before each start, where somebody trusts just that.
    pub(crate) pin: Option<String>,
    /// What its manifest holds it to; `None`: nothing.
    pub(crate) confinement: Option<Arc<dyn Confinement>>,
    /// What its manifest says and nothing holds it to, told at each start.
    pub(crate) notices: Vec<String>,
}
