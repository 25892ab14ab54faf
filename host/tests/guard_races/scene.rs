//! A host with guards before one tool, which tells whether it should have run.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use extline_host::protocol::Deadlines;
use extline_host::protocol::frame::{Content, RegisterTool};
use extline_host::{BuiltinCall, ExtensionSource, Host, HostBuilder, RestartPolicy};
use fastrand::Rng;
use serde_json::json;
use tempfile::TempDir;

/// How a process of a guard may start; see `guard.sh`.
pub(crate) const STARTS: [&str; 16] = [
    "whole",
    "whole",
    "plain",
    "late 0.15",
    "late 0.4",
    "late_declared 0.3",
    "hangs",
    "hangs_declared",
    "mute",
    "dies_before_hello",
    "dies_before_ready",
    "string",
    "mended",
    "in_part",
    "in_two",
    "no_ready",
];

/// How one may start besides that is declared in its manifest. Any other guards no more once it has
/// said `ready` without a guard.
pub(crate) const DECLARED_STARTS: [&str; 2] = ["behind_ready 0.05", "behind_ready 0.2"];

/// How many processes of a guard start in an order of their own.
const PLANNED: usize = 64;

/// How often the tool ran.
#[derive(Debug, Default)]
pub(crate) struct Ran {
    pub(crate) allowed: AtomicU64,
    pub(crate) forbidden: AtomicU64,
}

pub(crate) struct Scene {
    pub(crate) host: Arc<Host>,
    pub(crate) ran: Arc<Ran>,
    _home: TempDir,
}

impl Scene {
    /// Starts a host with a guard that its manifest declares, with one that has guarded once, or with
    /// both.
    pub(crate) async fn start(random: &mut Rng) -> Self {
        let home = tempfile::tempdir().unwrap();
        let ran = Arc::<Ran>::default();
        let mut builder = builder(random, home.path(), &ran);
        let (is_declared, is_promised) =
            [(true, false), (false, true), (true, true)][random.usize(..3)];
        if is_declared {
            let all = [&STARTS[..], &DECLARED_STARTS].concat();
            let starts: Vec<_> = (0..PLANNED).map(|_| all[random.usize(..all.len())]).collect();
            let folder = home.path().join("declared");
            let args = guard(&folder, &starts);
            let args: Vec<_> = args.iter().map(|path| path.to_string_lossy()).collect();
            let manifest = json!({
                "name": "declared", "exec": "sh", "args": args, "guards": ["tool_call"]
            });
            fs::write(folder.join("extension.json"), manifest.to_string()).unwrap();
            if random.u8(..6) == 0 {
                // Nobody asks the guard then.
                builder = builder.extension(program(
                    "declared",
                    &guard(&home.path().join("impostor"), &["plain"]),
                ));
            }
            builder = builder.folder(folder);
        }
        if is_promised {
            let further = (1..PLANNED).map(|_| STARTS[random.usize(..STARTS.len())]);
            let starts: Vec<_> = std::iter::once("whole").chain(further).collect();
            let args = guard(&home.path().join("promised"), &starts);
            builder = builder.extension(program("promised", &args));
        }
        let host = builder.start().await;
        if is_promised {
            await_subscription(&host, "promised").await;
        }
        Self { host: Arc::new(host), ran, _home: home }
    }
}

/// A host with the tool `run`, deadlines and a policy of restarts.
fn builder(random: &mut Rng, home: &Path, ran: &Arc<Ran>) -> HostBuilder {
    let ran = Arc::clone(ran);
    let run = move |call: BuiltinCall| {
        let is_forbidden = call.args.get().contains("\"forbidden\":true");
        let count = if is_forbidden { &ran.forbidden } else { &ran.allowed };
        count.fetch_add(1, Ordering::SeqCst);
        async move { Ok(call.result(vec![Content::text("ran")])) }
    };
    let schema = json!({"type": "object"}).into();
    let tool = RegisterTool { name: "run".to_owned(), schema, ..RegisterTool::default() };
    let mut millis = |from, to| Duration::from_millis(random.u64(from..to));
    let deadlines = Deadlines {
        hello: Duration::from_secs(1),
        ready: millis(60, 200),
        intercept: millis(40, 200),
        ..Deadlines::default()
    };
    let backoff = millis(1, 4);
    let max = if random.u8(..4) == 0 { 1 } else { 1_000 };
    let restart = RestartPolicy::OnFailure { backoff, max };
    let builder = Host::builder().home(home).cwd(home).deadlines(deadlines).restart(restart);
    builder.builtin_tool(tool, run).unwrap()
}

/// The arguments of `sh` for a guard whose processes start so, and its folder.
pub(crate) fn guard(folder: &Path, starts: &[&str]) -> [PathBuf; 3] {
    fs::create_dir_all(folder).unwrap();
    let (count, plan) = (folder.join("count"), folder.join("plan"));
    fs::write(&plan, starts.join("\n") + "\n").unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guard_races/guard.sh");
    [script, count, plan]
}

fn program(name: &str, args: &[PathBuf; 3]) -> ExtensionSource {
    ExtensionSource::command("sh", args).named(name)
}

/// Until it has said where it guards nobody can know; from then on it is a promise.
async fn await_subscription(host: &Host, name: &str) {
    let guards = || {
        let status = host.extensions().into_iter().find(|status| status.name == name).unwrap();
        status.subscribed.guards.is_some_and(|guards| !guards.is_empty())
    };
    let subscribed = async {
        while !guards() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), subscribed).await.expect("it subscribes");
}
