//! Values and entries go with the conversation: another one has its own, and a branch what was there.

use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};

use extline_host::services::session::{
    Append, AppendMethod, Appended, Branch, BranchMethod, Entries, SessionEntry,
};
use extline_host::{Asked, Host};
use serde_json::{Value, json};

use crate::keeper::{ask, builder, call, count, done, end, get, host, keeper, named, plain, set};

/// The types of the entries on the branch, oldest first.
async fn entries(host: &Host) -> Vec<Value> {
    let branch = done(host, "session.branch", json!({})).await;
    branch["entries"].as_array().unwrap().iter().map(|entry| entry["data"].clone()).collect()
}

async fn append(host: &Host, data: Value) -> Value {
    done(host, "session.append", json!({ "type": "note", "data": data })).await["id"].clone()
}

#[tokio::test]
async fn values_are_there_again_and_differ_by_session_and_project() {
    let home = tempfile::tempdir().unwrap();
    let one = host(home.path(), "one", &plain()).await;
    assert_eq!(count(&one, "session").await, 1);
    assert_eq!(count(&one, "session").await, 2);
    assert_eq!(count(&one, "project").await, 1);
    assert_eq!(count(&one, "global").await, 1);
    append(&one, json!("first")).await;
    let info = done(&one, "session.info", json!({})).await;
    assert_eq!((&info["id"], &info["durable"]), (&json!("one"), &json!(true)));
    end(one).await;

    let again = host(home.path(), "one", &plain()).await;
    assert_eq!(count(&again, "session").await, 3);
    assert_eq!(entries(&again).await, ["first"]);
    end(again).await;

    let other = home.path().join("other");
    std::fs::create_dir(&other).unwrap();
    let builder = builder(home.path(), Some("two")).cwd(&other);
    let two = builder.extension(keeper(&plain())).start().await;
    assert_eq!(get(&two, "session", "n").await, None);
    assert_eq!(get(&two, "project", "n").await, None);
    assert_eq!(get(&two, "global", "n").await, Some(json!(1)));
    assert!(entries(&two).await.is_empty());
    end(two).await;

    for (path, mode) in [("state", 0o700), ("state/state.db", 0o600)] {
        let found = std::fs::metadata(home.path().join(path)).unwrap().permissions().mode();
        assert_eq!(found & 0o777, mode, "{path}");
    }
}

#[tokio::test]
async fn a_fork_sees_what_was_there_and_neither_sees_what_the_other_sets() {
    let home = tempfile::tempdir().unwrap();
    let host = host(home.path(), "one", &plain()).await;
    count(&host, "session").await;
    append(&host, json!("first")).await;
    let early = host.leaf().await.unwrap();
    assert_eq!(host.leaf().await.unwrap(), early, "nothing was kept meanwhile");
    set(&host, "session", "gone", json!(true)).await;
    count(&host, "session").await;
    append(&host, json!("second")).await;

    host.fork_session(named("two"), None).await.unwrap();
    assert_eq!(count(&host, "session").await, 3);
    append(&host, json!("of two")).await;
    done(&host, "state.delete", json!({ "scope": "session", "key": "gone" })).await;
    assert_eq!(get(&host, "session", "gone").await, None);
    let listed = done(&host, "state.list", json!({ "scope": "session" })).await;
    let keys: Vec<_> = listed["keys"].as_array().unwrap().iter().map(|it| &it["key"]).collect();
    assert_eq!(keys, ["n"]);
    assert_eq!(entries(&host).await, ["first", "second", "of two"]);
    let info = done(&host, "session.info", json!({})).await;
    assert_eq!((&info["id"], &info["parent"]), (&json!("two"), &json!("one")));

    host.switch_session(named("one")).await.unwrap();
    assert_eq!(get(&host, "session", "n").await, Some(json!(2)));
    assert_eq!(get(&host, "session", "gone").await, Some(json!(true)));
    assert_eq!(entries(&host).await, ["first", "second"]);

    host.fork_session(named("three"), Some(&early)).await.unwrap();
    assert_eq!(get(&host, "session", "n").await, Some(json!(1)));
    assert_eq!(get(&host, "session", "gone").await, None);
    assert_eq!(entries(&host).await, ["first"]);

    let taken = host.fork_session(named("two"), None).await.unwrap_err();
    assert_eq!(taken.code.as_str(), "conflict");
    let unknown = host.fork_session(named("four"), Some("99999")).await.unwrap_err();
    assert_eq!(unknown.code.as_str(), "not_found");
    end(host).await;
}

