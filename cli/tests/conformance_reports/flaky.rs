//! What fails at one time and passes at another: told as flaky, in every report, and no pass.

use std::fs;

use crate::support::{Extline, Outcome};

/// Takes every second blank line for its end, whichever process it comes to.
const MOODY: &str = r#"
import json, os, sys
say = lambda frame: print(json.dumps(frame), flush=True)
say({"type": "hello", "name": "moody", "version": "1", "capabilities": ["tools"]})
for line in sys.stdin:
    if not line.strip():
        if os.path.exists(sys.argv[1]):
            os.remove(sys.argv[1])
        else:
            open(sys.argv[1], "w").close()
            sys.exit(3)
        continue
    frame = json.loads(line)
    kind = frame.get("type")
    if kind == "hello_ack":
        say({"type": "ready"})
    if kind == "tool_call":
        say({"type": "tool_result", "id": frame["id"], "is_error": True,
             "content": [{"type": "text", "text": "unknown tool"}]})
    if kind == "shutdown":
        say({"type": "shutdown_ack"})
        break
"#;

/// A case with a process of its own, which nothing else has used.
const OWN: &str = r#"
[[case]]
id = "blank-line"
title = "a blank line is skipped"
process = "own"
steps = [{ raw = "\n" }, { canary = 1 }]
"#;

fn test(extline: &Extline, options: &[&str]) -> Outcome {
    let mood = extline.home().join("mood");
    let _ = fs::remove_file(&mood);
    let own = extline.home().join("own.toml");
    fs::write(&own, OWN).unwrap();
    let words = ["conformance", "--cases", own.to_str().unwrap()];
    let program = ["--", "python3", "-c", MOODY, mood.to_str().unwrap()];
    extline.run(&[&words, options, &program].concat())
}

#[test]
fn what_fails_among_others_and_passes_alone_is_flaky_in_every_report() {
    let extline = Extline::new();
    let formats = ["ndjson", "junit", "tap", "markdown", "html"];
    let file = |format: &str| extline.home().join(format);
    let reports: Vec<_> = formats.iter().map(|it| format!("{it}={}", file(it).display())).collect();
    let reports = reports.iter().flat_map(|report| ["--report", report]);
    let only = ["--only", "E-FRM-09"];
    let shown = test(&extline, &only.into_iter().chain(reports).collect::<Vec<_>>());
    shown.assert_code(1);
    for part in [
        "FLAKY E-FRM-09",
        "flaky     it failed in a process that other cases had used, and passed alone",
        "got       the process ended (exit status 3)",
        "not conformant: 1 FLAKY",
    ] {
        assert!(shown.stdout.contains(part), "{part}: {shown:?}");
    }
    let report = |format: &str| fs::read_to_string(file(format)).unwrap();
    assert!(report("ndjson").contains(r#""verdict":"flaky""#), "{}", report("ndjson"));
    assert!(report("ndjson").contains(r#""outcome":"died""#), "how it failed is kept");
    assert!(report("junit").contains(r#"failures="1""#), "{}", report("junit"));
    assert!(report("tap").contains("\nnot ok 1 "), "{}", report("tap"));
    for format in ["markdown", "html", "tap", "junit"] {
        let text = report(format).to_lowercase();
        assert!(text.contains("flaky") && text.contains("exit status 3"), "{format}: {text}");
    }
}

#[test]
fn what_fails_alone_is_played_again_as_often_as_it_is_told() {
    let extline = Extline::new();
    let only = ["--only", "blank-line"];
    let failed = test(&extline, &only);
    failed.assert_code(1);
    assert!(failed.stdout.contains("FAIL blank-line"), "{failed:?}");
    let flaky = test(&extline, &[&only[..], &["--retries", "2"]].concat());
    flaky.assert_code(1);
    let told = "flaky     it failed once in a process of its own, and passed then";
    assert!(flaky.stdout.contains("FLAKY blank-line"), "{flaky:?}");
    assert!(flaky.stdout.contains(told), "{flaky:?}");

    // What is known to be so fails nothing.
    let baseline = extline.home().join("b.toml");
    let entry = "[[expected]]\ncase = \"blank-line\"\nkind = \"known-flaky\"\nreason = \"moody\"\n";
    fs::write(&baseline, entry).unwrap();
    let known = ["--retries", "2", "--baseline", baseline.to_str().unwrap()];
    test(&extline, &[&only[..], &known].concat()).assert_code(0);
    test(&extline, &["--retries", "21"]).assert_code(3);
}
