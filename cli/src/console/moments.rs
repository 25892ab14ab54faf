//! What an agent does and the console has no model for: events, questions before something happens,
//! a turn, the session, a new version of an extension. So every handler of an extension can be tried by hand.

use extline_host::protocol::frame::{Event, EventPayload, Object, ToolResult};
use extline_host::protocol::{Members, RawJson, Vocabulary};
use extline_host::services::pending::Resolution;
use extline_host::{
    AgentCall, AgentStart, Blocked, CallError, ExtensionState, Host, PromptDecision, UserPrompt,
};
use serde_json::{Map, Value, json};

use crate::content::{json_of_result, text_of};
use crate::failure::{Failure, nearest};

/// Fields that a question has beside those of an event.
const OF_START: [&str; 1] = ["system_prompt"];

/// What came of it, for a person and for a program.
pub(super) struct Shown {
    pub(super) text: String,
    pub(super) json: Value,
}

/// `:emit EVENT {json}`.
pub(super) fn emit(host: &Host, event: &str, fields: &str) -> Result<Shown, Box<Failure>> {
    if event.is_empty() {
        return Err(usage("an event is missing; as in :emit turn_start {\"step\":1}"));
    }
    let mut known = all_subscribed(host);
    if !known.iter().any(|it| it == event) && !Vocabulary::UPSTREAM.has_event(event) {
        known.extend(Vocabulary::events().map(str::to_owned));
        let meant = meant(event, &known);
        let text = format!("no host sends {event:?}, and nobody subscribed to it{meant}");
        return Err(usage(&text));
    }
    let (payload, _) = read(event, fields, &[])?;
    let told = subscribers(host, event, payload.clone());
    host.emit(event, payload);
    Ok(told_of(event, &told))
}

/// `:resolve ACTION REASON`: what the model would read.
pub(super) async fn resolve(host: &Host, resolution: Resolution, reason: &str) -> Shown {
    let result = host.resolve(resolution, reason).await;
    let json = serde_json::from_str(json_of_result(&result).get()).unwrap_or_default();
    Shown { text: text_of(&result.content), json }
}

/// `:intercept POINT {json}`.
pub(super) async fn intercept(
    host: &Host,
    point: &str,
    fields: &str,
) -> Result<Shown, Box<Failure>> {
    let points: Vec<_> = Vocabulary::points().map(str::to_owned).collect();
    if !points.iter().any(|it| it == point) {
        let meant = meant(point, &points);
        let text = format!("{point:?} is no point{meant}; there are {}", points.join(", "));
        return Err(usage(&text));
    }
    let further = if point == "before_agent_start" { &OF_START[..] } else { &[] };
    let (payload, further) = read(point, fields, further)?;
    match point {
        "turn_start" => {
            let asked = host.intercept_turn_start(payload.step.unwrap_or(1)).await;
            Ok(decided(point, asked.map(|()| (String::new(), json!({})))))
        }
        "assistant_message" => {
            let text = payload.text.unwrap_or_default();
            let asked = host.intercept_assistant_message(&text).await;
            Ok(decided(point, asked.map(|text| (format!(" with {text:?}"), json!({"text": text})))))
        }
        "before_agent_start" => {
            let [system_prompt] =
                OF_START.map(|name| further.get(name).and_then(Value::as_str).map(str::to_owned));
            let mut start = AgentStart::default();
            (start.session_id, start.agent_run_id) = (payload.session_id, payload.agent_run_id);
            (start.cwd, start.provider, start.model) =
                (payload.cwd, payload.provider, payload.model);
            start.system_prompt = system_prompt.unwrap_or_default();
            let prompt = host.intercept_before_agent_start(start).await;
            let text = format!(" with the system prompt {prompt:?}");
            Ok(decided(point, Ok((text, json!({"system_prompt": prompt})))))
        }
        "user_prompt_submit" => {
            let prompt = UserPrompt {
                text: payload.text.unwrap_or_default(),
                session_id: payload.session_id,
                cwd: payload.cwd,
                queued: payload.queued,
                image_count: payload.image_count,
            };
            Ok(match Box::pin(host.intercept_user_prompt_submit(prompt)).await {
                Ok(PromptDecision::Handled { by }) => Shown {
                    text: format!("{point}: handled by {by}"),
                    json: json!({"point": point, "handled": {"by": by}}),
                },
                Ok(PromptDecision::Send(text)) => {
                    decided(point, Ok((format!(" with {text:?}"), json!({"text": text}))))
                }
                Ok(_) => decided(point, Ok((String::new(), json!({})))),
                Err(blocked) => decided(point, Err(blocked)),
            })
        }
        "tool_result" => {
            let tool = payload.tool_name.ok_or_else(|| {
                usage("tool_name is missing; as in :intercept tool_result {\"tool_name\":\"bash\"}")
            })?;
            let args = payload.tool_args.unwrap_or_else(RawJson::empty_object);
            let shown = payload.result.unwrap_or_default();
            let id = payload.tool_id.unwrap_or_else(|| "1".to_owned());
            let result = ToolResult {
                is_error: shown.is_error,
                structured_content: shown.structured_content,
                details: shown.details,
                error: shown.error,
                ..ToolResult::new(id.as_str().into(), shown.content)
            };
            let args = args.get().to_owned();
            let call = AgentCall { id: Some(id), tool, args, ..AgentCall::default() };
            let result = Box::pin(host.intercept_agent_result(call, result)).await;
            let result = json_of_result(&result);
            let value: Value = serde_json::from_str(result.get()).unwrap_or_default();
            let json = json!({"result": value});
            Ok(decided(point, Ok((format!(" with {result}"), json))))
        }
        _ => {
            let tool = payload.tool_name.ok_or_else(|| {
                usage("tool_name is missing; as in :intercept tool_call {\"tool_name\":\"bash\"}")
            })?;
            let args = payload.tool_args.unwrap_or_else(RawJson::empty_object);
            match host.intercept_tool_call(&tool, args.get()).await {
                Ok(args) => {
                    let json = json!({"tool_args": args.to::<Value>().unwrap_or_default()});
                    Ok(decided(point, Ok((format!(" with {args}"), json))))
                }
                Err(CallError::Blocked { by, reason }) => Ok(blocked(point, &by, &reason)),
                Err(error) => Err(Box::new(Failure::of_call(&error, host))),
            }
        }
    }
}

