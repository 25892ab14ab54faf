//! The places of extensions in load order, each of which is used or is not.

mod activity;
mod deferred;
mod reload;
mod switching;

pub use self::reload::ReloadError;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use extline_protocol::{ErrorKind, RawJson};
use thiserror::Error;
use tokio::sync::{Mutex as AsyncMutex, watch};

use super::restart::Run;
use super::{HostBuilder, Launcher};
use crate::config::{LiveConfig, Reading};
use crate::connection::{Adapter, Connection, News, Newsroom, Shared};
use crate::lock::lock;
use crate::process::Launch;
use crate::report::{CallError, Diagnosis, Problem};
use crate::secrets::SecretServer;
use crate::source::{ExtensionSource, Manifest, Plan};
use crate::status::{ExtensionState, ExtensionStatus};
use crate::tool::Tool;

/// All places, in load order.
#[derive(Debug, Default)]
pub(crate) struct Slots(Mutex<Vec<Arc<Slot>>>);

/// The place of one extension. It keeps its index in the registry, whether it is used or not, and
/// all that is needed to start it.
#[derive(Debug)]
pub(crate) struct Slot {
    name: String,
    /// Its place in load order.
    index: usize,
    source: ExtensionSource,
    shared: Arc<Shared>,
    builder: Arc<HostBuilder>,
    /// As the embedder gave it, without what the host has added to serve its extensions.
    given: Arc<HostBuilder>,
    cwd: PathBuf,
    /// What stands between it and the host, if anything.
    adapter: Option<Arc<dyn Adapter>>,
    config: Arc<LiveConfig>,
    secrets: Arc<SecretServer>,
    /// What was found where it comes from, the last time that somebody looked.
    found: Mutex<Found>,
    stage: Mutex<Stage>,
    /// Held by who enables, disables or removes it, but not while it starts: that may take a minute.
    switching: AsyncMutex<()>,
    /// Held by who reloads it, also while it is tried out.
    reloading: AsyncMutex<()>,
    /// It is never started again: it was removed, or the host shuts down.
    closed: watch::Sender<bool>,
    is_removed: AtomicBool,
}

#[derive(Clone, Debug)]
struct Found {
    dir: Option<PathBuf>,
    manifest: Option<Manifest>,
}

/// Whether it is used.
#[derive(Debug)]
enum Stage {
    /// Nobody has enabled it, or somebody has disabled it; as it ran before, if it did.
    Disabled(Option<Arc<Run>>),
    /// It is listed, and started when it is used.
    NotStarted,
    /// It never had a process.
    Failed(Arc<Diagnosis>),
    /// It was started, and may have ended.
    Running(Arc<Run>),
}

/// Why an extension is not in use after [`Host::enable`](crate::Host::enable).
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum EnableError {
    /// The host has no such extension, or it was removed.
    #[error("there is no extension {name}")]
    Unknown {
        /// The name.
        name: String,
    },
    /// The host has one of that name already; it is as it was.
    #[error("there is an extension {name} already: remove it, or give the other one another name")]
    Taken {
        /// The name.
        name: String,
    },
    /// It cannot be used.
    #[error("{name} cannot be used: {}; {}", .diagnosis.summary(), .diagnosis.suggestion)]
    Failed {
        /// The extension.
        name: String,
        /// Why.
        diagnosis: Arc<Diagnosis>,
    },
    /// Somebody disabled or removed it, or shut the host down, before it was ready.
    #[error("{name} was told to end before it was ready")]
    Stopped {
        /// The extension.
        name: String,
    },
}

impl Slots {
    pub(super) fn add(&self, slot: Arc<Slot>) {
        lock(&self.0).push(slot);
    }

    /// In load order.
    pub(crate) fn all(&self) -> Vec<Arc<Slot>> {
        lock(&self.0).clone()
    }

    /// The one at that place.
    pub(super) fn at(&self, index: usize) -> Option<Arc<Slot>> {
        lock(&self.0).iter().find(|slot| slot.index == index).cloned()
    }

    /// The first one of that name that was not removed.
    pub(crate) fn named(&self, name: &str) -> Option<Arc<Slot>> {
        let slots = lock(&self.0);
        slots.iter().find(|slot| slot.name == name && !slot.is_removed()).cloned()
    }

    /// The same; where all were removed, the first of them.
    pub(super) fn named_or_removed(&self, name: &str) -> Option<Arc<Slot>> {
        let first = || lock(&self.0).iter().find(|slot| slot.name == name).cloned();
        self.named(name).or_else(first)
    }

    /// Starts nothing any more, and kills what runs.
    pub(super) fn kill(&self) {
        for slot in self.all() {
            slot.close_for_good();
            if let Some(run) = slot.run() {
                run.close_now();
                run.current().kill();
            }
        }
    }
}

