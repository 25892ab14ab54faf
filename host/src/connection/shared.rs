//! What all extensions of one host share.
//!
//! Locks are taken in one order: `publishing`, or the number of an event, then a connection, then the
//! registry. Nobody holds one across an await.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

use extline_protocol::{CallKey, Deadlines};
use extline_services::pending::Queue;
use tokio::runtime::Handle;
use tokio::sync::{Mutex as AsyncMutex, Semaphore, watch};

use super::emit::Emission;
use super::method::Methods;
use super::news::{News, Newsroom};
use super::questions::RunAskedTool;
use super::{Connection, LargePipes, OnBootstrap};
use crate::approval::Approvals;
use crate::hooks::Hooks;
use crate::lock::lock;
use crate::model_side::ModelSide;
use crate::process::HostProcesses;
use crate::profile::ProfileRules;
use crate::redact::Redactor;
use crate::registry::Registry;

/// Validations that take long and run at once; further ones wait.
const LONG_VALIDATIONS: usize = 8;

/// What extensions propose to do.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// A call is named by the place of its extension in load order, and its key there. Nothing else is locked while
    /// this is.
    pub(crate) queue: Mutex<Queue<(usize, CallKey)>>,
    /// One action is resolved at a time.
    pub(crate) resolving: AsyncMutex<()>,
}

/// What the builder of a host says that is kept as it is said.
type OfBuilder = (Methods, Approvals, Hooks, Redactor, ModelSide);

/// What all extensions of one host share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) news: Newsroom,
    pub(crate) redactor: Redactor,
    pub(crate) deadlines: Deadlines,
    pub(crate) rules: ProfileRules,
    pub(crate) emission: Emission,
    /// What the agent serves.
    pub(crate) methods: Methods,
    /// Which calls may run.
    pub(crate) approvals: Approvals,
    /// What extensions propose to do.
    pub(crate) pending: Pending,
    /// What is done with a model's calls beside the gate.
    pub(crate) model_side: ModelSide,
    /// Programs that a person has asked too.
    pub(crate) hooks: Hooks,
    /// Where what extensions ask for is worked on.
    pub(crate) runtime: Handle,
    /// Counts how often every call was ended.
    pub(crate) aborts: watch::Sender<u64>,
    registry: Mutex<Registry>,
    /// By place in load order: the newest of each.
    connections: Mutex<BTreeMap<usize, Weak<Connection>>>,
    /// Reports go out in the order of the changes they tell of.
    publishing: Mutex<()>,
    /// The start is over: until then a report could be overtaken by a slower extension.
    started: watch::Sender<bool>,
    /// Changes whenever somebody who could not be asked before an event may be asked now, or is
    /// not waited for any more.
    pub(crate) standings: watch::Sender<()>,
    /// An extension was reloaded, or is: before that no call looks whether it has to wait.
    has_reloaded: AtomicBool,
    /// Read while a call is sent, written while a reload begins.
    sending: RwLock<()>,
    /// Counts the tool calls, to name them for interceptors and guards.
    calls: AtomicU64,
    /// How many validations may take long at once.
    pub(crate) long_validations: Arc<Semaphore>,
    pub(crate) large_pipes: LargePipes,
    pub(crate) processes: Arc<HostProcesses>,
    /// Runs the tools that extensions call.
    pub(crate) run_asked_tool: RunAskedTool,
    pub(super) on_bootstrap: OnBootstrap,
}

impl Shared {
    /// # Panics
    /// Outside a tokio runtime.
    pub(crate) fn new(
        registry: Registry,
        rules: ProfileRules,
        deadlines: Deadlines,
        emission: Emission,
        (methods, approvals, hooks, redactor, model_side): OfBuilder,
        run_asked_tool: RunAskedTool,
        on_bootstrap: OnBootstrap,
    ) -> Self {
        Self {
            news: Newsroom::new(redactor.clone()),
            redactor,
            deadlines,
            rules,
            emission,
            methods,
            approvals,
            pending: Pending::default(),
            model_side,
            hooks,
            runtime: Handle::current(),
            aborts: watch::Sender::new(0),
            registry: Mutex::new(registry),
            connections: Mutex::default(),
            publishing: Mutex::default(),
            started: watch::Sender::new(false),
            standings: watch::Sender::new(()),
            has_reloaded: AtomicBool::new(false),
            sending: RwLock::default(),
            calls: AtomicU64::new(0),
            long_validations: Arc::new(Semaphore::new(LONG_VALIDATIONS)),
            large_pipes: LargePipes::default(),
            processes: Arc::new(HostProcesses::new()),
            run_asked_tool,
            on_bootstrap,
        }
    }

