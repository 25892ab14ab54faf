//! Extensions as people write them, without an SDK: the tester finds what is wrong with each, and
//! nothing else.
//!
//! Each program stands in the folder of the same name; what must be found is written here, and is
//! a defect of the program that can be seen in its source.

mod support;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use extline_conformance::{Canary, Case, CaseReport, Options, Verdict, builtin, run};
use extline_host::{ExtensionSource, Program};
use support::python;

#[test]
fn a_loop_over_sys_stdin_dies_of_every_line_that_is_no_frame() {
    let report = Tested::program("python3", "python_stdin.py");
    report.fails(&[
        "E-FRM-08", "E-FRM-09", "E-FRM-11", "E-FRM-19", "E-FRM-20", "E-FRM-21", "E-FRM-22",
        "E-FRM-23", "E-JSN-01", "E-JSN-02", "E-JSN-03", "E-JSN-04", "E-JSN-06", "E-JSN-11",
        "E-JSN-12", "E-JSN-16", "E-JSN-26", "E-JSN-29",
    ]);
    report.explains("E-FRM-08", "json.loads() throws on a blank line", "if not line:");
    report.explains("E-JSN-02", "is JSON, but no object", "isinstance(msg, dict)");
    report.explains("E-JSN-04", "taken for granted with []", "msg.get(\"type\")");
    report.explains("E-JSN-16", "4,300 digits", "ValueError");
}

#[test]
fn asyncio_stops_at_64_kib() {
    let report = Tested::program("python3", "python_asyncio.py");
    report.fails(&[
        "E-FRM-14", "E-FRM-15", "E-FRM-16", "E-FRM-17", "E-JSN-02", "E-JSN-03", "E-JSN-04",
        "E-JSN-06", "E-JSN-11", "E-JSN-12", "E-JSN-16", "E-JSN-25", "E-JSN-26", "E-JSN-29",
        "E-TOL-47", "E-UNI-10",
    ]);
    report.explains("E-FRM-14", "asyncio.StreamReader", "limit=64 * 2**20");
    report.explains("E-TOL-47", "asyncio.StreamReader", "limit=64 * 2**20");
    let boundary = report.of("E-FRM-14").boundary.as_ref().expect("it is searched for");
    assert_eq!((boundary.good, boundary.bad), (65_536, 65_537), "bytes before the LF");
}

#[test]
fn node_with_readline_dies_of_null() {
    let report = Tested::program("node", "node_readline.mjs");
    report.fails(&["E-JSN-02", "E-JSN-26", "E-JSN-29"]);
    report.explains("E-JSN-02", "null is JSON", "msg === null");
    report.explains("E-JSN-26", "without a look at the id", "skip a call");
    report.explains("E-JSN-29", "an empty id is taken for an id like any other", "isinstance");
}

#[test]
fn node_with_chunks_breaks_characters() {
    let report = Tested::program("node", "node_chunks.mjs");
    report.fails(&["E-FRM-03", "E-JSN-02", "E-JSN-26", "E-JSN-29", "E-TOL-01"]);
    report.explains("E-FRM-03", "each chunk is decoded by itself", "setEncoding");
}

#[test]
fn bash_with_echo_breaks_what_needs_an_escape() {
    let report = Tested::program("bash", "bash_echo.sh");
    report.fails(&[
        "E-FRM-04", "E-JSN-28", "E-JSN-29", "E-TOL-01", "E-TOL-43", "E-UNI-05", "E-UNI-06",
    ]);
    report.explains("E-JSN-28", "are searched for in its text", "parse the line as JSON");
    report.explains("E-TOL-43", "read without -r takes every backslash", "IFS= read -r line");
    report.explains("E-UNI-05", "pasted together", "jq -cn");
    report.explains("E-UNI-06", "read without -r takes every backslash", "IFS= read -r line");
}

#[test]
fn awk_keeps_its_answers() {
    if !on_path("awk") {
        return skip("words.awk", "awk");
    }
    let source = ExtensionSource::command("awk", ["-f".into(), source_of("words.awk")]);
    let cases = ["E-FRM-26", "E-TOL-01"].map(|id| &builtin()[id]);
    let report = Tested::until_failed(&source, &cases, "E-FRM-26");
    report.explains("E-FRM-26", "awk keeps what it prints", "fflush()");
    assert_eq!(report.of("E-TOL-01").verdict, Verdict::Pass, "an answer that is late is one");
}