/// What a slot is made of.
pub(super) struct Setting<'s> {
    pub(super) shared: &'s Arc<Shared>,
    pub(super) builder: &'s Arc<HostBuilder>,
    pub(super) given: &'s Arc<HostBuilder>,
    pub(super) cwd: &'s PathBuf,
    pub(super) adapter: Option<Arc<dyn Adapter>>,
    pub(super) secrets: &'s Arc<SecretServer>,
}

impl Slot {
    /// Behind the others, and disabled; and how to start it, or why that cannot work.
    pub(super) fn new(
        source: &ExtensionSource,
        plan: Plan,
        setting: Setting<'_>,
    ) -> (Arc<Self>, Result<Launch, Problem>) {
        let Plan { name, dir, manifest, guards, launch } = plan;
        let Setting { shared, builder, given, cwd, adapter, secrets } = setting;
        let index = {
            let mut registry = shared.registry();
            let index = registry.add_extension(&name);
            if builder.profile.guards_fail_closed {
                registry.declare_in_manifest(index, &guards);
            }
            if builder.unguarded.contains(&name) {
                registry.leave_unguarded(index);
            }
            registry.disable(index);
            index
        };
        let config = Arc::new(builder.live_config(&name, manifest.as_ref(), cwd));
        let slot = Self {
            config,
            secrets: Arc::clone(secrets),
            name,
            index,
            source: source.clone(),
            shared: Arc::clone(shared),
            builder: Arc::clone(builder),
            given: Arc::clone(given),
            cwd: cwd.clone(),
            adapter,
            found: Mutex::new(Found { dir, manifest }),
            stage: Mutex::new(Stage::Disabled(None)),
            switching: AsyncMutex::default(),
            reloading: AsyncMutex::default(),
            closed: watch::Sender::new(false),
            is_removed: AtomicBool::new(false),
        };
        (Arc::new(slot), launch)
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn adapter(&self) -> Option<&dyn Adapter> {
        self.adapter.as_deref()
    }

    /// The server that it is, if it is one.
    #[cfg(feature = "mcp-client")]
    pub(super) fn server(&self) -> Option<&crate::McpServer> {
        match (&self.source, self.is_removed()) {
            (ExtensionSource::Mcp(server), false) => Some(server),
            (ExtensionSource::OnDemand(source), false) => match &**source {
                ExtensionSource::Mcp(server) => Some(server),
                _ => None,
            },
            _ => None,
        }
    }

    /// The digest of a server that is there, and that nobody trusts as it is now.
    #[cfg(feature = "mcp-client")]
    pub(super) fn untrusted(&self) -> Option<String> {
        self.server()?.untrusted(&self.cwd)
    }

    #[cfg(feature = "mcp-client")]
    pub(super) fn is_ready(&self) -> bool {
        self.run().is_some_and(|run| run.current().is_ready())
    }

    /// All tools of the host that it is in.
    pub(super) fn all_tools(&self) -> Vec<Arc<Tool>> {
        self.shared.registry().tools()
    }

    fn is_removed(&self) -> bool {
        self.is_removed.load(Ordering::Acquire)
    }

    /// Whether it runs, or is on the way to that.
    pub(super) fn is_in_use(&self) -> bool {
        self.run().is_some_and(|run| run.is_in_use())
    }

    /// Where the embedder is told.
    pub(super) fn news(&self) -> &Newsroom {
        &self.shared.news
    }

    /// The newest time that it was used.
    pub(super) fn run(&self) -> Option<Arc<Run>> {
        match &*lock(&self.stage) {
            Stage::Running(run) | Stage::Disabled(Some(run)) => Some(Arc::clone(run)),
            Stage::Failed(_) | Stage::Disabled(None) | Stage::NotStarted => None,
        }
    }

    /// It is wanted: from here on its guards stand, though it may take a while until it is asked.
    pub(super) fn expect(&self) {
        self.shared.registry().enable(self.index);
        self.shared.standings.send_replace(());
    }

    pub(super) fn launcher(&self, launch: Launch) -> Launcher {
        let manifest = lock(&self.found).manifest.clone();
        let launch = self.builder.in_sandbox(launch, &self.name, manifest.as_ref(), &self.cwd);
        Launcher {
            shared: Arc::clone(&self.shared),
            builder: Arc::clone(&self.builder),
            cwd: self.cwd.clone(),
            index: self.index,
            name: self.name.clone(),
            launch: Arc::new(launch),
            adapter: self.adapter.clone(),
            config: Arc::clone(&self.config),
        }
    }

    /// Reads what is set for it before it is started, or says why it is not (`config.valid`).
    pub(super) fn prepare(&self) -> Result<(), Problem> {
        let Found { dir, manifest } = lock(&self.found).clone();
        self.secrets.add(&self.name, manifest.as_ref());
        if !self.builder.has_configs() {
            return Ok(());
        }
        let Reading { tools, file, .. } = self.config.read(None).map_err(|error| {
            let remedy = self.config.remedy(&error, dir.as_deref());
            Problem::Config { faults: error.faults, remedy }
        })?;
        self.shared.registry().set_tools(self.index, tools, file);
        Ok(())
    }

    /// Gives it another configuration; whether it differs from the one before. One that does not run gets it at its
    /// next start.
    pub(super) fn change_config(&self, given: Option<RawJson>) -> Result<bool, CallError> {
        if !self.builder.has_configs() {
            return Ok(false);
        }
        let reading = self.config.read(given).map_err(|error| {
            let extension = self.name.clone();
            CallError::Config { extension, error }
        })?;
        let Reading { changed, tools, file } = reading;
        self.shared.registry().set_tools(self.index, tools, file);
        let has_changed = changed.is_some();
        if let (Some(config), Some(run)) = (changed, self.run()) {
            run.current().change_config(config);
        }
        self.shared.publish();
        Ok(has_changed)
    }

    /// Keeps what became of a start, and tells of one that failed.
    pub(super) fn settle(
        &self,
        outcome: Result<Arc<Run>, Problem>,
    ) -> Result<Arc<Run>, Arc<Diagnosis>> {
        let problem = match outcome {
            Ok(run) => {
                *lock(&self.stage) = Stage::Running(Arc::clone(&run));
                // Whoever closes the place ends what it finds in it.
                if *self.closed.borrow() {
                    run.close_now();
                    run.current().kill();
                }
                return Ok(run);
            }
            Err(problem) => problem,
        };
        let diagnosis = Diagnosis::before_start(&self.name, problem);
        let diagnosis = Arc::new(diagnosis.redacted(&self.shared.redactor));
        *lock(&self.stage) = Stage::Failed(Arc::clone(&diagnosis));
        let why = format!("{}; {}", diagnosis.summary(), diagnosis.suggestion);
        self.shared.registry().not_started(self.index, why);
        self.shared.standings.send_replace(());
        let news = News::Failed { extension: self.name.clone(), diagnosis: Arc::clone(&diagnosis) };
        self.shared.news.tell(news);
        Err(diagnosis)
    }

    /// Where a name is another's already, what must be whole is given up before anybody uses it.
    pub(super) async fn refuse_clashes(&self) {
        let (Some(run), Some(adapter)) = (self.run(), &self.adapter) else { return };
        let report = self.shared.registry().report(self.index);
        let Some(problem) = adapter.refusal(&report) else { return };
        let connection = run.current();
        run.close_now();
        connection.give_up(problem);
        connection.ended().await;
    }

    pub(super) fn status(&self) -> ExtensionStatus {
        let status = match &*lock(&self.stage) {
            Stage::Running(run) => self.status_in_use(run.current().status()),
            Stage::Failed(diagnosis) => {
                let state = ExtensionState::Failed(Arc::clone(diagnosis));
                self.status_without_process(state)
            }
            Stage::Disabled(None) => self.status_without_process(ExtensionState::Disabled),
            Stage::NotStarted => {
                let report = self.shared.registry().listed_as(self.index);
                let status = self.status_without_process(ExtensionState::NotStarted);
                ExtensionStatus { report, ..status }
            }
            Stage::Disabled(Some(run)) => ExtensionStatus {
                state: ExtensionState::Disabled,
                pid: None,
                ..run.current().status()
            },
        };
        let Found { dir, manifest } = lock(&self.found).clone();
        ExtensionStatus { dir, manifest, ..status }
    }

    fn status_in_use(&self, status: ExtensionStatus) -> ExtensionStatus {
        let is_inactive =
            status.state == ExtensionState::Ready && self.shared.registry().is_inactive(self.index);
        if is_inactive {
            return ExtensionStatus { state: ExtensionState::Inactive, ..status };
        }
        status
    }

    fn status_without_process(&self, state: ExtensionState) -> ExtensionStatus {
        ExtensionStatus {
            closed_points: self.shared.registry().closed_points(self.index),
            ..ExtensionStatus::without_process(&self.name, state)
        }
    }

    /// Its newest process, for a request; whether that still runs shows when the request is sent.
    pub(super) fn connection(&self, method: &str) -> Result<Arc<Connection>, CallError> {
        let name = method.to_owned();
        match &*lock(&self.stage) {
            Stage::Running(run) => Ok(run.current()),
            Stage::Failed(diagnosis) => {
                Err(CallError::Died { name, diagnosis: Arc::clone(diagnosis) })
            }
            // It serves no method, or it would run.
            Stage::NotStarted => {
                let message = format!("{} does not serve it", self.name);
                Err(CallError::Unusable { name, kind: ErrorKind::Unsupported, message })
            }
            Stage::Disabled(_) => Err(CallError::Disabled { name, extension: self.name.clone() }),
        }
    }
}
