//! The host: extensions that run, and what can be done with them.

mod approvals;
mod builder;
mod intercepts;
mod launcher;
mod requests;
mod restart;
mod servers;
mod services;
mod session;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use extline_protocol::frame::{EventPayload, ShutdownReason, ToolResult};

pub use self::builder::HostBuilder;
use self::launcher::Launcher;
pub use self::restart::RestartPolicy;
use self::restart::Slot;
use self::servers::Servers;
pub use self::services::Asked;
use crate::approval::Approvals;
use crate::calls::{self, Call, CallOptions, CommandOutcome, Reconciled};
use crate::connection::{
    Adapter, Caller, Connection, Emission, ExtensionStatus, News, NewsStream, Panel, Shared,
};
use crate::process::{Environments, Spawner, outlive_size_limit};
use crate::profile::ProfileRules;
use crate::registry::{Command, Registry, Tool};
use crate::report::{CallError, Diagnosis, Ending, Problem};
use crate::source::{Manifest, Plan};
use crate::state::State;

/// Extensions that run, and what can be done with them.
///
/// All methods take `&self` and may be called from any thread. Dropping the host kills what still
/// runs, grandchildren included; [`Host::shutdown`] lets extensions end by themselves first.
#[derive(Debug)]
pub struct Host {
    shared: Arc<Shared>,
    /// In load order.
    extensions: Vec<Extension>,
    provider: String,
    model: String,
    /// What extensions keep, where the host keeps something.
    state: Option<Arc<State>>,
    /// Something was kept with the conversation before.
    is_resumed: bool,
}

/// One extension that was asked for.
#[derive(Debug)]
struct Extension {
    name: String,
    dir: Option<PathBuf>,
    manifest: Option<Manifest>,
    running: Result<Arc<Slot>, Arc<Diagnosis>>,
    /// What stands between it and the host, if anything.
    adapter: Option<Arc<dyn Adapter>>,
    /// Somebody removed it.
    is_removed: AtomicBool,
}

/// What is done with extensions.
impl Host {
    /// Sets up a host.
    pub fn builder() -> HostBuilder {
        HostBuilder::default()
    }

    /// Calls a tool with a model's arguments, the text of a JSON object, and waits for its result.
    ///
    /// Interceptors and guards are asked on the way, see [`Host::start_call`]. A tool that answers
    /// with an error is `Ok`, with `is_error` set.
    pub async fn call(&self, tool: &str, args: &str) -> Result<ToolResult, CallError> {
        self.start_call(tool, args, CallOptions::default()).await?.outcome().await
    }

    /// Sends a tool call, as [`Host::call`] does, and returns a handle that can be cancelled and
    /// that tells how the call stands.
    ///
    /// On the way, in this order: the arguments must be an object at most 64 levels deep
    /// (`host.model-args`); of a sequential tool the call before must be answered or have failed
    /// (`tool.sequential`); interceptors may rewrite them or block; they must fit the tool's schema
    /// (`intercept.validate-after`); guards may block; of a tool
    /// that is gated somebody must allow the call, see [`HostBuilder::approver`]. Nothing changes them
    /// after that (`intercept.args-final`). Where this fails the tool's extension never sees the call. Where
    /// nobody wants to be asked the first poll sends the call; until then, and while somebody is
    /// asked or the call waits for its turn, dropping the future gives it up.
    pub async fn start_call(
        &self,
        tool: &str,
        args: &str,
        options: CallOptions,
    ) -> Result<Call, CallError> {
        self.shared.start_call(Caller::default(), tool, args, options).await
    }

    /// Asks a tool what became of a call whose result was lost, without doing it: for an agent that
    /// ended meanwhile. `args` and `operation_key` are those of the call
    /// ([`CallOptions::operation_key`]), which had its interceptors, guards and approval then, so nobody
    /// is asked again.
    ///
    /// A tool that does not declare `replay: "reconcile"` is `unsupported`, and nothing is sent
    /// (`tool.reconcile-declared`). `safe` and `idempotent` tools are called again, with that key;
    /// others never.
    pub async fn reconcile(
        &self,
        tool: &str,
        args: &str,
        operation_key: &str,
    ) -> Result<Reconciled, CallError> {
        self.shared.reconcile(tool, args, operation_key).await
    }

    /// Runs a slash command, named without its slash and in any case, and waits for its outcome.
    pub async fn command(&self, name: &str, args: &str) -> Result<CommandOutcome, CallError> {
        self.command_of(None, name, args).await
    }

    /// The same for what the agent knows by that number, see [`CallOptions::origin`].
    pub async fn command_of(
        &self,
        origin: Option<u64>,
        name: &str,
        args: &str,
    ) -> Result<CommandOutcome, CallError> {
        let unknown = || CallError::Unknown { what: "command", name: name.to_owned() };
        let (command, is_restarting) = {
            let mut registry = self.shared.registry();
            let command = registry.command(name).ok_or_else(unknown)?;
            let is_restarting = registry.is_restarting(command.owner);
            (command, is_restarting)
        };
        if is_restarting {
            let (name, extension) = (command.name().to_owned(), command.extension.clone());
            return Err(CallError::Restarting { name, extension });
        }
        let connection = self.shared.connection(command.owner).ok_or_else(unknown)?;
        let timeout = self.shared.deadlines.command;
        calls::run_command(&connection, &command, args, timeout, origin).await
    }