/// `:turn TEXT`: a call of the model that answers with the text and calls no tool, with the events
/// and questions around it, in the order of a zot.
pub(super) async fn turn(host: &Host, step: u64, text: &str) -> Shown {
    let number = || EventPayload { step: Some(step), ..EventPayload::default() };
    let end = |why: &str, error: Option<String>| {
        let end = EventPayload { stop: Some(why.to_owned()), error, ..EventPayload::default() };
        host.emit("turn_end", end);
    };
    host.emit("turn_start", number());
    if let Err(Blocked { by, reason, .. }) = host.intercept_turn_start(step).await {
        end("error", Some(reason.clone()));
        return blocked("turn_start", &by, &reason);
    }
    let said = match text {
        "" => None,
        text => match host.intercept_assistant_message(text).await {
            Ok(text) => Some(text),
            Err(Blocked { by, reason, .. }) => {
                end("end", None);
                return blocked("assistant_message", &by, &reason);
            }
        },
    };
    let message = EventPayload { text: said.clone(), ..EventPayload::default() };
    host.emit("assistant_message", message);
    end("end", None);
    let text = said.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
    Shown { text: format!("turn {step}{text}"), json: json!({"turn": step, "text": said}) }
}

/// `:session`, `:session start`, `:session end REASON`.
pub(super) fn session(host: &Host, id: &str, args: &str) -> Result<Shown, Box<Failure>> {
    let (word, reason) = args.split_once(' ').unwrap_or((args, "exit"));
    match word {
        "" => Ok(Shown {
            text: format!(
                "the session {id} is open; :session end and :session start tell it again"
            ),
            json: json!({"session": {"id": id}}),
        }),
        "start" => {
            let told = subscribers(host, "session_start", EventPayload::default());
            host.start_session();
            Ok(told_of("session_start", &told))
        }
        "end" => {
            let told = subscribers(host, "session_end", EventPayload::default());
            host.end_session(reason.trim());
            Ok(told_of("session_end", &told))
        }
        word => Err(usage(&format!("{word:?} is neither start nor end"))),
    }
}

