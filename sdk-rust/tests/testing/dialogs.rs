//! Dialogs of handlers, under a host that has them and one that has not.

use std::sync::{Arc, Mutex};

use extline::ErrorKind;
use extline::prelude::*;
use extline::services::ui::{Answer, Dismissal, Input, InputMethod};
use extline::testing::{Builder, Failure, Host};

fn shipping() -> Extension {
    Extension::new("ship", "1.0.0")
        .tool("ship", "Ships it.", async |_: NoArgs, ctx: Context| {
            Ok(if ctx.ui().confirm("Ship it?").await? { "shipped" } else { "kept" })
        })
        .tool("choose", "One.", async |_: NoArgs, ctx: Context| {
            Ok(format!("{:?}", ctx.ui().select("Where?", ["north", "south"]).await?))
        })
        .tool("name", "Asks.", async |_: NoArgs, ctx: Context| {
            Ok(format!("{:?}", ctx.ui().input("Name?").await?))
        })
        .tool("key", "Asks.", async |_: NoArgs, ctx: Context| {
            let asked = Input {
                title: "Key?".to_owned(),
                secret: true,
                timeout_ms: Some(5),
                ..Input::default()
            };
            let answer = ctx.ui().ask::<InputMethod>(&asked).await?;
            assert_eq!(answer, Answer::Dismissed { dismissed: Dismissal::Timeout });
            Ok(ctx.ui().can("input").to_string())
        })
}

fn answering(answers: impl Fn(&str) -> Value + Clone + 'static) -> Builder {
    ["ui.confirm", "ui.select", "ui.input"].into_iter().fold(Host::builder(), |builder, method| {
        let answers = answers.clone();
        builder.method(method, move |params| Ok(answers(params["title"].as_str().unwrap())))
    })
}

#[test]
fn answers_are_what_the_person_said() -> Result<(), Failure> {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let mut host = answering(move |title| {
        seen.lock().unwrap().push(title.to_owned());
        match title {
            "Ship it?" => json!({"confirmed": true}),
            "Where?" => json!({"value": "south"}),
            "Name?" => json!({"value": ""}),
            _ => json!({"dismissed": "timeout"}),
        }
    })
    .start(shipping)?;
    for (tool, said) in [
        ("ship", "shipped"),
        ("choose", "Some(\"south\")"),
        ("name", "Some(\"\")"),
        ("key", "true"),
    ] {
        assert_eq!(host.call(tool, json!({}))?.text(), said);
    }
    assert_eq!(*asked.lock().unwrap(), ["Ship it?", "Where?", "Name?", "Key?"]);
    Ok(())
}

#[test]
fn a_dialog_that_was_closed_is_a_no_and_none() -> Result<(), Failure> {
    let mut host = answering(|_| json!({"dismissed": "headless"})).start(shipping)?;
    for (tool, said) in [("ship", "kept"), ("choose", "None"), ("name", "None")] {
        assert_eq!(host.call(tool, json!({}))?.text(), said);
    }
    Ok(())
}

#[test]
fn under_a_host_without_dialogs_the_line_that_asks_fails() -> Result<(), Failure> {
    let mut host = Host::new(shipping);
    let answer = host.call("ship", json!({}))?;
    assert_eq!(answer.error().unwrap().kind, ErrorKind::Unsupported);
    Ok(())
}

#[test]
fn answers_are_given_dismissed_or_headless() -> Result<(), Failure> {
    let given = json!({"confirm": [true, null], "select": ["south", "west"], "input": "Ada"});
    let mut host = Host::builder().answers(given).start(shipping)?;
    for (tool, said) in [
        ("ship", "shipped"),
        ("ship", "kept"),
        ("choose", "Some(\"south\")"),
        ("name", "Some(\"Ada\")"),
    ] {
        assert_eq!(host.call(tool, json!({}))?.text(), said);
    }
    let unfit = host.call("choose", json!({}))?;
    assert!(
        unfit.text().contains("no option \"west\"; there are north, south"),
        "{}",
        unfit.text()
    );

    let mut host = Host::builder().answers(json!("headless")).start(shipping)?;
    for (tool, said) in [("ship", "kept"), ("choose", "None"), ("name", "None")] {
        assert_eq!(host.call(tool, json!({}))?.text(), said);
    }
    let mut host = Host::builder().answers(json!({})).start(shipping)?;
    let unanswered = host.call("ship", json!({}))?;
    assert!(unanswered.text().contains("no answer to confirm"), "{}", unanswered.text());
    Ok(())
}

#[test]
fn longer_dialogs_and_what_is_only_shown() -> Result<(), Failure> {
    use extline::services::ui::{Choice, Question, Widget};

    let create = || {
        Extension::new("longer", "1.0.0")
            .tool("all", "All.", async |_: NoArgs, ctx: Context| {
                let ui = ctx.ui();
                let text = ui.editor("Notes?", "draft").await?;
                let place = Question {
                    id: "where".to_owned(),
                    question: "Where?".to_owned(),
                    options: vec![Choice::Text("north".to_owned())],
                    ..Question::default()
                };
                let answers = ui.questions([place]).await?;
                let signed = ui.auth("https://a.example/device", Some("AB-12")).await?;
                Ok(format!("{text:?} {answers:?} {signed}"))
            })
            .tool("show", "Shows.", async |_: NoArgs, ctx: Context| {
                let ui = ctx.ui();
                let widget =
                    Widget { key: "w".to_owned(), lines: Some(vec![]), ..Widget::default() };
                let shown = [
                    ui.status("k", Some("3 of 5")).await?,
                    ui.status("k", None).await?,
                    ui.title(Some("x")).await?,
                    ui.working(None).await?,
                    ui.widget(&widget).await?,
                ];
                Ok(format!("{shown:?}"))
            })
    };
    let given = json!({"editor": "a\nb", "ask": {"where": "north"}, "auth": true});
    let mut host = Host::builder().answers(given).start(create)?;
    let said = "Some(\"a\\nb\") Some({\"where\": [\"north\"]}) true";
    assert_eq!(host.call("all", json!({}))?.text(), said);
    assert_eq!(host.call("show", json!({}))?.text(), "[true, true, true, true, true]");
    let mut host = Host::new(create);
    assert_eq!(host.call("show", json!({}))?.text(), "[false, false, false, false, false]");
    Ok(())
}