    /// Tells an event to those who subscribed to it, in load order. It is not answered. Where the
    /// host has a [session](HostBuilder::session), the event says which, the working directory and
    /// its number, unless the payload does.
    ///
    /// `tool_call` and `tool_result` are sent by the host itself, see
    /// [`HostBuilder::call_events`]; everything else is the agent's to tell.
    pub fn emit(&self, event: &str, payload: EventPayload) {
        self.shared.emit(event, payload);
    }

    /// Ends one extension, as [`Host::shutdown`] does, and forgets what it offered and where its
    /// guards stood; one that has ended already, or never started, is only forgotten: what it was to
    /// guard passes again. Says how it ended; `None` when there is no such extension, or it never had
    /// a process. Of several of one name the first that was not removed yet is meant.
    pub async fn remove(&self, extension: &str) -> Option<Ending> {
        let mut named = self.extensions.iter().enumerate().filter(|(_, it)| it.name == extension);
        let first = named.clone().next();
        let is_left = |it: &Extension| !it.is_removed.load(Ordering::Acquire);
        let (index, extension) = named.find(|(_, it)| is_left(it)).or(first)?;
        let ending = match &extension.running {
            Ok(slot) => {
                drop(slot.close().await);
                slot.current().begin_shutdown(ShutdownReason::Disabled);
                slot.current().ended().await
            }
            Err(_) => None,
        };
        extension.is_removed.store(true, Ordering::Release);
        self.shared.registry().take_away(index);
        self.shared.standings.send_replace(());
        self.shared.publish();
        ending
    }

    /// Ends all extensions at once and waits until nothing of them is left, 3 s as a rule at most:
    /// `shutdown` and the end of their stdin, after 2 s SIGTERM, after one more SIGKILL, each to
    /// the whole process group. Says how each ended, in load order; those that never had a process
    /// are not in it.
    pub async fn shutdown(&self) -> Vec<Ending> {
        let slots = || self.extensions.iter().filter_map(|it| it.running.as_ref().ok());
        // First all of them: while one is waited for, no other may be started again.
        for slot in slots() {
            slot.close_now();
        }
        for slot in slots() {
            drop(slot.close().await);
            slot.current().begin_shutdown(ShutdownReason::Exit);
        }
        let mut endings = Vec::new();
        for slot in slots() {
            endings.extend(slot.current().ended().await);
        }
        self.shared.processes.end_watchdog().await;
        endings
    }
}

/// What can be asked.
impl Host {
    /// The tools in use, by name.
    pub fn tools(&self) -> Vec<Arc<Tool>> {
        self.shared.registry().tools()
    }

    /// The commands in use, by name.
    pub fn commands(&self) -> Vec<Arc<Command>> {
        self.shared.registry().commands()
    }

    /// How each extension stands, in load order; those that failed are among them.
    pub fn extensions(&self) -> Vec<ExtensionStatus> {
        let with_place = self.extensions.iter().enumerate();
        with_place.map(|(index, extension)| extension.status(&self.shared, index)).collect()
    }

    /// The diagnosis that belongs to an error, if any: why an extension died, or, for one that did
    /// not answer in time and still runs, what it is doing now, with its last lines on stderr.
    pub fn diagnose(&self, error: &CallError) -> Option<Arc<Diagnosis>> {
        match error {
            CallError::Died { diagnosis, .. } => Some(Arc::clone(diagnosis)),
            CallError::Timeout { name, after, extension: Some(extension) } => {
                let found = self.extensions.iter().find(|it| it.name == *extension)?;
                let connection = found.running.as_ref().ok()?.current();
                Some(Arc::new(connection.diagnose_overdue(name, *after)))
            }
            _ => None,
        }
    }

    /// The panels that are open, by extension in load order and then by id.
    pub fn panels(&self) -> Vec<Panel> {
        let slots = self.extensions.iter().filter_map(|it| it.running.as_ref().ok());
        slots.flat_map(|slot| slot.current().panels()).collect()
    }

    /// The extension of that name, for a request; whether it still runs shows when it is sent.
    pub(crate) fn running(
        &self,
        extension: &str,
        method: &str,
    ) -> Result<Arc<Connection>, CallError> {
        let unknown = || CallError::Unknown { what: "extension", name: extension.to_owned() };
        let found = self.extensions.iter().find(|it| it.name == extension).ok_or_else(unknown)?;
        let died = |diagnosis: &Arc<Diagnosis>| CallError::Died {
            name: method.to_owned(),
            diagnosis: Arc::clone(diagnosis),
        };
        found.running.as_ref().map(|slot| slot.current()).map_err(died)
    }