#[test]
fn a_call_of_a_tool_that_it_does_not_have_must_be_answered() {
    let cases = ["E-TOL-01", "E-LIF-18", "E-FRM-01", "E-JSN-05"].map(|id| &builtin()[id]);
    let answer = r#"echo "{\"type\":\"tool_result\",\"id\":\"$id\",\"content\":[{\"type\":\"text\",\"text\":\"unknown tool\"}],\"is_error\":true}""#;
    for (instead, cause, why) in [
        (":", "is passed over without an answer", "it does not answer a call of a tool"),
        ("exit 3", "a call of a tool that it does not have ends it", "it ends at a call of a tool"),
    ] {
        let (_folder, source) = edited("bash", "bash_echo.sh", &[(answer, instead)]);
        let report = Tested::cases(&source, &cases);
        report.fails(&["E-TOL-01"]);
        report.explains("E-TOL-01", cause, "there is no tool NAME");
        let told_twice = report.of("E-LIF-18").failure.is_some();
        assert!(!told_twice, "that it ended is told by the case that says why");
        // The end that is asked for shows that it lives, where no answer is looked at.
        assert_eq!(report.of("E-FRM-01").verdict, Verdict::Pass);
        let told = report.of("E-JSN-05");
        assert_eq!(told.verdict, Verdict::CouldNotRun);
        let reason = told.reason.as_deref().unwrap_or_default();
        assert!(reason.starts_with(why), "{reason}");
    }
}

/// It says what it does before its first hello, which takes longer than hello may; once it is built, it
/// begins at once.
#[test]
fn a_launcher_that_builds_first_is_waited_for() {
    const LAUNCHER: &str = r#"
        if ! [ -e "$1" ]; then
            for part in 1 2 3 4 5 6; do
                echo '{"type":"bootstrap","message":"building"}'
                sleep 2
            done
            touch "$1"
        fi
        echo '{"type":"bootstrap"}'
        exec python3 "$2""#;
    let folder = tempfile::tempdir().unwrap();
    let built = folder.path().join("built");
    let words = ["-c".into(), LAUNCHER.into(), "sh".into(), built, source_of("python_careful.py")];
    let source = ExtensionSource::command("sh", words);
    let cases = ["E-HSK-01", "E-HSK-02", "E-TOL-01"].map(|id| &builtin()[id]);
    let report = Tested::cases(&source, &cases);
    report.fails(&[]);
    for case in cases {
        assert_eq!(report.of(&case.id).verdict, Verdict::Pass, "{}", case.id);
    }
}

#[test]
fn one_that_dies_a_moment_after_bad_input_fails_where_that_came() {
    let skips = "print(f\"skipped a line: {error}\", file=sys.stderr)\n        continue";
    let dies = "import threading, os\n        threading.Timer(0.05, os._exit, [1]).start()";
    let (_folder, source) =
        edited("python3", "python_careful.py", &[(skips, &format!("{dies}\n        continue"))]);
    // Whatever is sent a line that is no JSON, and nothing that is not.
    let wanted = [
        "E-FRM-11", "E-FRM-19", "E-FRM-20", "E-FRM-21", "E-FRM-22", "E-FRM-23", "E-JSN-01",
        "E-JSN-11", "E-JSN-12", "E-JSN-16",
    ];
    Tested::until_all_fail(&source, &wanted).fails(&wanted);
}

