//! One server, whichever of its processes runs.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Weak};

use super::era::Eras;
use super::server::McpServer;
use super::task::{Setting, Task, clash};
use super::wire::Wire;
use crate::connection::{Adapter, Connection, Follow};
use crate::process::Spawned;
use crate::report::Problem;

/// Stands between a server and the host.
#[derive(Debug)]
pub(crate) struct ServerAdapter {
    server: McpServer,
    cwd: PathBuf,
    eras: Arc<Eras>,
}

impl ServerAdapter {
    pub(crate) fn new(server: McpServer, cwd: PathBuf, eras: Arc<Eras>) -> Self {
        Self { server, cwd, eras }
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
        let follow = move |connection: &Arc<Connection>| {
            let connection: Weak<Connection> = Arc::downgrade(connection);
            let setting = Setting { server, digest, cwd, eras, connection };
            tokio::spawn(Task::run(setting, wire));
        };
        Ok((spawned, Box::new(follow)))
    }

    fn refusal(&self, report: &extline_protocol::frame::Registered) -> Option<Problem> {
        let why = clash(report)?;
        let message = format!("all of it is refused: {why}");
        Some(Problem::McpServer { message, remedy: "give the server another name".to_owned() })
    }
}
