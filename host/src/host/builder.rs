//! How a host is set up.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use extline_protocol::frame::{
    ErrorInfo, HelloAck, HostInfo, Limits, RegisterTool, RpcError, SessionInfo, ToolResult,
};
use extline_protocol::limits::FRAME_BYTES;
use extline_protocol::{Capabilities, Capability, Deadlines, Profile, RawJson};
use tokio::sync::Mutex;

use super::Host;
use super::restart::RestartPolicy;
use super::status_tool::StatusTool;
use crate::approval::Rules;
use crate::audit::Audit;
use crate::connection::{Method, MethodCall, Methods, OnBootstrap};
use crate::discovery::Found;
use crate::home::default_home;
use crate::hooks::{ScriptHook, ScriptHooks};
use crate::model_side::ModelSettings;
use crate::process::EnvironmentSettings;
use crate::redact::Redactor;
use crate::registry::OfferRules;
use crate::report::Trace;
use crate::secrets::Provider;
use crate::source::ExtensionSource;
use crate::state::Place;
use crate::tool::{Builtin, BuiltinCall, BuiltinToolError, Tool};

/// What this host serves; nothing else is named in `hello_ack`.
const SERVED: [Capability; 14] = [
    Capability::Commands,
    Capability::Tools,
    Capability::Events,
    Capability::Panels,
    Capability::ToolCancel,
    Capability::CallTool,
    Capability::ToolUpdate,
    Capability::ToolRegistry,
    Capability::RegistrationReport,
    Capability::Log,
    Capability::Rpc,
    Capability::Config,
    Capability::View,
    Capability::EventFilters,
];

/// Sets up a [`Host`]. Every setting has a default.
#[derive(Clone, Debug)]
pub struct HostBuilder {
    pub(crate) info: HostInfo,
    pub(crate) zot_version: Option<String>,
    pub(crate) provider: String,
    pub(crate) model: String,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) session: Option<SessionInfo>,
    pub(crate) call_events: bool,
    pub(crate) audit: Option<Arc<Audit>>,
    pub(crate) state: Option<Place>,
    pub(crate) home: Option<PathBuf>,
    pub(crate) logs: Option<PathBuf>,
    pub(crate) deadlines: Deadlines,
    pub(crate) restart: RestartPolicy,
    pub(crate) drain: Duration,
    pub(crate) environment: EnvironmentSettings,
    pub(crate) profile: Profile,
    pub(crate) seed: Option<u64>,
    pub(crate) trace: Option<Trace>,
    pub(crate) builtin_names: Vec<String>,
    pub(crate) builtin_tools: Vec<Arc<Tool>>,
    pub(crate) builtin_commands: Vec<String>,
    #[cfg(feature = "mcp-client")]
    pub(super) mcp_tools: Option<super::HowToTrust>,
    pub(super) status_tool: Option<StatusTool>,
    pub(super) offer_rules: OfferRules,
    pub(crate) methods: Methods,
    pub(crate) approvals: Rules,
    /// Whose dialog is shown holds it; absent where several are shown at once.
    pub(crate) screen: Option<Arc<Mutex<()>>>,
    pub(crate) sources: Vec<ExtensionSource>,
    pub(crate) unguarded: Vec<String>,
    pub(crate) configs: BTreeMap<String, (String, RawJson)>,
    pub(crate) on_bootstrap: OnBootstrap,
    pub(crate) runs_programs: bool,
    pub(super) has_sandbox: bool,
    pub(super) is_lazy: bool,
    pub(crate) hooks: Vec<ScriptHook>,
    pub(crate) secrets: Option<Provider>,
    pub(crate) redactor: Redactor,
    pub(crate) model_side: ModelSettings,
}

impl Default for HostBuilder {
    fn default() -> Self {
        let name = env!("CARGO_PKG_NAME").to_owned();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Self {
            info: HostInfo { name, version },
            zot_version: None,
            provider: String::new(),
            model: String::new(),
            cwd: None,
            session: None,
            call_events: true,
            audit: None,
            state: None,
            home: None,
            logs: None,
            deadlines: Deadlines::default(),
            restart: RestartPolicy::Off,
            drain: Duration::from_secs(10),
            environment: EnvironmentSettings::default(),
            profile: Profile::spec(),
            seed: None,
            trace: None,
            builtin_names: Vec::new(),
            builtin_tools: Vec::new(),
            builtin_commands: Vec::new(),
            #[cfg(feature = "mcp-client")]
            mcp_tools: None,
            status_tool: None,
            offer_rules: OfferRules::default(),
            methods: Methods::new(),
            approvals: Rules::default(),
            screen: Some(Arc::default()),
            sources: Vec::new(),
            unguarded: Vec::new(),
            configs: BTreeMap::new(),
            on_bootstrap: OnBootstrap::default(),
            runs_programs: false,
            has_sandbox: true,
            is_lazy: false,
            hooks: Vec::new(),
            secrets: None,
            redactor: Redactor::default(),
            model_side: ModelSettings::default(),
        }
    }
}

