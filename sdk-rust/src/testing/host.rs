//! The testing host as a test uses it.

use std::fmt;
use std::panic::Location;
use std::thread;
use std::time::{Duration, Instant};

use extline_protocol::frame::{ErrorInfo, Log};
use extline_protocol::{CallKey, Notice, Profile, SendError};
use extline_testing::Named;
use extline_testing::demands::{NEVER, NOT_READY, late_start, not_offered};

use super::builder::Builder;
use super::conversation::{Conversation, End};
use super::failure::Failure;
use super::seen::{Note, Outcome};
use super::transcript::Transcript;
use crate::Extension;
use crate::stderr::report;

/// How long a host that goes away waits for its extension, which has a second and a half.
const FAREWELL: Duration = Duration::from_secs(3);

/// A host in the same process, for tests of an extension: see the [module](super).
///
/// It does one step after the other and belongs to one thread. Dropping it ends the extension.
pub struct Host {
    pub(super) conversation: Conversation,
    pub(super) profile: Profile,
    /// Tool calls that interceptors and guards were asked about.
    pub(super) proposals: u64,
    pub(super) model: Model,
    /// The line of the test that started it.
    started: &'static Location<'static>,
}

/// What an agent is started with.
#[derive(Clone)]
pub(super) struct Model {
    pub(super) provider: String,
    pub(super) name: String,
}

/// Starting, and ending.
impl Host {
    /// Starts an extension under a host that offers everything, and waits until it is ready.
    ///
    /// `create` runs on the thread that serves the extension, so what it takes along must be `Send`;
    /// nothing else need be.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// fn extension() -> Extension {
    ///     Extension::new("clock", "1.0.0").tool("now", "The time.", async |_: NoArgs, _| Ok("noon"))
    /// }
    ///
    /// let mut host = Host::new(extension);
    /// assert_eq!(host.call("now", json!({}))?.text(), "noon");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    ///
    /// # Panics
    ///
    /// When it does not become ready; [`Builder::start`] returns that as a value.
    #[track_caller]
    pub fn new(create: impl FnOnce() -> Extension + Send + 'static) -> Self {
        match Self::builder().start(create) {
            Ok(host) => host,
            Err(failure) => panic!("{failure}"),
        }
    }

    /// A host that differs from the usual one.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let host = Host::builder().zot().start(|| Extension::new("a", "1"))?;
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn builder() -> Builder {
        Builder::new()
    }

    pub(super) fn start(
        conversation: Conversation,
        start_deadline: Duration,
        profile: Profile,
        model: Model,
    ) -> Result<Self, Failure> {
        let started = conversation.place;
        let mut host = Self { conversation, profile, proposals: 0, model, started };
        let conversation = &mut host.conversation;
        conversation.wait_for(NOT_READY, |conversation| {
            let seen = &conversation.seen;
            Ok((seen.has_greeted || seen.offered.is_ready).then_some(()))
        })?;
        let why = late_start("Host::builder().start_deadline(Duration::from_secs(10))");
        conversation.wait_within(start_deadline, NOT_READY, &why, |conversation| {
            Ok(conversation.seen.offered.is_ready.then_some(()))
        })?;
        conversation.settle("the extension did not come to rest")?;
        Ok(host)
    }

    /// Asks the extension to end, and waits until it has; its exit code, 0 as a rule. Calls that run
    /// are cancelled and have a second.
    ///
    /// Dropping the host does the same; this is for tests of the end itself.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let mut host = Host::new(|| Extension::new("clock", "1.0.0"));
    /// assert_eq!(host.shutdown()?, 0);
    /// assert_eq!(host.transcript().iter().last().unwrap().frame_type(), "shutdown_ack");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Failure::TimedOut`] when a handler keeps the extension's thread, and
    /// [`Failure::HandlerFailed`] for a teardown that fails or takes longer than a host allows.
    #[track_caller]
    pub fn shutdown(&mut self) -> Result<u8, Failure> {
        self.conversation.place = Location::caller();
        let end = self.conversation.shutdown()?;
        self.conversation.refuse_failures()?;
        match end {
            End::Exit(code) => Ok(code),
            End::Other(how) => {
                let what = "the extension did not end in the ordinary way".to_owned();
                Err(Failure::Ended { what, how, story: self.conversation.story() })
            }
        }
    }
}

