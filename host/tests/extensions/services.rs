//! Services: methods with types, and the person in front of the agent.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use extline_host::services::ui::{
    Answer, ConfirmMethod, Confirmed, InputMethod, SelectMethod, Selected,
};
use extline_host::{Asked, HostBuilder};
use serde_json::{Value, json};

use crate::requests::{Running, ask, asks, methods};
use crate::support::{Home, behave, end};

fn asks_with(id: &str, method: &str, params: Value) -> Value {
    let mut request = asks(id, method);
    request["params"] = params;
    request
}

fn yes(builder: HostBuilder) -> HostBuilder {
    builder.serve::<ConfirmMethod, _, _>(|_| async {
        Ok(Answer::Given(Confirmed { confirmed: true }))
    })
}

fn results(answers: &[Value]) -> Vec<&Value> {
    answers.iter().map(|answer| &answer["result"]).collect()
}

#[tokio::test]
async fn what_is_asked_comes_with_its_types_and_who_asks() {
    let home = Home::new();
    let builder = home.builder().serve::<SelectMethod, _, _>(|asked: Asked<_>| async move {
        assert_eq!(asked.extension, "methods");
        let last = asked.params.options.last().unwrap();
        Ok(Answer::Given(Selected::One { value: last.value().to_owned() }))
    });
    let host = yes(builder).extension(methods()).extension(behave(&[])).start().await;
    let seen: Value =
        host.call("seen", "{}").await.unwrap().structured_content.unwrap().to().unwrap();
    assert_eq!(
        seen["ack"]["methods"],
        json!(["env.get", "secret.exists", "secret.get", "ui.confirm", "ui.select"])
    );
    let options = json!(["a", {"label": "b"}, {"label": "c", "value": "3", "description": "x"}]);
    let frames = json!([
        asks_with("1", "ui.select", json!({"title": "Which?", "options": options})),
        asks_with("2", "ui.confirm", json!({"title": "Sure?", "unknown": 1})),
    ]);
    let answers = ask(&host, frames, 2).await;
    assert_eq!(results(&answers), [&json!({"value": "3"}), &json!({"confirmed": true})]);
    end(host).await;
}

