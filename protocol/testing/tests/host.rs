//! The testing host against the lines of an extension.

use std::time::Duration;

use extline_testing::{Failure, FailureKind, Host, Look, Progress};
use serde_json::{Value, json};

const HELLO: &str = r#"{"type":"hello","name":"e","version":"1","capabilities":["commands","tools","events","panels","tool_cancel","call_tool","tool_update","rpc","registration_report"],"methods":["sum"]}"#;
const READY: &str = r#"{"type":"ready"}"#;

/// All that was sent is read and done.
const CALM: Progress = Progress { has_begun: true, is_calm: true, is_tearing_down: false };
const BUSY: Progress = Progress { has_begun: true, is_calm: false, is_tearing_down: false };

/// A host and the frames that it has sent.
struct Test {
    host: Host,
    sent: Vec<Value>,
}

impl Test {
    /// Started with an extension that registers this.
    fn started(options: &Value, registers: &[&str]) -> Self {
        let mut test = Self::new(options);
        let step = test.step(&json!(["start"]));
        assert!(test.waits(step));
        test.says(HELLO);
        assert!(test.waits(step));
        for line in registers {
            test.says(line);
        }
        test.says(READY);
        assert!(test.waits(step));
        assert_eq!(test.finds(step), Value::Null);
        test
    }

    fn new(options: &Value) -> Self {
        Self { host: Host::new(&options.to_string()).unwrap(), sent: Vec::new() }
    }

    /// The extension writes a line.
    fn says(&mut self, line: &str) {
        self.host.handle_input(format!("{line}\n").as_bytes());
    }

    fn step(&mut self, step: &Value) -> u32 {
        self.host.step(&step.to_string())
    }

    fn look(&mut self, step: u32, progress: Progress) -> Result<Look, Failure> {
        let look = self.host.look(step, progress);
        let sent = self.host.poll_output();
        let frames = serde_json::Deserializer::from_slice(&sent).into_iter();
        self.sent.extend(frames.map(Result::unwrap));
        look
    }

    fn waits(&mut self, step: u32) -> bool {
        matches!(self.look(step, BUSY), Ok(Look::Wait(_)))
    }

    fn finds(&mut self, step: u32) -> Value {
        match self.look(step, CALM) {
            Ok(Look::Found(found)) => serde_json::from_str(&found).unwrap(),
            other => panic!("{other:?} after {:?}", self.sent),
        }
    }

    /// The kind of a failure, and its first line.
    fn fails(&mut self, step: u32) -> (FailureKind, String) {
        let failure = self.look(step, CALM).unwrap_err();
        (failure.kind, failure.text.lines().next().unwrap().to_owned())
    }

    fn last(&self) -> &Value {
        self.sent.last().unwrap()
    }

    fn told(&mut self) -> Vec<(&'static str, String)> {
        std::iter::from_fn(|| self.host.poll_told()).map(|told| (told.list, told.json)).collect()
    }
}

const GIVE: &str = r#"{"type":"register_tool","name":"give","description":"d","schema":{"type":"object"},"output_schema":{"type":"object","properties":{"n":{"type":"integer"}}}}"#;
const OPEN: &str =
    r#"{"type":"register_tool","name":"open","description":"d","schema":{"type":"object"}}"#;