impl HostBuilder {
    /// The agent's name and version, as extensions see them.
    #[must_use]
    pub fn host(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.info = HostInfo { name: name.into(), version: version.into() };
        self
    }

    /// The version of zot this host is like, for extensions that ask for it. By default that of the
    /// profile; the `spec` has none.
    #[must_use]
    pub fn zot_version(mut self, version: impl Into<String>) -> Self {
        self.zot_version = Some(version.into());
        self
    }

    /// The model in use and its provider. Empty by default.
    #[must_use]
    pub fn model(mut self, provider: impl Into<String>, model: impl Into<String>) -> Self {
        self.provider = provider.into();
        self.model = model.into();
        self
    }

    /// The project's folder. The process's own by default.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// The conversation that extensions serve: they are told in `hello_ack` and with each call. None
    /// by default.
    ///
    /// Every event then says the session's id, the working directory and its number. When the
    /// conversation opens and closes the agent says, see [`Host::start_session`].
    #[must_use]
    pub fn session(mut self, session: SessionInfo) -> Self {
        self.session = Some(session);
        self
    }

    /// Whether the host sends the events `tool_call` and `tool_result` by itself, as it does by
    /// default: for every call, those of extensions and of the agent's own tools included; and
    /// `tool_confirmation_requested` and `permission_decision` for those that need an approval. An agent
    /// that sends them itself, as it tells of all calls of a message before the first one runs,
    /// turns this off, or extensions hear of each call twice. [`News`](crate::News) tell of calls all
    /// the same.
    #[must_use]
    pub fn call_events(mut self, sent: bool) -> Self {
        self.call_events = sent;
        self
    }

    /// Writes down every call: that it began, what was decided about it where it needs an approval, and
    /// how it ended, as one JSON object a line behind the end of that file, which is for its owner
    /// only; one of 64 MiB is renamed to `FILE.1`, in place of the one before. Arguments, results, reasons and messages are not in it; `args_hash` is a hash of the
    /// arguments with the key in `audit.key` beside the file, made with the first one. An error when
    /// the file or its key cannot be opened or made; one that cannot be written later is told by
    /// [`News::AuditFailed`](crate::News::AuditFailed).
    pub fn audit(mut self, file: impl AsRef<Path>) -> io::Result<Self> {
        self.audit = Some(Arc::new(Audit::open(file.as_ref())?));
        Ok(self)
    }

    /// Keeps what extensions keep by `state.*` and `session.*` in that file, an `SQLite` database that several hosts
    /// may have open at once and that a host which is killed leaves whole: `state/state.db` in the home by custom,
    /// see [`HostBuilder::state_file`]. It is made when an extension first keeps something, for its owner only.
    ///
    /// The scope `session` is kept by the id of the [session](HostBuilder::session); of a host without one it is
    /// gone when the host ends. The scope `project` is kept by the path of [`HostBuilder::cwd`] without links.
    /// One that cannot be opened or written is told to the extension that asks, with `internal`.
    #[cfg(feature = "state")]
    #[must_use]
    pub fn state(mut self, file: impl Into<PathBuf>) -> Self {
        self.state = Some(Place::File(file.into()));
        self
    }

    /// The file for [`HostBuilder::state`] in the home of the host: `state/state.db`.
    #[cfg(feature = "state")]
    pub fn state_file(&self) -> PathBuf {
        self.home_or_default().join("state").join("state.db")
    }

    /// Keeps what extensions keep by `state.*` and `session.*` in memory: it is there when an extension is started
    /// again, and gone when the host ends. Without this and without a file those methods are not served.
    #[must_use]
    pub fn state_in_memory(mut self) -> Self {
        self.state = Some(Place::Memory);
        self
    }

    /// The folder for the extensions' data (`data/NAME`) and logs (`logs/NAME.log`).
    /// [`default_home`] by default.
    #[must_use]
    pub fn home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Another folder for the logs.
    #[must_use]
    pub fn logs(mut self, logs: impl Into<PathBuf>) -> Self {
        self.logs = Some(logs.into());
        self
    }