#[tokio::test]
async fn going_back_in_the_history_brings_back_what_was_there_and_going_on_does_too() {
    let home = tempfile::tempdir().unwrap();
    let host = host(home.path(), "one", &plain()).await;
    count(&host, "session").await;
    append(&host, json!("first")).await;
    let early = host.leaf().await.unwrap();
    count(&host, "session").await;
    let second = append(&host, json!("second")).await;
    let late = host.leaf().await.unwrap();

    host.go_to_leaf(&early).await.unwrap();
    assert_eq!(get(&host, "session", "n").await, Some(json!(1)));
    assert_eq!(count(&host, "session").await, 2);
    assert_eq!(count(&host, "session").await, 3);
    assert_eq!(entries(&host).await, ["first"]);
    let stale = ask(&host, "session.branch", json!({ "after": second })).await;
    assert_eq!(stale["error"]["code"], "stale");

    host.go_to_leaf(&late).await.unwrap();
    assert_eq!(get(&host, "session", "n").await, Some(json!(2)));
    assert_eq!(entries(&host).await, ["first", "second"]);
    // What was done on the branch between is not seen from where it began.
    host.go_to_leaf(&early).await.unwrap();
    assert_eq!(get(&host, "session", "n").await, Some(json!(1)));
    end(host).await;
}

#[tokio::test]
async fn extensions_are_told_which_conversation_it_is() {
    let home = tempfile::tempdir().unwrap();
    let told = async |host: &Host| {
        let seen = call(host, "keeper_seen", json!({})).await;
        let event = |event: &Value| {
            let of = |name: &str| event[name].as_str().unwrap_or("-").to_owned();
            let [name, session, why] = ["event", "session_id", "reason"].map(of);
            format!("{name} {session} {why} {}", of("previous_session"))
        };
        seen["events"].as_array().unwrap().iter().map(event).collect::<Vec<_>>()
    };
    let first = host(home.path(), "one", &plain()).await;
    first.start_session();
    count(&first, "session").await;
    first.switch_session(named("two")).await.unwrap();
    first.fork_session(named("three"), None).await.unwrap();
    first.switch_session(named("one")).await.unwrap();
    assert_eq!(
        told(&first).await,
        [
            "session_start one startup -",
            "session_end one session_switch -",
            "session_switch two - one",
            "session_start two new -",
            "session_end two session_switch -",
            "session_branch three - two",
            "session_start three fork -",
            "session_end three session_switch -",
            "session_switch one - three",
            "session_start one resume -",
        ]
    );
    let early = first.leaf().await.unwrap();
    count(&first, "session").await;
    first.go_to_leaf(&early).await.unwrap();
    let seen = call(&first, "keeper_seen", json!({})).await;
    let tree = seen["events"].as_array().unwrap().last().unwrap();
    assert_eq!(tree["event"], "session_tree");
    assert!(tree["old_leaf"].is_string() && tree["new_leaf"].is_string(), "{tree}");
    end(first).await;

    let again = host(home.path(), "one", &plain()).await;
    again.start_session();
    assert_eq!(told(&again).await, ["session_start one resume -"]);
    end(again).await;
}

