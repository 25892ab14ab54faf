//! What handlers keep with their host, under one that keeps it and one that does not.

use extline::ErrorKind;
use extline::prelude::*;
use extline::testing::{Failure, Host};

fn keeping() -> Extension {
    Extension::new("keeper", "1.0.0")
        .tool("count", "Counts.", async |_: NoArgs, ctx: Context| {
            let n = ctx.state().session().modify("n", |n: Option<u64>| n.unwrap_or(0) + 1).await?;
            Ok(n.to_string())
        })
        .tool("all", "Does all there is.", async |_: NoArgs, ctx: Context| {
            let slot = ctx.state().project();
            for key in ["a/2", "a/1", "b"] {
                slot.set(key, &[key]).await?;
            }
            let read: Option<Vec<String>> = slot.get("b").await?;
            let missing: Option<u8> = slot.get("c").await?;
            let wrong = slot.get::<u8>("b").await.unwrap_err();
            assert_eq!(*wrong.kind(), ErrorKind::Validation);
            let listed = slot.list("a/").await?;
            let deleted = (slot.delete("b").await?, slot.delete("b").await?);
            let global = ctx.state().global().list("").await?;
            Ok(format!("{read:?} {missing:?} {listed:?} {deleted:?} {global:?}"))
        })
        .tool("notes", "Adds entries.", async |_: NoArgs, ctx: Context| {
            let first = ctx.history().append("note", &json!({ "text": "one" })).await?;
            ctx.history().append("other", &()).await?;
            let notes = ctx.history().branch(&["note"]).await?;
            assert_eq!(notes[0].id, first);
            let all = ctx.history().branch(&[]).await?.len();
            Ok(format!(
                "{} {} {all} {}",
                notes.len(),
                notes[0].data,
                ctx.history().info().await?.durable
            ))
        })
        .tool("too_much", "Keeps too much.", async |_: NoArgs, ctx: Context| {
            let error = ctx.state().session().set("big", &"x".repeat(70_000)).await.unwrap_err();
            Ok(error.kind().to_string())
        })
}

#[test]
fn values_are_kept_and_a_test_sees_them() -> Result<(), Failure> {
    let mut host = Host::builder().state(json!({ "session": { "n": 41 } })).start(keeping)?;
    assert_eq!(host.call("count", json!({}))?.text(), "42");
    assert_eq!(host.call("count", json!({}))?.text(), "43");
    assert_eq!(host.state()["session"], json!({ "n": 43 }));
    let all = r#"Some(["b"]) None ["a/1", "a/2"] (true, false) []"#;
    assert_eq!(host.call("all", json!({}))?.text(), all);
    assert_eq!(host.call("notes", json!({}))?.text(), r#"1 {"text":"one"} 2 false"#);
    assert_eq!(host.call("too_much", json!({}))?.text(), "too_large");
    Ok(())
}

#[test]
fn a_host_that_keeps_nothing_says_what_to_do() -> Result<(), Failure> {
    let mut host = Host::new(keeping);
    let answer = host.call("count", json!({}))?;
    assert!(answer.is_error());
    let says = "this host keeps nothing for extensions: keep it in a file";
    assert!(answer.text().contains(says), "{}", answer.text());
    assert!(host.state().is_null());
    Ok(())
}

#[test]
fn values_of_another_version_are_migrated_by_the_function_that_is_given() -> Result<(), Failure> {
    let mut host = Host::new(|| {
        Extension::new("later", "2.0.0").state_version(2).migrate(async |mut values, from| {
            let n = values.remove("counter").unwrap_or_default();
            Ok([("n".to_owned(), json!([n, from]))].into())
        })
    });
    let asked = json!({ "from": 1, "to": 2, "scope": "session", "data": { "counter": 4 } });
    let answer = host.request("state.migrate", asked)?;
    assert_eq!(answer.value(), json!({ "data": { "n": [4, 1] } }));
    Ok(())
}

#[test]
fn the_example_is_the_program_of_the_page() {
    let example = include_str!("../../examples/count.rs");
    let (_, program) = example.split_once("\n\n").unwrap();
    let page = include_str!("../../../docs/state.md");
    assert!(page.contains(&format!("```rust count.rs\n{program}```")), "{program}");
}