/// What was seen.
impl Host {
    /// Takes in what the extension has said until now, once it has handled every event and every
    /// panel's input. The steps that wait do this by themselves; it is for what an extension does
    /// unasked.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").setup(async |_, ctx| ctx.notify_info("here"))
    /// });
    /// host.settle()?;
    /// assert_eq!(host.notes()[0].message, "here");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Failure::TimedOut`], [`Failure::Ended`].
    #[track_caller]
    pub fn settle(&mut self) -> Result<(), Failure> {
        self.conversation.place = Location::caller();
        self.conversation.settle("the extension did not come to rest")
    }

    /// Waits until something holds, looking again whenever the extension has said something; for what
    /// an extension does by itself, later.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").tool("wait", "", async |_: NoArgs, ctx: Context| {
    ///         ctx.notify_info("waiting");
    ///         ctx.cancellation().await;
    ///         Ok(())
    ///     })
    /// });
    /// let call = host.begin("wait", json!({}))?;
    /// host.wait_until("a note", |host| !host.notes().is_empty())?;
    /// # host.cancel(&call)?;
    /// # host.finish(call)?;
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Failure::TimedOut`], whose text has `what`; [`Failure::Ended`].
    #[track_caller]
    pub fn wait_until(
        &mut self,
        what: &str,
        mut holds: impl FnMut(&Self) -> bool,
    ) -> Result<(), Failure> {
        self.conversation.place = Location::caller();
        let until = Instant::now() + self.conversation.deadline;
        let what = format!("{what} did not come");
        while !holds(self) {
            self.conversation.wait_a_little(&what, until)?;
        }
        Ok(())
    }

    /// How long each step may take from now on before the test fails.
    ///
    /// ```
    /// use std::time::Duration;
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| Extension::new("a", "1"));
    /// host.set_deadline(Duration::from_millis(20));
    /// assert!(host.wait_until("a note", |host| !host.notes().is_empty()).is_err());
    /// ```
    pub fn set_deadline(&mut self, deadline: Duration) {
        // Beyond a day an `Instant` may not be able to count.
        self.conversation.deadline = deadline.min(NEVER);
    }

    /// The notes that the user was shown and that still stand.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").command("go", "goes", async |_: &str, ctx| {
    ///         ctx.notify_warn("careful");
    ///     })
    /// });
    /// host.command("go", "")?;
    /// assert_eq!(host.notes()[0].level, Level::Warn);
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn notes(&self) -> &[Note] {
        &self.conversation.seen.notes
    }

    /// What the extension keeps: values by scope and key. `null` for a host without
    /// [`state`](super::Builder::state).
    pub fn state(&self) -> serde_json::Value {
        self.conversation.kept()
    }

    /// The lines of the host's log.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").command("go", "goes", async |_: &str, ctx| {
    ///         ctx.log(Level::Info, "went");
    ///     })
    /// });
    /// host.command("go", "")?;
    /// assert_eq!(host.logs()[0].message, "went");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn logs(&self) -> &[Log] {
        &self.conversation.seen.logs
    }

    /// Prompts and slash commands that the extension submitted.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").command("go", "goes", async |_: &str, ctx| {
    ///         ctx.submit("go on");
    ///     })
    /// });
    /// host.command("go", "")?;
    /// assert_eq!(host.submitted(), ["go on"]);
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn submitted(&self) -> &[String] {
        &self.conversation.seen.submitted
    }

    /// What a person would find on stderr: failures of handlers that nobody waits for, what the host
    /// may not know, log lines that it does not keep. What the extension prints by itself is not here.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").on("turn_end", async |_, _| Err(ToolError::internal("no disk")))
    /// });
    /// assert!(host.event("turn_end", json!({})).is_err());
    /// assert_eq!(host.stderr(), ["the handler of the event turn_end failed: no disk"]);
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn stderr(&mut self) -> Vec<String> {
        self.conversation.stderr()
    }

    /// What the host found wrong with the extension's frames; nothing, as long as the SDK is right.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let host = Host::new(|| Extension::new("a", "1"));
    /// assert!(host.notices().is_empty());
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn notices(&self) -> &[Notice] {
        &self.conversation.seen.notices
    }

    /// Every frame so far, both ways.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let host = Host::new(|| Extension::new("a", "1"));
    /// assert_eq!(host.transcript().iter().next().unwrap().frame_type(), "hello");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn transcript(&self) -> &Transcript {
        &self.conversation.transcript
    }
}

