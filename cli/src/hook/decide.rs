//! From an event of an agent to what extensions say to it.

use std::mem;
use std::sync::Arc;

use extline_host::protocol::RawJson;
use extline_host::protocol::frame::{Content, EventPayload, EventResult};
use extline_host::{
    AgentCall, AgentCallDecision, Diagnosis, ExtensionState as State, Host, PromptDecision,
    UserPrompt,
};
use serde_json::{Map, Value};

use super::answer::{Answer, Verdict};
use super::arguments::{to_ours, to_theirs};
use super::dialects::{Dialect, Format, Kind, PromptFormat};
use super::event::{HookEvent, NotRead};
use super::question::ExtensionState;

pub(super) struct Decider {
    host: Arc<Host>,
    /// Those that did not start. What they would have guarded is not known.
    failed: Vec<Diagnosis>,
    /// Those of them that are let go by the command line.
    unguarded: Vec<String>,
}

impl Decider {
    pub(super) fn new(host: Arc<Host>, failed: Vec<Diagnosis>, unguarded: Vec<String>) -> Self {
        Self { host, failed, unguarded }
    }

    /// Whether one did not start, or has died for good.
    pub(super) fn has_failed(&self) -> bool {
        let statuses = self.host.extensions();
        statuses.iter().any(|status| matches!(status.state, State::Failed(_)))
    }

    pub(super) fn extensions(&self) -> Vec<ExtensionState> {
        let statuses = self.host.extensions().into_iter();
        let described = statuses.map(|status| ExtensionState {
            state: match status.state {
                State::Failed(diagnosis) => diagnosis.summary().clone(),
                state => format!("{state:?}").to_lowercase(),
            },
            name: status.name,
        });
        described.collect()
    }

    /// Asks the extensions, or tells them.
    pub(super) async fn decide(
        &self,
        dialect: &'static Dialect,
        named: Option<&str>,
        bytes: &[u8],
    ) -> Answer {
        let event = match HookEvent::read(dialect, named, bytes) {
            Ok(event) => event,
            Err(NotRead::Wrong(why) | NotRead::Unknown(why)) => return Answer::blocked(&why),
        };
        let dialect = event.dialect();
        let verdict = match (event.kind, dialect.prompts) {
            (Kind::Call, _) => self.call(&event).await.unwrap_or_else(Verdict::Block),
            (Kind::Prompt, Some(format)) => self.prompt(&event, format).await,
            _ => {
                self.tell(&event);
                Verdict::Pass
            }
        };
        Answer::of(dialect, &event.name, verdict)
    }

    async fn call(&self, event: &HookEvent) -> Result<Verdict, String> {
        let (theirs, before) = event.call()?;
        let tool = event.dialect().tool(theirs);
        let name = tool.map_or(theirs, |tool| tool.ours);
        let ours = to_ours(tool, &before);
        let text = Value::Object(ours.clone()).to_string();
        let is_unguarded = |it: &&Diagnosis| !self.unguarded.contains(&it.extension);
        if let Some(failed) = self.failed.iter().find(is_unguarded) {
            let name = &failed.extension;
            return Err(format!(
                "{name} did not start, and may have a guard; with --unguarded {name} calls pass without \
                 it: {}",
                failed.summary()
            ));
        }
        let fields = &event.dialect().fields;
        let call = AgentCall {
            id: event.text(fields.id),
            tool: name.to_owned(),
            args: text,
            session_id: event.text(fields.session),
            cwd: event.text(fields.cwd),
        };
        let decided = self.host.intercept_agent_call(call).await;
        let AgentCallDecision { args, ask, .. } = decided.map_err(|error| error.to_string())?;
        let after: Map<String, Value> = args.to().map_err(|error| {
            format!("what an extension made of the arguments cannot be read: {error}")
        })?;
        let rewritten = (after != ours).then(|| to_theirs(tool, &after, &before)).transpose();
        let rewritten = rewritten
            .map_err(|why| format!("an extension rewrote {theirs} as it cannot run: {why}"))?;
        if event.dialect().answer == Format::VsCode
            && rewritten.as_ref().is_some_and(|args| !has_same_shape(args, &before))
        {
            return Err(format!(
                "an extension rewrote {theirs} with other arguments than it had, or of another kind; VS Code \
                 may not take them, and would run the call as it was"
            ));
        }
        Ok(match (ask, rewritten) {
            (Some(reason), rewritten) => Verdict::Ask(reason, rewritten),
            (None, Some(args)) => Verdict::Rewrite(args),
            (None, None) => Verdict::Pass,
        })
    }

