//! A tool: what the model sees of it, and its handler.

use std::rc::Rc;
use std::time::Duration;

use extline_protocol::frame::{
    Annotations, Approval, Execution, Exposure, OutputFormat, Preference, RegisterTool, Replay,
    RpcError,
};
use extline_protocol::{ArgsValidator, RawJson, SchemaProblem, Unsupported};
use extline_services::approval::Advice;
use extline_services::view::View;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::handler::{MethodHandler, ToolHandler};
use crate::raw_args::RawArgs;
use crate::{Context, ToolError, ToolOutcome, ToolResult, args, schema_of};

/// A tool with more than a name, a description and a handler; given to
/// [`Extension::add_tool`](crate::Extension::add_tool).
///
/// ```
/// use std::time::Duration;
/// use extline::prelude::*;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Fetch {
///     /// Where from
///     url: String,
/// }
///
/// let fetch = Tool::new("fetch", "Fetches a page.", async |args: Fetch, _| Ok(args.url))
///     .label("Fetch a page")
///     .read_only(true)
///     .open_world(true)
///     .timeout(Duration::from_secs(20));
/// let extension = Extension::new("web", "1.0.0").add_tool(fetch);
/// ```
#[must_use = "give it to `Extension::add_tool`"]
pub struct Tool {
    pub(crate) frame: RegisterTool,
    pub(crate) handler: ToolHandler,
    /// What makes its schema useless.
    pub(crate) problem: Option<SchemaProblem>,
    /// What of its schema only the host checks.
    pub(crate) unchecked: Vec<Unsupported>,
    /// Says of a call whether it is to be approved.
    pub(crate) adviser: Option<MethodHandler>,
}

impl Tool {
    /// A tool whose arguments are a type: its schema is the type's ([`schema_of`]), and arguments
    /// that do not fit are answered with a `validation` error before the handler runs. A tool that
    /// takes none has [`NoArgs`](crate::NoArgs).
    ///
    /// The name is 1 to 64 letters, digits, `_` and `-`; the description is for the model.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Weather {
    ///     /// City name
    ///     city: String,
    ///     /// In days from today
    ///     #[serde(default)]
    ///     day: u8,
    /// }
    ///
    /// let weather = Tool::new("weather", "Weather for a city.", async |w: Weather, _| {
    ///     Ok(format!("{}: 16°C, fog", w.city))
    /// });
    /// ```
    pub fn new<A, R, F>(name: impl Into<String>, description: impl Into<String>, handler: F) -> Self
    where
        A: DeserializeOwned + JsonSchema + 'static,
        R: ToolOutcome + 'static,
        F: AsyncFn(A, Context) -> Result<R, ToolError> + 'static,
    {
        let schema = schema_of::<A>();
        let problem = why_no_arguments(&schema);
        let tool = Self::with(name, description, schema, |args| args::decode(&args), handler);
        Self { problem, ..tool }
    }

    /// A tool whose arguments are described by a JSON Schema, an object, and reach the handler as
    /// JSON: as [`serde_json::Value`], or as [`RawJson`], the text that the model wrote.
    ///
    /// Arguments that do not match are answered with a `validation` error before the handler runs.
    /// A keyword that only the host can check, as `pattern`, is named on stderr at the start.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    /// let weather =
    ///     Tool::raw("weather", "Weather for a city.", schema, async |args: RawJson, _| Ok(args));
    /// ```
    pub fn raw<A, R, F>(
        name: impl Into<String>,
        description: impl Into<String>,
        schema: impl Into<RawJson>,
        handler: F,
    ) -> Self
    where
        A: RawArgs + 'static,
        R: ToolOutcome + 'static,
        F: AsyncFn(A, Context) -> Result<R, ToolError> + 'static,
    {
        let schema = schema.into();
        match ArgsValidator::compile(&schema) {
            Ok(validator) => {
                let unchecked = validator.unsupported().to_vec();
                let decode = move |args: RawJson| {
                    validator.validate(&args).map_err(args::mismatch)?;
                    A::from_raw(args)
                };
                let tool = Self::with(name, description, schema, decode, handler);
                Self { unchecked, ..tool }
            }
            Err(problem) => {
                let tool = Self::with(name, description, schema, A::from_raw, handler);
                Self { problem: Some(problem), ..tool }
            }
        }
    }

