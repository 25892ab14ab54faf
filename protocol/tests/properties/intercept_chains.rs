//! An intercept's way through the handlers of an extension: the cases that every SDK is held to, and
//! what holds whatever handlers do.

use extline_protocol::frame::{
    Content, EventIntercept, EventInterceptResponse, Object, Phase, ReplaceResult,
};
use extline_protocol::{Change, InterceptChain, RawJson, Turn, decode_frame};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

/// What a handler does.
#[derive(Clone, Debug)]
enum Does {
    Change(Change),
    Fail,
}

/// Who was asked, what each saw of the arguments or the text, and what came of it.
type Asked = Vec<(Turn, Value)>;
type Came = Result<EventInterceptResponse, String>;

fn walk(mut chain: InterceptChain, interceptors: &[Does], guards: &[Does]) -> (Asked, Came) {
    let mut asked = Vec::new();
    while let Some(turn) = chain.turn() {
        asked.push((turn, seen(chain.intercept())));
        let does = match turn {
            Turn::Interceptor(index) => &interceptors[index],
            Turn::Guard(index) => &guards[index],
        };
        let decided = match does.clone() {
            Does::Change(change) => chain.decided(change).map_err(|unfit| unfit.to_string()),
            Does::Fail => Err("broken".to_owned()),
        };
        if let Err(why) = decided {
            chain.failed(format!("{turn:?} failed: {why}"));
        }
    }
    (asked, chain.outcome())
}

fn seen(intercept: &EventIntercept) -> Value {
    if let Some(result) = &intercept.payload.result {
        let value: Option<Value> =
            result.structured_content.as_ref().map(|it| serde_json::from_str(it.get()).unwrap());
        return json!([Content::joined(&result.content), result.is_error, value]);
    }
    match &intercept.payload.tool_args {
        Some(args) => serde_json::from_str(args.get()).unwrap(),
        None => intercept.payload.text.clone().into(),
    }
}

fn asked_at(point: &str) -> EventIntercept {
    let what = match point {
        "tool_call" => r#""tool_args":{"n":1}"#,
        "tool_result" => {
            r#""result":{"content":[{"type":"text","text":"one"}],"structured_content":{"n":1}}"#
        }
        _ => r#""text":"one""#,
    };
    let frame = format!(r#"{{"type":"event_intercept","id":"1","event":"{point}",{what}}}"#);
    decode_frame(&frame).unwrap()
}

#[test]
fn the_cases_that_every_sdk_is_held_to() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../intercept_chains.json")).unwrap();
    for case in &cases {
        let [interceptors, guards] = ["interceptors", "guards"].map(|handlers| {
            case[handlers].as_array().unwrap().iter().map(does).collect::<Vec<_>>()
        });
        let point = case["point"].as_str().unwrap_or("tool_call");
        let fails_open = case["on_failure"] == "allow";
        // What the session makes of a failure that nobody decided about.
        let passes =
            case["on_failure"].is_null() && ["tool_result", "user_prompt_submit"].contains(&point);
        let chain =
            InterceptChain::new(asked_at(point), interceptors.len(), guards.len(), fails_open);
        let (asked, came) = walk(chain, &interceptors, &guards);
        let asked: Vec<_> = asked.into_iter().map(|(turn, saw)| json!([name(turn), saw])).collect();
        assert_eq!(json!(asked), case["seen"], "{}", case["name"]);
        let last = asked.last().unwrap()[0].as_str().unwrap();
        let came = match came {
            Err(_) if passes => Ok(EventInterceptResponse::allow("1".into())),
            came => came,
        };
        assert_eq!(ruling(came, point, last), case["ruling"], "{}", case["name"]);
    }
}

fn does(decision: &Value) -> Does {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let Some((verb, value)) = decision.as_object().and_then(|verbs| verbs.iter().next()) else {
        return Does::Change(Change::None);
    };
    Does::Change(match verb.as_str() {
        "args" => Change::Args(RawJson::parse(&value.to_string()).unwrap()),
        "text" => Change::Text(text(value)),
        "block" | "withhold" => Change::Block(text(value)),
        "ask" => Change::Ask(text(value)),
        "handled" => Change::Handled,
        "fail_result" => Change::Result(ReplaceResult::failure(text(value))),
        "replace" => {
            let mut value = value.clone();
            if let Some(text) = value["content"].as_str() {
                value["content"] = json!([{ "type": "text", "text": text }]);
            }
            Change::Result(ReplaceResult::parse(&value.to_string()).unwrap())
        }
        "fail" => return Does::Fail,
        other => panic!("nobody does {other}"),
    })
}

fn name(turn: Turn) -> String {
    match turn {
        Turn::Interceptor(index) => format!("interceptor {index}"),
        Turn::Guard(index) => format!("guard {index}"),
    }
}

