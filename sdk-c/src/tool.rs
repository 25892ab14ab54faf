//! Tools.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::sync::Arc;

use extline_protocol::Requirement;
use extline_protocol::frame::{
    Annotations, Approval, Execution, Exposure, OutputFormat, Preference, RegisterTool, Replay,
    Tier,
};
use extline_protocol::{ArgsValidator, Field, RawJson, RegisterError, RegistrationError};

use crate::callback::{CallCallback, Callback, DropCallback};
use crate::code::{
    EXTLINE_ARGUMENT, EXTLINE_DUPLICATE, EXTLINE_JSON, EXTLINE_NOT_FOUND, EXTLINE_NULL_POINTER,
    EXTLINE_UNSUPPORTED, ResultCode,
};
use crate::extension::{Extension, extension};
use crate::failure::{Failure, enter};
use crate::ffi::{Options, maybe_text, options, text};
use extline_driver::validator_of;
use extline_stdio::{Pace, report};

/// What a tool is. Begin it with `EXTLINE_TOOL_OPTIONS_INIT`; what is not set is left out. The texts
/// are copied.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ToolOptions {
    /// `sizeof(extline_tool_options)`, which the INIT macro sets.
    pub struct_size: usize,
    /// 1 to 64 letters, digits, `_` and `-` (`reg.names`).
    pub name: *const c_char,
    /// What it does, for the model.
    pub description: *const c_char,
    /// The JSON Schema of its arguments, an object; NULL is `{"type":"object"}`. Arguments that do not
    /// match it are answered with a `validation` error before `run` is called; what only the host can
    /// check is named on stderr.
    pub schema: *const c_char,
    /// Handles a call.
    pub run: CallCallback,
    /// Given to `run` and `drop`.
    pub user: *mut c_void,
    /// Gives `user` back; NULL when there is nothing to do.
    pub drop: DropCallback,
    /// Its name for a person.
    pub label: *const c_char,
    /// The JSON Schema of its structured result.
    pub output_schema: *const c_char,
    /// Its own deadline in milliseconds; 0 is the host's, 60 s.
    pub timeout_ms: u64,
    /// It waits for a person, so no deadline holds.
    pub interactive: bool,
    /// Its calls must not overlap; the host holds them in order.
    pub sequential: bool,
    /// The same arguments give the same result until something mutates.
    pub pure: bool,
    /// The provider must keep the model to the schema.
    pub strict: bool,
    /// The extension is of no use where the host does not take it (`report.required`).
    pub required: bool,
    /// The host asks its user before a call (`tool.approval`).
    pub gated: bool,
    /// It changes nothing: 1 yes, -1 no, 0 unsaid.
    pub read_only: i8,
    /// It may destroy what was there: 1 yes, -1 no, 0 unsaid.
    pub destructive: i8,
    /// A second call changes nothing further: 1 yes, -1 no, 0 unsaid.
    pub idempotent: i8,
    /// It reaches beyond the project: 1 yes, -1 no, 0 unsaid.
    pub open_world: i8,
    /// How it is offered: `direct`, `codemode`, `deferred` or `model-only`.
    pub exposure: *const c_char,
    /// The group it belongs to.
    pub tool_namespace: *const c_char,
    /// What the group is.
    pub namespace_description: *const c_char,
    /// How much it can do: `read`, `write` or `exec`.
    pub approval_tier: *const c_char,
    /// Template over the arguments that says which calls one approval covers.
    pub approval_key: *const c_char,
    /// Why the user is asked, for a person.
    pub approval_reason: *const c_char,
    /// Says of each call whether the host asks its user before it: gets the arguments as `run` does, and
    /// answers by `extline_call_advise`, or by `extline_call_json` with a result of `tool.approval`. When it
    /// answers with an error, the user is asked about exactly this call. NULL leaves it to `gated`. Given
    /// `user` too. Before the start, or later where a tool before the start has one.
    pub gated_by: CallCallback,
    /// What an agent may do that ended after a call had begun and before it had the result: call again
    /// (`safe`, unless said of one that is `pure` or `read_only`), call again with the same
    /// `extline_call_operation_key` (`idempotent`, unless said of one that is `idempotent`), ask first
    /// what became of it (`reconcile`, see `extline_call_reconcile`), or give the call up (`never`, unless
    /// said of any other).
    pub replay: *const c_char,
    /// How a person is shown a call: a view as JSON (docs/views.md), in whose texts `{name}` stands for the
    /// argument of that name (`view.call`).
    pub call_view: *const c_char,
    /// The forms of the JSON that it answers with, between which the model chooses by an argument `output`, which
    /// `run` does not get: `labeled, json`, with commas or spaces between them. The first holds where the model does
    /// not choose. One form alone adds no argument.
    pub outputs: *const c_char,
    /// What it proposes to whoever chooses the tools of a turn (`tool.preference`), a JSON object:
    /// `{"enabled":false,"weight":0.8,"parameters":{"limit":10},"reason":"few ask for it"}`, of which each member may
    /// be left out.
    pub preference: *const c_char,
}

