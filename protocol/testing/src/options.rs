//! How a testing host is made, and what the extension is told of it.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use extline_protocol::frame::{HelloAck, HostInfo, Limits, Object};
use extline_protocol::limits::{COMMAND_DEADLINE, FRAME_BYTES, INTERCEPT_DEADLINE, TOOL_DEADLINE};
use extline_protocol::{Capabilities, Profile};
use extline_services::kept::{self, GivenState};
use extline_services::pending::PushMethod;
use extline_services::{GivenAnswers, GivenSecrets, METHODS, Method as _, SECRET_METHODS};
use serde_json::Value;

use crate::demands::{DEADLINE, NEVER, START_DEADLINE};
use crate::frames::members;
use crate::host::Mistake;

/// What a language counts time in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Unit {
    #[default]
    Seconds,
    Milliseconds,
}

impl Unit {
    fn amount(self, time: Duration) -> f64 {
        match self {
            Self::Seconds => time.as_secs_f64(),
            Self::Milliseconds => time.as_secs_f64() * 1000.0,
        }
    }

    /// At most a day.
    pub(crate) fn duration(self, amount: f64) -> Duration {
        let seconds = match self {
            Self::Seconds => amount,
            Self::Milliseconds => amount / 1000.0,
        };
        Duration::try_from_secs_f64(seconds.max(0.0)).map_or(NEVER, |time| time.min(NEVER))
    }

    pub(crate) fn shown(self, amount: f64) -> String {
        match self {
            Self::Seconds => format!("{amount} s"),
            Self::Milliseconds => format!("{amount} ms"),
        }
    }
}

/// As [`Host::new`](crate::Host::new) reads them.
pub(crate) struct Options {
    pub(crate) ack: HelloAck,
    pub(crate) profile: Profile,
    pub(crate) unit: Unit,
    pub(crate) deadline: f64,
    /// How long a step of the start may take at least.
    pub(crate) least: f64,
    pub(crate) start_deadline: f64,
    pub(crate) wait_longer: String,
    pub(crate) unwanted: Vec<(String, String)>,
    pub(crate) tools: HashMap<String, bool>,
    /// Methods that functions of the test's answer.
    pub(crate) functions: HashSet<String>,
    /// What a person would say, where there is one.
    pub(crate) answers: Option<GivenAnswers>,
    /// Secrets and variables, where the host has any.
    pub(crate) secrets: Option<GivenSecrets>,
    /// What the extension has kept before, where the host keeps anything.
    pub(crate) state: Option<GivenState>,
}

impl Options {
    pub(crate) fn read(text: &str) -> Result<Self, Mistake> {
        let options: Value = serde_json::from_str(text).map_err(Mistake::of)?;
        let string = |name: &str| options[name].as_str().unwrap_or_default().to_owned();
        let unit = match options["unit"].as_str() {
            Some("ms") => Unit::Milliseconds,
            _ => Unit::Seconds,
        };
        let time = |name: &str, unsaid: Duration| {
            options[name].as_f64().unwrap_or_else(|| unit.amount(unsaid))
        };
        let profile = options["profile"].as_str().unwrap_or("spec");
        let profile = Profile::named(profile).map_err(Mistake::of)?;
        let pair = |pair: &Value| {
            let [kind, name] = [&pair[0], &pair[1]].map(|one| one.as_str().unwrap_or_default());
            (kind.to_owned(), name.to_owned())
        };
        let tools = options["tools"].as_object().into_iter().flatten();
        let answers = match &options["answers"] {
            Value::Null => None,
            given => Some(GivenAnswers::read(given).map_err(Mistake::of)?),
        };
        let secrets = match &options["secrets"] {
            Value::Null => None,
            given => Some(GivenSecrets::read(given).map_err(Mistake::of)?),
        };
        let state = match &options["state"] {
            Value::Null => None,
            given => Some(GivenState::read(given).map_err(Mistake::of)?),
        };
        let functions = options["methods"].as_array().into_iter().flatten();
        let functions = functions.filter_map(Value::as_str).map(str::to_owned).collect();
        Ok(Self {
            functions,
            ack: ack(
                text,
                &profile,
                string("version"),
                [answers.is_some(), secrets.is_some(), state.is_some(), options["pending"] == true],
            )?,
            profile,
            unit,
            deadline: time("deadline", DEADLINE),
            least: unit.amount(DEADLINE),
            start_deadline: time("start_deadline", START_DEADLINE),
            wait_longer: string("wait_longer"),
            unwanted: options["reject"].as_array().into_iter().flatten().map(pair).collect(),
            tools: tools.map(|(name, answers)| (name.clone(), *answers == true)).collect(),
            answers,
            secrets,
            state,
        })
    }
}

/// What the extension is told.
fn ack(
    options: &str,
    profile: &Profile,
    version: String,
    [has_person, has_secrets, keeps, takes_actions]: [bool; 4],
) -> Result<HelloAck, Mistake> {
    let mut ack = HelloAck::read_members(&members(options)?).map_err(Mistake::of)?;
    ack.protocol_version = 1;
    profile.zot_version.clone_into(&mut ack.zot_version);
    ack.host = Some(HostInfo { name: "extline testing".to_owned(), version });
    for word in [&mut ack.provider, &mut ack.model] {
        if word.is_empty() {
            "testing".clone_into(word);
        }
    }
    let methods = ack.methods.get_or_insert_default();
    for name in METHODS.iter().map(|method| method.name) {
        let is_given = (has_person && name.starts_with("ui."))
            || (has_secrets && SECRET_METHODS.contains(&name))
            || (keeps && kept::methods().any(|kept| kept == name))
            || (takes_actions && name == PushMethod::NAME);
        if is_given && !methods.iter().any(|known| known == name) {
            methods.push(name.to_owned());
        }
    }
    if keeps {
        let methods = ack.methods.get_or_insert_default();
        for method in
            kept::methods().filter(|name| !methods.iter().any(|it| it == name)).collect::<Vec<_>>()
        {
            methods.push(method.to_owned());
        }
    }
    ack.methods = ack.methods.filter(|methods| !methods.is_empty());
    ack.capabilities.get_or_insert_with(|| Capabilities::all().names());
    ack.limits.get_or_insert_with(limits);
    Ok(ack)
}

/// What every host grants unless a test says otherwise.
fn limits() -> Limits {
    let millis = |duration: Duration| u64::try_from(duration.as_millis()).ok();
    Limits {
        frame_bytes: u64::try_from(FRAME_BYTES).ok(),
        tool_timeout_ms: millis(TOOL_DEADLINE),
        intercept_timeout_ms: millis(INTERCEPT_DEADLINE),
        command_timeout_ms: millis(COMMAND_DEADLINE),
    }
}