fn ruling(came: Came, point: &str, last: &str) -> Value {
    match came {
        Err(_) if last.starts_with("guard") => json!({ "failed": last }),
        Err(_) => json!({ "failed": format!("interceptor of {point}") }),
        Ok(answer) if answer.ask => json!({ "asked": answer.reason }),
        Ok(answer) if answer.block => json!({ "blocked": answer.reason }),
        Ok(EventInterceptResponse { modified_args: Some(args), .. }) => {
            json!({ "args": serde_json::from_str::<Value>(args.get()).unwrap() })
        }
        Ok(EventInterceptResponse { replace_text: Some(text), .. }) => json!({ "text": text }),
        Ok(EventInterceptResponse { replace_result: Some(result), .. }) => {
            json!({ "result": serde_json::from_str::<Value>(&result.object_text()).unwrap() })
        }
        Ok(EventInterceptResponse { handled: true, .. }) => json!({ "handled": true }),
        Ok(_) => json!("allowed"),
    }
}

proptest! {
    #![proptest_config(crate::cases(500))]

    #[test]
    fn guards_see_what_will_run(handlers in handlers()) {
        let (asked, came) = handlers.walk(asked_at("tool_call"));
        if let Ok(answer) = &came && !answer.block {
            let runs = runs(answer);
            for (turn, saw) in &asked {
                prop_assert!(matches!(turn, Turn::Interceptor(_)) || *saw == runs, "{turn:?}: {saw}");
            }
            // Nobody is passed over but the interceptors behind one that failed.
            prop_assert!(asked.len() >= handlers.guards.len());
        }
    }

    #[test]
    fn each_is_asked_once_and_in_order(handlers in handlers()) {
        let (asked, _) = handlers.walk(asked_at("tool_call"));
        let rank = |turn: Turn| match turn {
            Turn::Interceptor(index) => (0, index),
            Turn::Guard(index) => (1, index),
        };
        prop_assert!(asked.windows(2).all(|pair| rank(pair[0].0) < rank(pair[1].0)), "{asked:?}");
    }

    #[test]
    fn a_block_changes_nothing_else_and_only_a_closed_failure_is_one(handlers in handlers()) {
        let (asked, came) = handlers.walk(asked_at("tool_call"));
        let last = asked.last().map(|(turn, _)| *turn);
        match came {
            Ok(answer) if answer.block && !answer.ask => {
                let bare = EventInterceptResponse::block("1".into(), "no");
                prop_assert_eq!(answer, bare);
            }
            Ok(_) => {}
            Err(why) => {
                prop_assert!(!handlers.fails_open);
                let first = last.map(|turn| format!("{turn:?} failed: "));
                prop_assert!(first.is_some_and(|first| why.starts_with(&first)), "{why}");
            }
        }
    }

    /// So an extension says the same on a zot, which asks once.
    #[test]
    fn asked_in_two_phases_they_say_the_same(handlers in handlers()) {
        let (asked, came) = handlers.walk(asked_at("tool_call"));
        let in_phase = |phase: Phase, args: &Value| {
            let mut intercept = asked_at("tool_call");
            intercept.phase = Some(phase);
            intercept.payload.tool_args = Some(RawJson::parse(&args.to_string()).unwrap());
            handlers.walk(intercept)
        };
        let (mut twice, mut end) = in_phase(Phase::Intercept, &json!({ "n": 1 }));
        if let Ok(answer) = &end && !answer.block {
            let (guards, guarded) = in_phase(Phase::Guard, &runs(answer));
            twice.extend(guards);
            if !matches!(&guarded, Ok(answer) if !answer.block) {
                end = guarded;
            }
        }
        prop_assert_eq!(twice, asked);
        prop_assert_eq!(end, came);
    }
}

/// The handlers of an extension, and what a failure of theirs means.
#[derive(Debug)]
struct Handlers {
    interceptors: Vec<Does>,
    guards: Vec<Does>,
    fails_open: bool,
}

impl Handlers {
    fn walk(&self, intercept: EventIntercept) -> (Asked, Came) {
        let (interceptors, guards) = (&self.interceptors, &self.guards);
        let chain =
            InterceptChain::new(intercept, interceptors.len(), guards.len(), self.fails_open);
        walk(chain, interceptors, guards)
    }
}

/// What comes of the arguments.
fn runs(answer: &EventInterceptResponse) -> Value {
    let args = answer.modified_args.as_ref().map_or(r#"{"n":1}"#, RawJson::get);
    serde_json::from_str(args).unwrap()
}

fn handlers() -> impl Strategy<Value = Handlers> {
    (vec(any_does(), 0..5), vec(any_does(), 0..5), any::<bool>()).prop_map(
        |(interceptors, guards, fails_open)| Handlers { interceptors, guards, fails_open },
    )
}

/// Also what it may not do: a guard that rewrites, arguments that are no object.
fn any_does() -> impl Strategy<Value = Does> {
    let args = |text: String| Does::Change(Change::Args(RawJson::parse(&text).unwrap()));
    prop_oneof![
        4 => Just(Does::Change(Change::None)),
        1 => Just(Does::Change(Change::Block("no".to_owned()))),
        1 => Just(Does::Change(Change::Ask("sure?".to_owned()))),
        3 => (2..9_u8).prop_map(move |n| args(format!(r#"{{"n":{n}}}"#))),
        1 => Just(args("[]".to_owned())),
        2 => Just(Does::Fail),
    ]
}