// SAFETY: NULL pointers, no functions, `false` and numbers are all zero bytes.
unsafe impl Options for ToolOptions {}

/// A tool as its calls find it.
pub(crate) struct Tool {
    /// `tool NAME`.
    pub(crate) label: Arc<str>,
    pub(crate) validator: ArgsValidator,
    pub(crate) handler: Callback<CallFunction>,
    /// Says of a call whether it is to be approved. Its `user` is that of `handler`.
    pub(crate) adviser: Option<Callback<CallFunction>>,
    /// Whether other answers may wait for its handler.
    pub(crate) pace: Pace,
}

/// A `CallCallback` that is there.
pub(crate) type CallFunction =
    unsafe extern "C" fn(*mut c_void, *mut crate::call::Call, crate::ffi::Str);

/// By name.
pub(crate) type Tools = BTreeMap<String, Arc<Tool>>;

/// Offers a tool to the model. Before the start, in setup, or at any time where the host re-reads its
/// list (capability `tool_registry`, else `EXTLINE_UNSUPPORTED`). `EXTLINE_CLOSED` when the session is
/// over.
///
/// `EXTLINE_NULL_POINTER` without a name or `run`, `EXTLINE_ARGUMENT` for a name or word that is not
/// allowed, `EXTLINE_JSON` for a schema that is none, `EXTLINE_DUPLICATE` for a second one of that
/// name. `user` is the library's when this succeeds, and stays the caller's when it fails. From any
/// thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_tool(ext: *mut Extension, tool: *const ToolOptions) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        // SAFETY: options of the caller's.
        ext.noting(|| add(&ext, &unsafe { options(tool, "tool") }?))
    })
}

fn add(ext: &Extension, given: &ToolOptions) -> Result<(), Failure> {
    let run = given.run.ok_or_else(|| null("run"))?;
    // SAFETY: the texts of the options.
    let frame = unsafe { frame_of(given) }?;
    let (validator, unchecked) =
        validator_of(&frame).map_err(|text| Failure::new(EXTLINE_JSON, text))?;
    let name = frame.name.clone();
    let mut state = ext.lock();
    state.must_not_be_over(&name)?;
    state.registry().tool(&frame).map_err(refused)?;
    let handler = Callback::new(run, given.user, given.drop);
    let label = format!("tool {name}").into();
    let adviser = given.gated_by.map(|run| Callback::new(run, given.user, None));
    let tool = Tool { label, validator, handler, adviser, pace: Pace::new() };
    state.tools.insert(name.clone(), Arc::new(tool));
    if given.required {
        state
            .registry()
            .require(Requirement::Registration { kind: "tool".to_owned(), name: name.clone() });
    }
    drop(state);
    for keyword in unchecked {
        report(&format!("the schema of the tool {name}: {keyword}"));
    }
    // Registered while it runs, it is told at once.
    ext.flush();
    Ok(())
}

/// Takes a tool back. Calls of it that run go on, and `drop` is called when the last has ended.
/// `EXTLINE_NOT_FOUND` for a name that is not offered, `EXTLINE_UNSUPPORTED` where the host reads the tools only at the
/// start. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_unregister_tool(
    ext: *mut Extension,
    name: *const c_char,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (ext, name) = unsafe { (extension(ext)?, text(name, "name")?) };
        let mut state = ext.lock();
        state.registry().remove_tool(name).map_err(refused)?;
        // Given back when nothing is locked any more.
        let tool = state.tools.remove(name);
        drop(state);
        let is_known = tool.is_some();
        drop(tool);
        ext.flush();
        let unknown =
            || Failure::new(EXTLINE_NOT_FOUND, format!("there is no tool named {name:?}"));
        if is_known { Ok(()) } else { Err(unknown()) }
    })
}

