//! The extline reference host: runs extensions for a coding agent.
//!
//! An agent embeds it: [`Host::builder`] says which extensions run, [`Host::offer`] what to offer
//! the model, [`Host::call`] and [`Host::command`] run things, [`Host::intercept_turn_start`] and its
//! like ask extensions before something happens, [`Host::request`] asks one for a method of its own,
//! [`Host::news`] tells what happens meanwhile, [`Host::shutdown`] ends it all. What the agent offers
//! to extensions in turn is said to the builder: [`HostBuilder::builtin_tool`],
//! [`HostBuilder::serve_method`]. With the feature `mcp-client` servers of MCP stand beside extensions
//! (`HostBuilder::mcp_server`). Everything on the wire is decided by
//! `extline-protocol`; this crate starts processes, moves bytes, keeps the registry, and tells why
//! something does not work.
//!
//! ```
//! use extline_host::{CallError, ExtensionState, Host};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! # let home = tempfile::tempdir()?;
//! // An extension is a folder with an extension.json, or any program: here a shell script.
//! let script = r#"
//!     echo '{"type":"hello","name":"greeter","version":"1.0.0"}'
//!     echo '{"type":"register_tool","name":"greet","description":"greets",
//!            "schema":{"type":"object","required":["who"],
//!                      "properties":{"who":{"type":"string"}}}}' | tr -d '\n'; echo
//!     echo '{"type":"ready"}'
//!     while read -r frame; do case $frame in
//!         *tool_call*) echo '{"type":"tool_result","id":"1",
//!                             "content":[{"type":"text","text":"hello"}]}' | tr -d '\n'; echo;;
//!         *shutdown*) exit 0;;
//!     esac; done"#;
//! let host = Host::builder()
//!     .host("my-agent", "0.1.0")
//!     .home(home.path())
//!     .builtin_tools(["read", "write"])
//!     .command("sh", ["-c", script])
//!     .start()
//!     .await;
//!
//! // An extension that failed says why, and is in nobody's way.
//! for extension in host.extensions() {
//!     if let ExtensionState::Failed(diagnosis) = extension.state {
//!         eprintln!("{diagnosis}");
//!     }
//! }
//!
//! // What the model is offered, and a call with the arguments it wrote.
//! assert_eq!(host.tools()[0].name(), "greet");
//! let result = host.call("greet", r#"{"who":"you"}"#).await?;
//! assert!(!result.is_error);
//!
//! // Arguments that do not fit never reach the extension.
//! let error = host.call("greet", "{}").await.unwrap_err();
//! assert!(matches!(&error, CallError::Invalid { .. }));
//! assert_eq!(error.field(), Some("/who"));
//!
//! // Nothing is left behind, and that is checked.
//! for ending in host.shutdown().await {
//!     assert!(ending.gone);
//! }
//! # Ok(())
//! # })
//! # }
//! ```
//!
//! # The way of a call
//!
//! [`Host::start_call`] gives the call to `calls`, where `tool_call_path` looks the tool up in the
//! `registry`, has extensions asked by `intercepts`, validates the arguments in between, and has the call
//! approved by the rules of `approval`. Then `connection` sends it: one running extension with its session, its pipes and those who wait.
//! The result, or why there is none in the words of `report`, comes back to the [`Call`]. Before
//! that `source` has found the program of the extension, and `process` has started it.
//!
//! Each folder uses only those behind it: `host`, `mcp` (servers of MCP as extensions), `calls`, `intercepts`, `connection`,
//! `model_side` (what is done with a model's calls beside the gate), `effects`, `hooks`, `source`, `report`, `approval`,
//! then `registry`, `offers` and `process`; the other files of the crate are for all of them.
//!
//! # Concurrency
//!
//! One task per extension reads and keeps the time; a call is written by whoever makes it, at once
//! unless the pipe is full. No lock is held across an await. A host works on a current-thread and
//! on a multi-thread tokio runtime, with I/O and time enabled, and its extensions live as long as
//! that runtime.
//!
//! # Processes
//!
//! Each extension leads a process group of its own, so that a terminal's Ctrl-C does not reach it
//! and its children end with it. Its stderr goes to `logs/NAME.log` under
//! [`default_home`], at most two files of 1 MiB. Of the host's descriptors it inherits none but its
//! three pipes. A host outlives a limit of file sizes (`SIGXFSZ`), and says what it could not write.
//!
//! A host that is killed cannot end its extensions, so each host has a watchdog: one small shell
//! process that waits for the end of the host. Extensions then have 0.3 s from the end of their
//! stdin, SIGTERM, one more second, SIGKILL, each for the whole group. [`Host::shutdown`] ends the
//! watchdog too. On Linux what left its group is found and killed as well, by a mark in its
//! environment (`EXTLINE_MARK`).
//!
//! # Environment
//!
//! An agent's environment holds keys that are no extension's business. An extension gets what a
//! program needs to run (`PATH`, `HOME`, `USER`, `LANG`, `LC_*`, `TZ`, `TMPDIR`, `TERM`, the XDG
//! folders, where to find certificates and the toolchains behind `PATH`), the variables that its
//! manifest names in `permissions.env`, and what the embedder adds: [`HostBuilder::env`],
//! [`HostBuilder::pass_env`], [`HostBuilder::inherit_env`]. The names that were withheld stand in
//! the [`Diagnosis`] of one that does not start.
//!
//! # Sandbox
//!
//! On Linux the kernel holds an extension to `fs`, `net` and `exec` in the `permissions` of its manifest; where it cannot,
//! the extension is not started. [`HostBuilder::sandbox`] turns that off, and [`sandbox_support`] says what the machine
//! can do.

