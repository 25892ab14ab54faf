//! A host with one extension that keeps values, and what is asked of it.

use std::path::Path;

use extline_host::protocol::frame::{Content, SessionInfo};
use extline_host::{ExtensionSource, Host, HostBuilder};
use serde_json::{Value, json};

/// How the extension is started.
pub(crate) fn keeper(options: &Value) -> ExtensionSource {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/state/keeper.py");
    let words = ["-S".into(), script.into_os_string(), options.to_string().into()];
    let name = options["name"].as_str().unwrap();
    ExtensionSource::command("python3", words).named(name)
}

pub(crate) fn builder(home: &Path, session: Option<&str>) -> HostBuilder {
    let builder = Host::builder().home(home).cwd(home);
    let builder = session.into_iter().fold(builder, |it, id| it.session(named(id)));
    let file = builder.state_file();
    builder.state(file)
}

pub(crate) fn named(session: &str) -> SessionInfo {
    SessionInfo { id: session.to_owned(), ..SessionInfo::default() }
}

/// A host with that extension alone.
pub(crate) async fn host(home: &Path, session: &str, options: &Value) -> Host {
    builder(home, Some(session)).extension(keeper(options)).start().await
}

pub(crate) fn plain() -> Value {
    json!({ "name": "keeper" })
}

/// Calls a tool of an extension.
pub(crate) async fn call(host: &Host, tool: &str, args: Value) -> Value {
    let result = host.call(tool, &args.to_string()).await.unwrap();
    let [Content::Text(text)] = &result.content[..] else { panic!("{result:?}") };
    serde_json::from_str(text).unwrap()
}

/// What the host answers to a request of the extension's.
pub(crate) async fn ask(host: &Host, method: &str, params: Value) -> Value {
    call(host, "keeper_ask", json!({ "method": method, "params": params })).await
}

/// The result of a request that goes well.
pub(crate) async fn done(host: &Host, method: &str, params: Value) -> Value {
    let answer = ask(host, method, params).await;
    assert_eq!(answer.get("error"), None, "{answer}");
    answer["result"].clone()
}

pub(crate) async fn set(host: &Host, scope: &str, key: &str, value: Value) -> u64 {
    let params = json!({ "scope": scope, "key": key, "value": value });
    done(host, "state.set", params).await["revision"].as_u64().unwrap()
}

/// The value; `None` where there is none.
pub(crate) async fn get(host: &Host, scope: &str, key: &str) -> Option<Value> {
    done(host, "state.get", json!({ "scope": scope, "key": key })).await.get("value").cloned()
}

/// Counts `n` up once.
pub(crate) async fn count(host: &Host, scope: &str) -> Value {
    call(host, "keeper_count", json!({ "scope": scope, "times": 1 })).await;
    get(host, scope, "n").await.unwrap()
}

pub(crate) async fn end(host: Host) {
    for ending in host.shutdown().await {
        assert!(ending.gone, "{ending}");
    }
}
