//! Traces used again: `extline conformance replay`, `record` and `mock`.

#![cfg(unix)]

#[path = "conformance_replay/mock.rs"]
mod mock;
#[path = "conformance_replay/record.rs"]
mod record;
mod support;

use std::path::PathBuf;

use support::{Extline, Outcome};

/// Answers calls of one tool, greets with a note, and ends with 0.
const GREETER: &str = r#"
echo '{"type":"hello","name":"greeter","version":"1","capabilities":["tools"]}'
read -r ack
echo '{"type":"register_tool","name":"greet","description":"d","schema":{"type":"object"}}'
echo '{"type":"ready"}'
while read -r line; do
  case "$line" in
    *'"tool_call"'*) id=${line#*'"id":"'}; id=${id%%'"'*}
      echo '{"type":"notify","level":"info","message":"greeting"}'
      echo '{"type":"tool_result","id":"'"$id"'","content":[{"type":"text","text":"hello"}]}' ;;
    *'"shutdown"'*) echo '{"type":"shutdown_ack"}'; exit 0 ;;
  esac
done
"#;

struct Recorded {
    extline: Extline,
    trace: PathBuf,
}

impl Recorded {
    /// Two calls of the greeter.
    fn new() -> Self {
        let extline = Extline::new();
        let trace = extline.home().join("t.ndjson");
        let words = ["call", "greet", "{}", "--trace", trace.to_str().unwrap(), "--"];
        extline.run(&[&words[..], &["sh", "-c", GREETER]].concat()).assert_code(0);
        Self { extline, trace }
    }

    /// Plays it to the greeter, with this in place of that.
    fn replay(&self, options: &[&str], from: &str, to: &str) -> Outcome {
        assert!(GREETER.contains(from));
        let script = GREETER.replacen(from, to, 1);
        let trace = self.trace.to_str().unwrap();
        let words = [&["conformance", "replay", trace], options, &["--", "sh", "-c", &script]];
        self.extline.run(&words.concat())
    }
}

#[test]
fn what_comes_again_is_green() {
    let recorded = Recorded::new();
    let same = recorded.replay(&["--verbose"], "", "");
    same.assert_code(0);
    assert!(same.stdout.contains("pass replay-001  its start"), "{same:?}");
    assert!(same.stdout.contains("tool_call greet: what came of it comes again (2 frames)"));
    assert!(same.stdout.contains("pass replay-end"), "{same:?}");
    assert!(same.stdout.contains("\nconformant: "), "{same:?}");
}

#[test]
fn what_comes_otherwise_is_told_with_its_place() {
    let recorded = Recorded::new();
    let differs = |from: &str, to: &str, told: &str| {
        let outcome = recorded.replay(&[], from, to);
        outcome.assert_code(1);
        assert!(outcome.stdout.contains(told), "{told}: {outcome:?}");
    };
    let text = "/content/0/text: expected \"hello\", got \"goodbye\"";
    differs(r#""text":"hello""#, r#""text":"goodbye""#, text);
    differs(
        r#""description":"d""#,
        r#""description":"e""#,
        "/description: expected \"d\", got \"e\"",
    );
    differs("exit 0", "exit 7", "exit status 7");
    differs(
        "echo '{\"type\":\"ready\"}'",
        "echo '{\"type\":\"ready\"}'; echo '{\"type\":\"clear_notes\"}'",
        "got       {\"type\":\"clear_notes\"}",
    );
    // What it does not say any more is waited for, and the rest is played all the same.
    let silent = recorded.replay(&[], r#"echo '{"type":"notify"#, r#": '{"type":"notify"#);
    silent.assert_code(1);
    assert!(silent.stdout.contains("expected  again {"), "{silent:?}");
    assert!(silent.stdout.contains("1 FAIL"), "{silent:?}");
}

#[test]
fn what_may_differ_is_left_out() {
    let recorded = Recorded::new();
    let (from, to) = (r#""text":"hello""#, r#""text":"goodbye""#);
    recorded.replay(&["--ignore", "tool_result/content"], from, to).assert_code(0);
    recorded.replay(&["--ignore", "notify/content"], from, to).assert_code(1);
    let wrong = recorded.replay(&["--ignore", "content"], from, to);
    wrong.assert_code(3);
    wrong.assert_says(&["--ignore \"content\": expected TYPE/POINTER, as tool_result/content"]);
}

#[test]
fn a_trace_of_a_real_zot_is_played_again() {
    // Its extension followed a script that is not here: it says other things, and that is told.
    let extline = Extline::new();
    let trace = "protocol/tests/traces/01-handshake.ndjson";
    let other = extline.run(&["conformance", "replay", trace, "examples/clock-shell"]);
    other.assert_code(1);
    assert!(other.stdout.contains("FAIL replay-001"), "{other:?}");
    let missing = extline.run(&["conformance", "replay", trace, "--", "/no/such/program"]);
    missing.assert_code(3);
}
