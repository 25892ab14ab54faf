//! One server, whichever of its processes runs.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Weak};

use super::era::{Era, Eras};
use super::task::{Setting, Task, clash};
use super::wire::Wire;
use crate::connection::{Adapter, Connection, Follow};
use crate::process::Spawned;
use crate::report::Problem;
use crate::source::{McpServer, Way};

/// Stands between a server and the host.
#[derive(Debug)]
pub(crate) struct ServerAdapter {
    server: McpServer,
    cwd: PathBuf,
    eras: Arc<Eras>,
    /// Which of the ways to begin is tried.
    attempt: AtomicU8,
}

/// It is asked in which era it speaks, where that is not known.
const ASKED: u8 = 0;
/// It ended at that question, which some do: the next start is with a handshake.
const UNANSWERED: u8 = 1;
/// It was started with a handshake.
const SHAKEN: u8 = 2;

impl ServerAdapter {
    pub(crate) fn new(server: McpServer, cwd: PathBuf, eras: Arc<Eras>) -> Self {
        Self { server, cwd, eras, attempt: AtomicU8::new(ASKED) }
    }
}

impl ServerAdapter {
    /// What runs somewhere else does not end at a probe.
    fn is_remote(&self) -> bool {
        matches!(self.server.way, Way::Url { .. })
    }

    /// It has never been connected to.
    fn is_unknown(&self) -> bool {
        self.server.digest(&self.cwd).is_ok_and(|digest| self.eras.of(&digest).is_none())
    }
}

impl Adapter for ServerAdapter {
    fn check(&self) -> Result<(), Problem> {
        self.server.check_trust(&self.cwd)
    }

    fn between(&self, spawned: Spawned) -> io::Result<(Spawned, Follow)> {
        let (spawned, wire) = Wire::between(spawned)?;
        let server = Arc::from(self.server.name());
        let digest = self.server.digest(&self.cwd).unwrap_or_default();
        let (cwd, eras) = (self.cwd.clone(), Arc::clone(&self.eras));
        let way = self.server.way.clone();
        let is_shaken = self.attempt.load(Ordering::Acquire) >= UNANSWERED;
        if is_shaken {
            self.attempt.store(SHAKEN, Ordering::Release);
        }
        let era = eras.of(&digest).or(is_shaken.then_some(Era::Handshake));
        let follow = move |connection: &Arc<Connection>| {
            let connection: Weak<Connection> = Arc::downgrade(connection);
            let setting = Setting { server, way, digest, cwd, eras, era, connection };
            tokio::spawn(Task::run(setting, wire));
        };
        Ok((spawned, Box::new(follow)))
    }

    fn early_end(&self) -> Problem {
        Problem::SilentServer
    }

    fn try_another_way(&self) -> bool {
        !self.is_remote()
            && self.is_unknown()
            && self
                .attempt
                .compare_exchange(ASKED, UNANSWERED, Ordering::AcqRel, Ordering::Acquire)
                .is_ok()
    }

    fn is_trying(&self) -> bool {
        !self.is_remote() && self.attempt.load(Ordering::Acquire) < SHAKEN && self.is_unknown()
    }

    fn refusal(&self, report: &extline_protocol::frame::Registered) -> Option<Problem> {
        let why = clash(report)?;
        let message = format!("all of it is refused: {why}");
        Some(Problem::McpServer { message, remedy: "give the server another name".to_owned() })
    }
}