impl Host {
    /// Fails where the extension does not offer what no host asks for otherwise.
    pub(super) fn when_offered(&mut self, kind: Named, name: &str) -> Result<(), Failure> {
        let conversation = &mut self.conversation;
        if !conversation.seen.offered.has(kind, name) && conversation.ended.is_none() {
            // It may just be under way.
            conversation.wait_until_read(&format!("the {} {name} was not offered", kind.word()))?;
            conversation.take_what_came()?;
        }
        let offered = &conversation.seen.offered;
        if offered.has(kind, name) || conversation.ended.is_some() {
            return Ok(());
        }
        let text = not_offered(kind.word(), name, &offered.names(kind));
        Err(self.misuse(text))
    }

    pub(super) fn sent(
        &mut self,
        sent: Result<CallKey, SendError>,
        what: impl FnOnce() -> String,
    ) -> Result<CallKey, Failure> {
        sent.map_err(|error| match error {
            SendError::Closed => self.conversation.has_ended(&what()),
            error => self.misuse(format!("{}: {error}", what())),
        })
    }

    pub(super) fn outcome(
        &mut self,
        key: &CallKey,
        what: impl Fn() -> String,
    ) -> Result<Outcome, Failure> {
        let seen = |conversation: &mut Conversation| Ok(conversation.seen.outcomes.remove(key));
        self.conversation.wait_for(&what(), seen)
    }

    /// A mistake of the test's, in the step that is done.
    pub(super) fn misuse(&self, text: impl fmt::Display) -> Failure {
        Failure::misuse(text, self.conversation.place)
    }

    pub(super) fn unusable(&mut self, what: String, error: ErrorInfo) -> Failure {
        // The session answers every open call when the extension ends.
        if self.conversation.ended.is_some() {
            return self.conversation.has_ended(&what);
        }
        Failure::Unusable { what, error: Box::new(error), story: self.conversation.story() }
    }
}

impl Drop for Host {
    /// Ends the extension as a host does. It panics where a handler has failed that answers nobody and
    /// no step of the test has told of it, unless the test fails anyway.
    fn drop(&mut self) {
        let conversation = &mut self.conversation;
        if conversation.ended.is_none() {
            // A handler that keeps its thread would only cost time.
            let deadline = if conversation.is_busy { Duration::ZERO } else { FAREWELL };
            conversation.deadline = deadline;
            conversation.forget_stand_ins();
            conversation.place = self.started;
            if let Err(Failure::TimedOut { .. }) = conversation.shutdown() {
                report("testing: the extension did not end, and its thread is left behind");
            }
        }
        if let Err(failure) = conversation.refuse_failures()
            && !thread::panicking()
        {
            panic!("no step of the test was told that {failure}");
        }
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut host = formatter.debug_struct("Host");
        host.field("extension", &self.conversation.session.extension().map(|hello| &hello.name));
        host.field("ended", &self.conversation.ended).finish_non_exhaustive()
    }
}