#[tokio::test]
async fn without_a_session_its_values_end_with_the_host() {
    let home = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let host = builder(home.path(), None).extension(keeper(&plain())).start().await;
        assert_eq!(count(&host, "session").await, 1);
        append(&host, json!(1)).await;
        assert_eq!(entries(&host).await, [1]);
        let info = done(&host, "session.info", json!({})).await;
        assert_eq!((info.get("id"), &info["durable"]), (None, &json!(false)));
        assert_eq!(host.leaf().await.unwrap_err().code.as_str(), "unsupported");
        end(host).await;
    }
}

#[tokio::test]
async fn a_host_in_memory_and_one_that_keeps_nothing() {
    let home = tempfile::tempdir().unwrap();
    let builder = || Host::builder().home(home.path()).cwd(home.path()).extension(keeper(&plain()));
    let host = builder().state_in_memory().session(named("one")).start().await;
    assert_eq!(count(&host, "global").await, 1);
    assert_eq!(count(&host, "session").await, 1);
    host.fork_session(named("two"), None).await.unwrap();
    assert_eq!(count(&host, "session").await, 2);
    end(host).await;
    assert!(!home.path().join("state").exists());

    let host = builder().start().await;
    let answer = ask(&host, "state.get", json!({ "scope": "global", "key": "n" })).await;
    assert_eq!(answer["error"]["code"], "unsupported");
    end(host).await;
}

#[tokio::test]
async fn entries_come_in_pages_and_by_type() {
    let home = tempfile::tempdir().unwrap();
    let host = host(home.path(), "one", &plain()).await;
    for number in 0..5 {
        let kind = if number % 2 == 0 { "even" } else { "odd" };
        done(&host, "session.append", json!({ "type": kind, "data": number })).await;
    }
    let page = async |params: Value| {
        let page = done(&host, "session.branch", params).await;
        let entries = page["entries"].as_array().unwrap().iter();
        (entries.map(|it| it["data"].clone()).collect::<Vec<_>>(), page["next"].clone())
    };
    let (first, next) = page(json!({ "limit": 2, "types": ["even"] })).await;
    assert_eq!(first, [0, 2]);
    let (second, next) = page(json!({ "limit": 2, "types": ["even"], "after": next })).await;
    assert_eq!((second, next), (vec![json!(4)], Value::Null));

    // A page of large ones ends before a frame is too long.
    for _ in 0..8 {
        let data = json!("x".repeat(200_000));
        done(&host, "session.append", json!({ "type": "large", "data": data })).await;
    }
    let (first, next) = page(json!({ "types": ["large"] })).await;
    let (second, last) = page(json!({ "types": ["large"], "after": next })).await;
    assert_eq!((first.len() + second.len(), last), (8, Value::Null));
    assert!(!second.is_empty());
    end(host).await;
}

#[tokio::test]
async fn an_agent_that_has_its_own_history_serves_it_itself_and_keeps_values_with_us() {
    let home = tempfile::tempdir().unwrap();
    let history: Arc<Mutex<Vec<SessionEntry>>> = Arc::default();
    let (added, read) = (Arc::clone(&history), Arc::clone(&history));
    let builder = builder(home.path(), Some("one"))
        .serve::<AppendMethod, _, _>(move |asked: Asked<Append>| {
            let mut history = added.lock().unwrap();
            let id = history.len().to_string();
            let Append { r#type, data } = asked.params;
            history.push(SessionEntry { id: id.clone(), r#type, at_ms: 0, data });
            async { Ok(Appended { id }) }
        })
        .serve::<BranchMethod, _, _>(move |_: Asked<Branch>| {
            let entries = read.lock().unwrap().clone();
            async { Ok(Entries { entries, ..Entries::default() }) }
        });
    let host = builder.extension(keeper(&plain())).start().await;
    append(&host, json!("first")).await;
    assert_eq!(history.lock().unwrap()[0].data.get(), r#""first""#);
    assert_eq!(entries(&host).await, ["first"]);
    assert_eq!(count(&host, "session").await, 1);
    end(host).await;
}
