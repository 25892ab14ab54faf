//! The reports of `extline conformance`: baselines, several at once, faults of the tester, a run
//! that is stopped.

#![cfg(unix)]

#[path = "conformance_reports/browser.rs"]
mod browser;
#[path = "conformance_reports/flaky.rs"]
mod flaky;
#[path = "conformance_reports/matrix.rs"]
mod matrix;
mod support;

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::{Extline, Outcome, outcome, repository};

const RAW: &str = "examples/hello-python-raw";

/// The quick start of zot's documentation, which dies of a blank line and passes E-FRM-04.
fn conformance(extline: &Extline, words: &[&str]) -> Outcome {
    let cases = ["conformance", "--only", "E-FRM-08", "--only", "E-REG-01"];
    extline.run(&[&cases, words, &[RAW]].concat())
}

#[test]
fn a_baseline_is_written_filled_in_and_held_both_ways() {
    let extline = Extline::new();
    let file = extline.home().join("known.toml");
    let (file, write) = (file.to_str().unwrap(), format!("--write-baseline={}", file.display()));
    let written = conformance(&extline, &[&write]);
    written.assert_code(1);
    written
        .assert_says(&["known.toml lists 1 known failures; write a reason in place of TODO in 1"]);
    let refused = conformance(&extline, &["--baseline", file]);
    refused.assert_code(3);
    refused.assert_says(&["known.toml:5: E-FRM-08 has no reason"]);

    let text = fs::read_to_string(file).unwrap();
    fs::write(file, text.replace("TODO", "blank lines are rare")).unwrap();
    let held = conformance(&extline, &["--baseline", file]);
    held.assert_code(0);
    assert!(held.stdout.contains("expected failure E-FRM-08"), "{held:?}");
    assert!(held.stdout.contains("known-failing: blank lines are rare"), "{held:?}");
    assert!(held.stdout.contains("1 expected failure"), "{held:?}");

    let other = text.replace("TODO", "r").replace("\"died\"", "\"silent\"");
    fs::write(file, other).unwrap();
    let other = conformance(&extline, &["--baseline", file]);
    other.assert_code(1);
    assert!(other.stdout.contains("and now it is \"died\""), "{other:?}");

    let passes = text.replace("TODO", "r").replace("E-FRM-08", "E-REG-01");
    fs::write(file, passes).unwrap();
    let passes = conformance(&extline, &["--baseline", file, "--skip", "E-FRM-08"]);
    passes.assert_code(1);
    assert!(passes.stdout.contains("UNEXPECTED PASS E-REG-01"), "{passes:?}");

    fs::write(file, text.replace("TODO", "r").replace("E-FRM-08", "E-NO-01")).unwrap();
    let stale = conformance(&extline, &["--baseline", file, "--skip", "E-FRM-08"]);
    stale.assert_code(0);
    assert!(stale.stdout.contains("the entry for E-NO-01 is stale"), "{stale:?}");

    // Written anew, what is still so keeps its words.
    fs::write(file, text.replace("TODO", "blank lines are rare")).unwrap();
    conformance(&extline, &[&write]).assert_says(&["known.toml lists 1 known failures\n"]);
    assert!(fs::read_to_string(file).unwrap().contains("blank lines are rare"));
    conformance(&extline, &["--baseline", "/no/such/file"]).assert_code(3);
}