    pub(crate) fn registry(&self) -> MutexGuard<'_, Registry> {
        lock(&self.registry)
    }

    /// Waits as long as an extension is being reloaded.
    pub(crate) async fn until_reloaded(&self, is_reloading: impl Fn(&mut Registry) -> bool) {
        if !self.has_reloaded.load(Ordering::Acquire) {
            return;
        }
        let mut changes = self.standings.subscribe();
        loop {
            // What changes from here on ends the wait below.
            changes.borrow_and_update();
            if !is_reloading(&mut self.registry()) || changes.changed().await.is_err() {
                return;
            }
        }
    }

    /// What `find` finds when the extension is not being reloaded. Both are asked in one moment, as a reload may
    /// begin in any other.
    pub(crate) async fn when_loaded<T>(
        &self,
        is_reloading: impl Fn(&mut Registry) -> bool,
        find: impl Fn(&mut Registry) -> T,
    ) -> T {
        loop {
            {
                let mut registry = self.registry();
                if !self.has_reloaded.load(Ordering::Acquire) || !is_reloading(&mut registry) {
                    return find(&mut registry);
                }
            }
            self.until_reloaded(&is_reloading).await;
        }
    }

    /// Sends a call or a command when its extension is not being reloaded, or at once where `is_free`. What is
    /// sent is seen by a reload that begins afterwards.
    pub(crate) async fn send<T>(
        &self,
        is_free: bool,
        is_reloading: impl Fn(&mut Registry) -> bool,
        send: impl FnOnce() -> T,
    ) -> T {
        loop {
            {
                let _sending = self.sending.read().unwrap_or_else(PoisonError::into_inner);
                let may_wait = !is_free && self.has_reloaded.load(Ordering::Acquire);
                if !may_wait || !is_reloading(&mut self.registry()) {
                    return send();
                }
            }
            self.until_reloaded(&is_reloading).await;
        }
    }

    /// Another process is to take the place of an extension's: nothing more is sent to it.
    pub(crate) fn begin_to_reload(&self, owner: usize) {
        let _nobody_sends = self.sending.write().unwrap_or_else(PoisonError::into_inner);
        self.has_reloaded.store(true, Ordering::Release);
        self.registry().set_reloading(owner, true);
    }

    /// Adds the connection of an extension, or replaces it after a restart.
    pub(crate) fn add_connection(&self, connection: &Arc<Connection>) {
        lock(&self.connections).insert(connection.index(), Arc::downgrade(connection));
        self.registry().has_begun(connection.index());
    }

    /// The connection of the extension at that place in load order, if its process was started.
    pub(crate) fn connection(&self, owner: usize) -> Option<Arc<Connection>> {
        lock(&self.connections).get(&owner)?.upgrade()
    }

    /// Every connection that there is.
    pub(crate) fn connections(&self) -> Vec<Arc<Connection>> {
        lock(&self.connections).values().filter_map(Weak::upgrade).collect()
    }

    /// The connection of the extension of that name, if its process was started.
    pub(crate) fn connection_named(&self, extension: &str) -> Option<Arc<Connection>> {
        self.connections().into_iter().find(|connection| connection.name() == extension)
    }

    /// The host's own name for the next tool call.
    pub(crate) fn name_call(&self) -> String {
        format!("call_{}", self.calls.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Every extension has started or failed: from now on each hears at once what was taken of its
    /// registrations.
    pub(crate) fn start_is_over(&self) {
        self.started.send_replace(true);
        self.publish();
    }

    /// Waits until every extension has started or failed: before that nobody knows yet who guards
    /// what.
    pub(crate) async fn all_started(&self) {
        // The sender is ours, so this cannot fail.
        let _ = self.started.subscribe().wait_for(|started| *started).await;
    }

    /// Tells each extension, and the embedder, what has changed for it. One extension's change may
    /// concern another: a name that becomes free goes to the next.
    pub(crate) fn publish(&self) {
        if !*self.started.borrow() {
            return;
        }
        let _in_order = lock(&self.publishing);
        for connection in self.connections().into_iter().filter(|connection| connection.is_ready())
        {
            let report = self.registry().new_report(connection.index());
            if let Some(report) = report {
                connection.report(&report);
                let extension = connection.name().to_owned();
                self.news.tell(News::Registered { extension, report });
            }
        }
    }
}