/// `:reload NAME`; without a name the only extension that there is.
pub(super) async fn reload(host: &Host, name: &str) -> Result<Shown, Box<Failure>> {
    let names: Vec<_> = host.extensions().into_iter().map(|status| status.name).collect();
    let name = match (name, names.as_slice()) {
        ("", [only]) => only.clone(),
        ("", _) => return Err(usage(&format!("say which one: :reload {}", names.join(" or ")))),
        (name, _) => name.to_owned(),
    };
    match host.reload(&name).await {
        Ok(difference) => Ok(Shown {
            text: format!("{name} reloaded: {difference}"),
            json: json!({ "reloaded": name, "difference": difference }),
        }),
        Err(error) => {
            if let Some(diagnosis) = error.diagnosis() {
                return Err(Box::new(Failure::of_start(diagnosis)));
            }
            let meant = nearest(&name, names.iter().map(String::as_str));
            let meant = meant.map(|it| format!(", did you mean {it}?")).unwrap_or_default();
            Err(usage(&format!("{error}{meant}")))
        }
    }
}

/// The schema of the fields that may stand behind `:emit` and `:intercept`, for completion.
pub(super) fn schema() -> String {
    let mut properties = known_fields();
    properties.extend(OF_START.map(|name| (name.to_owned(), json!({"type": "string"}))));
    json!({"type": "object", "properties": properties}).to_string()
}

fn known_fields() -> Map<String, Value> {
    let mut properties = Map::new();
    EventPayload::describe(&mut properties, &mut Vec::new());
    properties
}

/// The fields, and those of them that only a question has.
fn read(
    what: &str,
    fields: &str,
    further: &[&str],
) -> Result<(EventPayload, Map<String, Value>), Box<Failure>> {
    let fields = if fields.is_empty() { "{}" } else { fields };
    // Its words say at which column what is wrong.
    let value: Value = serde_json::from_str(fields)
        .map_err(|error| usage(&format!("the fields of {what} are no JSON: {error}")))?;
    let (Value::Object(object), Some(members)) = (value, Members::of(fields)) else {
        return Err(usage(&format!("the fields of {what} are no object: {fields}")));
    };
    let mut known: Vec<_> = known_fields().into_iter().map(|(name, _)| name).collect();
    known.extend(further.iter().map(|name| (*name).to_owned()));
    if let Some(name) = object.keys().find(|name| !known.contains(name)) {
        let meant = meant(name, &known);
        return Err(usage(&format!("{what} has no field {name:?}{meant}")));
    }
    if let Some(name) = further.iter().find(|it| object.get(**it).is_some_and(|it| !it.is_string()))
    {
        return Err(usage(&format!("the fields of {what}: /{name}: expected a string")));
    }
    let payload = EventPayload::read_members(&members)
        .map_err(|error| usage(&format!("the fields of {what}: {error}")))?;
    Ok((payload, object))
}

/// The extensions that are told of an event, in load order.
fn subscribers(host: &Host, event: &str, payload: EventPayload) -> Vec<String> {
    let event = Event { event: event.to_owned(), payload };
    let ready = host.extensions().into_iter().filter(|it| it.state == ExtensionState::Ready);
    ready.filter(|it| it.subscribed.wants(&event)).map(|it| it.name).collect()
}

fn all_subscribed(host: &Host) -> Vec<String> {
    host.extensions().into_iter().flat_map(|it| it.subscribed.events.unwrap_or_default()).collect()
}

fn told_of(event: &str, told: &[String]) -> Shown {
    let who = if told.is_empty() { "nobody subscribed".to_owned() } else { told.join(", ") };
    let text = format!("{event}: {}{who}", if told.is_empty() { "" } else { "told " });
    Shown { text, json: json!({"event": event, "told": told}) }
}

fn decided(point: &str, outcome: Result<(String, Value), Blocked>) -> Shown {
    match outcome {
        Ok((text, mut json)) => {
            json["point"] = point.into();
            Shown { text: format!("{point}: goes on{text}"), json }
        }
        Err(Blocked { by, reason, .. }) => blocked(point, &by, &reason),
    }
}

fn blocked(point: &str, by: &str, reason: &str) -> Shown {
    let json = json!({"point": point, "blocked": {"by": by, "reason": reason}});
    Shown { text: format!("{point}: blocked by {by}: {reason}"), json }
}

fn meant(name: &str, known: &[String]) -> String {
    nearest(name, known).map(|it| format!("; did you mean {it}?")).unwrap_or_default()
}

fn usage(message: &str) -> Box<Failure> {
    Box::new(Failure::of_usage(message))
}
