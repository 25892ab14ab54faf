//! The host: extensions that run, and what can be done with them.

mod agent;
mod approvals;
mod builder;
mod configs;
mod environment;
mod intercepts;
mod launcher;
mod lazy;
mod model_side;
mod offers;
mod pending;
mod report;
mod requests;
mod restart;
mod sandboxes;
mod secrets;
#[cfg(feature = "mcp-client")]
mod server_tools;
mod servers;
mod services;
mod session;
mod setup;
mod slot;
mod status_tool;
mod switch;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use extline_protocol::frame::{EventPayload, ToolResult};
use extline_services::Method as _;
use extline_services::exec::RunMethod;
use extline_services::pending::PushMethod;

pub use self::agent::Agent;
pub use self::builder::HostBuilder;
use self::launcher::Launcher;
pub use self::restart::RestartPolicy;
#[cfg(feature = "mcp-client")]
use self::server_tools::HowToTrust;
use self::servers::Servers;
use self::setup::Setup;
use self::slot::Slots;
pub use self::slot::{EnableError, ReloadError};
use crate::approval::Approvals;
use crate::calls::{self, Call, CallOptions, CommandOutcome, Reconciled};
use crate::connection::{Caller, Connection, Emission, NewsStream, Panel, Shared};
use crate::hooks::Hooks;
use crate::model_side::ModelSide;
use crate::process::{Environments, Spawner, outlive_size_limit};
use crate::profile::ProfileRules;
use crate::registry::Registry;
use crate::report::{CallError, Diagnosis, Ending, Problem};
use crate::source::check_pin;
use crate::state::State;
use crate::status::ExtensionStatus;
use crate::tool::{Command, Tool};

/// Extensions that run, and what can be done with them.
///
/// All methods take `&self` and may be called from any thread. Dropping the host kills what still
/// runs, grandchildren included; [`Host::shutdown`] lets extensions end by themselves first.
#[derive(Debug)]
pub struct Host {
    shared: Arc<Shared>,
    slots: Arc<Slots>,
    drain: Duration,
    provider: String,
    model: String,
    /// What extensions keep, where the host keeps something.
    state: Option<Arc<State>>,
    /// Something was kept with the conversation before.
    is_resumed: bool,
    setup: Setup,
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
        calls::run_command(&self.shared, name, args, origin).await
    }

    /// Tells an event to those who subscribed to it, in load order. It is not answered. Where the
    /// host has a [session](HostBuilder::session), the event says which, the working directory and
    /// its number, unless the payload does. Who asked for the events of some tools alone is told of those
    /// whose `tool_name` fits (`subscribe.filter`).
    ///
    /// `tool_call` and `tool_result` are sent by the host itself, see
    /// [`HostBuilder::call_events`]; everything else is the agent's to tell.
    pub fn emit(&self, event: &str, payload: EventPayload) {
        self.shared.emit(event, payload);
    }

    /// Ends all extensions at once and waits until nothing of them is left, 3 s as a rule at most:
    /// `shutdown` and the end of their stdin, after 2 s SIGTERM, after one more SIGKILL, each to
    /// the whole process group. Says how each ended, in load order; those that never had a process
    /// are not in it.
    pub async fn shutdown(&self) -> Vec<Ending> {
        let slots = self.slots.all();
        // First all of them: while one is waited for, no other may be started again.
        for slot in &slots {
            slot.begin_shutdown_now();
        }
        for slot in &slots {
            slot.begin_shutdown().await;
        }
        let mut endings = Vec::new();
        for run in slots.iter().filter_map(|slot| slot.run()) {
            endings.extend(run.current().ended().await);
        }
        self.shared.processes.end_watchdog().await;
        endings
    }
}

/// What can be asked.
impl Host {
    /// The tools in use, by name. [`Host::offer`] says what of them a model gets.
    pub fn tools(&self) -> Vec<Arc<Tool>> {
        self.shared.registry().tools()
    }

    /// The commands in use, by name.
    pub fn commands(&self) -> Vec<Arc<Command>> {
        self.shared.registry().commands()
    }

    /// How each extension stands, in load order; those that failed are among them.
    pub fn extensions(&self) -> Vec<ExtensionStatus> {
        self.slots.all().iter().map(|slot| slot.status()).collect()
    }

    /// The diagnosis that belongs to an error, if any: why an extension died, or, for one that did
    /// not answer in time and still runs, what it is doing now, with its last lines on stderr.
    pub fn diagnose(&self, error: &CallError) -> Option<Arc<Diagnosis>> {
        match error {
            CallError::Repeated { error, .. } => self.diagnose(error),
            CallError::Died { diagnosis, .. } => Some(Arc::clone(diagnosis)),
            CallError::Timeout { name, after, extension: Some(extension) } => {
                let run = self.slots.named_or_removed(extension)?.run()?;
                Some(Arc::new(run.current().diagnose_overdue(name, *after)))
            }
            _ => None,
        }
    }

    /// The panels that are open, by extension in load order and then by id.
    pub fn panels(&self) -> Vec<Panel> {
        let slots = self.slots.all();
        let runs = slots.iter().filter_map(|slot| slot.run());
        runs.flat_map(|run| run.current().panels()).collect()
    }

