//! Guards that were declared and cannot be asked: nothing passes, in whatever state their extension
//! is, and the error says which guard, in which state.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use extline_host::protocol::Deadlines;
use extline_host::protocol::frame::{Content, RegisterTool};
use extline_host::{
    CallError, ExtensionSource, ExtensionState, FailureCause, Host, HostBuilder, News,
    RestartPolicy,
};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use crate::support::{Home, LONG, end, script};

/// A host with the agent's own tool `run`, which counts how often it ran.
struct Scene {
    home: Home,
    deadlines: Deadlines,
    ran: Arc<AtomicUsize>,
}

/// How long a host waits that need not be waited for.
const SHORT: Duration = Duration::from_millis(300);

impl Scene {
    /// Its host waits shortly for `ready`, and for an answer longer than any takes.
    fn new() -> Self {
        let deadlines = Deadlines { ready: SHORT, intercept: LONG, ..Deadlines::default() };
        Self { home: Home::new(), deadlines, ran: Arc::default() }
    }

    /// The guard is away for good: its host waits shortly for an answer too.
    fn of_one_that_is_away() -> Self {
        let mut scene = Self::new();
        scene.deadlines.intercept = SHORT;
        scene
    }

    fn builder(&self) -> HostBuilder {
        let ran = Arc::clone(&self.ran);
        let run = move |call: extline_host::BuiltinCall| {
            ran.fetch_add(1, Ordering::SeqCst);
            async move { Ok(call.result(vec![Content::text("ran")])) }
        };
        let schema = json!({"type": "object"}).into();
        let tool = RegisterTool { name: "run".to_owned(), schema, ..RegisterTool::default() };
        self.home.builder().deadlines(self.deadlines).builtin_tool(tool, run).unwrap()
    }

    /// A folder whose extension starts in steps, see `stepwise.py`.
    fn folder(&self, name: &str, manifest: &Value, starts: &[Value]) -> ExtensionSource {
        let folder = self.home.folder(&format!("{name}-{}", manifest.to_string().len()));
        let config = json!({"starts": starts, "counter": folder.join("counter")});
        let mut all = json!({
            "name": name, "exec": "python3",
            "args": ["-S", script("stepwise.py"), config.to_string()]
        });
        all.as_object_mut().unwrap().extend(manifest.as_object().unwrap().clone());
        std::fs::write(folder.join("extension.json"), all.to_string()).unwrap();
        ExtensionSource::folder(folder)
    }

    /// The error of a call of the tool, which must not run.
    async fn blocked(&self, host: &Host) -> String {
        let before = self.ran.load(Ordering::SeqCst);
        let error = tokio::time::timeout(LONG, host.call("run", "{}")).await.unwrap().unwrap_err();
        assert!(matches!(error, CallError::Blocked { .. }), "{error}");
        assert_eq!(self.ran.load(Ordering::SeqCst), before);
        error.to_string()
    }

    /// Asserts that the tool runs.
    async fn passes(&self, host: &Host) {
        let result = tokio::time::timeout(LONG, host.call("run", "{}")).await.unwrap();
        assert!(!result.unwrap().is_error);
    }

    /// Asserts that the tool runs, where the guard may answer later than its host waits.
    async fn passes_at_last(&self, host: &Host) {
        let passes = async { while host.call("run", "{}").await.is_err() {} };
        tokio::time::timeout(LONG, passes).await.unwrap();
    }