#[test]
fn a_start_reports_what_was_taken() {
    let test = Test::started(
        &json!({"reject": [["tool", "open"], ["event", "turn_end"]], "model": "m"}),
        &[GIVE, OPEN, r#"{"type":"subscribe","events":["turn_start","turn_end"]}"#],
    );
    assert_eq!(
        (&test.sent[0]["model"], &test.sent[0]["provider"]),
        (&json!("m"), &json!("testing"))
    );
    assert_eq!(test.sent[0]["host"]["name"], "extline testing");
    let report = &test.sent[1];
    assert_eq!((&report["tools"], &report["events"]), (&json!(["give"]), &json!(["turn_start"])));
    assert_eq!(report["rejected"][0]["message"], "the test has it rejected");
    assert_eq!(report["rejected"][1]["name"], "turn_end");
    let tools: Value = serde_json::from_str(&test.host.tools()).unwrap();
    assert_eq!(tools[0]["name"], "give");
    assert_eq!(test.host.subscription(), r#"{"events":["turn_start"]}"#);
}

#[test]
fn options_that_no_host_has_are_refused() {
    let error = Host::new(r#"{"profile":"zot-9"}"#).unwrap_err();
    assert!(error.to_string().starts_with("there is no profile \"zot-9\""), "{error}");
    assert!(Host::new(r#"{"limits":{"frame_bytes":"x"}}"#).is_err());
    assert!(Host::new("[]").is_err());
}

#[test]
fn a_late_start_says_what_a_host_does_and_how_to_wait() {
    let options = json!({"start_deadline": 0.0, "wait_longer": "Host(ext, start_deadline=10)"});
    let mut test = Test::new(&options);
    let step = test.step(&json!(["start"]));
    test.says(HELLO);
    let said = "the extension did not become ready within 0 s, and a host goes on without what is \
                not registered by then: let setup take less, or write Host(ext, start_deadline=10)";
    assert_eq!(test.fails(step), (FailureKind::TimedOut, said.to_owned()));
}

#[test]
fn a_hello_that_cannot_be_used_is_the_end() {
    let mut test = Test::new(&json!({}));
    let step = test.step(&json!(["start"]));
    test.says(r#"{"type":"hello","name":""}"#);
    let (kind, said) = test.fails(step);
    assert_eq!(kind, FailureKind::Ended);
    assert!(said.starts_with("the extension did not become ready: "), "{said}");
}

#[test]
fn a_call_has_its_answer_and_its_updates() {
    let mut test = Test::started(&json!({}), &[GIVE]);
    let step = test.step(&json!(["call", "give", {"n":1.0}]));
    assert!(test.waits(step));
    let call = test.last().clone();
    assert_eq!((&call["name"], &call["args"]), (&json!("give"), &json!({"n": 1.0})));
    let id = &call["id"];
    test.says(&format!(r#"{{"type":"tool_update","id":{id},"seq":1,"details":1}}"#));
    test.says(&format!(
        r#"{{"type":"tool_result","id":{id},"content":[],"structured_content":{{"n":1}}}}"#
    ));
    let found = test.finds(step);
    assert_eq!(found["frame"]["structured_content"], json!({"n": 1}));
    assert_eq!(found["updates"][0]["details"], 1);
    assert_eq!(test.look(step, CALM).unwrap_err().text, "this step is over");
}

#[test]
fn a_call_that_may_be_made_again_has_its_key_and_only_who_declares_it_is_asked_what_became_of_it() {
    const PAY: &str = r#"{"type":"register_tool","name":"pay","description":"","schema":{},"replay":"reconcile","output_schema":{"type":"object","required":["paid"]}}"#;
    let mut test = Test::started(&json!({}), &[GIVE, PAY]);
    for (word, state) in [("call_with_key", None), ("reconcile", Some("not_started"))] {
        let step = test.step(&json!([word, "op-7", "pay", {"n": 1}]));
        assert!(test.waits(step));
        let call = test.last().clone();
        assert_eq!((&call["operation_key"], &call["args"]), (&json!("op-7"), &json!({"n": 1})));
        assert_eq!(call.get("reconcile"), state.map(|_| &json!(true)));
        // What became of it is no result of the tool's own, so no schema holds.
        let value = state.map_or(json!({"paid": 1}), |state| json!({ "state": state }));
        test.says(&format!(
            r#"{{"type":"tool_result","id":{},"content":[],"structured_content":{value}}}"#,
            call["id"]
        ));
        assert_eq!(test.finds(step)["frame"]["structured_content"], value);
    }
    let step = test.step(&json!(["reconcile", "op-7", "give", {}]));
    let said = "the tool give does not declare replay \"reconcile\", so no host asks it what became of a call";
    assert_eq!(test.fails(step), (FailureKind::Misuse, said.to_owned()));
}

#[test]
fn a_result_is_held_to_the_schema_of_its_tool() {
    let mut test = Test::started(&json!({}), &[GIVE]);
    for (result, problem) in [
        (r#""structured_content":{"n":"1"}"#, Some(r#"/n: must be an integer, and is "1""#)),
        (r#""content":[]"#, Some("there is none")),
        (r#""is_error":true"#, None),
    ] {
        let step = test.step(&json!(["call", "give", {}]));
        assert!(test.waits(step));
        let id = test.last()["id"].clone();
        test.says(&format!(r#"{{"type":"tool_result","id":{id},{result}}}"#));
        let Some(problem) = problem else {
            test.finds(step);
            continue;
        };
        let said = "the structured result of the tool give does not match its output schema: ";
        assert_eq!(test.fails(step), (FailureKind::Unusable, format!("{said}{problem}")));
    }
}

#[test]
fn a_call_that_was_begun_is_finished_or_taken_back() {
    let mut test = Test::started(&json!({}), &[OPEN]);
    let step = test.step(&json!(["begin", "open", {}]));
    assert!(test.waits(step));
    let call = test.finds(step).as_u64().unwrap();
    assert!(!test.host.has_answered());
    let id = test.last()["id"].clone();
    let step = test.step(&json!(["next_update", call]));
    assert!(test.waits(step));
    test.says(&format!(r#"{{"type":"tool_update","id":{id},"seq":1,"details":1}}"#));
    assert_eq!(test.finds(step)["details"], 1);
    let step = test.step(&json!(["cancel", call]));
    assert_eq!(test.finds(step), Value::Null);
    assert_eq!(test.last()["type"], "tool_cancel");
    test.says(&format!(r#"{{"type":"tool_result","id":{id},"content":[],"is_error":true}}"#));
    let step = test.step(&json!(["next_update", call]));
    let said = "the tool open has answered without a further update";
    assert_eq!(test.fails(step), (FailureKind::Misuse, said.to_owned()));
    let step = test.step(&json!(["finish", call]));
    assert_eq!(test.finds(step)["frame"]["is_error"], true);
    assert!(test.host.has_answered());
}

#[test]
fn a_zot_cancels_nothing_and_asks_once() {
    let subscribe = r#"{"type":"subscribe","intercept":["tool_call"],"guards":["tool_call"]}"#;
    let mut test = Test::started(&json!({"profile": "zot-0.1.62"}), &[OPEN, subscribe]);
    let step = test.step(&json!(["cancel", 1]));
    assert_eq!(test.fails(step).1, "a host like this never cancels a call");
    let step = test.step(&json!(["intercept", "tool_call", {"tool":"bash"}]));
    assert!(test.waits(step));
    assert_eq!((&test.last()["tool_name"], &test.last()["phase"]), (&json!("bash"), &Value::Null));
}

#[test]
fn what_was_not_registered_is_waited_for_and_then_a_mistake() {
    let say = r#"{"type":"register_command","name":"Say","description":"d"}"#;
    let mut test = Test::started(&json!({"reject": [["tool", "hi"]]}), &[OPEN, say]);
    let step = test.step(&json!(["call", "opne", {}]));
    let has_not_begun = Progress { has_begun: false, ..BUSY };
    assert!(matches!(test.look(step, has_not_begun), Ok(Look::Wait(_))));
    let said = "the extension offers no tool opne: it offers open; did you mean open?";
    assert_eq!(test.fails(step), (FailureKind::Misuse, said.to_owned()));
    let step = test.step(&json!(["command", "tell", ""]));
    assert_eq!(test.fails(step).1, "the extension offers no command tell: it offers Say");
    let step = test.step(&json!(["command", "sAY", "x"]));
    assert!(test.waits(step));
    // One that is required and not taken ends the extension.
    let step = test.step(&json!(["call", "hi", {}]));
    assert!(test.waits(step));
    assert!(test.waits(step));
    let id = test.last()["id"].clone();
    test.says(&format!(r#"{{"type":"tool_result","id":{id},"content":[],"is_error":true}}"#));
    assert_eq!(test.fails(step).1, "the extension offers no tool hi: it offers open");
    let step = test.step(&json!(["call", "hi", {}]));
    assert!(test.waits(step));
    test.host.handle_end("has ended with exit code 78", Some(78));
    let said = "the tool hi was not called: the extension has ended with exit code 78";
    assert_eq!(test.fails(step), (FailureKind::Ended, said.to_owned()));
}

#[test]
fn what_the_extension_asks_is_answered_by_the_test_itself_or_nobody() {
    let options = json!({"tools": {"read": true, "never": false}, "methods": ["pick"]});
    let mut test = Test::started(&options, &[OPEN]);
    let call = |id: u32, name: &str| {
        format!(r#"{{"type":"call_tool","id":"c{id}","name":"{name}","args":{{"n":{id}}}}}"#)
    };
    for (id, name) in [(1, "read"), (2, "never"), (3, "nobody"), (4, "open")] {
        test.says(&call(id, name));
    }
    test.says(r#"{"type":"request","id":"r1","method":"pick"}"#);
    let read = test.host.poll_asked().unwrap();
    assert_eq!((read.is_method, &*read.name, &*read.json), (false, "read", r#"{"n":1}"#));
    let blocks = r#"[{"type":"text","text":"it"}]"#;
    test.host.answer_call(read.serial, blocks, false).unwrap();
    assert!(test.host.answer_call(read.serial, "5", false).is_err());
    let pick = test.host.poll_asked().unwrap();
    assert_eq!((pick.is_method, &*pick.name, &*pick.json), (true, "pick", "null"));
    test.host.send_part(pick.serial, "1").unwrap();
    test.host.answer_request(pick.serial, "2").unwrap();
    assert_eq!(test.host.poll_asked(), None);
    let step = test.step(&json!(["settle"]));
    test.finds(step);
    let by_type = |kind: &str| -> Vec<Value> {
        test.sent.iter().filter(|frame| frame["type"] == kind).cloned().collect()
    };
    let results = by_type("tool_result");
    assert_eq!(results.len(), 2);
    let unknown = results.iter().find(|result| result["id"] == "c3").unwrap();
    assert_eq!(unknown["content"][0]["text"], "unknown tool nobody");
    assert_eq!(by_type("response_part")[0]["data"], 1);
    assert_eq!(by_type("response")[0]["result"], 2);
    // A tool of its own.
    let nested = by_type("tool_call")[0]["id"].clone();
    test.says(&format!(r#"{{"type":"tool_result","id":{nested},"content":{blocks}}}"#));
    let step = test.step(&json!(["settle"]));
    test.finds(step);
    assert_eq!(
        (&test.last()["id"], &test.last()["content"][0]["text"]),
        (&json!("c4"), &json!("it"))
    );
    // At the end nothing of the test's runs.
    test.host.forget_stand_ins();
    test.says(&call(5, "read"));
    test.says(r#"{"type":"request","id":"r2","method":"pick"}"#);
    assert_eq!(test.host.poll_asked(), None);
}

#[test]
fn a_command_opens_a_panel_that_takes_keys() {
    let show = r#"{"type":"register_command","name":"show","description":"d"}"#;
    let mut test = Test::started(&json!({}), &[show]);
    let step = test.step(&json!(["press_key", "p", "up"]));
    assert_eq!(test.fails(step).1, "no panel p is open");
    let step = test.step(&json!(["command", "show", ""]));
    assert!(test.waits(step));
    let id = test.last()["id"].clone();
    test.says(&format!(
        r#"{{"type":"command_response","id":{id},"action":"open_panel","open_panel":{{"id":"p"}}}}"#
    ));
    assert_eq!(test.finds(step)["action"], "open_panel");
    for (key, sent) in [("up", json!(["up", null])), ("ü", json!(["rune", "ü"]))] {
        let step = test.step(&json!(["press_key", "p", key]));
        assert!(test.waits(step));
        test.finds(step);
        assert_eq!(json!([test.last()["key"], test.last()["text"]]), sent);
    }
    let step = test.step(&json!(["resize_panel", "p", 80, 25]));
    test.finds(step);
    assert_eq!(test.last()["width"], 80);
    let step = test.step(&json!(["close_panel", "p"]));
    test.finds(step);
    assert_eq!(test.last()["type"], "panel_close");
    let panels = [("panels", r#"{"id":"p"}"#.to_owned()), ("panels", r#""p""#.to_owned())];
    assert_eq!(test.told(), panels);
}

#[test]
fn what_it_says_unasked_is_told_in_its_order() {
    let mut test = Test::started(&json!({}), &[]);
    for line in [
        r#"{"type":"notify","level":"warn","message":"a"}"#,
        r#"{"type":"log","level":"info","message":"b","fields":{"n":1}}"#,
        r#"{"type":"submit","text":"c"}"#,
    ] {
        test.says(line);
    }
    let told = [
        ("notes", r#"["warn","a"]"#),
        ("logs", r#"{"level":"info","message":"b","fields":{"n":1}}"#),
        ("submitted", r#""c""#),
    ];
    assert_eq!(test.told(), told.map(|(list, json)| (list, json.to_owned())));
}

#[test]
fn an_event_is_told_to_who_listens_and_a_failure_is_told_once() {
    let mut test =
        Test::started(&json!({}), &[r#"{"type":"subscribe","events":["turn_end","mine"]}"#]);
    let step = test.step(&json!(["event", "turn_start", {}]));
    let said = "the extension does not listen to turn_start: it listens to turn_end, mine";
    assert_eq!(test.fails(step), (FailureKind::Misuse, said.to_owned()));
    let step = test.step(&json!(["event", "turn_end", {"stop":"end"}]));
    assert!(test.waits(step));
    assert_eq!((&test.last()["event"], &test.last()["stop"]), (&json!("turn_end"), &json!("end")));
    test.host.handle_failure("the handler of the event turn_end failed: no");
    let said = "the handler of the event turn_end failed: no".to_owned();
    assert_eq!(test.fails(step), (FailureKind::HandlerFailed, said));
    let step = test.step(&json!(["check_handlers"]));
    test.finds(step);
}

#[test]
fn interceptors_rewrite_and_guards_see_it() {
    let subscribe = r#"{"type":"subscribe","intercept":["tool_call","before_agent_start"],"guards":["tool_call"]}"#;
    let mut test = Test::started(&json!({"model": "m"}), &[subscribe]);
    let step = test.step(&json!(["intercept", "tool_cal", {}]));
    assert!(test.fails(step).1.starts_with("there is no point tool_cal: there are tool_call, "));
    let step = test.step(&json!(["intercept", "tool_call", {"tool":"bash","args":{"n":1}}]));
    assert!(test.waits(step));
    let asked = test.last().clone();
    assert_eq!((&asked["phase"], &asked["tool_id"]), (&json!("intercept"), &json!("proposal-1")));
    let answer = |asked: &Value, says: &str| {
        format!(r#"{{"type":"event_intercept_response","id":{},{says}}}"#, asked["id"])
    };
    test.says(&answer(&asked, r#""modified_args":{"n":2}"#));
    assert!(test.waits(step));
    let asked = test.last().clone();
    assert_eq!((&asked["phase"], &asked["tool_args"]), (&json!("guard"), &json!({"n": 2})));
    test.says(&answer(&asked, r#""block":true,"reason":"no""#));
    assert_eq!(test.finds(step), json!({"blocked": "no", "rewritten": {"n": 2}}));

    let step = test.step(&json!(["intercept", "before_agent_start", {"system_prompt":"s"}]));
    assert!(test.waits(step));
    let asked = test.last().clone();
    assert_eq!((&asked["model"], &asked["system_prompt"]), (&json!("m"), &json!("s")));
    test.says(&answer(&asked, r#""system_prompt":"t""#));
    assert_eq!(test.finds(step), json!({"system_prompt": "t"}));
    // Nobody is asked.
    let step = test.step(&json!(["intercept", "turn_start", {}]));
    assert_eq!(test.finds(step), json!({}));
}

#[test]
fn a_method_answers_with_parts_or_fails() {
    let mut test = Test::started(&json!({}), &[]);
    let step = test.step(&json!(["request", "nobody"]));
    let said = r#"the method nobody was not asked for: the peer does not offer "nobody""#;
    assert_eq!(test.fails(step), (FailureKind::Misuse, said.to_owned()));
    let step = test.step(&json!(["request", "sum", [1, 2]]));
    assert!(test.waits(step));
    let id = test.last()["id"].clone();
    test.says(&format!(r#"{{"type":"response_part","id":{id},"seq":1,"data":1}}"#));
    test.says(&format!(r#"{{"type":"response","id":{id},"result":3}}"#));
    assert_eq!(test.finds(step), json!({"parts": [1], "value": 3}));
    let step = test.step(&json!(["request", "sum"]));
    assert!(test.waits(step));
    let id = test.last()["id"].clone();
    let error = json!({"code": "not_found", "message": "gone"});
    test.says(&format!(r#"{{"type":"response","id":{id},"error":{error}}}"#));
    assert_eq!(test.finds(step), json!({"parts": [], "error": error}));
}

#[test]
fn a_step_that_is_late_names_its_time_in_the_unit_of_the_language() {
    for (unit, time) in [("s", "0 s"), ("ms", "0 ms")] {
        let mut test = Test::started(&json!({"unit": unit}), &[]);
        test.host.set_deadline(0.0);
        let step = test.step(&json!(["wait_until", "a note"]));
        let said = format!("a note did not come within {time}, the deadline of this testing host");
        assert_eq!(test.fails(step), (FailureKind::TimedOut, said));
    }
}

#[test]
fn an_end_has_its_exit_code_and_answers_what_waits() {
    let mut test = Test::started(&json!({}), &[OPEN]);
    let call = test.step(&json!(["call", "open", {}]));
    assert!(test.waits(call));
    let step = test.step(&json!(["shutdown"]));
    assert!(test.waits(step));
    assert_eq!(test.last()["type"], "shutdown");
    let farewell = test.step(&json!(["say_farewell"]));
    assert!(test.waits(farewell));
    test.says(r#"{"type":"shutdown_ack"}"#);
    assert_eq!(test.finds(farewell), Value::Null);
    assert!(test.host.has_left());
    test.host.handle_failure("teardown failed: no disk");
    test.host.handle_end("has ended with exit code 1", Some(1));
    assert_eq!(test.host.ended(), Some("has ended with exit code 1"));
    assert_eq!(test.finds(step), json!(1));
    let said = "the tool open did not answer: the extension has ended with exit code 1; teardown \
                failed: no disk";
    assert_eq!(test.fails(call), (FailureKind::Ended, said.to_owned()));
}

#[test]
fn an_end_of_another_kind_is_a_failure() {
    let mut test = Test::started(&json!({}), &[]);
    let step = test.step(&json!(["shutdown"]));
    assert!(test.waits(step));
    test.host.handle_end("has ended with OSError: no", None);
    let said = "the extension did not end in the ordinary way: the extension has ended with OSError: \
                no";
    assert_eq!(test.fails(step), (FailureKind::Ended, said.to_owned()));
}

#[test]
fn an_answer_that_breaks_the_protocol_cannot_be_used() {
    let mut test = Test::started(&json!({}), &[OPEN]);
    let step = test.step(&json!(["call", "open", {}]));
    assert!(test.waits(step));
    let id = test.last()["id"].clone();
    test.says(&format!(r#"{{"type":"tool_result","id":{id},"content":5}}"#));
    let (kind, said) = test.fails(step);
    assert_eq!(kind, FailureKind::Unusable);
    assert!(said.starts_with("the tool open did not answer: "), "{said}");
}

#[test]
fn a_look_that_waits_for_what_no_frame_tells_is_repeated_soon() {
    let mut test = Test::started(&json!({}), &[]);
    let step = test.step(&json!(["settle"]));
    let Ok(Look::Wait(time)) = test.look(step, BUSY) else { panic!("it is busy") };
    assert!(time <= Duration::from_millis(1));
}