    /// Asks about what the user wrote; one that the agent takes is told of.
    async fn prompt(&self, event: &HookEvent, format: PromptFormat) -> Verdict {
        let Some(text) = prompt_of(event) else { return Verdict::Pass };
        let EventPayload { session_id, cwd, .. } = payload_of(event);
        let prompt = UserPrompt { text: text.clone(), session_id, cwd, ..UserPrompt::default() };
        let why = match self.host.intercept_user_prompt_submit(prompt).await {
            Ok(PromptDecision::Send(same)) if same == text => {
                self.tell(event);
                return Verdict::Pass;
            }
            Ok(PromptDecision::Send(other)) => {
                let agent = event.dialect().name;
                format!(
                    "an extension made another prompt of it, which {agent} cannot take by itself; send \
                     this one: {other}"
                )
            }
            Ok(PromptDecision::Handled { by }) => format!("{by} has dealt with it"),
            Ok(other) => format!("what was decided is not known: {other:?}"),
            Err(blocked) => format!("blocked by {}: {}", blocked.by, blocked.reason),
        };
        Verdict::Refuse(format, why)
    }

    fn tell(&self, event: &HookEvent) {
        let mut payload = payload_of(event);
        let name = match event.kind {
            Kind::Call => return,
            Kind::Result | Kind::FailedResult => {
                let Ok((theirs, before)) = event.call() else { return };
                let tool = event.dialect().tool(theirs);
                let text = Value::Object(to_ours(tool, &before)).to_string();
                let name = tool.map_or(theirs, |tool| tool.ours);
                payload = result_payload(event, call_payload(event, name, &text));
                "tool_result"
            }
            Kind::Prompt => {
                let Some(text) = prompt_of(event) else { return };
                payload.text = Some(text);
                "user_prompt_submit"
            }
            Kind::SessionStart => "session_start",
            Kind::SessionEnd => {
                payload.reason = event.text("reason");
                "session_end"
            }
            Kind::Named(name) => name,
        };
        self.host.emit(name, payload);
    }
}

/// Whether arguments are those of before, each of its kind: such fit the schema of a tool as those did.
fn has_same_shape(args: &Map<String, Value>, before: &Map<String, Value>) -> bool {
    let is_alike = |(name, value): (&String, &Value)| {
        before.get(name).is_some_and(|it| mem::discriminant(it) == mem::discriminant(value))
    };
    args.len() == before.len() && args.iter().all(is_alike)
}

/// What the user wrote. Some agents have such an event for each turn, and no text but in the first.
fn prompt_of(event: &HookEvent) -> Option<String> {
    event.text(event.dialect().fields.prompt).filter(|text| !text.is_empty())
}

/// Which conversation, and where.
fn payload_of(event: &HookEvent) -> EventPayload {
    let fields = &event.dialect().fields;
    EventPayload {
        session_id: event.text(fields.session),
        cwd: event.text(fields.cwd),
        ..EventPayload::default()
    }
}

fn call_payload(event: &HookEvent, tool: &str, args: &str) -> EventPayload {
    EventPayload {
        tool_id: event.text(event.dialect().fields.id),
        tool_name: Some(tool.to_owned()),
        tool_args: RawJson::parse(args).ok(),
        ..payload_of(event)
    }
}

fn result_payload(event: &HookEvent, call: EventPayload) -> EventPayload {
    let result = event.member(event.dialect().fields.result);
    let says = |name, value| result.and_then(|it| it.get(name)) == Some(&Value::Bool(value));
    let has_error = result.and_then(|it| it.get("error")).is_some_and(|error| !error.is_null());
    // As Copilot CLI has it.
    let kind = result.and_then(|it| it.get("resultType")).and_then(Value::as_str);
    let ends_otherwise = kind.is_some_and(|kind| kind != "success");
    let failed = event.kind == Kind::FailedResult
        || says("is_error", true)
        || says("isError", true)
        || says("success", false)
        || ends_otherwise
        || has_error;
    let text = match result {
        None => event.text("error").unwrap_or_default(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    EventPayload {
        status: Some(if failed { "failed" } else { "completed" }.to_owned()),
        executed: Some(true),
        result: Some(EventResult::of(vec![Content::text(text)], failed)),
        ..call
    }
}