#[test]
fn a_call_that_is_allowed_does_not_hide_that_unknown_ones_are_answered() {
    let path = source_of("bash_echo.sh");
    let source = ExtensionSource::command("bash", [path]);
    let program = Program::of(&source, Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    let canary = Canary::Allowed { tool: "echo".to_owned(), args: "{}".to_owned() };
    let options = Options { canary: Some(canary), ..Options::of(program) };
    let report = run(&options, &[&builtin()["E-JSN-21"]], &mut |_| {});
    assert_eq!(report.cases[0].verdict, Verdict::Pass, "{:?}", report.cases[0]);
}

#[test]
fn jq_as_a_filter_ends_at_the_first_line_that_is_no_json_and_not_on_shutdown() {
    let Some(report) = Tested::optional("jq", "sh", "jq_stream.sh") else { return };
    report.fails(&[
        "E-FRM-11", "E-FRM-20", "E-FRM-23", "E-JSN-01", "E-JSN-11", "E-JSN-12", "E-JSN-26",
        "E-JSN-29", "E-LIF-01", "E-UNI-07",
    ]);
    report.explains("E-JSN-01", "a stream of values, not lines", "fromjson?");
    report.explains("E-LIF-02", "it skips shutdown like any frame", "shutdown_ack");
}

#[test]
fn perl_with_eval_around_the_parser_answers_bad_ids() {
    let Some(report) = Tested::optional("perl", "perl", "perl.pl") else { return };
    report.fails(&["E-JSN-26", "E-JSN-29"]);
}

#[test]
fn rust_with_serde_and_lines_dies_of_bytes_that_are_no_utf8() {
    let report = Tested::source(&ExtensionSource::command(rust_program(), [] as [&str; 0]));
    report.fails(&["E-JSN-29", "E-UNI-10"]);
    report.explains("E-UNI-10", "lines() ends at the first byte", "from_utf8_lossy");
}

#[test]
fn the_quick_start_of_zot_s_documentation_dies_of_what_it_cannot_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/hello-python-raw");
    let report = Tested::source(&ExtensionSource::folder(folder));
    report.fails(&[
        "E-FRM-08", "E-FRM-09", "E-FRM-11", "E-FRM-19", "E-FRM-20", "E-FRM-21", "E-FRM-22",
        "E-FRM-23", "E-JSN-01", "E-JSN-02", "E-JSN-03", "E-JSN-04", "E-JSN-11", "E-JSN-12",
        "E-JSN-16",
    ]);
    // Each kind of defect has its own cause and its own cure.
    report.explains("E-FRM-08", "throws on a blank line", "if not line:");
    report.explains("E-JSN-01", "throws on a line that is no JSON", "except (ValueError,");
    report.explains("E-JSN-02", "is JSON, but no object", "isinstance(msg, dict)");
    report.explains("E-JSN-03", "is JSON, but no object", "isinstance(msg, dict)");
    report.explains("E-JSN-04", "taken for granted with []", "msg.get(\"type\")");
    report.explains("E-JSN-11", "RecursionError", "RecursionError");
    report.explains("E-CMD-05", "does not look at the name", "there is no command");
    report.explains("E-REG-08", "never says that its registrations", "\"ready\"");
    assert_eq!(report.of("E-CMD-05").verdict, Verdict::Warn, "it runs for every command");
    assert_eq!(report.of("E-REG-08").verdict, Verdict::Warn, "it never says ready");
    for case in report.cases.values().filter(|case| case.verdict == Verdict::Fail) {
        assert!(case.cause.is_some(), "{} has no cause", case.id);
    }
}

#[test]
fn the_quick_start_with_its_fixes_passes() {
    let report = Tested::program("python3", "python_careful.py");
    report.fails(&[]);
    let warnings = report.cases.values().filter(|case| case.verdict == Verdict::Warn).count();
    assert_eq!(warnings, 0);
    assert_eq!(report.exit_code, 0);
}

/// A program that passes, broken in one place as people break it, and the cause that must be told.
struct Broken {
    interpreter: &'static str,
    file: &'static str,
    /// What stands there, and what people write instead.
    edits: &'static [(&'static str, &'static str)],
    case: &'static str,
    cause: &'static str,
    fix: &'static str,
}

const RAW_UNICODE: (&str, &str) = ("json.dumps(frame)", "json.dumps(frame, ensure_ascii=False)");