    /// A stream of what happens. The first one begins with what happened during the start, each
    /// further one with what happens next.
    pub fn news(&self) -> NewsStream {
        self.shared.news.listen()
    }
}

/// How it starts.
impl Host {
    pub(crate) async fn start(mut builder: HostBuilder) -> Self {
        outlive_size_limit();
        builder.environment.inherit |= builder.profile.whole_environment;
        let cwd = builder.cwd_or_default();
        if let Some(trace) = &builder.trace {
            trace.begin(&builder.info.name, &builder.info.version, builder.profile.name);
        }
        let (names, tools) = (&builder.builtin_names, &builder.builtin_tools);
        let registry = Registry::new(names, tools, &builder.builtin_commands);
        let rules = ProfileRules::new(builder.profile.clone(), builder.seed);
        let deadlines = builder.profile.deadlines(builder.deadlines);
        let (state, is_resumed) = builder.serve_state(&cwd).await;
        let methods = builder.methods.clone();
        let knows_approvals = builder.profile.vocabulary.is_extline();
        let (rules_of_calls, screen) = (builder.approvals.clone(), builder.screen.clone());
        let approvals = Approvals::new(rules_of_calls, knows_approvals, screen);
        let session = (builder.session.clone(), cwd.to_string_lossy().into_owned());
        let shared = Arc::new(Shared::new(
            registry,
            rules,
            deadlines,
            Emission::new(builder.call_events, session, builder.audit.clone()),
            (methods, approvals),
            calls::run_asked_tool,
            builder.on_bootstrap.clone(),
        ));
        // The host exists before the first process does: when this future is dropped, so is it.
        let mut host = Self {
            shared,
            extensions: Vec::new(),
            provider: builder.provider.clone(),
            model: builder.model.clone(),
            state,
            is_resumed,
        };
        let builder = Arc::new(builder);
        let environments = Environments::new(&builder.environment);
        let mut names = HashSet::new();
        let spawner = Spawner::new(&host.shared.processes);
        let servers = Servers::of(&builder);
        let mut begun = Vec::new();
        for source in &builder.sources {
            let Plan { name, dir, manifest, guards, launch } =
                Plan::of(source, &cwd, &environments);
            let adapter = servers.adapter(source, &cwd);
            let index = host.shared.registry().add_extension(&name);
            if builder.profile.guards_fail_closed {
                host.shared.registry().declare_in_manifest(index, &guards);
            }
            if builder.unguarded.contains(&name) {
                host.shared.registry().leave_unguarded(index);
            }
            let ordered = match launch {
                Ok(_) if !names.insert(name.clone()) => Err(Problem::NameTaken),
                Ok(launch) => {
                    let (shared, builder) = (Arc::clone(&host.shared), Arc::clone(&builder));
                    let (cwd, name, launch) = (cwd.clone(), name.clone(), Arc::new(launch));
                    let launcher = Launcher {
                        shared,
                        builder,
                        cwd,
                        index,
                        name,
                        launch,
                        adapter: adapter.clone(),
                    };
                    let ordered = spawner.order(&launcher.launch);
                    Ok((launcher, ordered))
                }
                Err(problem) => Err(problem),
            };
            begun.push((index, name, dir, manifest, adapter, ordered));
        }
        drop(spawner);
        for (index, name, dir, manifest, adapter, ordered) in begun {
            let running = match ordered {
                Ok((launcher, ordered)) => launcher.start_slot(ordered).await,
                Err(problem) => Err(problem),
            };
            let running = running.map_err(|problem| {
                let diagnosis = Arc::new(Diagnosis::before_start(&name, problem));
                let news =
                    News::Failed { extension: name.clone(), diagnosis: Arc::clone(&diagnosis) };
                host.shared.news.tell(news);
                let why = format!("{}; {}", diagnosis.summary(), diagnosis.suggestion);
                host.shared.registry().not_started(index, why);
                diagnosis
            });
            let is_removed = AtomicBool::new(false);
            host.extensions.push(Extension { name, dir, manifest, running, adapter, is_removed });
        }
        for extension in &host.extensions {
            if let Ok(slot) = &extension.running {
                slot.started(extension.adapter.as_deref()).await;
            }
        }
        host.refuse_clashes().await;
        host.shared.start_is_over();
        host
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        for slot in self.extensions.iter().filter_map(|it| it.running.as_ref().ok()) {
            slot.close_now();
            slot.current().kill();
        }
    }
}

impl Extension {
    fn status(&self, shared: &Shared, index: usize) -> ExtensionStatus {
        let status = match &self.running {
            Ok(slot) => slot.current().status(),
            Err(diagnosis) => ExtensionStatus {
                closed_points: shared.registry().closed_points(index),
                ..ExtensionStatus::of_failed(&self.name, diagnosis)
            },
        };
        let (dir, manifest) = (self.dir.clone(), self.manifest.clone());
        ExtensionStatus { dir, manifest, ..status }
    }
}
