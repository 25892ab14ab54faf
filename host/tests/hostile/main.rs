//! Hostile extensions beside honest ones, in one host process that lives on: each attack of
//! attacks.toml in an order that a seed draws. Meanwhile an honest extension answers, no call that a
//! guard forbids runs, and afterwards no process, descriptor or memory is left.
//!
//! `EXTLINE_SOAK_SECONDS` says for how long; unsaid, each attack is played once, after a few that show
//! what a host holds by itself. `EXTLINE_SOAK_SEED` repeats an order, `EXTLINE_SOAK_ONLY` names one
//! attack.

#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "what was measured, shown with --nocapture or a failure")]

mod attack;
mod measure;
#[path = "../extensions/support.rs"]
#[allow(dead_code, reason = "each test target uses a part")]
mod support;

use std::env;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use extline_host::protocol::frame::RegisterTool;
use extline_host::{BuiltinCall, CallError, ExtensionSource, Host, HostBuilder};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio::runtime::Runtime;

use attack::Attack;
use measure::Process;
use support::{Home, LONG, behave, python};

/// How long one attack goes on beside the honest extension.
const ATTACK: Duration = Duration::from_millis(300);

/// Megabytes that a host may hold at its peak, whatever one extension writes: its own bound for an extension,
/// what is on its way, and what a debug build takes by itself.
const PEAK: usize = 320;

/// Attacks after which is measured what a host holds by itself.
const FIRST: usize = 6;

/// Bytes that may stay from then to the end. An allocator keeps some of what it had.
const GROWTH: usize = 48 << 20;

#[test]
fn hostile_extensions_hold_nobody_up_and_leave_nothing() {
    run_with_one_arena();
    what_left_its_session_is_seen();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let attacks = attack::all(env::var("EXTLINE_SOAK_ONLY").ok().as_deref());
    assert!(!attacks.is_empty(), "attacks.toml has no such attack");
    let seed = number("EXTLINE_SOAK_SEED").unwrap_or_else(|| fastrand::u64(..));
    let seconds = number("EXTLINE_SOAK_SECONDS").map(Duration::from_secs);
    // Shown when the test fails: the order can be had again.
    println!("EXTLINE_SOAK_SEED={seed}");
    fastrand::seed(seed);

    let began = Instant::now();
    let mut order: Vec<&Attack> = attacks.iter().collect();
    fastrand::shuffle(&mut order);
    for attack in order.iter().take(FIRST) {
        observe(&runtime, attack);
    }
    let first = Process::measure();
    loop {
        fastrand::shuffle(&mut order);
        for attack in &order {
            observe(&runtime, attack);
        }
        let now = settle(&first);
        println!("{:.1} s: {now:?}, at first {first:?}", began.elapsed().as_secs_f64());
        assert_eq!(now.processes, 0, "processes are left");
        assert!(
            now.descriptors <= first.descriptors,
            "descriptors are left: {:?}",
            measure::descriptors()
        );
        assert!(now.memory < first.memory + GROWTH, "memory is left");
        if seconds.is_none_or(|seconds| began.elapsed() >= seconds) {
            break;
        }
    }
}