const BROKEN: [Broken; 11] = [
    Broken {
        interpreter: "python3",
        file: "python_careful.py",
        edits: &[
            ("if msg.get(\"name\") == \"hellopy\":", "if True:"),
            ("\"action\": \"prompt\",", ""),
        ],
        case: "E-CMD-04",
        cause: "command_response does not say what is to be done",
        fix: "\"display\" shows a text",
    },
    Broken {
        interpreter: "python3",
        file: "python_careful.py",
        edits: &[("errors=\"replace\"", "errors=\"strict\"")],
        case: "E-UNI-10",
        cause: "Python decodes stdin strictly",
        fix: "errors=\"replace\"",
    },
    Broken {
        interpreter: "python3",
        file: "python_careful.py",
        edits: &[
            RAW_UNICODE,
            ("sys.stdin.re", "sys.stdout.reconfigure(encoding=\"ascii\")\nsys.stdin.re"),
        ],
        case: "E-FRM-04",
        cause: "stdout has an encoding that cannot hold every character",
        fix: "sys.stdout.reconfigure(encoding=\"utf-8\"",
    },
    Broken {
        interpreter: "python3",
        file: "python_careful.py",
        edits: &[
            RAW_UNICODE,
            (
                "    elif kind == \"shutdown\"",
                "    elif kind == \"event\":\n        emit({\"type\": \"notify\", \"message\": msg.get(\"x\")})\n    elif kind == \"shutdown\"",
            ),
        ],
        case: "E-UNI-07",
        cause: "half of a surrogate pair came in",
        fix: "ensure_ascii",
    },
    Broken {
        interpreter: "python3",
        file: "python_careful.py",
        edits: &[(
            "emit({\"type\": \"hello\"",
            "print(\"hello-py is here\")\nemit({\"type\": \"hello\"",
        )],
        case: "E-HSK-02",
        cause: "a message for people is printed to stdout before hello",
        fix: "file=sys.stderr",
    },
    Broken {
        interpreter: "python3",
        file: "python_careful.py",
        edits: &[(
            "emit({\"type\": \"ready\"",
            "print(\"nearly there\")\nemit({\"type\": \"ready\"",
        )],
        case: "E-OUT-01",
        cause: "of yours or of a library, is printed to stdout",
        fix: "file=sys.stderr",
    },
    Broken {
        interpreter: "python3",
        file: "python_careful.py",
        edits: &[(
            "    sys.stdout.flush()",
            "    if \"id\" not in frame:\n        sys.stdout.flush()",
        )],
        case: "E-FRM-26",
        cause: "Python keeps what it prints in a buffer",
        fix: "flush=True",
    },
    Broken {
        interpreter: "python3",
        file: "python_careful.py",
        edits: &[("\"name\": \"hellopy\"", "\"name\": \"hello py\"")],
        case: "E-REG-03",
        cause: "the name has a letter that hosts and models do not take",
        fix: "add_note",
    },
    Broken {
        interpreter: "node",
        file: "node_chunks.mjs",
        edits: &[("console.error(\"skipped a line:\", error.message);", "throw error;")],
        case: "E-JSN-01",
        cause: "JSON.parse() throws on a line that is no JSON",
        fix: "try { msg = JSON.parse(line); }",
    },
    Broken {
        interpreter: "node",
        file: "node_chunks.mjs",
        edits: &[("content: [{ type: \"text\", text }]", "content: text")],
        case: "E-TOL-04",
        cause: "content is a list of blocks",
        fix: "\"content\": [{",
    },
    Broken {
        interpreter: "perl",
        file: "perl.pl",
        edits: &[("eval { $json->decode($line) }", "$json->decode($line)")],
        case: "E-UNI-10",
        cause: "JSON::PP dies on what it cannot decode",
        fix: "eval {",
    },
];

#[test]
fn what_people_break_is_told_with_its_cause() {
    for broken in &BROKEN {
        if !on_path(broken.interpreter) {
            skip(broken.file, broken.interpreter);
            continue;
        }
        let (_folder, source) = edited(broken.interpreter, broken.file, broken.edits);
        let report = Tested::until_failed(&source, &[&builtin()[broken.case]], broken.case);
        report.explains(broken.case, broken.cause, broken.fix);
    }
}

/// A program with this in place of that, and the folder in which it stands.
fn edited(
    interpreter: &str,
    file: &str,
    edits: &[(&str, &str)],
) -> (tempfile::TempDir, ExtensionSource) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(file);
    let mut text = std::fs::read_to_string(source_of(file)).unwrap();
    for (good, bad) in edits {
        assert!(text.contains(good), "{file} has no {good}");
        text = text.replace(good, bad);
    }
    std::fs::write(&path, text).unwrap();
    (folder, ExtensionSource::command(interpreter, [path]))
}

