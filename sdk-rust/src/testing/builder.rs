//! How a testing host differs from the usual one.

use std::env;
use std::panic::Location;
use std::path::Path;
use std::time::Duration;

use extline_protocol::frame::{HelloAck, HostInfo, Limits, SessionInfo};
use extline_protocol::limits::{COMMAND_DEADLINE, FRAME_BYTES, INTERCEPT_DEADLINE, TOOL_DEADLINE};
use extline_protocol::{
    Capabilities, Capability, HostConfig, Profile, RawJson, Requirement as Required,
};
use extline_testing::Offered;
use extline_testing::demands::{DEADLINE, NEVER, START_DEADLINE, deadlines};

use super::conversation::Conversation;
use super::failure::Failure;
use super::host::{Host, Model};
use super::stand_ins::StandIns;
use crate::{Extension, Requirement};

/// A testing host before it starts: made by [`Host::builder`], and turned into a [`Host`] by
/// [`start`](Builder::start).
///
/// ```
/// use extline::prelude::*;
/// use extline::testing::Host;
///
/// let mut host = Host::builder().cwd("/project").model("anthropic", "claude").start(|| {
///     Extension::new("where", "1.0.0").tool("where", "", async |_: NoArgs, ctx: Context| {
///         Ok(format!("{} with {}", ctx.host().cwd().display(), ctx.host().model()))
///     })
/// })?;
/// assert_eq!(host.call("where", json!({}))?.text(), "/project with claude");
/// # Ok::<(), extline::testing::Failure>(())
/// ```
#[must_use = "nothing happens until `.start(..)`"]
pub struct Builder {
    ack: HelloAck,
    deadline: Duration,
    start_deadline: Duration,
    profile: Profile,
    /// Kinds and names.
    unwanted: Vec<(String, String)>,
    pub(super) stand_ins: StandIns,
}

impl Builder {
    pub(super) fn new() -> Self {
        let cwd = env::current_dir().unwrap_or_default();
        let millis = |duration: Duration| u64::try_from(duration.as_millis()).ok();
        let limits = Limits {
            frame_bytes: u64::try_from(FRAME_BYTES).ok(),
            tool_timeout_ms: millis(TOOL_DEADLINE),
            intercept_timeout_ms: millis(INTERCEPT_DEADLINE),
            command_timeout_ms: millis(COMMAND_DEADLINE),
        };
        let ack = HelloAck {
            protocol_version: 1,
            capabilities: Some(Capabilities::all().names()),
            provider: "testing".to_owned(),
            model: "testing".to_owned(),
            cwd: text_of(&cwd),
            host: Some(HostInfo {
                name: "extline testing".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            }),
            limits: Some(limits),
            ..HelloAck::default()
        };
        Self {
            ack,
            deadline: DEADLINE,
            start_deadline: START_DEADLINE,
            profile: Profile::spec(),
            unwanted: Vec::new(),
            stand_ins: StandIns::default(),
        }
    }