#[test]
fn reports_go_to_several_places_and_stdout_has_one_of_them() {
    let extline = Extline::new();
    let lines = extline.home().join("r.ndjson");
    let report = format!("ndjson={}", lines.display());
    let outcome = conformance(&extline, &["--report", &report, "--report", "junit=-"]);
    outcome.assert_code(1);
    assert!(outcome.stdout.starts_with("<?xml "), "{outcome:?}");
    assert!(outcome.stdout.ends_with("</testsuites>\n"), "{outcome:?}");
    outcome.assert_says(&["extline conformance ", "FAIL E-FRM-08", "not conformant: "]);
    let written = fs::read_to_string(&lines).unwrap();
    let kinds = written.lines().map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["kind"].as_str().unwrap().to_owned()
    });
    assert_eq!(kinds.collect::<Vec<_>>(), ["run", "case", "case", "summary"]);

    let seed = ["--seed", "7"];
    let shape = |words: &[&str]| {
        let outcome = conformance(&extline, words);
        outcome.assert_code(1);
        let lines = outcome.json_lines();
        lines.iter().map(|line| (line["kind"].clone(), line["seed"].clone())).collect::<Vec<_>>()
    };
    let json = shape(&[&["--json"], &seed[..]].concat());
    assert_eq!(json, shape(&[&["--report", "ndjson=-"], &seed[..]].concat()));
    assert_eq!(json[0].1, 7);

    let twice = conformance(&extline, &["--json", "--report", "junit=-"]);
    twice.assert_code(3);
    twice.assert_says(&["stdout is taken by another report"]);
    let nowhere = conformance(&extline, &["--report", "junit=/no/such/folder/r.xml"]);
    nowhere.assert_code(3);
    nowhere.assert_says(&["the file cannot be made: ", "nothing was run"]);
}