#[test]
fn go_stops_at_64_kib_and_panics_at_what_is_missing() {
    if !on_path("go") {
        return skip("go_scanner.go", "go");
    }
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("go_scanner");
    let compiled = Command::new("go")
        .args(["build", "-o"])
        .args([program.clone(), source_of("go_scanner.go")])
        // Kept, since Go's own library takes longest.
        .env("GOCACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("go-build"))
        .env("GO111MODULE", "off")
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let cases = ["E-FRM-14", "E-JSN-04"].map(|id| &builtin()[id]);
    let none: [&str; 0] = [];
    let report = Tested::cases(&ExtensionSource::command(program, none), &cases);
    report.explains("E-FRM-14", "Go's bufio.Scanner takes at most 64 KiB", "scanner.Buffer");
    report.explains("E-JSN-04", "a type assertion in Go panics", ", ok :=");
}

/// The example `serde_lines`, which `cargo test` builds unless it is asked for one test alone.
fn rust_program() -> PathBuf {
    let here = std::env::current_exe().unwrap();
    let program = here.parent().and_then(Path::parent).unwrap().join("examples/serde_lines");
    if !program.is_file() {
        let build = ["build", "--quiet", "-p", "extline-conformance", "--example", "serde_lines"];
        assert!(Command::new(env!("CARGO")).args(build).status().unwrap().success());
    }
    program
}

fn source_of(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/written_by_hand").join(file)
}

fn on_path(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

fn skip(file: &str, needed: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED {file}: {needed} is not installed");
}

/// What came of a program.
struct Tested {
    cases: BTreeMap<String, CaseReport>,
    exit_code: u8,
}

impl Tested {
    fn program(interpreter: &str, file: &str) -> Self {
        let path = source_of(file);
        if interpreter == "python3" {
            // Without the site's packages, which take longer to look through than Python to start.
            return Self::source(&ExtensionSource::command(python(), ["-S".as_ref(), &*path]));
        }
        Self::source(&ExtensionSource::command(interpreter, [path]))
    }

    /// The same for a program whose language not everybody has.
    fn optional(needed: &str, interpreter: &str, file: &str) -> Option<Self> {
        if on_path(needed) {
            return Some(Self::program(interpreter, file));
        }
        skip(file, needed);
        None
    }

    fn source(source: &ExtensionSource) -> Self {
        let cases: Vec<&Case> = builtin().values().filter(|case| !case.deep).collect();
        Self::cases(source, &cases)
    }

    fn cases(source: &ExtensionSource, cases: &[&Case]) -> Self {
        let program = Program::of(source, Path::new(env!("CARGO_MANIFEST_DIR")))
            .unwrap_or_else(|problem| panic!("{problem}"));
        let options = Options::of(program);
        let report = run(&options, cases, &mut |_| {});
        let exit_code = report.exit_code();
        let cases = report.cases.into_iter().map(|case| (case.id.clone(), case)).collect();
        Self { cases, exit_code }
    }

    /// The same, again where a machine that stalls at the wrong moment hid what is wrong: an answer
    /// that was held back is known by the moment at which it comes.
    fn until_failed(source: &ExtensionSource, cases: &[&Case], id: &str) -> Self {
        let mut report = Self::cases(source, cases);
        for _ in 0..10 {
            if report.of(id).failure.is_some() {
                break;
            }
            report = Self::cases(source, cases);
        }
        report
    }

    /// The same, again where one of these passed and nothing else failed: on a busy machine the process
    /// dies in the middle of the next case, which is then held to be the cause.
    fn until_all_fail(source: &ExtensionSource, wanted: &[&str]) -> Self {
        let mut report = Self::source(source);
        for _ in 0..3 {
            let failed = report.failed();
            if failed.len() >= wanted.len() || !failed.iter().all(|id| wanted.contains(id)) {
                break;
            }
            report = Self::source(source);
        }
        report
    }

    fn failed(&self) -> Vec<&str> {
        let failed = |case: &&CaseReport| matches!(case.verdict, Verdict::Fail | Verdict::Flaky);
        self.cases.values().filter(failed).map(|case| case.id.as_str()).collect()
    }

    fn of(&self, id: &str) -> &CaseReport {
        &self.cases[id]
    }

    #[track_caller]
    fn fails(&self, wanted: &[&str]) {
        let failed = self.failed();
        let details = |id: &&&str| {
            let case = &self.cases[**id];
            format!("{}: {:?} {:?}", case.id, case.failure, case.reason)
        };
        let unexpected: Vec<_> =
            failed.iter().filter(|id| !wanted.contains(id)).map(|id| details(&id)).collect();
        assert!(failed == wanted, "failed: {failed:?}\nunexpected: {unexpected:#?}");
    }

    #[track_caller]
    fn explains(&self, id: &str, cause: &str, fix: &str) {
        let told = self.of(id);
        let found = told.cause.as_ref().unwrap_or_else(|| panic!("no cause: {told:?}"));
        assert!(found.cause.contains(cause), "{id}: {found:?}");
        assert!(found.fix.contains(fix), "{id}: {found:?}");
    }
}
