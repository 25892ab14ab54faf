//! What tool calls do to files, for an agent that shows it or has it checked.
//!
//! An extension tells of effects in its results ([`Effect`]), and the host hands them on. [`Effects`] gets them with the
//! call that they belong to, before and behind each call that may change something; [`DiffRecorder`] is one that keeps
//! what became of the files, told or not.
//!
//! ```
//! use extline_host::Host;
//! use extline_host::effects::DiffRecorder;
//!
//! # fn main() -> std::io::Result<()> {
//! # let project = tempfile::tempdir()?;
//! let recorder = DiffRecorder::new(project.path())?;
//! let builder = Host::builder().cwd(project.path()).effects(recorder.clone());
//! // ... and when the model's turn has ended:
//! for change in recorder.take_turn().changes {
//!     println!("{}", change.diff().unwrap_or_default());
//! }
//! # Ok(())
//! # }
//! ```

mod change;
mod contained;
mod recorder;

use std::fmt;
use std::sync::Arc;

use extline_protocol::RawJson;
use extline_protocol::frame::Effect;

pub use self::change::{Change, Evidence, Snapshot};
pub use self::recorder::{DiffRecorder, Outside, TurnChanges};

/// A call of a tool that declares neither `pure` nor `read_only`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EffectCall {
    /// The host's own name for the call.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The extension that has it; `the host` for one of the agent's own.
    pub extension: String,
    /// The extension that calls; absent when the agent does.
    pub caller: Option<String>,
    /// The arguments that run.
    pub args: RawJson,
}

/// Gets what calls do to the world, see [`HostBuilder::effects`](crate::HostBuilder::effects). Both run on a thread where
/// they may take their time; the call waits for them. Calls that overlap are told of as they come.
pub trait Effects: Send + Sync + 'static {
    /// The tool is about to be called: nobody has anything against it.
    fn before(&self, call: &EffectCall) {
        let _ = call;
    }

    /// The tool has answered, or there is no answer: then nothing was told. What is returned the model reads behind the
    /// result, as what a check found; nothing comes of it where an extension called, and where there is no result.
    fn after(&self, call: &EffectCall, told: &[Effect]) -> Option<String>;
}

/// Who gets them.
#[derive(Clone)]
pub(crate) struct Consumer(Arc<dyn Effects>);

impl Consumer {
    pub(crate) fn new(effects: impl Effects) -> Self {
        Self(Arc::new(effects))
    }

    pub(crate) fn get(&self) -> &dyn Effects {
        &*self.0
    }
}

impl fmt::Debug for Consumer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Consumer").finish_non_exhaustive()
    }
}