pub(crate) fn refused(error: RegisterError) -> Failure {
    match error {
        RegisterError::Registration(error) => mistake(error),
        error => Failure::new(EXTLINE_UNSUPPORTED, error.to_string()),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub(crate) fn mistake(error: RegistrationError) -> Failure {
    let code = match error {
        RegistrationError::Duplicate { .. } => EXTLINE_DUPLICATE,
        RegistrationError::Schema { .. } => EXTLINE_JSON,
        _ => EXTLINE_ARGUMENT,
    };
    Failure::new(code, error.to_string())
}

fn null(what: &str) -> Failure {
    Failure::new(EXTLINE_NULL_POINTER, format!("tool->{what} is NULL"))
}

unsafe fn frame_of(given: &ToolOptions) -> Result<RegisterTool, Failure> {
    let owned = |pointer, what: &str| {
        // SAFETY: texts of the caller's.
        unsafe { maybe_text(pointer, what) }.map(|text| text.map(str::to_owned))
    };
    // SAFETY: as above.
    let name = unsafe { text(given.name, "tool->name") }?;
    let json = |pointer, what: &str| {
        // SAFETY: as above.
        unsafe { maybe_text(pointer, what) }?.map(|text| json_of(text, what)).transpose()
    };
    let schema = json(given.schema, "tool->schema")?;
    let any = || RawJson::parse(r#"{"type":"object"}"#).unwrap_or_default();
    let tier = word(owned(given.approval_tier, "tool->approval_tier")?, Tier::KNOWN)?;
    let approval = Approval {
        // A host that does not ask the extension asks a user each time.
        gated: given.gated || given.gated_by.is_some(),
        dynamic: given.gated_by.is_some(),
        tier: tier.as_deref().map(Tier::from),
        key: owned(given.approval_key, "tool->approval_key")?,
        reason: owned(given.approval_reason, "tool->approval_reason")?,
    };
    let annotations = Annotations {
        read_only: hint(given.read_only, "read_only")?,
        destructive: hint(given.destructive, "destructive")?,
        idempotent: hint(given.idempotent, "idempotent")?,
        open_world: hint(given.open_world, "open_world")?,
    };
    let preference = json(given.preference, "tool->preference")?;
    let replay = word(owned(given.replay, "tool->replay")?, Replay::KNOWN)?;
    let exposure = word(owned(given.exposure, "tool->exposure")?, Exposure::KNOWN)?;
    Ok(RegisterTool {
        name: name.to_owned(),
        description: owned(given.description, "tool->description")?,
        schema: schema.unwrap_or_else(any),
        output_schema: json(given.output_schema, "tool->output_schema")?,
        namespace: owned(given.tool_namespace, "tool->tool_namespace")?,
        namespace_description: owned(given.namespace_description, "tool->namespace_description")?,
        exposure: exposure.as_deref().map(Exposure::from),
        interactive: given.interactive,
        label: owned(given.label, "tool->label")?,
        strict: given.strict,
        timeout_ms: (given.timeout_ms > 0).then_some(given.timeout_ms),
        annotations: (annotations != Annotations::default()).then_some(annotations),
        execution: given.sequential.then_some(Execution::Sequential),
        pure: given.pure,
        replay: replay.as_deref().map(Replay::from),
        approval: (approval != Approval::default()).then_some(approval),
        call_view: json(given.call_view, "tool->call_view")?,
        outputs: owned(given.outputs, "tool->outputs")?.as_deref().map(formats_of),
        preference: preference.as_ref().map(preference_of).transpose()?,
        ..RegisterTool::default()
    })
}

/// The words of a list. Which there are, the registration says.
fn formats_of(text: &str) -> Vec<OutputFormat> {
    let words = text.split([',', ' ']).filter(|word| !word.is_empty());
    words.map(OutputFormat::from).collect()
}

fn preference_of(json: &RawJson) -> Result<Preference, Failure> {
    Preference::read(json.get())
        .map_err(|error| Failure::new(EXTLINE_JSON, format!("tool->preference: {error}")))
}

fn hint(said: i8, what: &str) -> Result<Option<bool>, Failure> {
    match said {
        0 => Ok(None),
        1 | -1 => Ok(Some(said > 0)),
        other => {
            let text = format!("tool->{what} is {other}; it is 1 for yes, -1 for no, or 0");
            Err(Failure::new(EXTLINE_ARGUMENT, text))
        }
    }
}

/// A word of a list that this version knows.
pub(crate) fn word(text: Option<String>, known: &[&str]) -> Result<Option<String>, Failure> {
    match text {
        Some(text) if !known.contains(&text.as_str()) => {
            let text = format!("{text:?} is not allowed here; use one of {}", known.join(", "));
            Err(Failure::new(EXTLINE_ARGUMENT, text))
        }
        text => Ok(text),
    }
}

/// A JSON value of the caller's.
pub(crate) fn json_of(text: &str, what: &str) -> Result<RawJson, Failure> {
    let failed = |error| Failure::new(EXTLINE_JSON, format!("{what}: {error}"));
    RawJson::parse(text).map_err(failed)
}