    /// How long each step may take before the test fails: 5 s unless said otherwise. The start has 5 s
    /// at least; [`Host::set_deadline`] changes it on the way.
    ///
    /// ```
    /// use std::time::Duration;
    /// use extline::prelude::*;
    /// use extline::testing::{Failure, Host};
    ///
    /// let mut host = Host::builder().deadline(Duration::from_millis(50)).start(|| {
    ///     Extension::new("slow", "1.0.0").tool("wait", "", async |_: NoArgs, ctx: Context| {
    ///         ctx.cancellation().await;
    ///         Ok("at last")
    ///     })
    /// })?;
    /// let failure = host.call("wait", json!({})).unwrap_err();
    /// assert!(failure.to_string().starts_with("the tool wait did not answer within 50ms"));
    /// # Ok::<(), Failure>(())
    /// ```
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// How long the start may take once the extension is greeted, and so its setup: 3 s unless said
    /// otherwise, as on a real host, which goes on then without what is not registered.
    ///
    /// ```
    /// use std::time::Duration;
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let failure = Host::builder().start_deadline(Duration::from_millis(50)).start(|| {
    ///     Extension::new("slow", "1.0.0").setup(async |_, ctx| {
    ///         ctx.cancellation().await;
    ///         Ok(())
    ///     })
    /// });
    /// let text = failure.unwrap_err().to_string();
    /// assert!(text.starts_with("the extension did not become ready within 50ms, and a host goes on"));
    /// ```
    pub fn start_deadline(mut self, deadline: Duration) -> Self {
        self.start_deadline = deadline.min(NEVER);
        self
    }

    /// The project's directory; unsaid the one in which the tests run. It need not exist.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::builder().cwd("/project").start(|| {
    ///     Extension::new("a", "1").tool("ask", "", async |_: NoArgs, ctx: Context| {
    ///         Ok(ctx.host().cwd().display().to_string())
    ///     })
    /// })?;
    /// assert_eq!(host.call("ask", json!({}))?.text(), "/project");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn cwd(mut self, path: impl AsRef<Path>) -> Self {
        self.ack.cwd = text_of(path.as_ref());
        self
    }

    /// Where the extension may keep data; unsaid [`Context::data_dir`](crate::Context::data_dir) is
    /// `None`. Give a fresh directory to each test.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let folder = std::env::temp_dir().join(format!("extline-doc-{}", std::process::id()));
    /// std::fs::create_dir_all(&folder).unwrap();
    /// let mut host = Host::builder().data_dir(&folder).start(|| {
    ///     Extension::new("notes", "1.0.0").tool("note", "", async |_: NoArgs, ctx: Context| {
    ///         let folder = ctx.data_dir().ok_or_else(|| ToolError::internal("no data_dir"))?;
    ///         std::fs::write(folder.join("note"), "noted")?;
    ///         Ok(())
    ///     })
    /// })?;
    /// host.call("note", json!({}))?;
    /// assert_eq!(std::fs::read_to_string(folder.join("note")).unwrap(), "noted");
    /// # std::fs::remove_dir_all(folder).unwrap();
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn data_dir(mut self, path: impl AsRef<Path>) -> Self {
        self.ack.data_dir = Some(text_of(path.as_ref()));
        self
    }

    /// Where the extension is installed; unsaid
    /// [`Context::extension_dir`](crate::Context::extension_dir) is `None`.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::builder().extension_dir("/ext").start(|| {
    ///     Extension::new("a", "1").tool("ask", "", async |_: NoArgs, ctx: Context| {
    ///         Ok(ctx.extension_dir().unwrap().display().to_string())
    ///     })
    /// })?;
    /// assert_eq!(host.call("ask", json!({}))?.text(), "/ext");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn extension_dir(mut self, path: impl AsRef<Path>) -> Self {
        self.ack.extension_dir = Some(text_of(path.as_ref()));
        self
    }

