//! Values of another version than the extension knows.

use serde_json::{Value, json};

use crate::keeper::{ask, call, count, end, get, host, plain};

fn second(migrate: Option<&str>) -> Value {
    json!({ "name": "keeper", "version": 2, "migrate": migrate })
}

#[tokio::test]
async fn version_2_reads_version_1_and_is_asked_once_for_each_slot() {
    let home = tempfile::tempdir().unwrap();
    let first = host(home.path(), "one", &plain()).await;
    for scope in ["session", "global"] {
        assert_eq!(count(&first, scope).await, 1);
    }
    end(first).await;

    let later = host(home.path(), "one", &second(Some("add"))).await;
    assert_eq!(get(&later, "global", "n").await, Some(json!(2)));
    assert_eq!(count(&later, "global").await, 3);
    assert_eq!(count(&later, "session").await, 3);
    assert_eq!(get(&later, "project", "n").await, None);
    let seen = call(&later, "keeper_seen", json!({})).await;
    let asked = |scope: &str| json!({ "from": 1, "to": 2, "scope": scope, "data": { "n": 1 } });
    assert_eq!(seen["migrations"], json!([asked("global"), asked("session")]));
    end(later).await;

    let again = host(home.path(), "one", &second(Some("fail"))).await;
    assert_eq!(count(&again, "global").await, 4);
    end(again).await;
}

#[tokio::test]
async fn a_branch_from_before_is_migrated_too() {
    let home = tempfile::tempdir().unwrap();
    let first = host(home.path(), "one", &plain()).await;
    count(&first, "session").await;
    let early = first.leaf().await.unwrap();
    count(&first, "session").await;
    end(first).await;
    let later = host(home.path(), "one", &second(Some("add"))).await;
    assert_eq!(get(&later, "session", "n").await, Some(json!(3)));
    later.go_to_leaf(&early).await.unwrap();
    assert_eq!(get(&later, "session", "n").await, Some(json!(2)));
    end(later).await;
}

#[tokio::test]
async fn what_cannot_be_migrated_stays_as_it_is() {
    let home = tempfile::tempdir().unwrap();
    let first = host(home.path(), "one", &plain()).await;
    count(&first, "global").await;
    end(first).await;
    for (migrate, says) in [
        (None, "does not say how to migrate them"),
        (Some("fail"), "no idea how"),
        (Some("ask"), "cannot be asked for while state.migrate is answered"),
        (Some("much"), "a value has 65536 at most"),
    ] {
        let later = host(home.path(), "one", &second(migrate)).await;
        let answer = ask(&later, "state.get", json!({ "scope": "global", "key": "n" })).await;
        let text = answer["error"]["message"].as_str().unwrap();
        assert!(text.contains(says), "{text}");
        if migrate != Some("much") {
            assert_eq!(answer["error"]["code"], "conflict");
            assert!(text.contains("nothing was changed") && text.contains("version 1"), "{text}");
        }
        // A scope in which nothing is kept has any version.
        assert_eq!(get(&later, "project", "n").await, None);
        end(later).await;
    }
    let first = host(home.path(), "one", &plain()).await;
    assert_eq!(get(&first, "global", "n").await, Some(json!(1)));
    end(first).await;
}

#[tokio::test]
async fn a_large_slot_is_migrated_in_portions_and_at_once() {
    let home = tempfile::tempdir().unwrap();
    let first = host(home.path(), "one", &plain()).await;
    let numbers = 40;
    for number in 0..numbers {
        // Digits, so that it is a number still: 60,000 of them.
        let key = format!("k{number}");
        let value: Value = serde_json::from_str("1").unwrap();
        crate::keeper::set(&first, "global", &key, value).await;
    }
    end(first).await;
    let later = host(home.path(), "one", &second(Some("add"))).await;
    assert_eq!(get(&later, "global", "k39").await, Some(json!(2)));
    end(later).await;
}