    fn with<A, R, F>(
        name: impl Into<String>,
        description: impl Into<String>,
        schema: RawJson,
        decode: impl Fn(RawJson) -> Result<A, ToolError> + 'static,
        handler: F,
    ) -> Self
    where
        A: 'static,
        R: ToolOutcome + 'static,
        F: AsyncFn(A, Context) -> Result<R, ToolError> + 'static,
    {
        let frame = RegisterTool {
            name: name.into(),
            description: Some(description.into()),
            schema,
            ..RegisterTool::default()
        };
        // The future borrows the handler, so it brings it along.
        let shared = Rc::new((decode, handler));
        let handler: ToolHandler = Rc::new(move |args, context| {
            let shared = Rc::clone(&shared);
            Box::pin(async move {
                let (decode, handler) = &*shared;
                let run = async {
                    let (args, kept) = (decode(args)?, R::keep(&context));
                    handler(args, context).await?.outcome(kept).await
                };
                run.await.unwrap_or_else(ToolResult::from)
            })
        });
        Self { frame, handler, problem: None, unchecked: Vec::new(), adviser: None }
    }
}

/// What the tool declares.
impl Tool {
    /// Its name for a person.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let clock = Tool::new("clock", "The time.", async |_: NoArgs, _| Ok("noon"))
    ///     .label("The time");
    /// ```
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.frame.label = Some(label.into());
        self
    }

    /// Its own deadline, in place of the host's (60 s).
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let clock = Tool::new("clock", "The time.", async |_: NoArgs, _| Ok("noon"))
    ///     .timeout(std::time::Duration::from_secs(5));
    /// ```
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.frame.timeout_ms = Some(u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// How a person is shown a call of it, by a host that shows views: in the texts of the view `{name}` stands for the
    /// argument of that name.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::view;
    ///
    /// let clock = Tool::new("clock", "The time.", async |_: NoArgs, _| Ok("noon"))
    ///     .call_view(&view::lines(["what time is it in {city}?"]));
    /// ```
    pub fn call_view(mut self, template: &View) -> Self {
        self.frame.call_view = RawJson::of(template).ok();
        self
    }

    /// It waits for a person, so no deadline holds.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let clock = Tool::new("clock", "The time.", async |_: NoArgs, _| Ok("noon"))
    ///     .interactive();
    /// ```
    pub fn interactive(mut self) -> Self {
        self.frame.interactive = true;
        self
    }

    /// Calls of it must not overlap; the host holds them in order. By default they run concurrently.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let clock = Tool::new("clock", "The time.", async |_: NoArgs, _| Ok("noon"))
    ///     .sequential();
    /// ```
    pub fn sequential(mut self) -> Self {
        self.frame.execution = Some(Execution::Sequential);
        self
    }

    /// The same arguments give the same result until something mutates, so the host may remember it.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let clock = Tool::new("clock", "The time.", async |_: NoArgs, _| Ok("noon"))
    ///     .pure();
    /// ```
    pub fn pure(mut self) -> Self {
        self.frame.pure = true;
        self
    }

    /// What an agent may do that ended after a call had begun and before it had the result: call again
    /// (`Replay::Safe`, unless said of one that is `pure` or `read_only`), call again with the same
    /// [`Context::operation_key`](crate::Context::operation_key) (`Replay::Idempotent`, unless said of one
    /// that is `idempotent`), ask first what became of it (`Replay::Reconcile`, see
    /// [`Context::reconcile`](crate::Context::reconcile)), or give the call up (`Replay::Never`, unless said
    /// of any other).
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::Replay;
    ///
    /// let pay = Tool::new("pay", "Pays.", async |_: NoArgs, ctx: Context| {
    ///     if ctx.reconcile() {
    ///         return Ok(json!({"state": "not_started"}));
    ///     }
    ///     Ok(json!({"paid_as": ctx.operation_key()}))
    /// })
    /// .replay(Replay::Reconcile);
    /// ```
    pub fn replay(mut self, replay: Replay) -> Self {
        self.frame.replay = Some(replay);
        self
    }

    /// The provider must keep the model to the schema, where it can.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let clock = Tool::new("clock", "The time.", async |_: NoArgs, _| Ok("noon"))
    ///     .strict();
    /// ```
    pub fn strict(mut self) -> Self {
        self.frame.strict = true;
        self
    }

    /// Hint: it changes nothing. A tool without hints is taken for one that may change things.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let clock = Tool::new("clock", "The time.", async |_: NoArgs, _| Ok("noon"))
    ///     .read_only(true);
    /// ```
    pub fn read_only(self, read_only: bool) -> Self {
        self.annotate(|hints| hints.read_only = Some(read_only))
    }

    /// Hint: it may destroy what was there.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let clock = Tool::new("clock", "The time.", async |_: NoArgs, _| Ok("noon"))
    ///     .destructive(false);
    /// ```
    pub fn destructive(self, destructive: bool) -> Self {
        self.annotate(|hints| hints.destructive = Some(destructive))
    }

    /// Hint: a second call with the same arguments changes nothing further.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let clock = Tool::new("clock", "The time.", async |_: NoArgs, _| Ok("noon"))
    ///     .idempotent(true);
    /// ```
    pub fn idempotent(self, idempotent: bool) -> Self {
        self.annotate(|hints| hints.idempotent = Some(idempotent))
    }

    /// Hint: it reaches beyond the project.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let clock = Tool::new("clock", "The time.", async |_: NoArgs, _| Ok("noon"))
    ///     .open_world(false);
    /// ```
    pub fn open_world(self, open_world: bool) -> Self {
        self.annotate(|hints| hints.open_world = Some(open_world))
    }

    /// The host asks its user before each call. [`Tool::approval`] says more.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let deploy = Tool::new("deploy", "Deploys.", async |_: NoArgs, _| Ok("deployed")).gated();
    /// ```
    pub fn gated(mut self) -> Self {
        self.frame.approval.get_or_insert_default().gated = true;
        self
    }

    /// The extension says of each call whether the host asks its user before it. The handler takes the
    /// arguments as any type that serde can read, and returns whether the call needs an approval, or an
    /// [`Advice`], which says more. When it fails, the user is asked about exactly this call.
    ///
    /// What it does not say stands as [`Tool::approval`] declares it. Under a host that does not ask the
    /// extension, the user is asked before each call.
    ///
    /// ```
    /// use extline::Advice;
    /// use extline::prelude::*;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Deploy {
    ///     /// Where to
    ///     place: String,
    /// }
    ///
    /// let deploy = Tool::new("deploy", "Deploys.", async |_: Deploy, _| Ok("deployed"))
    ///     .gated_when(async |args: Deploy, _| Ok(args.place == "prod"));
    /// let deploy = Tool::new("deploy", "Deploys.", async |_: Deploy, _| Ok("deployed"))
    ///     .gated_when(async |args: Deploy, _| {
    ///         Ok(match &*args.place {
    ///             "test" => Advice::allow(),
    ///             place => Advice::prompt(format!("customers use {place}")),
    ///         })
    ///     });
    /// ```
    pub fn gated_when<A, R, F>(mut self, handler: F) -> Self
    where
        A: DeserializeOwned + 'static,
        R: Into<Advice> + 'static,
        F: AsyncFn(A, Context) -> Result<R, ToolError> + 'static,
    {
        let approval = self.frame.approval.get_or_insert_default();
        (approval.gated, approval.dynamic) = (true, true);
        let shared = Rc::new(handler);
        self.adviser = Some(Rc::new(move |args, context| {
            let handler = Rc::clone(&shared);
            Box::pin(async move {
                let run = async {
                    let advice: Advice = handler(args::decode(&args)?, context).await?.into();
                    Ok(RawJson::of(&advice)?)
                };
                run.await.map_err(|error: ToolError| {
                    RpcError::new(error.kind().clone(), error.to_string())
                })
            })
        }));
        self
    }

    /// When the host asks its user before a call.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::{Approval, Tier};
    ///
    /// let deploy = Tool::new("deploy", "Deploys.", async |_: NoArgs, _| Ok("deployed"))
    ///     .approval(Approval { gated: true, tier: Some(Tier::Exec), ..Approval::default() });
    /// ```
    pub fn approval(mut self, approval: Approval) -> Self {
        let is_dynamic = self.adviser.is_some();
        let gated = approval.gated || is_dynamic;
        self.frame.approval = Some(Approval { gated, dynamic: is_dynamic, ..approval });
        self
    }

    /// The type of its structured result, so that models and programs know what to expect.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// #[derive(Serialize, JsonSchema)]
    /// struct Time {
    ///     hour: u8,
    /// }
    ///
    /// let clock = Tool::new("clock", "The time.", async |_: NoArgs, _| Ok(Json(Time { hour: 12 })))
    ///     .output::<Time>();
    /// ```
    pub fn output<T: JsonSchema>(self) -> Self {
        self.output_schema(schema_of::<T>())
    }

    /// The JSON Schema of its structured result.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let clock = Tool::new("clock", "The time.", async |_: NoArgs, _| Ok("noon"))
    ///     .output_schema(json!({ "type": "object" }));
    /// ```
    pub fn output_schema(mut self, schema: impl Into<RawJson>) -> Self {
        self.frame.output_schema = Some(schema.into());
        self
    }

    /// The forms of its value between which the model chooses by an argument `output`; the first holds where it
    /// does not. The handler does not see the argument. One form alone adds none.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::OutputFormat;
    ///
    /// let clock = Tool::new("clock", "The time.", async |_: NoArgs, _| Ok(json!({ "hour": 12 })))
    ///     .outputs([OutputFormat::Labeled, OutputFormat::Json]);
    /// ```
    pub fn outputs(mut self, formats: impl IntoIterator<Item = OutputFormat>) -> Self {
        self.frame.outputs = Some(formats.into_iter().collect());
        self
    }

    /// What it proposes to whoever chooses the tools of a turn. An agent or its user may know better.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::Preference;
    ///
    /// let rare = Tool::new("rare", "Seldom needed.", async |_: NoArgs, _| Ok(()))
    ///     .preference(Preference { weight: Some(0.2), ..Preference::default() });
    /// ```
    pub fn preference(mut self, preference: Preference) -> Self {
        self.frame.preference = Some(preference);
        self
    }

    /// How the host offers it; directly to the model by default.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::Exposure;
    ///
    /// let rare = Tool::new("rare", "Seldom needed.", async |_: NoArgs, _| Ok(()))
    ///     .exposure(Exposure::Deferred);
    /// ```
    pub fn exposure(mut self, exposure: Exposure) -> Self {
        self.frame.exposure = Some(exposure);
        self
    }

    /// The group it belongs to, and what the group is.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let clock = Tool::new("clock", "The time.", async |_: NoArgs, _| Ok("noon"))
    ///     .namespace("time", "Everything about time.");
    /// ```
    pub fn namespace(mut self, name: impl Into<String>, description: impl Into<String>) -> Self {
        self.frame.namespace = Some(name.into());
        self.frame.namespace_description = Some(description.into());
        self
    }

    fn annotate(mut self, annotate: impl FnOnce(&mut Annotations)) -> Self {
        annotate(self.frame.annotations.get_or_insert_default());
        self
    }
}

/// The arguments of a call are an object, so a type that is written as anything else can never be
/// read.
fn why_no_arguments(schema: &RawJson) -> Option<SchemaProblem> {
    let schema: Value = schema.to().unwrap_or_default();
    let written_as = schema.get("type").filter(|written_as| *written_as != "object")?;
    let message =
        format!("is {written_as}, and arguments are an object: take a struct, or `NoArgs`");
    Some(SchemaProblem { pointer: "/type".to_owned(), message, is_too_large: false })
}
