//! What the extension is asked before it happens, and what it makes of it.

use std::collections::VecDeque;
use std::time::Instant;

use extline_protocol::frame::{EventInterceptResponse, EventPayload, Object, Phase};
use extline_protocol::{Intercept, Members, RawJson, Vocabulary, read_string};
use serde::Serialize;

use crate::failure::Failure;
use crate::frames::{json, members};
use crate::host::{Host, Mistake};

/// What the extension made of it; nothing of it when it goes on as it was.
#[derive(Debug, Default, Serialize)]
struct Ruling {
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rewritten: Option<RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_prompt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    handled: Option<bool>,
}

/// Something that is about to happen.
#[derive(Debug)]
pub(crate) struct Moment {
    intercept: Intercept,
    /// What is still to ask.
    phases: VecDeque<Option<Phase>>,
    ruling: Ruling,
}

impl Moment {
    pub(crate) fn point(&self) -> &str {
        &self.intercept.event
    }

    /// Takes in an answer; whether no other is needed.
    pub(crate) fn take(&mut self, answer: EventInterceptResponse) {
        let ruling = &mut self.ruling;
        if answer.ask {
            ruling.asked = Some(answer.reason.unwrap_or_default());
        } else if answer.block {
            ruling.blocked = Some(answer.reason.unwrap_or_default());
            self.phases.clear();
        }
        if let Some(args) = &answer.modified_args {
            self.intercept.payload.tool_args = Some(args.clone());
        }
        ruling.rewritten = answer.modified_args.or(ruling.rewritten.take());
        ruling.replaced = answer.replace_text.or(ruling.replaced.take());
        ruling.system_prompt = answer.system_prompt.or(ruling.system_prompt.take());
        ruling.result = answer.replace_result.map(|result| RawJson::of_part(&result.object_text()));
        ruling.handled = answer.handled.then_some(true);
    }

    /// The ruling as JSON: what stands is `blocked`, `asked`, `rewritten`, `replaced`,
    /// `system_prompt`, `result` with the members that replace those of a tool's, `handled`.
    pub(crate) fn ruling(&self) -> String {
        json(&self.ruling)
    }
}

impl Host {
    /// The moment, of the members of a payload. `tool` and `args` stand for `tool_name` and
    /// `tool_args` there.
    pub(crate) fn moment(&mut self, point: &str, payload: &str) -> Result<Moment, Failure> {
        let subscribe = &self.offered.subscribe;
        let names = |points: &Option<Vec<String>>| points.iter().flatten().any(|one| one == point);
        let (intercepts, guards) = (names(&subscribe.intercept), names(&subscribe.guards));
        if !intercepts && !guards && !Vocabulary::points().any(|one| one == point) {
            let points: Vec<_> = Vocabulary::points().collect();
            let points = points.join(", ");
            return Err(Failure::misuse(format!("there is no point {point}: there are {points}")));
        }
        let mut intercept = read(point, payload).map_err(|mistake| {
            Failure::misuse(format!("the extension was not asked at {point}: {mistake}"))
        })?;
        if point == "tool_call" && intercept.payload.tool_id.is_none() {
            self.proposals += 1;
            intercept.payload.tool_id = Some(format!("proposal-{}", self.proposals));
        }
        if point == "before_agent_start" {
            let (provider, model) = self.model.clone();
            let payload = &mut intercept.payload;
            (payload.provider, payload.model) = (Some(provider), Some(model));
        }
        let vocabulary = self.profile.vocabulary;
        let phases = if !vocabulary.has_point(point) {
            VecDeque::new()
        } else if vocabulary.is_extline() {
            [(intercepts, Phase::Intercept), (guards, Phase::Guard)]
                .into_iter()
                .filter_map(|(is_asked, phase)| is_asked.then_some(Some(phase)))
                .collect()
        } else {
            // A zot asks once.
            intercepts.then_some(None).into_iter().collect()
        };
        Ok(Moment { intercept, phases, ruling: Ruling::default() })
    }

    /// Asks the next of those that are to be asked; the serial of the call.
    pub(crate) fn ask_next(&mut self, moment: &mut Moment) -> Result<Option<u64>, Failure> {
        let Some(phase) = moment.phases.pop_front() else { return Ok(None) };
        moment.intercept.phase = phase;
        let point = moment.point();
        let sent = self.session.intercept(moment.intercept.clone(), Instant::now());
        let key = self.sent(&format!("the extension was not asked at {point}"), sent)?;
        Ok(Some(self.calls.add(key, point, None)))
    }
}

fn read(point: &str, payload: &str) -> Result<Intercept, Mistake> {
    let members = members(payload)?;
    let string = |name| members.last(name).and_then(|one| read_string(one.value)).map(Into::into);
    Ok(Intercept {
        event: point.to_owned(),
        phase: None,
        payload: event_payload(&members)?,
        system_prompt: string("system_prompt"),
    })
}

/// What an event or an intercept carries, with the names of the wire or those that a handler reads.
pub(crate) fn event_payload(members: &Members<'_>) -> Result<EventPayload, Mistake> {
    let mut payload = EventPayload::read_members(members).map_err(Mistake::of)?;
    if let Some(tool) = members.last("tool").and_then(|tool| read_string(tool.value)) {
        payload.tool_name.get_or_insert_with(|| tool.into());
    }
    if let Some(args) = members.last("args") {
        payload.tool_args.get_or_insert_with(|| RawJson::of_part(args.value));
    }
    Ok(payload)
}
