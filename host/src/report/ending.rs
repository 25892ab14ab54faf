//! How an extension's process ended, and whether anything is left of it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Serialize, Serializer};

use super::diagnosis::Diagnosis;
use crate::process::Exit;

/// The end of one extension. `Display` gives one line.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Ending {
    /// The extension.
    pub extension: String,
    /// What it took to end it.
    pub manner: Manner,
    /// How its process ended; `None` when not even SIGKILL ended it.
    pub exit: Option<Exit>,
    /// From the request to end to the end of the last process, in milliseconds in JSON.
    #[serde(serialize_with = "as_millis", rename = "took_ms")]
    pub took: Duration,
    /// Processes of its group that outlived it, and were killed.
    pub left_behind: usize,
    /// No process of its group is left. Verified, not assumed.
    pub gone: bool,
    /// Why it could not be used any longer, when it ended before it was asked to.
    #[serde(serialize_with = "as_itself")]
    pub diagnosis: Option<Arc<Diagnosis>>,
}

/// What it took to end an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Manner {
    /// It ended after `shutdown` and the end of its stdin.
    ByItself,
    /// SIGTERM.
    Terminated,
    /// SIGKILL.
    Killed,
    /// It was not asked to end, or could not be used any longer: see the diagnosis.
    Failed,
}

impl fmt::Display for Ending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ", self.extension)?;
        formatter.write_str(match self.manner {
            Manner::ByItself => "stopped",
            Manner::Terminated => "stopped after SIGTERM",
            Manner::Killed => "did not stop, was killed",
            Manner::Failed => "had failed",
        })?;
        if let Some(exit) = &self.exit {
            write!(formatter, ": {exit}")?;
        }
        if self.manner != Manner::Failed {
            write!(formatter, " after {} ms", self.took.as_millis())?;
        }
        match self.left_behind {
            0 => {}
            1 => formatter.write_str(", 1 process it left behind was killed")?,
            count => write!(formatter, ", {count} processes it left behind were killed")?,
        }
        formatter.write_str(if self.gone {
            ", no process left"
        } else {
            ", and PROCESSES ARE LEFT"
        })
    }
}

#[expect(clippy::ref_option, reason = "serde hands the field over as it is")]
fn as_itself<S: Serializer>(
    diagnosis: &Option<Arc<Diagnosis>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    diagnosis.as_deref().serialize(serializer)
}

fn as_millis<S: Serializer>(took: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(took.as_millis()).unwrap_or(u64::MAX))
}
