//! `extline conformance check`: the rules of every conversation, for traces of our own host and of
//! a real zot.

#![cfg(unix)]

mod support;

use std::fs;

use support::{Extline, Outcome};

/// Traces that a real zot's conversations were recorded in.
const ZOT: &str = "protocol/tests/traces";

fn check(trace: &str, options: &[&str]) -> Outcome {
    Extline::new().run(&[&["conformance", "check", trace], options].concat())
}

#[test]
fn what_our_host_recorded_is_checked() {
    let extline = Extline::new();
    let trace = extline.home().join("t.ndjson");
    let file = trace.to_str().unwrap();
    let called = extline.run(&["call", "--trace", file, "examples/clock-shell", "clock_now", "{}"]);
    called.assert_code(0);
    let good = check(file, &["--verbose"]);
    good.assert_code(0);
    assert!(good.stdout.contains("pass E-TOL-01  each call has one answer"), "{good:?}");
    assert!(good.stdout.contains("pass E-LIF-20  shutdown_ack is the last frame"), "{good:?}");

    // The same with one answer twice.
    let text = fs::read_to_string(&trace).unwrap();
    let answer = text.lines().find(|line| line.contains("tool_result")).unwrap();
    fs::write(&trace, text.replace(answer, &format!("{answer}\n{answer}"))).unwrap();
    let twice = check(file, &[]);
    twice.assert_code(1);
    assert!(twice.stdout.contains("FAIL E-TOL-01"), "{twice:?}");
    assert!(twice.stdout.contains("got       a second tool_result for the id"), "{twice:?}");
    let line = twice.stdout.lines().find(|line| line.contains("clock-shell/clock.sh")).unwrap();
    assert!(line.starts_with("extline conformance "), "the head says what ran: {line}");
}

#[test]
fn what_a_real_zot_recorded_is_checked() {
    for (trace, code, broken) in [
        ("01-handshake", 0, vec![]),
        ("03-events", 0, vec![]),
        ("04-intercept", 0, vec![]),
        ("13-large-frames", 0, vec![]),
        // A script that writes what no extension may, on purpose.
        ("09-junk", 1, vec!["E-FRM-25", "E-OUT-01", "E-REG-01", "E-TOL-01"]),
    ] {
        let outcome = check(&format!("{ZOT}/{trace}.ndjson"), &[]);
        outcome.assert_code(code);
        for id in broken {
            assert!(outcome.stdout.contains(&format!("FAIL {id}")), "{trace} {id}: {outcome:?}");
        }
    }
}

#[test]
fn a_trace_that_says_nothing_is_refused() {
    let extline = Extline::new();
    let trace = extline.home().join("t.ndjson");
    let file = trace.to_str().unwrap();
    let refused = |text: &str, options: &[&str], says: &str| {
        fs::write(&trace, text).unwrap();
        let outcome = check(file, options);
        outcome.assert_code(3);
        outcome.assert_says(&[says]);
    };
    let line = |extension: &str| {
        format!("{{\"t_us\":1,\"dir\":\"e>h\",\"extension\":\"{extension}\",\"line\":\"{{}}\"}}\n")
    };
    refused("", &[], "no line of an extension is in it");
    refused("{\"t_us\":1,\"dir\":\"?\"}\n", &[], "t.ndjson:1: /dir: expected h>e, e>h or os");
    refused("# Notes\n", &[], "; a trace is what `extline record`, `extline tap --trace FILE` or");
    let two = line("one") + &line("two");
    refused(&two, &[], "holds one, two: name one with --extension");
    refused(&two, &["--extension", "three"], "holds no \"three\"; it holds one, two");
    let one = check(file, &["--extension", "two"]);
    one.assert_code(1);
    assert!(one.stdout.contains("FAIL E-OUT-01"), "{one:?}");
    check("/no/such/trace", &[]).assert_code(3);
}