    /// Asserts that the guard is asked: what it forbids does not run, all else does.
    async fn guarded(&self, host: &Host) {
        let forbidden = host.call("run", r#"{"forbidden":true}"#).await.unwrap_err();
        assert_eq!(forbidden.to_string(), "blocked by g: forbidden");
        self.passes(host).await;
    }
}

fn hello(guards: &Value) -> Value {
    json!({"type": "hello", "name": "g", "guards": guards})
}

fn plain_hello() -> Value {
    json!({"type": "hello", "name": "g"})
}

fn subscribe() -> Value {
    json!({"type": "subscribe", "intercept": ["tool_call"], "guards": ["tool_call"]})
}

fn ready() -> Value {
    json!({"type": "ready"})
}

fn in_manifest() -> Value {
    json!({"guards": ["tool_call"]})
}

fn closed_points(host: &Host, name: &str) -> Vec<String> {
    host.extensions().into_iter().rfind(|it| it.name == name).unwrap().closed_points
}

#[tokio::test]
async fn a_setup_that_outlasts_the_deadline_of_ready_is_blocked_until_the_guard_is_there() {
    for (manifest, hello) in
        [(json!({}), hello(&json!(["tool_call"]))), (in_manifest(), plain_hello())]
    {
        let scene = Scene::of_one_that_is_away();
        let released = scene.home.path().join("released");
        let steps = json!([hello, {"until": released}, subscribe(), ready()]);
        let host = scene.builder().extension(scene.folder("g", &manifest, &[steps])).start().await;
        assert_eq!(host.extensions()[0].state, ExtensionState::Ready, "its deadline has passed");
        let error = scene.blocked(&host).await;
        assert!(
            error.starts_with("blocked by g: its guard is not ready: its setup runs"),
            "{error}"
        );
        assert_eq!(closed_points(&host, "g"), ["tool_call"]);
        let failures = &host.extensions()[0].intercept_failures;
        assert_eq!(failures[0].cause, FailureCause::NotReady);
        std::fs::write(&released, "").unwrap();
        let there = async {
            let forbidden = || host.call("run", r#"{"forbidden":true}"#);
            while forbidden().await.unwrap_err().to_string() != "blocked by g: forbidden" {}
        };
        tokio::time::timeout(LONG, there).await.unwrap();
        scene.passes_at_last(&host).await;
        std::fs::remove_file(&released).unwrap();
        end(host).await;
    }
}

#[tokio::test]
async fn a_call_waits_for_a_late_guard_as_long_as_for_an_answer() {
    let scene = Scene::new();
    let steps = json!([hello(&json!(["tool_call"])), 1, subscribe(), ready()]);
    let host = scene.builder().extension(scene.folder("g", &json!({}), &[steps])).start().await;
    scene.guarded(&host).await;
    // One that is ready without the guard after all is not waited for any longer.
    let steps = json!([hello(&json!(["tool_call"])), 1, ready()]);
    let bare = scene.builder().extension(scene.folder("bare", &json!({}), &[steps])).start().await;
    let error = scene.blocked(&bare).await;
    assert!(error.contains("is declared in its hello, and it registered none"), "{error}");
    let notices = &bare.extensions()[0].notices;
    let told = notices.iter().any(|notice| notice.text.contains("declares a guard at tool_call"));
    assert!(told, "{notices:?}");
    end(host).await;
    end(bare).await;
}

#[tokio::test]
async fn one_that_fails_to_start_guards_what_its_manifest_declares_until_it_is_removed() {
    let mut scene = Scene::new();
    let never = json!([60]);
    let cases = [
        (json!({"guards": ["tool_call"], "exec": "./nowhere"}), json!([]), "there is no program"),
        (in_manifest(), json!([{"exit": 3}]), "it ended before it said hello"),
        (in_manifest(), never, "no hello within 500 ms"),
        (in_manifest(), json!([plain_hello(), {"exit": 3}]), "it ended after its hello"),
        (in_manifest(), json!(["{\"type\":\"ready\"}"]), "must be \"hello\""),
        (json!({"guards": "tool_call"}), json!([]), "/guards: expected a list of strings"),
        (json!({"guards": ["tool_call"], "args": 5}), json!([]), "/args: expected a list"),
        (json!({}), json!([hello(&json!(["tool_call"])), {"exit": 3}]), "it ended after its hello"),
        (json!({}), json!([hello(&json!("tool_call"))]), "its hello cannot be read"),
    ];
    for (at, (manifest, steps, why)) in cases.into_iter().enumerate() {
        let is_waited_for = !why.starts_with("no hello");
        scene.deadlines.hello = if is_waited_for { LONG } else { Duration::from_millis(500) };
        let guard = scene.folder(&format!("g{at}"), &manifest, &[steps]);
        let host = scene.builder().extension(guard).start().await;
        let name = host.extensions()[0].name.clone();
        let mut news = host.news();
        let error = scene.blocked(&host).await;
        assert!(error.contains("its guard cannot be asked: ") && error.contains(why), "{error}");
        assert_eq!(closed_points(&host, &name), ["tool_call"]);
        let is_told =
            |news: &News| matches!(news, News::InterceptFailed { failure, .. } if failure.blocked);
        assert!(std::iter::from_fn(|| news.try_next()).any(|news| is_told(&news)));
        host.remove(&name).await;
        assert!(closed_points(&host, &name).is_empty());
        scene.passes(&host).await;
        end(host).await;
    }
    let off = scene.folder("off", &json!({"guards": ["tool_call"], "enabled": false}), &[]);
    let host = scene.builder().extension(off).start().await;
    scene.passes(&host).await;
    end(host).await;
}

#[tokio::test]
async fn a_manifest_that_cannot_be_read_guards_where_it_may_declare_it() {
    let scene = Scene::new();
    let text = r#"{"name":"g","exec":"./nowhere","guards":["tool_call"]}"#;
    let utf_16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let long = [text.as_bytes(), &vec![b' '; 256 * 1024]].concat();
    let late = [&vec![b' '; 256 * 1024], text.as_bytes()].concat();
    for (bytes, why) in [
        ([text.as_bytes(), b"\xff"].concat(), "it is not UTF-8"),
        ([b"\xff\xfe", &utf_16[..]].concat(), "it is not UTF-8"),
        (utf_16, "not JSON"),
        (long, "at most 262144 are read"),
        (late, "at most 262144 are read"),
    ] {
        let folder = scene.home.folder("unread");
        std::fs::write(folder.join("extension.json"), bytes).unwrap();
        let host = scene.builder().folder(folder).start().await;
        let error = scene.blocked(&host).await;
        assert!(error.contains("its guard cannot be asked: ") && error.contains(why), "{error}");
        end(host).await;
    }
    let folder = scene.home.folder("unread");
    std::fs::write(folder.join("extension.json"), b"{\"name\":\"\xff\"}").unwrap();
    let host = scene.builder().folder(folder).start().await;
    scene.passes(&host).await;
    end(host).await;
}

#[tokio::test]
async fn one_that_is_displaced_by_its_name_blocks_and_says_so() {
    let scene = Scene::new();
    let project = scene.folder("g", &json!({}), &[json!([plain_hello(), ready()])]);
    let guard = scene.folder("g", &in_manifest(), &[json!([plain_hello(), subscribe(), ready()])]);
    let host = scene.builder().extension(project).extension(guard).start().await;
    let error = scene.blocked(&host).await;
    let why = "an extension before it has the same name; give one of the two another name";
    assert!(error.contains(why), "{error}");
    // The one in its place goes first, and takes no guard with it.
    host.remove("g").await.unwrap();
    scene.blocked(&host).await;
    assert!(host.remove("g").await.is_none());
    scene.passes(&host).await;
    end(host).await;
}

#[tokio::test]
async fn after_a_restart_a_guard_that_hangs_in_its_setup_is_not_passed() {
    let scene = Scene::of_one_that_is_away();
    let whole = json!([plain_hello(), subscribe(), ready()]);
    for second in [
        json!([plain_hello(), 120]),
        json!([120]),
        json!([plain_hello(), {"type": "subscribe"}, 120]),
        json!([{"exit": 3}]),
        json!([plain_hello(), {"type": "subscribe", "guards": "tool_call"}, ready()]),
    ] {
        let policy = RestartPolicy::OnFailure { backoff: Duration::from_millis(20), max: 2 };
        let folder = scene.folder(
            &format!("g{}", second.to_string().len()),
            &json!({}),
            &[whole.clone(), second.clone()],
        );
        let host = scene.builder().restart(policy).extension(folder).start().await;
        scene.passes_at_last(&host).await;
        let pid = host.extensions()[0].pid.unwrap();
        let group = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        kill_process_group(group, Signal::KILL).unwrap();
        // Past the moment at which the next process counts as ready, 300 ms after its hello.
        let mut since_again = None;
        while since_again.is_none_or(|since: Instant| since.elapsed() < Duration::from_secs(1)) {
            scene.blocked(&host).await;
            tokio::time::sleep(Duration::from_millis(20)).await;
            if host.extensions()[0].pid != Some(pid) {
                since_again.get_or_insert_with(Instant::now);
            }
        }
        // What hangs would take the host seconds to end.
        drop(host);
    }
}

#[tokio::test]
async fn a_subscribe_that_is_malformed_in_part_counts_where_it_can_be_read() {
    let scene = Scene::new();
    let mended = r#"{"type":"subscribe","events":["x",5],"guards":["tool_call"],"on_failure":[]}"#;
    let steps = json!([plain_hello(), mended, ready()]);
    let host = scene.builder().extension(scene.folder("g", &json!({}), &[steps])).start().await;
    scene.guarded(&host).await;
    end(host).await;
    for guards in [r#""tool_call""#, r#"["tool_call",5]"#, "true"] {
        let line = format!(r#"{{"type":"subscribe","guards":{guards}}}"#);
        let (name, steps) = (format!("bad{}", guards.len()), json!([plain_hello(), line, ready()]));
        let host =
            scene.builder().extension(scene.folder(&name, &json!({}), &[steps])).start().await;
        let error = scene.blocked(&host).await;
        assert!(error.contains("nobody can tell where it stands (subscribe: /guards"), "{error}");
        let notices = &host.extensions()[0].notices;
        assert!(
            notices.iter().any(|it| it.text.starts_with("it guards, and at which")),
            "{notices:?}"
        );
        end(host).await;
    }
    // A further subscribe mends it.
    let line = r#"{"type":"subscribe","guards":"tool_call"}"#;
    let steps = json!([plain_hello(), line, subscribe(), ready()]);
    let host = scene.builder().extension(scene.folder("later", &json!({}), &[steps])).start().await;
    let forbidden = host.call("run", r#"{"forbidden":true}"#).await.unwrap_err();
    assert_eq!(forbidden.to_string(), "blocked by later: forbidden");
    end(host).await;
}

#[tokio::test]
async fn one_without_ready_guards_once_it_has_subscribed() {
    let scene = Scene::new();
    let host = scene
        .builder()
        .extension(scene.folder("g", &in_manifest(), &[json!([plain_hello(), subscribe()])]))
        .start()
        .await;
    scene.guarded(&host).await;
    end(host).await;
}

#[tokio::test]
async fn a_person_may_leave_it_unguarded() {
    let scene = Scene::new();
    let missing = json!({"guards": ["tool_call"], "exec": "./nowhere"});
    let host =
        scene.builder().unguarded("g").extension(scene.folder("g", &missing, &[])).start().await;
    let mut news = host.news();
    scene.passes(&host).await;
    let is_told =
        |news: &News| matches!(news, News::InterceptFailed { failure, .. } if !failure.blocked);
    assert!(std::iter::from_fn(|| news.try_next()).any(|news| is_told(&news)));
    end(host).await;
    // It is no way around a guard that can be asked.
    let whole = json!([plain_hello(), subscribe(), ready()]);
    let guard = scene.folder("g", &json!({}), &[whole]);
    let host = scene.builder().unguarded("g").extension(guard).start().await;
    scene.guarded(&host).await;
    end(host).await;
}

#[tokio::test]
async fn a_zot_lets_pass_what_is_declared() {
    let scene = Scene::new();
    let missing = json!({"guards": ["tool_call"], "exec": "./nowhere"});
    let zot = extline_host::protocol::Profile::zot_0_1_62();
    let builder = scene.builder().profile(zot).extension(scene.folder("g", &missing, &[]));
    let host = builder.start().await;
    scene.passes(&host).await;
    end(host).await;
}

#[tokio::test]
async fn one_on_demand_guards_from_the_moment_it_is_enabled_until_it_is_disabled() {
    let scene = Scene::new();
    let go = scene.home.path().join("go");
    let late = json!([{"until": go}, plain_hello(), subscribe(), ready()]);
    // The last time it fails.
    let starts = [late, json!([plain_hello(), subscribe(), ready()]), json!([{"exit": 3}])];
    let guard = scene.folder("g", &in_manifest(), &starts).on_demand();
    let host = Arc::new(scene.builder().extension(guard).start().await);
    scene.passes(&host).await;

    let enabling = tokio::spawn({
        let host = Arc::clone(&host);
        async move { host.enable("g").await }
    });
    let is_closed = async {
        while closed_points(&host, "g").is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(LONG, is_closed).await.unwrap();
    let waits = host.call("run", "{}");
    let early = tokio::time::timeout(SHORT, waits).await;
    assert!(early.is_err() || early.unwrap().is_err(), "it ran while its guard started");
    assert_eq!(scene.ran.load(Ordering::SeqCst), 1);
    std::fs::write(&go, "").unwrap();
    enabling.await.unwrap().unwrap();
    scene.guarded(&host).await;
    host.disable("g").await.unwrap();
    assert!(closed_points(&host, "g").is_empty());
    scene.passes(&host).await;
    host.enable("g").await.unwrap();
    scene.guarded(&host).await;
    host.disable("g").await.unwrap();
    host.enable("g").await.unwrap_err();
    let error = scene.blocked(&host).await;
    assert!(error.contains("cannot be asked: "), "{error}");
    host.disable("g").await;
    scene.passes(&host).await;
    end(Arc::into_inner(host).unwrap()).await;
}