    /// Which host this one is like: [`Profile::spec`] by default, or a particular zot, by
    /// `Profile::named("zot-0.1.62")`. Its rules hold over the other settings here, in whatever
    /// order they are made.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Where the profile leaves something to chance, as a zot does the order of events and of
    /// interceptors: the same seed draws the same again. Another each time by default.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Writes down every line that passes between the host and its extensions. No trace by
    /// default.
    #[must_use]
    pub fn trace(mut self, trace: Trace) -> Self {
        self.trace = Some(trace);
        self
    }

    /// How long the host waits for what. A zot's own deadlines for tools, commands and intercepts
    /// are fixed (`zot.fixed-deadlines`), whatever is said here.
    #[must_use]
    pub fn deadlines(mut self, deadlines: Deadlines) -> Self {
        self.deadlines = deadlines;
        self
    }

    /// What becomes of extensions that fail while they are in use: they stay as they are by default.
    #[must_use]
    pub fn restart(mut self, policy: RestartPolicy) -> Self {
        self.restart = policy;
        self
    }

    /// How long an extension that is [disabled](Host::disable) may take to answer what it was asked
    /// before. 10 s by default.
    #[must_use]
    pub fn drain(mut self, at_most: Duration) -> Self {
        self.drain = at_most;
        self
    }

