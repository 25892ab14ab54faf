//! How one extension is started, the first time and again.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use extline_protocol::frame::HelloAck;
use extline_protocol::{HostConfig, HostSession};

use super::HostBuilder;
use super::restart::{self, RestartPolicy, Run};
use crate::config::LiveConfig;
use crate::connection::{Adapter, Connection, Shared};
use crate::home::{self, LogPlace};
use crate::process::{Launch, Ordered, Spawner, begun};
use crate::report::{Notice, Problem};
use crate::source::{check_pin, explain};

/// How servers of MCP that die are started again: after 0.5 s, 1 s, 2 s, ...
const SERVERS: RestartPolicy =
    RestartPolicy::OnFailure { backoff: Duration::from_millis(500), max: 10 };

/// How long a server of MCP may take until it is ready: some are first brought from the network.
const SERVER_READY: Duration = Duration::from_secs(60);

/// All that is needed to start one extension, also again.
pub(crate) struct Launcher {
    pub(crate) shared: Arc<Shared>,
    pub(super) builder: Arc<HostBuilder>,
    pub(super) cwd: PathBuf,
    /// Its place in load order.
    pub(crate) index: usize,
    pub(crate) name: String,
    pub(super) launch: Arc<Launch>,
    pub(super) adapter: Option<Arc<dyn Adapter>>,
    pub(super) config: Arc<LiveConfig>,
}

impl Launcher {
    /// Serves the program that was ordered, and starts it again where the policy says so.
    pub(super) async fn start_run(self, ordered: Ordered) -> Result<Arc<Run>, Problem> {
        let run = Arc::new(Run::new(self.connect(ordered).await?));
        let policy = self.policy();
        tokio::spawn(restart::supervise(Arc::clone(&run), self, policy));
        Ok(run)
    }

    /// A server that dies is started again where nobody wants it otherwise.
    fn policy(&self) -> RestartPolicy {
        match self.builder.restart {
            RestartPolicy::Off if self.adapter.is_some() => SERVERS,
            policy => policy,
        }
    }

    /// It failed before it was ready, and may be begun with another way.
    pub(super) fn tries_another_way(&self) -> bool {
        self.adapter.as_ref().is_some_and(|adapter| adapter.try_another_way())
    }

    /// Starts the program; its handshake goes on in its own task.
    pub(crate) async fn start(&self) -> Result<Arc<Connection>, Problem> {
        let ordered = self.order()?;
        self.connect(ordered).await
    }

    /// Has the program started now, if it may be.
    pub(super) fn order(&self) -> Result<Ordered, Problem> {
        if let Some(adapter) = &self.adapter {
            adapter.check()?;
        }
        check_pin(&self.launch)?;
        Ok(Spawner::new(1, &self.shared.processes).order(&self.launch))
    }

    /// Serves the program once it runs.
    async fn connect(&self, ordered: Ordered) -> Result<Arc<Connection>, Problem> {
        let Self { builder, cwd, index, name, launch, .. } = self;
        let index = *index;
        let root = builder.home_or_default();
        let (data_dir, has_data_dir) = if builder.profile.data_folder {
            let data_dir = home::data_dir(&root, name);
            let made = home::make_data_dir(&root, &data_dir);
            (data_dir, made)
        } else {
            (launch.dir.clone(), Ok(()))
        };
        let ack = HelloAck {
            extension_dir: Some(launch.dir.to_string_lossy().into_owned()),
            config: self.config.current(),
            data_dir: has_data_dir.is_ok().then(|| data_dir.to_string_lossy().into_owned()),
            // Another conversation may have begun since the host was made.
            session: self.shared.emission.session(),
            ..builder.ack(cwd.to_string_lossy().into_owned())
        };
        let spawned = begun(ordered).await;
        let spawned = spawned.map_err(|error| explain(launch, &error))?;
        let mut deadlines = builder.deadlines;
        let (spawned, follow) = match &self.adapter {
            None => (spawned, None),
            Some(adapter) => {
                deadlines.ready = deadlines.ready.max(SERVER_READY);
                let between = adapter.between(spawned).map_err(|error| explain(launch, &error))?;
                (between.0, Some(between.1))
            }
        };
        let now = Instant::now();
        let profile = builder.profile.clone();
        let config = HostConfig { ack, deadlines, profile };
        let session = HostSession::new(config, now);
        let log = LogPlace::of(name, &root, builder.logs.as_deref());
        let log = (log, &**launch);
        let restarts = self.policy() != RestartPolicy::Off;
        let (connection, ends) =
            Connection::new((index, name, restarts), spawned, session, log, &self.shared);
        if let Some(trace) = &builder.trace {
            connection.trace(trace.of(name, launch, connection.pid()));
        }
        if let Err(error) = has_data_dir {
            let text = format!("no data folder {}: {error}", data_dir.display());
            connection.notice_from_outside(Notice::new(text));
        }
        if let Err(why) = self.shared.processes.watchdog() {
            connection.notice_from_outside(Notice::new(why));
        }
        connection.watch_sandbox();
        for notice in &launch.notices {
            connection.notice_from_outside(Notice::new(notice.clone()));
        }
        if let Some(adapter) = &self.adapter {
            connection.explain_early_end(adapter.early_end());
        }
        if let Some(follow) = follow {
            follow(&connection);
        }
        tokio::spawn(Arc::clone(&connection).drive(ends));
        Ok(connection)
    }
}
