//! What the testing host has for the extension: other tools to call, and methods.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use extline_protocol::frame::RpcError;
use extline_protocol::{ErrorKind, RawJson};
use extline_services::kept::{self, Answer, GivenState};
use extline_services::pending::Queue;
use extline_services::{GivenAnswers, GivenSecrets, METHODS, SECRET_METHODS};
use serde_json::Value;

use super::builder::Builder;
use crate::{IntoToolResult, ToolError, ToolResult};

/// What the extension may call.
impl Builder {
    /// Another tool, that the extension may call through the host. It gets the arguments and answers
    /// like a tool's handler; it runs on the test's thread, while the test waits for something. Without
    /// one the extension can call its own tools, and any other is unknown.
    ///
    /// Approval, guards, the limits of nested calls and of their results are a real host's business:
    /// they are not imitated.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let read = |args: Value| match args["path"].as_str() {
    ///     Some("a") => Ok("one\ntwo"),
    ///     _ => Err(ToolError::not_found("no such file")),
    /// };
    /// let mut host = Host::builder().tool("read", read).start(|| {
    ///     Extension::new("count", "1.0.0").tool("lines", "", async |_: NoArgs, ctx: Context| {
    ///         let file = ctx.call_tool("read", &json!({"path": "a"})).await?;
    ///         Ok(file.text().lines().count().to_string())
    ///     })
    /// })?;
    /// assert_eq!(host.call("lines", json!({}))?.text(), "2");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn tool<R: IntoToolResult>(
        mut self,
        name: impl Into<String>,
        run: impl FnMut(Value) -> Result<R, ToolError> + 'static,
    ) -> Self {
        self.stand_ins.tool(name.into(), run);
        self
    }

    /// Another tool, that never answers: for what the extension does about it.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let mut host = Host::builder().silent_tool("oracle").start(|| {
    ///     Extension::new("a", "1").tool("ask", "", async |_: NoArgs, ctx: Context| {
    ///         ctx.call_tool("oracle", &json!({})).await?;
    ///         Ok(())
    ///     })
    /// })?;
    /// let call = host.begin("ask", json!({}))?;
    /// host.cancel(&call)?;
    /// assert_eq!(host.finish(call)?.text(), "cancelled");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn silent_tool(mut self, name: impl Into<String>) -> Self {
        self.stand_ins.silent_tool(name.into());
        self
    }

    /// A method that the host serves. It gets the parameters, `null` when there are none; an error is
    /// its kind and message. It runs on the test's thread, while the test waits for something.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let yes = |_| Ok(json!({ "confirmed": true }));
    /// let mut host = Host::builder().method("ui.confirm", yes).start(|| {
    ///     Extension::new("a", "1").tool("deploy", "", async |_: NoArgs, ctx: Context| {
    ///         Ok(if ctx.ui().confirm("Deploy?").await? { "deployed" } else { "not deployed" })
    ///     })
    /// })?;
    /// assert_eq!(host.call("deploy", json!({}))?.text(), "deployed");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn method(
        self,
        name: impl Into<String>,
        mut serve: impl FnMut(Value) -> Result<Value, ToolError> + 'static,
    ) -> Self {
        self.method_in_parts(name, move |params| Ok((Vec::new(), serve(params)?)))
    }

    /// What a person says to dialogs. An object has for each dialog one answer, or a list of answers in their order,
    /// the last of them again and again; `null` closes it. `"headless"` is a host where nobody is there. What is only
    /// shown is taken.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let mut host = Host::builder().answers(json!({ "confirm": [true, null] })).start(|| {
    ///     Extension::new("ship", "1.0.0").tool("ship", "Ships it.", async |_: NoArgs, ctx: Context| {
    ///         Ok(if ctx.ui().confirm("Ship it?").await? { "shipped" } else { "kept" })
    ///     })
    /// })?;
    /// assert_eq!(host.call("ship", json!({}))?.text(), "shipped");
    /// assert_eq!(host.call("ship", json!({}))?.text(), "kept");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    ///
    /// An answer that does not fit its question, and a question without an answer, fail in the handler that asks.
    ///
    /// # Panics
    ///
    /// Where an answer is given to what is no dialog.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "json!(..) is written in its place")]
    pub fn answers(self, answers: Value) -> Self {
        let answers = match GivenAnswers::read(&answers) {
            Ok(answers) => Rc::new(RefCell::new(answers)),
            Err(why) => panic!("{why}"),
        };
        let dialogs =
            METHODS.iter().map(|method| method.name).filter(|name| name.starts_with("ui."));
        dialogs.fold(self, |builder, name| {
            let answers = Rc::clone(&answers);
            builder.method(name, move |params| {
                let answer = answers.borrow_mut().answer(name, &params.to_string());
                let answer = answer.unwrap_or(Ok(Value::Null));
                answer.map_err(|(kind, text)| ToolError::of_kind(ErrorKind::from(kind), text))
            })
        })
    }

    /// What [`Context::secret`](crate::Context::secret) and [`Context::env`](crate::Context::env) give: an object of
    /// texts by their names. `null` is declared and not set; what is not in it is not declared.
    ///
    /// # Panics
    ///
    /// Where it is something else.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "json!(..) is written in its place")]
    pub fn secrets(self, secrets: Value) -> Self {
        let secrets = match GivenSecrets::read(&secrets) {
            Ok(secrets) => Rc::new(secrets),
            Err(why) => panic!("{why}"),
        };
        SECRET_METHODS.into_iter().fold(self, |builder, name| {
            let secrets = Rc::clone(&secrets);
            builder.method(name, move |params| {
                let answer = secrets.answer(name, &params.to_string());
                let answer = answer.unwrap_or(Ok(Value::Null));
                answer.map_err(|(kind, text)| ToolError::of_kind(ErrorKind::from(kind), text))
            })
        })
    }

    /// What the extension has kept before, an object with the values of `session`, `project` and `global` by their
    /// keys; `json!({})` for nothing. Without it the host keeps nothing. [`Host::state`](super::Host::state) has what it
    /// keeps then. Values of another version are not migrated here: ask for `state.migrate` by
    /// [`Host::request`](super::Host::request).
    ///
    /// # Panics
    ///
    /// Where it is no such object, or a value is larger than a host keeps.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "json!(..) is written in its place")]
    pub fn state(mut self, state: Value) -> Self {
        let state = match GivenState::read(&state) {
            Ok(state) => Rc::new(RefCell::new(state)),
            Err(why) => panic!("{why}"),
        };
        self.stand_ins.state = Some(Rc::clone(&state));
        kept::methods().fold(self, |builder, name| {
            let state = Rc::clone(&state);
            builder.method(name, move |params| {
                match state.borrow_mut().answer(name, &params.to_string()) {
                    Some(Ok(Answer::Done(result))) => Ok(serde_json::from_str(&result)?),
                    Some(Err(refusal)) => {
                        Err(ToolError::of_kind(ErrorKind::from(refusal.code), refusal.message))
                    }
                    _ => Err(ToolError::conflict("a testing host does not migrate values")),
                }
            })
        })
    }

    /// A method that the host serves with an answer in parts: those, then the result.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let make = |_| Ok((vec![json!("building"), json!("built")], json!(0)));
    /// let mut host = Host::builder().method_in_parts("build.run", make).start(|| {
    ///     Extension::new("a", "1").tool("make", "", async |_: NoArgs, ctx: Context| {
    ///         let mut lines: Vec<String> = Vec::new();
    ///         let keep = |line| {
    ///             lines.push(line);
    ///             Ok(())
    ///         };
    ///         let status: i32 = ctx.request_parts("build.run", &["make"], keep).await?;
    ///         Ok(format!("{lines:?}: {status}"))
    ///     })
    /// })?;
    /// assert_eq!(host.call("make", json!({}))?.text(), "[\"building\", \"built\"]: 0");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn method_in_parts(
        mut self,
        name: impl Into<String>,
        serve: impl FnMut(Value) -> Result<(Vec<Value>, Value), ToolError> + 'static,
    ) -> Self {
        self.stand_ins.method(name.into(), serve);
        self
    }
}