/// The samples of the page on what stands between a model and its tools.
#[cfg(doctest)]
#[doc = include_str!("../../docs/host/model-side.md")]
struct ModelSide;

mod approval;
mod aside;
mod audit;
mod bucket;
mod calls;
pub mod config;
mod config_fault;
mod config_schema;
mod connection;
mod descriptions;
pub mod discovery;
mod doctor;
pub mod effects;
mod environment;
pub mod file;
mod handler;
mod home;
mod hooks;
mod host;
mod intercepts;
mod lazy;
mod lock;
#[cfg(feature = "mcp-client")]
mod mcp;
mod memory;
mod model_side;
mod nearest;
mod offers;
#[cfg(windows)]
pub mod private_pipe;
mod process;
mod profile;
mod redact;
mod registry;
mod report;
mod sandbox;
mod secrets;
mod source;
mod state;
mod status;
mod switch;
mod tool;
mod tool_settings;
pub mod trust;
pub mod view;

pub use approval::{
    ApprovalMode, ApprovalPattern, ApprovalRequest, Approver, ApproverError, Decision, PatternError,
};
pub use calls::{Call, CallOptions, CommandOutcome, ReadArgs, Reconciled, Request};
pub use connection::{Asked, MethodCall, News, NewsStream, Panel, PanelView, PendingChange};
pub use descriptions::{DescriptionError, Descriptions, ToolDescription};
pub use environment::{EnvironmentKind, MissingEnvironment};
pub use home::default_home;
pub use hooks::{HookMode, HookPoint, HooksError, ScriptHook, ScriptHooks};
pub use host::{Agent, EnableError, Host, HostBuilder, ReloadError, RestartPolicy};
pub use intercepts::{AgentCall, AgentCallDecision, AgentStart, PromptDecision, UserPrompt};
pub use memory::EXTENSION_MEMORY;
pub use model_side::{ErrorHints, MemoPolicy, ModelAnswer};
pub use nearest::nearest;
pub use offers::{
    HiddenTool, Offer, RenderedOffer, RenderedTool, SelectByWords, Selector, WhyHidden,
};
pub use process::{
    Exit, Stray, Supervised, Supervisor, activity_of, inherit_nothing, outlive_size_limit,
    withhold_descriptors,
};
pub use redact::Redactor;
pub use registry::{Changed, Changes, Difference};
pub use report::{
    Blocked, CallError, CallStatus, Diagnosis, Ending, FailureCause, InterceptFailure, Manner,
    Notice, Problem, Role, Trace,
};
pub use sandbox::{SandboxSupport, sandbox_limits, sandbox_support};
pub use secrets::{SecretStore, declared as declared_secrets};
pub use source::{
    Distribution, ExtensionSource, FilePermissions, MANIFEST, Manifest, ManifestCheck,
    ManifestError, ManifestFault, Permissions, Program, Provider, Requires, Severity,
    manifest_members, manifest_schema, manifests_in,
};
#[cfg(feature = "mcp-client")]
pub use source::{McpServer, McpServerError};

#[cfg(feature = "state")]
pub use state::StateFile;
pub use status::{
    Conflict, ExtensionState, ExtensionStatus, Finding, Level, Standing, StatusReport, ToolCounts,
};
pub use switch::is_switched_off;
pub use tool::{BuiltinCall, BuiltinToolError, Command, MAX_TOKENS, Tool, ToolFilter};

/// What stands between a model and its tools without a host.
pub use extline_model as model;
/// The wire's own types, as they stand in this crate's interface.
pub use extline_protocol as protocol;
pub use extline_schema::{SchemaError, Violation};
/// The methods that an agent serves, with their types, see [`HostBuilder::serve`].
pub use extline_services as services;
