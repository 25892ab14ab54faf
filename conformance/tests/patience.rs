//! How long the tester waits: longer for a process that computes than for one that waits itself,
//! and for neither without end.

use std::path::Path;
use std::time::{Duration, Instant};

use extline_conformance::{Options, Outcome, Verdict, parse, run};
use extline_host::{ExtensionSource, Program};

const CASE: &str = r#"
[[case]]
id = "E-LIF-03"
title = "it is gone after the end of stdin"
clauses = ["end.eof"]
process = "own"
steps = [{ close = "stdin" }, { exit = {}, within_ms = 700 }]
"#;

const HELLO: &str = r#"
echo '{"type":"hello","name":"x","version":"1","capabilities":[]}'
echo '{"type":"ready"}'
while read -r line; do :; done
"#;

#[test]
fn one_that_waits_itself_gets_the_time_and_no_more() {
    let (outcome, took) = end_of("sleep 30");
    assert_eq!(outcome, Some(Outcome::Survived));
    assert!(took >= Duration::from_millis(700), "{took:?}");
}

#[test]
fn one_that_computes_for_ever_is_not_waited_for() {
    let (outcome, took) = end_of("while :; do :; done");
    assert_eq!(outcome, Some(Outcome::Survived));
    assert!(took >= Duration::from_millis(700), "{took:?}");
}

#[cfg(target_os = "linux")]
const SURVIVES: &str = r#"
[[case]]
id = "E-FRM-08"
title = "a blank line is skipped"
clauses = ["frm.blank-line"]
steps = [{ raw = "\n" }, { canary = 1 }]
"#;

/// Dies of a line half a second later. Until then it waits as for a disk, which is what a process does
/// whose child does not get as far as its program.
#[cfg(target_os = "linux")]
const DIES_BEHIND_A_DISK: &str = r#"
import os, subprocess, sys, tempfile
print('{"type":"hello","name":"x","version":"1","capabilities":[]}')
print('{"type":"ready"}', flush=True)
sys.stdin.readline()
sys.stdin.readline()
with tempfile.TemporaryDirectory() as folder:
    pipe = folder + "/pipe"
    os.mkfifo(pipe)
    subprocess.Popen(["sh", "-c", 'sleep 0.5; : >"$0"', pipe])
    opens = (os.POSIX_SPAWN_OPEN, 9, pipe, os.O_RDONLY, 0)
    os.posix_spawn("/bin/sh", ["sh", "-c", ":"], {}, file_actions=[opens])
sys.exit(1)
"#;

#[test]
#[cfg(target_os = "linux")]
fn one_that_waits_for_a_disk_has_not_survived_yet() {
    let dies = ExtensionSource::command("python3", ["-S", "-c", DIES_BEHIND_A_DISK]);
    assert_eq!(play(SURVIVES, &dies), Some(Outcome::Died));
}

/// What came of an extension that does this at the end of its stdin, and how long the run took.
fn end_of(at_the_end: &str) -> (Option<Outcome>, Duration) {
    let script = format!("{HELLO}{at_the_end}");
    let began = Instant::now();
    (play(CASE, &ExtensionSource::command("sh", ["-c", &script])), began.elapsed())
}

/// What came of a case.
fn play(case: &str, source: &ExtensionSource) -> Option<Outcome> {
    let program = Program::of(source, Path::new("/")).unwrap_or_else(|problem| panic!("{problem}"));
    let options = Options::of(program);
    let cases = parse("patience.toml", case).unwrap();
    let report = run(&options, &cases.iter().collect::<Vec<_>>(), &mut |_| {});
    let case = &report.cases[0];
    assert!(matches!(case.verdict, Verdict::Pass | Verdict::Fail), "{case:?}");
    case.failure.as_ref().map(|failure| failure.outcome)
}
