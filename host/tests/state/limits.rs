//! What is refused, and that nothing is changed then.

use serde_json::{Value, json};

use crate::keeper::{ask, count, done, end, get, host, keeper, plain, set};

#[tokio::test]
async fn a_revision_that_is_another_one_by_now_is_a_conflict() {
    let home = tempfile::tempdir().unwrap();
    let host = host(home.path(), "one", &plain()).await;
    let params = |value, revision| json!({ "scope": "global", "key": "k", "value": value, "revision": revision });
    let first = done(&host, "state.set", params(1, 0)).await["revision"].as_u64().unwrap();
    let second = done(&host, "state.set", params(2, first)).await["revision"].as_u64().unwrap();
    assert!(second > first);
    for wrong in [first, 0] {
        let answer = ask(&host, "state.set", params(3, wrong)).await;
        assert_eq!(answer["error"]["code"], "conflict", "{answer}");
        assert_eq!(answer["error"]["data"], json!({ "revision": second }));
    }
    let delete = json!({ "scope": "global", "key": "k", "revision": first });
    assert_eq!(ask(&host, "state.delete", delete).await["error"]["code"], "conflict");
    assert_eq!(get(&host, "global", "k").await, Some(json!(2)));
    let delete = json!({ "scope": "global", "key": "k", "revision": second });
    assert_eq!(done(&host, "state.delete", delete).await, json!({ "deleted": true }));
    let delete = json!({ "scope": "global", "key": "k" });
    assert_eq!(done(&host, "state.delete", delete).await, json!({ "deleted": false }));
    end(host).await;
}

#[tokio::test]
async fn each_limit_is_named_and_what_was_there_stays() {
    let home = tempfile::tempdir().unwrap();
    let host = host(home.path(), "one", &plain()).await;
    let setting =
        |key: &str, value: Value| json!({ "scope": "session", "key": key, "value": value });
    let most = json!("x".repeat(65_534));
    done(&host, "state.set", setting("k", most.clone())).await;
    let answer = ask(&host, "state.set", setting("k", json!("x".repeat(65_535)))).await;
    assert_eq!(answer["error"]["code"], "too_large");
    assert_eq!(answer["error"]["data"], json!({ "limit": "value_bytes", "max": 65_536 }));

    for key in [String::new(), "k".repeat(257)] {
        let answer = ask(&host, "state.set", setting(&key, json!(1))).await;
        assert_eq!(answer["error"]["code"], "validation", "{answer}");
        let text = answer["error"]["message"].as_str().unwrap();
        assert!(text.starts_with("state.set: /key: "), "{text}");
    }
    done(&host, "state.set", setting(&"k".repeat(256), json!(null))).await;
    assert_eq!(get(&host, "session", &"k".repeat(256)).await, Some(Value::Null));

    let mut kept = 1;
    let refused = loop {
        let answer = ask(&host, "state.set", setting(&format!("k{kept}"), most.clone())).await;
        if answer.get("error").is_some() {
            break answer;
        }
        kept += 1;
    };
    assert_eq!(kept, 255, "16 MiB have 256 of them, but for their keys");
    assert_eq!(refused["error"]["code"], "budget");
    assert_eq!(refused["error"]["data"], json!({ "limit": "slot_bytes", "max": 16_777_216 }));
    // One that is there may be replaced by what is not larger.
    done(&host, "state.set", setting("k", json!(1))).await;
    done(&host, "state.set", setting("k", most)).await;

    let entry = json!({ "type": "t", "data": "x".repeat(262_143) });
    let answer = ask(&host, "session.append", entry).await;
    assert_eq!(answer["error"]["data"], json!({ "limit": "entry_bytes", "max": 262_144 }));
    end(host).await;
}

#[tokio::test]
async fn an_extension_has_nothing_of_another_ones() {
    let home = tempfile::tempdir().unwrap();
    let one = host(home.path(), "one", &plain()).await;
    assert_eq!(count(&one, "global").await, 1);
    done(&one, "session.append", json!({ "type": "t", "data": 1 })).await;
    end(one).await;
    let other = host(home.path(), "one", &json!({ "name": "other" })).await;
    let ask = async |method: &str, params: Value| {
        let args = json!({ "method": method, "params": params });
        crate::keeper::call(&other, "other_ask", args).await["result"].clone()
    };
    let named = json!({ "scope": "global", "key": "n", "extension": "keeper" });
    assert_eq!(ask("state.get", named).await.get("value"), None);
    let listed = ask("state.list", json!({ "scope": "global" })).await;
    assert_eq!(listed, json!({ "keys": [], "bytes": 0 }));
    assert_eq!(ask("session.branch", json!({})).await["entries"], json!([]));
    end(other).await;
}

#[tokio::test]
async fn keys_come_in_their_order_in_pages() {
    let home = tempfile::tempdir().unwrap();
    let host = host(home.path(), "one", &plain()).await;
    for scope in ["global", "session"] {
        for key in ["b", "a/2", "a/1", "a", "ä", "a/3"] {
            set(&host, scope, key, json!(key)).await;
        }
        let page = async |params: Value| {
            let mut asked = json!({ "scope": scope });
            asked.as_object_mut().unwrap().extend(params.as_object().unwrap().clone());
            let page = done(&host, "state.list", asked).await;
            let keys = page["keys"].as_array().unwrap().iter();
            let keys: Vec<_> = keys.map(|it| it["key"].as_str().unwrap().to_owned()).collect();
            (keys, page["next"].clone(), page["bytes"].clone())
        };
        let (all, next, bytes) = page(json!({})).await;
        // The extension writes an umlaut as six letters.
        assert_eq!(all, ["a", "a/1", "a/2", "a/3", "b", "ä"]);
        assert_eq!((next, bytes), (Value::Null, json!(13 + 13 + 12 + 4)));
        let (some, next, _) = page(json!({ "prefix": "a/", "limit": 2 })).await;
        assert_eq!((some, &next), (vec!["a/1".to_owned(), "a/2".to_owned()], &json!("a/2")));
        let (rest, next, _) = page(json!({ "prefix": "a/", "limit": 2, "after": next })).await;
        assert_eq!((rest, next), (vec!["a/3".to_owned()], Value::Null));
        let (rest, _, _) = page(json!({ "prefix": "a/", "after": "Z" })).await;
        assert_eq!(rest.len(), 3);
    }
    end(host).await;
}

#[tokio::test]
async fn a_file_that_cannot_be_used_is_told_to_who_asks() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("state.db");
    std::fs::write(
        &file,
        "no database at all, but a text that is long enough to be looked at as one",
    )
    .unwrap();
    let builder = extline_host::Host::builder().home(home.path()).cwd(home.path()).state(&file);
    let host = builder.extension(keeper(&plain())).start().await;
    let answer = ask(&host, "state.get", json!({ "scope": "global", "key": "n" })).await;
    assert_eq!(answer["error"]["code"], "internal");
    let text = answer["error"]["message"].as_str().unwrap();
    assert!(text.contains("state.db") && text.contains("not a database"), "{text}");
    end(host).await;
}