type Serve<T> = Box<dyn FnMut(Value) -> Result<T, ToolError>>;

/// The test's closures, by the name of what they stand in for.
#[derive(Default)]
pub(super) struct StandIns {
    /// `None` never answers.
    tools: BTreeMap<String, Option<Serve<ToolResult>>>,
    methods: BTreeMap<String, Serve<(Vec<Value>, Value)>>,
    /// What the extension keeps.
    pub(super) state: Option<Rc<RefCell<GivenState>>>,
    /// What it proposes.
    pub(super) pending: Option<Rc<RefCell<Queue<()>>>>,
}

/// What becomes of a call that the extension makes.
pub(super) enum Called {
    Answered(Box<ToolResult>),
    NeverAnswered,
    /// No closure stands in for it.
    Unknown,
}

impl StandIns {
    pub(super) fn tool<R: IntoToolResult>(
        &mut self,
        name: String,
        mut run: impl FnMut(Value) -> Result<R, ToolError> + 'static,
    ) {
        let run: Serve<_> = Box::new(move |args| run(args)?.into_tool_result());
        self.tools.insert(name, Some(run));
    }

    pub(super) fn silent_tool(&mut self, name: String) {
        self.tools.insert(name, None);
    }

    pub(super) fn method(
        &mut self,
        name: String,
        serve: impl FnMut(Value) -> Result<(Vec<Value>, Value), ToolError> + 'static,
    ) {
        self.methods.insert(name, Box::new(serve));
    }

    /// The methods that the host lists.
    pub(super) fn methods(&self) -> Vec<String> {
        self.methods.keys().cloned().collect()
    }

    pub(super) fn call(&mut self, tool: &str, args: &RawJson) -> Called {
        match self.tools.get_mut(tool) {
            Some(Some(run)) => {
                let result = run(args.to().unwrap_or_default());
                Called::Answered(Box::new(result.unwrap_or_else(ToolResult::from)))
            }
            Some(None) => Called::NeverAnswered,
            None => Called::Unknown,
        }
    }

    /// The parts, and the result.
    pub(super) fn request(
        &mut self,
        method: &str,
        params: Option<&RawJson>,
    ) -> Result<(Vec<Value>, Value), RpcError> {
        let params = params.and_then(|params| params.to().ok()).unwrap_or_default();
        let Some(serve) = self.methods.get_mut(method) else {
            // The session lets only listed methods through; this host has forgotten its own.
            return Err(RpcError::new(ErrorKind::Unsupported, format!("unknown method {method}")));
        };
        serve(params).map_err(|error| {
            let info = error.into_info();
            RpcError::new(info.kind, info.message)
        })
    }
}