    /// The extension of that name, for a request; whether it still runs shows when it is sent.
    pub(crate) fn running(
        &self,
        extension: &str,
        method: &str,
    ) -> Result<Arc<Connection>, CallError> {
        let unknown = || CallError::Unknown { what: "extension", name: extension.to_owned() };
        self.slots.named_or_removed(extension).ok_or_else(unknown)?.connection(method)
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
        let given = Arc::new(builder.clone());
        builder.environment.inherit |= builder.profile.whole_environment;
        let cwd = builder.cwd_or_default();
        let slots = Arc::<Slots>::default();
        #[cfg(feature = "mcp-client")]
        builder.add_server_tools(&slots);
        builder.add_status_tool(&slots);
        if let Some(trace) = &builder.trace {
            trace.begin(&builder.info.name, &builder.info.version, builder.profile.name);
        }
        let (mut builder, secrets) = builder.serve_secrets();
        let own = Arc::<OnceLock<_>>::default();
        if builder.methods.contains_key(PushMethod::NAME) {
            builder.builtin_tools.extend(calls::resolve_tool(&own).ok());
        }
        builder.add_search_tools(&own);
        let (names, tools) = (&builder.builtin_names, &builder.builtin_tools);
        let mut registry = Registry::new(names, tools, &builder.builtin_commands);
        registry.offer_by(builder.offer_rules.clone());
        let rules = ProfileRules::new(builder.profile.clone(), builder.seed);
        let deadlines = builder.profile.deadlines(builder.deadlines);
        if builder.runs_programs {
            let name = RunMethod::NAME.to_owned();
            builder.methods.entry(name).or_insert_with(|| calls::run_program(cwd.clone()));
        }
        let (state, is_resumed) = builder.serve_state(&cwd).await;
        let methods = builder.methods.clone();
        let knows_approvals = builder.profile.vocabulary.is_extline();
        let (rules_of_calls, screen) = (builder.approvals.clone(), builder.screen.clone());
        let approvals = Approvals::new(rules_of_calls, knows_approvals, screen);
        let hooks = Hooks::new(builder.hooks.clone(), &builder.environment, cwd.clone());
        let session = (builder.session.clone(), cwd.to_string_lossy().into_owned());
        let model_side = ModelSide::new(&builder.model_side);
        let shared = Arc::new(Shared::new(
            registry,
            rules,
            deadlines,
            Emission::new(builder.call_events, session, builder.audit.clone()),
            (methods, approvals, hooks, builder.redactor.clone(), model_side),
            calls::run_asked_tool,
            builder.on_bootstrap.clone(),
        ));
        let _ = own.set(Arc::downgrade(&shared));
        if let Some(descriptions) = &builder.offer_rules.descriptions {
            let shared = Arc::downgrade(&shared);
            descriptions.watch(move |revision| {
                let shared = shared.upgrade();
                shared.is_some_and(|shared| {
                    shared.news.tell(crate::News::Descriptions { revision });
                    true
                })
            });
        }
        shared.pending_changed();
        // The host exists before the first process does: when this future is dropped, so is it.
        let host = Self {
            shared,
            slots,
            drain: builder.drain,
            provider: builder.provider.clone(),
            model: builder.model.clone(),
            state,
            is_resumed,
            setup: Setup {
                servers: Servers::of(&builder),
                builder: Arc::new(builder),
                given,
                cwd,
                secrets,
                adding: Mutex::default(),
            },
        };
        host.start_all().await;
        host.shared.start_is_over();
        host.slots.tell_report(&host.shared.news);
        host
    }

    /// Starts all that are wanted, at once.
    async fn start_all(&self) {
        self.start_when_used();
        let builder = &self.setup.builder;
        let environments = Environments::new(&builder.environment);
        let mut names = HashSet::new();
        let spawner = Spawner::new(builder.sources.len(), &self.shared.processes);
        let mut begun = Vec::new();
        for source in &builder.sources {
            let plan = self.setup.plan(source, &environments);
            // All are in their places before any of them starts: what starts may call what another one offers.
            let (slot, launch) = self.setup.place(source, plan, &self.shared, &self.slots);
            let is_first = names.insert(slot.name().to_owned());
            if source.is_on_demand() && is_first {
                begun.push((slot, None));
                continue;
            }
            if is_first
                && builder.is_lazy
                && let Ok(launch) = &launch
                && slot.defer(launch)
            {
                begun.push((slot, None));
                continue;
            }
            slot.expect();
            let ordered = launch.and_then(|launch| {
                if !is_first {
                    return Err(Problem::NameTaken);
                }
                slot.prepare()?;
                check_pin(&launch)?;
                let launcher = slot.launcher(launch);
                let ordered = spawner.order(&launcher.launch);
                Ok((launcher, ordered))
            });
            begun.push((slot, Some(ordered)));
        }
        drop(spawner);
        for (slot, ordered) in begun {
            let Some(ordered) = ordered else { continue };
            let outcome = match ordered {
                Ok((launcher, ordered)) => launcher.start_run(ordered).await,
                Err(problem) => Err(problem),
            };
            // One that failed has been told of.
            drop(slot.settle(outcome));
        }
        let slots = self.slots.all();
        for slot in &slots {
            if let Some(run) = slot.run() {
                run.started(slot.adapter()).await;
            }
        }
        for slot in &slots {
            slot.refuse_clashes().await;
        }
        if builder.is_lazy {
            self.slots.keep_offers();
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.slots.kill();
    }
}