/// What is held once the tasks of the last host have ended: they close what they read a little after its
/// processes are gone.
fn settle(first: &Process) -> Process {
    let began = Instant::now();
    loop {
        let now = Process::measure();
        let is_settled = now.processes == 0 && now.descriptors <= first.descriptors;
        if is_settled || began.elapsed() >= LONG {
            return now;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Begins this program anew. An allocator that keeps an arena a thread keeps tens of megabytes that
/// nobody holds, which looks as if something was left.
fn run_with_one_arena() {
    const ARENAS: &str = "MALLOC_ARENA_MAX";
    if env::var_os(ARENAS).is_none() {
        let mut again = Command::new(env::current_exe().unwrap());
        panic!("{}", again.args(env::args_os().skip(1)).env(ARENAS, "1").exec());
    }
}

/// What is left behind is counted also where it is nobody's child any more.
fn what_left_its_session_is_seen() {
    let mut leaves = Command::new("setsid");
    leaves.args(["sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!"]);
    let mark = format!("{}-0-0/0", std::process::id());
    let output = leaves.env("EXTLINE_MARK", mark).output().unwrap();
    assert_eq!(Process::measure().processes, 1);
    let orphan = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
    kill_process(Pid::from_raw(orphan).unwrap(), Signal::KILL).unwrap();
    let ended = settle(&Process { descriptors: usize::MAX, ..Process::measure() });
    assert_eq!(ended.processes, 0, "it must end");
}

/// Plays an attack, and holds the host's memory to its bound.
fn observe(runtime: &Runtime, attack: &Attack) {
    let began = Instant::now();
    measure::reset_peak();
    runtime.block_on(play(attack));
    let (peak, took) = (measure::peak() >> 20, began.elapsed().as_secs_f64());
    println!("{:<24} peak {peak:>4} MB, {took:.2} s", attack.name);
    assert!(peak < PEAK, "{}: {peak} MB at its peak", attack.name);
}

/// One host with an honest extension, a guard that forbids every tool call, and the attacker.
async fn play(attack: &Attack) {
    let home = Home::new();
    let ran = Arc::new(AtomicUsize::new(0));
    let guard = json!({"subscribe": {"guards": ["tool_call"]},
                       "guard": {"answer": {"block": true, "reason": "no"}}});
    let journal = home.path().join("journal").into_os_string();
    let host = forbidden(home.builder(), &ran)
        .extension(behave(&["at-once"]))
        .extension(python("intercept.py", ["guard".into(), journal, guard.to_string().into()]))
        .extension(attacker(attack, &home))
        .start()
        .await;

    let began = Instant::now();
    while began.elapsed() < ATTACK {
        honest(&host, attack).await;
        let error = host.call("forbidden", "{}").await.unwrap_err();
        assert!(matches!(error, CallError::Blocked { .. }), "{}: {error}", attack.name);
        // What the attacker offers is called too, by whatever name it has; the guard is in front.
        for tool in host.tools().iter().filter(|tool| !tool.is_builtin()).take(3) {
            let called = tokio::time::timeout(LONG, host.call(tool.name(), "{}")).await;
            called.unwrap_or_else(|_| panic!("{}: a call does not end", attack.name)).unwrap_err();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(ran.load(Ordering::Relaxed), 0, "{}: a forbidden call ran", attack.name);
    for ending in host.shutdown().await {
        assert!(ending.gone, "{}: {ending}", attack.name);
    }
}

fn attacker(attack: &Attack, home: &Home) -> ExtensionSource {
    let mut words = attack.program(home.path()).into_iter();
    ExtensionSource::command(words.next().unwrap(), words)
}

/// The honest extension answers.
async fn honest(host: &Host, attack: &Attack) {
    let answer = tokio::time::timeout(LONG, host.command("show", "here")).await;
    let answer = answer.unwrap_or_else(|_| panic!("{}: nobody answers", attack.name));
    if let Err(error) = answer {
        panic!("{}: {error}", attack.name);
    }
}

/// A tool of the agent's that nobody may run.
fn forbidden(builder: HostBuilder, ran: &Arc<AtomicUsize>) -> HostBuilder {
    let definition = RegisterTool {
        name: "forbidden".to_owned(),
        schema: json!({"type": "object"}).into(),
        ..RegisterTool::default()
    };
    let ran = Arc::clone(ran);
    let run = move |call: BuiltinCall| {
        ran.fetch_add(1, Ordering::Relaxed);
        async move { Ok(call.result(Vec::new())) }
    };
    builder.builtin_tool(definition, run).unwrap()
}

fn number(variable: &str) -> Option<u64> {
    let value = env::var(variable).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{variable}={value} is no number")))
}