    /// Names of the agent's own tools: no extension gets them. They cannot be called through the
    /// host; see [`HostBuilder::builtin_tool`] for those that can.
    #[must_use]
    pub fn builtin_tools<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.builtin_names.extend(names.into_iter().map(Into::into));
        self
    }

    /// Offers one of the agent's own tools through the host: it is listed in [`Host::tools`], and
    /// both the agent and extensions call it through interceptors, its schema and the guards
    /// (`call.gate`). Its name is no extension's; of two with one name the last is taken.
    ///
    /// The definition is what an extension would send: name, description, schema, `timeout_ms`,
    /// `execution` and so on; name and schema are checked here. The handler answers with a result,
    /// see [`BuiltinCall::result`], or an error that becomes one. It runs as a task of its own on
    /// the runtime that [`HostBuilder::start`] was called on, several calls at once unless the
    /// definition says `sequential`, and is dropped when the call is cancelled or takes too long;
    /// one that panics answers with the error `internal`.
    pub fn builtin_tool<F, A>(
        mut self,
        definition: RegisterTool,
        handler: F,
    ) -> Result<Self, BuiltinToolError>
    where
        F: Fn(BuiltinCall) -> A + Send + Sync + 'static,
        A: Future<Output = Result<ToolResult, ErrorInfo>> + Send + 'static,
    {
        self.builtin_tools.push(Arc::new(Builtin::new(handler).tool(definition)?));
        Ok(self)
    }

    /// Serves a method, for extensions to ask for (`request`); it is listed in `hello_ack.methods`.
    /// Of two with one name the last is taken. [`HostBuilder::serve`] serves the methods that the protocol has, with
    /// their types. Names that it reserves mean nothing yet (`cap.reserved`).
    ///
    /// The handler runs as a task of its own on the runtime that [`HostBuilder::start`] was called
    /// on, and is dropped when the extension cancels the request, gives it too little time, or dies,
    /// and when the call that the request belongs to ends; one that panics answers with the error
    /// `internal`.
    #[must_use]
    pub fn serve_method<F, A>(mut self, name: impl Into<String>, handler: F) -> Self
    where
        F: Fn(MethodCall) -> A + Send + Sync + 'static,
        A: Future<Output = Result<RawJson, RpcError>> + Send + 'static,
    {
        self.methods.insert(name.into(), Method::new(handler));
        self
    }

    /// Runs these programs before tool calls, behind the guards of extensions, and behind tools. By asking for them the
    /// agent says that a person trusts them ([`ScriptHooks::digest`]).
    #[must_use]
    pub fn script_hooks(mut self, hooks: ScriptHooks) -> Self {
        self.hooks.extend(hooks.hooks);
        self
    }

    /// Names of the agent's own slash commands, without the slash: no extension gets them.
    #[must_use]
    pub fn builtin_commands<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.builtin_commands.extend(names.into_iter().map(Into::into));
        self
    }

    /// Lets calls pass where the guards of that extension cannot be asked: while it starts, when it
    /// has failed or died, when its registrations cannot be read. By default nothing passes then
    /// (`guard.declared`). What a guard that is asked does not answer in time is blocked all the
    /// same. This is for the person in front of the agent to say, not for the agent to decide.
    #[must_use]
    pub fn unguarded(mut self, extension: impl Into<String>) -> Self {
        self.unguarded.push(extension.into());
        self
    }

    /// Lays an object over what the files say of the configuration of that extension
    /// ([`config`](crate::config)), until [`Host::set_config`] gives another. Under an empty name it is that of
    /// every extension that has none of its own. `source` says where it comes
    /// from, for errors: the name of a file, or who said it. One that does not fit keeps the extension from
    /// starting, with all that is wrong in its [`Diagnosis`](crate::Diagnosis).
    #[must_use]
    pub fn config(
        mut self,
        extension: impl Into<String>,
        source: impl Into<String>,
        config: RawJson,
    ) -> Self {
        self.configs.insert(extension.into(), (source.into(), config));
        self
    }

    /// Adds an extension behind the others. Where two have the same name, or offer a tool or
    /// command of the same name, the one that was added first wins.
    #[must_use]
    pub fn extension(mut self, source: ExtensionSource) -> Self {
        self.sources.push(source);
        self
    }

    /// Adds the extensions that are [found](crate::discovery::Discovery::find) and run, in that order. What is not trusted, disabled or
    /// shadowed is not added; `find` says of each why.
    ///
    /// Programs in Python write no bytecode beside what they are read from: it would change what was trusted.
    #[must_use]
    pub fn discover(self, found: &[Found]) -> Self {
        let sources = found.iter().filter_map(Found::source);
        sources.fold(self.env("PYTHONDONTWRITEBYTECODE", "1"), Self::extension)
    }

    /// Adds the extension in a folder.
    #[must_use]
    pub fn folder(self, path: impl Into<PathBuf>) -> Self {
        self.extension(ExtensionSource::folder(path))
    }

    /// Adds a program without a manifest.
    #[must_use]
    pub fn command<A: Into<OsString>>(
        self,
        program: impl Into<OsString>,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        self.extension(ExtensionSource::command(program, args))
    }

    /// Adds a server of MCP behind the extensions: its tools as `SERVER_tool`, its prompts as commands, and a tool
    /// that reads its resources. Nothing of it is started that is not trusted, see [`McpServer`](crate::McpServer),
    /// and one that offers too much, or a name that another has, is refused whole. What it answers is marked as
    /// `untrusted`. One that dies is started again, whatever [`HostBuilder::restart`] says.
    #[cfg(feature = "mcp-client")]
    #[must_use]
    pub fn mcp_server(self, server: crate::McpServer) -> Self {
        self.extension(ExtensionSource::Mcp(server))
    }

    /// Calls `tell` with the name of an extension and what it does, as long as it is on the way to its
    /// `hello` and says so (`hello.bootstrap`): [`HostBuilder::start`] may wait for it for minutes, and
    /// [`News::Bootstrap`](crate::News::Bootstrap) is read only after that.
    #[must_use]
    pub fn on_bootstrap(mut self, tell: impl Fn(&str, &str) + Send + Sync + 'static) -> Self {
        self.on_bootstrap = OnBootstrap::new(tell);
        self
    }

    /// Starts all extensions at once, and waits until each is ready or has failed, which takes as
    /// long as the slowest. This itself cannot fail: ask [`Host::extensions`] how each stands.
    ///
    /// Must be called inside a tokio runtime with I/O and time enabled; the extensions live on it.
    pub async fn start(self) -> Host {
        Host::start(self).await
    }

    pub(crate) fn cwd_or_default(&self) -> PathBuf {
        let cwd = self.cwd.as_deref().and_then(|cwd| std::path::absolute(cwd).ok());
        cwd.or_else(|| env::current_dir().ok()).unwrap_or_else(|| PathBuf::from("/"))
    }

    pub(crate) fn home_or_default(&self) -> PathBuf {
        self.home.clone().unwrap_or_else(default_home)
    }

    /// What every extension is told; the folders of each are added later.
    pub(crate) fn ack(&self, cwd: String) -> HelloAck {
        let millis = |time: std::time::Duration| u64::try_from(time.as_millis()).ok();
        HelloAck {
            protocol_version: 1,
            capabilities: Some(SERVED.into_iter().collect::<Capabilities>().names()),
            zot_version: self.zot_version.clone().unwrap_or(self.profile.zot_version.to_owned()),
            provider: self.provider.clone(),
            model: self.model.clone(),
            cwd,
            host: Some(self.info.clone()),
            limits: Some(Limits {
                frame_bytes: u64::try_from(FRAME_BYTES).ok(),
                tool_timeout_ms: millis(self.deadlines.tool),
                intercept_timeout_ms: millis(self.deadlines.intercept),
                command_timeout_ms: millis(self.deadlines.command),
            }),
            session: self.session.clone(),
            methods: (!self.methods.is_empty()).then(|| self.methods.keys().cloned().collect()),
            ..HelloAck::default()
        }
    }
}