#[tokio::test]
async fn what_is_wrong_is_told_before_anybody_is_asked() {
    let home = Home::new();
    let host = home.builder().headless().extension(methods()).start().await;
    let wrong = [
        ("ui.confirm", json!({"message": "?"}), "missing field `title`"),
        ("ui.confirm", json!({"title": " "}), "/title: it is empty"),
        ("ui.confirm", json!(["?"]), "the parameters are no object"),
        ("ui.confirm", json!({"title": 5}), "expected a string"),
        ("ui.input", json!({"title": "x", "timeout_ms": 0}), "/timeout_ms: a person needs more"),
        ("ui.select", json!({"title": "x", "options": []}), "/options: there is nothing to choose"),
        (
            "ui.select",
            json!({"title": "x", "options": ["a"], "initial": "b"}),
            "/initial: no option",
        ),
    ];
    for (method, params, said) in wrong {
        let [answer] = &ask(&host, json!([asks_with("1", method, params)]), 1).await[..] else {
            panic!()
        };
        assert_eq!(answer["error"]["code"], "validation", "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.starts_with(method) && message.contains(said), "{message}");
    }
    end(host).await;
}

#[tokio::test]
async fn without_a_person_each_dialog_says_so_at_once() {
    let home = Home::new();
    let host = home.builder().headless().extension(methods()).start().await;
    let frames = json!([
        asks_with("1", "ui.confirm", json!({"title": "x"})),
        asks_with("2", "ui.select", json!({"title": "x", "options": ["a"]})),
        asks_with("3", "ui.input", json!({"title": "x"})),
    ]);
    let headless = json!({"dismissed": "headless"});
    assert_eq!(results(&ask(&host, frames, 3).await), [&headless, &headless, &headless]);
    end(host).await;
}

#[tokio::test]
async fn dialogs_are_shown_one_after_the_other_in_their_order() {
    let home = Home::new();
    let (open, shown) = (Running::default(), Arc::new(Mutex::new(Vec::new())));
    let confirm = {
        let (open, shown) = (open.clone(), Arc::clone(&shown));
        move |asked: Asked<extline_host::services::ui::Confirm>| {
            let (open, shown) = (open.clone(), Arc::clone(&shown));
            async move {
                let _open = open.start();
                shown.lock().unwrap().push(asked.params.title);
                tokio::time::sleep(Duration::from_millis(20)).await;
                Ok(Answer::Given(Confirmed { confirmed: open.is(1) }))
            }
        }
    };
    let builder = home.builder().serve::<ConfirmMethod, _, _>(confirm);
    let host = builder.extension(methods()).start().await;
    let frames = (1..=5)
        .map(|id| asks_with(&id.to_string(), "ui.confirm", json!({"title": id.to_string()})));
    let answers = ask(&host, frames.collect::<Vec<_>>().into(), 5).await;
    assert!(
        results(&answers).iter().all(|result| **result == json!({"confirmed": true})),
        "{answers:?}"
    );
    assert_eq!(*shown.lock().unwrap(), ["1", "2", "3", "4", "5"]);
    end(host).await;
}

#[tokio::test]
async fn a_person_who_takes_too_long_and_a_call_that_ends_close_the_dialog() {
    let home = Home::new();
    let open = Running::default();
    let waits = open.clone();
    let builder = home.builder().serve::<InputMethod, _, _>(move |_| {
        let run = waits.start();
        async move {
            let _run = run;
            std::future::pending().await
        }
    });
    let host = yes(builder).extension(methods()).start().await;
    let late = asks_with("1", "ui.input", json!({"title": "x", "timeout_ms": 30}));
    assert_eq!(results(&ask(&host, json!([late]), 1).await), [&json!({"dismissed": "timeout"})]);
    open.until(0).await;

    // The one behind it has its turn when the extension cancels the first.
    let cancel = json!({"type": "cancel", "id": "2"});
    let frames = json!([
        asks_with("2", "ui.input", json!({"title": "x"})),
        asks_with("3", "ui.confirm", json!({"title": "x"})),
        cancel,
    ]);
    let answers = ask(&host, frames, 2).await;
    assert!(answers.iter().any(|answer| answer["error"]["code"] == "cancelled"), "{answers:?}");
    assert!(results(&answers).contains(&&json!({"confirmed": true})), "{answers:?}");

    // When the extension dies, nobody is asked any more.
    let dying = json!({"frames": [asks_with("4", "ui.input", json!({"title": "x"}))]}).to_string();
    assert!(host.call("die", &dying).await.is_err());
    open.until(0).await;
    end(host).await;
}

#[test]
fn time_stands_still_for_what_waits_for_a_person() {
    use extline_host::{protocol, services};

    for method in services::METHODS.iter().filter(|method| method.waits_for_person) {
        assert!(protocol::waits_for_person(method.name), "{method:?}");
    }
}

#[tokio::test]
async fn what_is_only_shown_is_answered_at_once() {
    let home = Home::new();
    let host = home.builder().headless().extension(methods()).start().await;
    let displays = [
        ("ui.status", json!({"key": "k", "text": "3 of 5"})),
        ("ui.status", json!({"key": "k", "text": null})),
        ("ui.title", json!({"title": "x"})),
        ("ui.working", json!({"text": "thinks"})),
        ("ui.widget", json!({"key": "k", "lines": ["a", "b"], "placement": "below"})),
        ("ui.widget", json!({"key": "k", "lines": null})),
    ];
    let frame = |(id, (method, params)): (usize, &(&str, Value))| {
        asks_with(&id.to_string(), method, params.clone())
    };
    let frames: Vec<_> = displays.iter().enumerate().map(frame).collect();
    let answers = ask(&host, frames.into(), displays.len()).await;
    assert!(results(&answers).iter().all(|result| **result == json!({})), "{answers:?}");

    let wrong = [
        ("ui.status", json!({"key": "k"}), "missing field `text`"),
        ("ui.status", json!({"key": "", "text": "x"}), "/key: it has 1 to 64 characters"),
        ("ui.widget", json!({"key": "k"}), "missing field `lines`"),
        ("ui.title", json!({}), "missing field `title`"),
        ("ui.working", json!({}), "missing field `text`"),
        ("ui.auth", json!({"url": "file:///etc"}), "/url: it is no URL of http or https"),
        ("ui.ask", json!({"questions": []}), "/questions: there is nothing to ask"),
    ];
    for (id, (method, params, why)) in wrong.into_iter().enumerate() {
        let frames = json!([asks_with(&id.to_string(), method, params)]);
        let answers = ask(&host, frames, 1).await;
        let error = &answers[0]["error"];
        assert_eq!(error["code"], "validation", "{error}");
        assert!(error["message"].as_str().unwrap().contains(why), "{error}");
    }
    end(host).await;
}