#[test]
fn each_format_is_written_to_its_file() {
    let extline = Extline::new();
    let formats = [
        ("tap", "TAP version 14\n1..3\n"),
        ("markdown", "## extline conformance: not conformant\n"),
        ("html", "<!doctype html>\n"),
        ("badge", "<svg "),
        ("badge-json", "{"),
    ];
    let reports: Vec<_> = formats
        .iter()
        .map(|(format, _)| format!("{format}={}", extline.home().join(format).display()))
        .collect();
    let words = reports.iter().flat_map(|report| ["--report", report]);
    let words: Vec<_> = words.chain(["--only", "E-FRM-01"]).collect();
    conformance(&extline, &words).assert_code(1);
    for (format, beginning) in formats {
        let text = fs::read_to_string(extline.home().join(format)).unwrap();
        assert!(text.starts_with(beginning), "{format}: {text}");
    }
    let badge = fs::read_to_string(extline.home().join("badge-json")).unwrap();
    let badge: serde_json::Value = serde_json::from_str(&badge).unwrap();
    assert_eq!(badge["message"], "failing");
    let page = fs::read_to_string(extline.home().join("html")).unwrap();
    let passed = page.split("id=\"E-FRM-01\"").nth(1).unwrap();
    assert!(passed.contains("class=\"lanes\""), "cases that passed show their frames: {page}");

    let unknown = conformance(&extline, &["--report", "pdf=r.pdf"]);
    unknown.assert_code(3);
    unknown.assert_says(&["expected FORMAT=FILE, with one of ndjson, junit, tap, markdown"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_the_tester_s_fault_and_not_the_extension_s() {
    let extline = Extline::new();
    for format in ["junit", "ndjson"] {
        let outcome = conformance(&extline, &["--report", &format!("{format}=/dev/full")]);
        outcome.assert_code(4);
        outcome.assert_says(&[
            "the tester itself failed: the report /dev/full cannot be written: No space left",
            "This says nothing about the extension",
            "please report it: https://",
            "Attach the command",
            "extline 0.",
        ]);
        assert!(
            outcome.stdout.contains("not conformant: "),
            "what was found is shown: {outcome:?}"
        );
    }
    let outcome = conformance(&extline, &["--write-baseline=/dev/full"]);
    outcome.assert_code(4);
    outcome.assert_says(&["the baseline /dev/full cannot be written"]);

    let mut command = extline.command(&["conformance", "--json", "--only", "E-REG-01", RAW]);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let stdout = support::outcome(command.stdout(full).spawn().unwrap());
    stdout.assert_code(4);
    stdout.assert_says(&["the tester itself failed: stdout cannot be written"]);
}

#[cfg(target_os = "linux")]
#[test]
fn no_thread_and_no_descriptor_left_are_the_tester_s_fault() {
    let extline = Extline::new();
    let words = ["conformance", "--only", "E-REG-01", RAW];
    // No machine has so much memory for the stack of a thread.
    let child = extline.command(&words).env("RUST_MIN_STACK", (1_u64 << 60).to_string()).spawn();
    let threads = outcome(child.unwrap());
    threads.assert_code(4);
    threads.assert_says(&["the tester itself failed: no thread can be started"]);

    for (limit, said) in [(10, "the tester could not start a process: "), (4, "no runtime: ")] {
        let script = format!("ulimit -n {limit}; exec \"$@\"");
        let mut command = Command::new("sh");
        command
            .args(["-c", &script, "sh", env!("CARGO_BIN_EXE_extline")])
            .args(words)
            .current_dir(repository())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let descriptors = outcome(command.spawn().unwrap());
        descriptors.assert_code(4);
        descriptors.assert_says(&[&format!("{said}Too many open files")]);
    }
}

#[test]
fn a_program_that_cannot_be_executed_is_no_fault_of_the_tester() {
    use std::os::unix::fs::PermissionsExt;
    let extline = Extline::new();
    let file = extline.home().join("extension");
    fs::write(&file, "#!/bin/sh\n").unwrap();
    let run = || extline.run(&["conformance", "--", file.to_str().unwrap()]);
    run().assert_code(3);
    fs::write(&file, "#!/no/such/interpreter\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let outcome = run();
    outcome.assert_code(1);
    assert!(outcome.stdout.contains("FAIL E-HSK-01"), "{outcome:?}");
    assert!(outcome.stdout.contains("/no/such/interpreter"), "{outcome:?}");
    assert!(!outcome.stderr.contains("the tester itself failed"), "{outcome:?}");
}

#[test]
fn what_tests_nothing_is_no_pass() {
    let extline = Extline::new();
    let outcome = extline.run(&["conformance", "--only", "E-EVT-01", RAW]);
    outcome.assert_code(2);
    assert!(outcome.stdout.contains("nothing was tested: "), "{outcome:?}");
    let outcome = extline.run(&["conformance", "--only", "E-FRM", "--skip", "E-*", RAW]);
    outcome.assert_code(3);
    outcome.assert_says(&["no case is left to run"]);
    let outcome = extline.run(&["conformance", "--skip", "E-FMR-*", RAW]);
    outcome.assert_code(3);
    outcome.assert_says(&["there is no case E-FMR-*"]);
}

#[test]
fn the_cases_that_would_be_run_are_listed() {
    let extline = Extline::new();
    let words = ["conformance", "--list", "--only", "E-FRM-0?", "--skip", "*-08"];
    let outcome = extline.run(&words);
    outcome.assert_code(0);
    let ids: Vec<_> = outcome.stdout.lines().map(|line| &line[..8]).collect();
    assert!(ids.contains(&"E-FRM-09"), "{ids:?}");
    assert!(ids.iter().all(|id| id.starts_with("E-FRM-0") && *id != "E-FRM-08"), "{ids:?}");
}

#[test]
fn the_seed_is_told_and_given_back() {
    let extline = Extline::new();
    let outcome = conformance(&extline, &["--seed", "12345"]);
    assert!(outcome.stdout.contains(", seed 12345, 2 cases: "), "{outcome:?}");
    let again = format!("again     extline conformance --only E-FRM-08 --seed 12345 {RAW}");
    assert!(outcome.stdout.contains(&again), "{outcome:?}");
}

#[test]
fn a_case_in_whose_middle_the_run_is_stopped_neither_passes_nor_fails() {
    let extline = Extline::new();
    let ends = extline.home().join("ends");
    // It does not end with its stdin; the tester's kill, when it is stopped, must not count as that.
    let script = "echo '{\"type\":\"hello\",\"name\":\"x\",\"version\":\"1\",\"capabilities\":[]}'\n\
        echo '{\"type\":\"ready\"}'\nwhile read -r line; do :; done\necho end >>\"$1\"\nexec sleep 30";
    let words = ["conformance", "--json", "--only", "E-LIF-03", "--", "sh", "-c", script, "sh"];
    let child = extline.command(&[&words[..], &[ends.to_str().unwrap()]].concat()).spawn().unwrap();
    // The first end is that of first contact.
    support::wait_for_lines(&ends, 2);
    support::signal(&child, "INT");
    let stopped = outcome(child);
    stopped.assert_code(130);
    assert_eq!(stopped.json_lines()[1]["verdict"], "could-not-run", "{stopped:?}");
}

#[test]
fn a_run_that_is_stopped_tells_what_was_done() {
    let extline = Extline::new();
    let report = extline.home().join("r.ndjson");
    let report = report.to_str().unwrap();
    let report_option = format!("ndjson={report}");
    // It answers, and takes long to: the run is in the middle of its cases when it is stopped.
    let script = "import sys, time, json\n\
        print(json.dumps({'type': 'hello', 'name': 'x', 'version': '1', 'capabilities': []}))\n\
        print(json.dumps({'type': 'ready'}), flush=True)\n\
        for line in sys.stdin:\n    time.sleep(0.05)\n    \
        try: frame = json.loads(line)\n    except ValueError: continue\n    \
        if 'shutdown' in line: break\n    \
        if isinstance(frame, dict) and frame.get('type') == 'tool_call': \
        print(json.dumps({'type': 'tool_result', 'id': frame['id'], 'content': [], 'is_error': True}), flush=True)\n";
    let words = ["conformance", "--report", &report_option, "--", "python3", "-c", script];
    let child = extline.command(&words).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    let decided = || fs::read_to_string(report).unwrap_or_default().lines().count();
    while decided() < 4 {
        assert!(Instant::now() < until, "no case is decided");
        std::thread::sleep(Duration::from_millis(10));
    }
    support::signal(&child, "INT");
    let stopped = outcome(child);
    stopped.assert_code(130);
    assert!(stopped.stdout.contains("could not run: the run was stopped"), "{stopped:?}");
    assert!(!stopped.stdout.contains("FAIL"), "what was killed is not blamed: {stopped:?}");
    let text = fs::read_to_string(report).unwrap();
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(last["kind"], "summary");
    assert!(last["verdicts"]["could-not-run"].as_u64() > Some(0), "{last}");
    assert_eq!(last["verdicts"]["fail"], serde_json::Value::Null, "{last}");
}

#[test]
fn a_watched_extension_is_run_again_when_it_changes() {
    let extline = Extline::new();
    let folder = extline.home().join("watched");
    fs::create_dir(&folder).unwrap();
    let (script, log) = (folder.join("x.sh"), extline.home().join("log"));
    // It dies of a blank line, and leaves a file behind in its folder each time it is started.
    let text = fs::read_to_string(repository().join("examples/hello-python-raw/hello.py")).unwrap();
    fs::write(folder.join("hello.py"), text).unwrap();
    let starts = folder.join("starts");
    let broken =
        format!("echo >>'{}'; exec python3 '{}/hello.py'", starts.display(), folder.display());
    fs::write(&script, broken).unwrap();
    let script = script.to_str().unwrap();
    let program = ["--", "sh", script, folder.to_str().unwrap()];
    let words = [&["conformance", "--watch", "--only", "E-FRM-08"], &program[..]].concat();
    let output = fs::File::create(&log).unwrap();
    let mut command = extline.command(&words);
    let child = command.stdout(output.try_clone().unwrap()).stderr(output).spawn().unwrap();
    let wait_for = |what: &str, count: usize| {
        let until = Instant::now() + Duration::from_secs(60);
        let text = || fs::read_to_string(&log).unwrap();
        while text().matches(what).count() < count {
            assert!(Instant::now() < until, "no {count} times {what:?}: {}", text());
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    // Its own file makes it run once more, and then no more.
    wait_for("starts changes with each run, and is not watched", 1);
    wait_for("watching 2 files", 1);
    wait_for("not conformant: 1 FAIL", 2);
    let kit = repository().join("conformance/kit/python/kit.py");
    // At one go, as an editor does: an empty one would be run, too.
    let mended = extline.home().join("mended.sh");
    fs::write(&mended, format!("exec python3 '{}'", kit.display())).unwrap();
    fs::rename(mended, script).unwrap();
    wait_for("x.sh changed", 1);
    wait_for("\nconformant: 1 pass", 1);
    support::signal(&child, "INT");
    let ended = outcome(child);
    ended.assert_code(130);
    assert_eq!(fs::read_to_string(&log).unwrap().matches("conformant: ").count(), 3);
}
