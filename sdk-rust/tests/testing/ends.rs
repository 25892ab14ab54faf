//! The end of a host and of its extension.

use std::env;
use std::process::Command;
use std::sync::Mutex;
use std::sync::mpsc::{TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use extline::prelude::*;
use extline::testing::{Failure, Host, Line};

#[test]
fn an_extension_that_is_asked_to_end_says_so_and_ends() -> Result<(), Failure> {
    let mut host = Host::new(|| Extension::new("a", "1"));
    assert_eq!(host.shutdown()?, 0);
    let types: Vec<_> = host.transcript().iter().map(Line::frame_type).collect();
    assert_eq!(types[types.len() - 2..], ["shutdown", "shutdown_ack"]);

    let failure = host.call("any", json!({})).unwrap_err();
    assert!(matches!(failure, Failure::Ended { .. }), "{failure}");
    let text = failure.to_string();
    let expected = "the tool any was not called: the extension has ended with exit code 0\n";
    assert!(text.starts_with(expected), "{text}");
    Ok(())
}

#[test]
fn a_call_that_runs_is_cancelled_and_answered_at_the_end() -> Result<(), Failure> {
    let mut host = Host::new(|| {
        Extension::new("a", "1").tool("wait", "", async |_: NoArgs, ctx: Context| {
            ctx.cancellation().await;
            Ok("put away")
        })
    });
    let call = host.begin("wait", json!({}))?;
    assert_eq!(host.shutdown()?, 0);
    assert_eq!(host.finish(call)?.text(), "put away");
    Ok(())
}

#[test]
fn a_host_that_goes_away_takes_its_extension_along() -> Result<(), Failure> {
    let (sender, values) = channel::<()>();
    let mut host = Host::new(|| {
        Extension::new("a", "1").tool("wait", "", async move |_: NoArgs, ctx: Context| {
            let _kept = &sender;
            ctx.cancellation().await;
            Ok(())
        })
    });
    let _call = host.begin("wait", json!({}))?;
    drop(host);
    // The sender, which the handler holds, is gone.
    assert_eq!(values.try_recv(), Err(TryRecvError::Disconnected));
    Ok(())
}

#[test]
fn a_handler_that_keeps_its_thread_does_not_keep_the_test() -> Result<(), Failure> {
    let (release, wait) = channel::<()>();
    let wait = Mutex::new(wait);
    let mut host = Host::builder().deadline(Duration::from_millis(200)).start(|| {
        Extension::new("a", "1").tool("block", "", async move |_: NoArgs, _| {
            let _ = wait.lock().unwrap().recv();
            Ok(())
        })
    })?;
    let began = Instant::now();
    let failure = host.call("block", json!({})).unwrap_err().to_string();
    assert!(
        failure.contains(
            "a handler keeps its thread without awaiting: what computes or blocks for long \
                          belongs in `ctx.blocking`"
        ),
        "{failure}"
    );
    drop(host);
    // A handler that is never released would keep a host that waits for it for ever.
    assert!(began.elapsed() < Duration::from_secs(60));
    drop(release);
    Ok(())
}

#[test]
fn hosts_stand_side_by_side() {
    let tests: Vec<_> = (0..8)
        .map(|n| {
            thread::spawn(move || {
                let mut host = Host::new(move || {
                    Extension::new("a", "1")
                        .tool("n", "", async move |_: NoArgs, _| Ok(n.to_string()))
                });
                (0..20).all(|_| host.call("n", json!({})).unwrap().text() == n.to_string())
            })
        })
        .collect();
    assert!(tests.into_iter().all(|test| test.join().unwrap()));
}

/// This very program, in which a host of an extension may stand beside the test runner's output.
#[test]
fn a_test_keeps_its_stdout_even_where_extensions_claim_theirs() {
    let test = "ends::an_extension_that_is_asked_to_end_says_so_and_ends";
    let run = Command::new(env::current_exe().unwrap())
        .args(["--exact", test])
        .env("EXTLINE_STDIO", "claim")
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&run.stdout);
    assert!(stdout.contains("1 passed"), "{stdout}{}", String::from_utf8_lossy(&run.stderr));
}