    /// The model and its provider; both `testing` unless said otherwise.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::builder().model("anthropic", "claude").start(|| {
    ///     Extension::new("a", "1").tool("ask", "", async |_: NoArgs, ctx: Context| {
    ///         Ok(ctx.host().model().to_owned())
    ///     })
    /// })?;
    /// assert_eq!(host.call("ask", json!({}))?.text(), "claude");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn model(mut self, provider: impl Into<String>, model: impl Into<String>) -> Self {
        self.ack.provider = provider.into();
        self.ack.model = model.into();
        self
    }

    /// The conversation that the extension serves; unsaid [`Context::session`](crate::Context::session)
    /// is `None`.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::builder().session("s1").start(|| {
    ///     Extension::new("a", "1").tool("ask", "", async |_: NoArgs, ctx: Context| {
    ///         Ok(ctx.session().unwrap().id.clone())
    ///     })
    /// })?;
    /// assert_eq!(host.call("ask", json!({}))?.text(), "s1");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn session(mut self, id: impl Into<String>) -> Self {
        self.ack.session = Some(SessionInfo { id: id.into(), generation: None });
        self
    }

    /// The configuration that the host gives, an object; unsaid none, see
    /// [`Context::config`](crate::Context::config).
    pub fn config(mut self, config: impl Into<RawJson>) -> Self {
        self.ack.config = Some(config.into());
        self
    }

    /// What the host says it grants; unsaid what a real one does. Only the extension goes by it: the
    /// testing host itself waits until its [`deadline`](Builder::deadline).
    ///
    /// A test of a guard that does not decide in time need not wait for 4.5 s then:
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::Limits;
    /// use extline::testing::{Host, Moment};
    ///
    /// let limits = Limits { intercept_timeout_ms: Some(600), ..Limits::default() };
    /// let mut host = Host::builder().limits(limits).start(|| {
    ///     Extension::new("slow", "1.0.0").guard("oracle", async |_, ctx| {
    ///         ctx.cancellation().await;
    ///     })
    /// })?;
    /// let ruling = host.intercept(Moment::tool_call("bash", json!({})))?;
    /// assert_eq!(ruling.blocked(), Some("guard oracle timed out"));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn limits(mut self, limits: Limits) -> Self {
        self.ack.limits = Some(limits);
        self
    }

    /// What the host understands of what an extension may send; unsaid everything.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::{Capability, testing::Host};
    ///
    /// let mut host = Host::builder().capabilities([Capability::Log]).start(|| {
    ///     Extension::new("a", "1").tool("ask", "", async |_: NoArgs, ctx: Context| {
    ///         Ok(json!({
    ///             "log": ctx.host().supports(Capability::Log),
    ///             "updates": ctx.host().supports(Capability::ToolUpdate),
    ///         }))
    ///     })
    /// })?;
    /// assert_eq!(host.call("ask", json!({}))?.value(), json!({"log": true, "updates": false}));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn capabilities(mut self, capabilities: impl IntoIterator<Item = Capability>) -> Self {
        let capabilities: Capabilities = capabilities.into_iter().collect();
        self.ack.capabilities = Some(capabilities.names());
        self
    }

    /// The host is a zot 0.1.62, which knows the base of the protocol and nothing else: no updates, no
    /// log, no guards of their own, no calls to other tools, no methods, no cancels.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let mut host = Host::builder().zot().start(|| {
    ///     Extension::new("a", "1").tool("log", "", async |_: NoArgs, ctx: Context| {
    ///         ctx.log(Level::Info, "a line");
    ///         Ok(ctx.host().name().to_owned())
    ///     })
    /// })?;
    /// assert_eq!(host.call("log", json!({}))?.text(), "zot");
    /// assert!(host.logs().is_empty());
    /// assert_eq!(host.stderr(), ["info: a line"]);
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn zot(self) -> Self {
        self.profile(Profile::zot_0_1_62())
    }

    /// The host is like a particular one: it says of itself, sends and understands what that one does,
    /// so an answer has only what is of use to that one (a zot 0.1.62 sees no kind of an error).
    /// Its deadlines and its haste at the start are not imitated, so that a slow machine breaks no
    /// test.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::{Host, Profile};
    ///
    /// let mut host = Host::builder().profile(Profile::zot_37c7945()).start(|| {
    ///     Extension::new("a", "1").command("go", "", async |_: &str, ctx: Context| {
    ///         ctx.submit("go on");
    ///     })
    /// })?;
    /// host.command("go", "")?;
    /// assert_eq!(host.submitted(), ["go on"]);
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// A tool, a command, an event or a point of the extension that the host does not take, as if
    /// another extension had it; the report that the host sends says so.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::Requirement;
    /// use extline::testing::Host;
    ///
    /// let mut host = Host::builder().reject(Requirement::tool("search")).start(|| {
    ///     Extension::new("a", "1")
    ///         .tool("search", "", async |_: NoArgs, _| Ok(()))
    ///         .tool("other", "", async |_: NoArgs, _| Ok(()))
    /// })?;
    /// assert_eq!(host.tools().len(), 1);
    /// assert!(host.stderr()[0].starts_with("the host rejected the tool search: "));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn reject(mut self, registration: Requirement) -> Self {
        // No host rejects a capability or a method.
        if let Required::Registration { kind, name } = registration.0 {
            self.unwanted.push((kind, name));
        }
        self
    }

    /// Starts the extension and waits until it is ready.
    ///
    /// `create` runs on the thread that serves the extension, so what it takes along must be `Send`;
    /// nothing else need be.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::{Failure, Host};
    ///
    /// let failure = Host::builder().start(|| {
    ///     Extension::new("a", "1")
    ///         .command("go", "", async |_: &str, _| {})
    ///         .command("go", "", async |_: &str, _| {})
    /// });
    /// assert!(failure.unwrap_err().to_string().contains("two commands named \"go\""));
    /// ```
    ///
    /// # Errors
    ///
    /// [`Failure::Extension`] for a registration mistake, and where extensions are not supported, which is
    /// neither Unix nor Windows; [`Failure::Ended`] and [`Failure::TimedOut`].
    #[track_caller]
    pub fn start(
        self,
        create: impl FnOnce() -> Extension + Send + 'static,
    ) -> Result<Host, Failure> {
        let Self { mut ack, deadline, start_deadline, profile, unwanted, stand_ins } = self;
        profile.zot_version.clone_into(&mut ack.zot_version);
        let methods = stand_ins.methods();
        ack.methods = (!methods.is_empty()).then_some(methods);
        let model = Model { provider: ack.provider.clone(), name: ack.model.clone() };
        let config = HostConfig { ack, deadlines: deadlines(), profile: profile.clone() };
        // How fast it starts says nothing about the steps of the test.
        let start = deadline.clamp(DEADLINE, NEVER);
        let mut conversation =
            Conversation::start(config, start, stand_ins, Location::caller(), create)?;
        conversation.seen.offered = Offered::new(unwanted);
        let mut host = Host::start(conversation, start_deadline, profile, model)?;
        host.set_deadline(deadline);
        Ok(host)
    }
}

fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
