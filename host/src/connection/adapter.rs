//! What may stand between a process and its connection.

use std::fmt::Debug;
use std::io;
use std::sync::Arc;

use extline_protocol::frame::Registered;

use super::Connection;
use crate::process::Spawned;
use crate::report::Problem;

/// Begins the work, once there is a connection.
pub(crate) type Follow = Box<dyn FnOnce(&Arc<Connection>) + Send>;

/// Makes an extension of a program that is none.
pub(crate) trait Adapter: Debug + Send + Sync {
    /// Whether the program may be started now.
    fn check(&self) -> Result<(), Problem>;

    /// Takes the pipes of the process, and gives others in their place.
    fn between(&self, spawned: Spawned) -> io::Result<(Spawned, Follow)>;

    /// What it means when the program ends before it is ready.
    fn early_end(&self) -> Problem;

    /// It failed before it was ready. Whether it may be another way the next time, and is started once more.
    fn try_another_way(&self) -> bool;

    /// Whether it is, or may be, about to be started another way.
    fn is_trying(&self) -> bool;

    /// Why it is not used at all, where not all of it can be.
    fn refusal(&self, report: &Registered) -> Option<Problem>;
}
