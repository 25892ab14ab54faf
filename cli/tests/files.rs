//! Files: what is read is bounded, what is written is private, and what could not be written is told.

#![cfg(unix)]

mod support;

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use support::{BEHAVE, Extline, Outcome, behave, outcome};
use tempfile::TempDir;

/// A folder whose manifest is made by a line of shell.
fn folder(line: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let made = Command::new("sh").args(["-c", line]).current_dir(folder.path()).status();
    assert!(made.unwrap().success());
    folder
}

/// The command with at most a gigabyte of memory, as a line of shell; `$0` is the program.
fn shell(extline: &Extline, line: &str, words: &[&str]) -> Command {
    let mut command = extline.command(&[]);
    let mut shell = Command::new("sh");
    shell
        .args(["-c", line, env!("CARGO_BIN_EXE_extline")])
        .args(words)
        .env("EXTLINE_HOME", extline.home())
        .current_dir(support::repository())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    std::mem::swap(&mut command, &mut shell);
    command
}

fn in_shell(extline: &Extline, line: &str, words: &[&str]) -> Outcome {
    outcome(shell(extline, line, words).spawn().unwrap())
}

#[test]
fn a_manifest_is_a_regular_file_of_bounded_size() {
    for (make, why) in [
        ("mkfifo extension.json", "it is a pipe (FIFO), not a regular file"),
        ("ln -s /dev/zero extension.json", "it is a device, not a regular file"),
        ("head -c 100000000 /dev/zero | tr '\\0' '[' > extension.json", "at most 262144 are read"),
        ("head -c 262144 /dev/zero | tr '\\0' '[' > extension.json", "recursion limit exceeded"),
    ] {
        let folder = folder(make);
        let folder = folder.path().to_str().unwrap();
        for words in [
            ["inspect", folder].as_slice(),
            &["call", folder, "x"],
            &["command", folder, "x"],
            &["run", folder],
            &["conformance", folder],
            &["conformance", "matrix", folder],
            &["tap", folder],
        ] {
            // Cargo's programs are not stripped, and map a part of this.
            let outcome = in_shell(&Extline::new(), "ulimit -v 1000000; exec \"$0\" \"$@\"", words);
            assert_ne!(outcome.code, 0, "{make}: {words:?}: {outcome:?}");
            let told = outcome.stdout.clone() + &outcome.stderr;
            assert!(told.contains(why), "{make}: {words:?}: {outcome:?}");
        }
    }
}

#[test]
fn other_files_are_too() {
    let folder = folder("mkfifo pipe.toml; mkfifo pipe.jsonl");
    let toml = folder.path().join("pipe.toml");
    let toml = toml.to_str().unwrap();
    let trace = folder.path().join("pipe.jsonl");
    let trace = trace.to_str().unwrap();
    let shell = "examples/clock-shell";
    for words in [
        ["conformance", "--cases", toml, shell].as_slice(),
        &["conformance", "--baseline", toml, shell],
        &["conformance", "check", trace],
        &["conformance", "replay", trace, shell],
        &["mock", trace],
        &["mock", toml],
    ] {
        let outcome = Extline::new().run(words);
        assert_ne!(outcome.code, 0, "{words:?}: {outcome:?}");
        outcome.assert_says(&["it is a pipe (FIFO), not a regular file"]);
    }
}

#[test]
fn all_that_is_made_is_for_its_owner_only() {
    let home = tempfile::tempdir().unwrap();
    let new = home.path().join("a/new");
    let trace = home.path().join("t.trace");
    // As lax as it may be.
    let line = "umask 0; exec \"$0\" \"$@\"";
    let script = "import sys; print('on stderr', file=sys.stderr); exec(open('host/tests/extensions/behave.py').read())";
    let words =
        ["call", "--trace", trace.to_str().unwrap(), "slow", "--", "python3", "-S", "-c", script];
    let mut command = shell(&Extline::new(), line, &words);
    let outcome = outcome(command.env("EXTLINE_HOME", &new).spawn().unwrap());
    outcome.assert_code(0);
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(&trace), 0o600);
    let mut seen = Vec::new();
    let mut waiting = vec![home.path().join("a")];
    while let Some(path) = waiting.pop() {
        let wanted = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), wanted, "{}", path.display());
        waiting.extend(fs::read_dir(&path).into_iter().flatten().map(|it| it.unwrap().path()));
        seen.push(path);
    }
    assert!(seen.contains(&new.join("logs/python3.log")), "{seen:?}");
    assert!(seen.contains(&new.join("data/python3")), "{seen:?}");
}

/// Runs a call without any home, with this temporary folder.
fn without_home(temporary: &Path) -> Outcome {
    let mut command = Extline::new().command(&behave(&["call", "echo", "{\"text\":\"x\"}"]));
    command.env_remove("EXTLINE_HOME").env_remove("HOME").env_remove("XDG_DATA_HOME");
    outcome(command.env("TMPDIR", temporary).spawn().unwrap())
}

fn private_home(temporary: &Path) -> PathBuf {
    let user = fs::metadata(tempfile::tempdir().unwrap().path()).unwrap().uid();
    temporary.join(format!("extline-{user}"))
}

#[test]
fn without_a_home_nobody_else_has_the_same() {
    let temporary = tempfile::tempdir().unwrap();
    let outcome = without_home(temporary.path());
    outcome.assert_code(0);
    let home = private_home(temporary.path());
    assert_eq!(fs::metadata(&home).unwrap().mode() & 0o777, 0o700);
    assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 1);
}

#[test]
fn what_another_user_planted_is_not_followed() {
    // A home that all may write to, with the link of another: as root, truly another's.
    let temporary = tempfile::tempdir().unwrap();
    let home = private_home(temporary.path());
    let victim = temporary.path().join("victim");
    fs::write(&victim, "mine").unwrap();
    fs::create_dir_all(home.join("logs")).unwrap();
    symlink(&victim, home.join("logs/python3.log")).unwrap();
    let script = "import sys; print('planted', file=sys.stderr); exec(open('host/tests/extensions/behave.py').read())";
    let call = ["call", "echo", "{\"text\":\"x\"}", "--", "python3", "-S", "-c", script];
    let with_home = |home: &Path| {
        let mut command = Extline::new().command(&call);
        outcome(command.env("EXTLINE_HOME", home).spawn().unwrap())
    };
    let told = with_home(&home);
    told.assert_code(0);
    told.assert_says(&["python3.log cannot be written: it is a link, which is not followed"]);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    // Where the extension says nothing, the host's own line at the end is the first.
    let mut quiet = Extline::new().command(&behave(&["call", "echo", "{\"text\":\"x\"}"]));
    symlink(&victim, home.join("logs/behave.log")).unwrap();
    let told = outcome(quiet.env("EXTLINE_HOME", &home).spawn().unwrap());
    told.assert_says(&["behave.log cannot be written: it is a link, which is not followed"]);

    fs::set_permissions(&home, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    with_home(&home).assert_says(&["all users may write to", "EXTLINE_HOME"]);
    if std::os::unix::fs::chown(&home, Some(12_345), None).is_ok() {
        with_home(&home).assert_says(&["belongs to another user (uid 12345)", "EXTLINE_HOME"]);
        without_home(temporary.path()).assert_says(&["belongs to another user", "EXTLINE_HOME"]);
    }
}

#[test]
fn a_trace_on_a_full_disk_is_told_and_fails() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let extline = Extline::new();
    let full = "error: the trace /dev/full ends here: No space left on device";
    let call = behave(&["call", "--trace", "/dev/full", "echo", "{\"text\":\"x\"}"]);
    let outcome = extline.run(&call);
    outcome.assert_code(1);
    outcome.assert_says(&[full]);
    assert_eq!(outcome.stdout, "x\n");
    // A failure of the call itself keeps its code.
    extline.run(&behave(&["call", "--trace", "/dev/full", "nope"])).assert_code(2);
    for words in [vec!["run", "--trace", "/dev/full"], vec!["record", "/dev/full"]] {
        let words: Vec<_> = words.into_iter().chain(BEHAVE).collect();
        let outcome = extline.run_with_input(&words, "!echo {\"text\":\"x\"}\n:frames 9\n:quit\n");
        outcome.assert_code(1);
        outcome.assert_says(&[full]);
        assert_eq!(outcome.stderr.matches("/dev/full ends here").count(), 1, "{outcome:?}");
        // What passes is still seen.
        assert!(outcome.stdout.contains("<- tool_result"), "{outcome:?}");
    }
}

#[test]
fn a_full_trace_is_told_at_the_moment() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    // Less than a buffer holds.
    let words: Vec<_> = ["run", "--trace", "/dev/full"].into_iter().chain(BEHAVE).collect();
    let extline = Extline::new();
    let mut command = extline.command(&words);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, b"!echo {\"text\": \"x\"}\n").unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stderr.take().unwrap()));
    let told = lines.find(|line| line.as_ref().unwrap().contains("/dev/full ends here"));
    assert!(told.is_some(), "while stdin is open");
    drop(stdin);
    child.wait().unwrap();
}

#[test]
fn a_limit_of_file_sizes_is_told_and_nothing_dies_of_it() {
    let extline = Extline::new();
    let trace = extline.home().join("t.trace");
    let noisy = "import sys; sys.stderr.write('x' * 100_000); exec(open('host/tests/extensions/behave.py').read())";
    let words = ["call", "--trace", trace.to_str().unwrap(), "big", "{\"bytes\":100000}", "--"];
    let words: Vec<_> = words.into_iter().chain(["python3", "-S", "-c", noisy]).collect();
    // In blocks of 512 or 1024 bytes.
    let outcome = in_shell(&extline, "ulimit -f 8; exec \"$0\" \"$@\"", &words);
    outcome.assert_code(1);
    outcome.assert_says(&[
        "t.trace ends here: File too large",
        "python3.log cannot be written: File too large",
    ]);
    assert_eq!(outcome.stdout.len(), 100_001, "stdout is a pipe, which has no limit");

    let out = extline.home().join("out");
    let into = format!("ulimit -f 8; exec \"$0\" \"$@\" > {}", out.display());
    let outcome = in_shell(&extline, &into, &behave(&["call", "big", "{\"bytes\":100000}"]));
    outcome.assert_code(1);
    outcome.assert_says(&["error: stdout cannot be written: File too large"]);
    // The signal is not withheld from what an extension starts.
    let shows = ["call", "ignored", "--", "sh", "-c", SHOWS_IGNORED];
    assert_eq!(in_shell(&extline, "exec \"$0\" \"$@\"", &shows).stdout, "not ignored\n");
}

/// A shell cannot take back that a signal was ignored when it began, and what it starts ignores it too.
const SHOWS_IGNORED: &str = r#"
ignored="not ignored"
case $(sh -c 'kill -XFSZ $$; echo survived' 2>&1) in *survived*) ignored=ignored ;; esac
echo '{"type":"hello","name":"s","version":"1","capabilities":["tools"]}'
echo '{"type":"register_tool","name":"ignored","description":"","schema":{"type":"object"}}'
echo '{"type":"ready"}'
while read -r line; do
  case "$line" in
    *'"tool_call"'*)
      id=${line#*'"id":"'}; id=${id%%'"'*}
      echo '{"type":"tool_result","id":"'"$id"'","content":[{"type":"text","text":"'"$ignored"'"}]}' ;;
    *'"shutdown"'*) exit ;;
  esac
done
"#;

#[test]
fn an_extension_gets_its_three_pipes_and_nothing_else() {
    let extline = Extline::new();
    let list = "import os; sys_fds = sorted(int(fd) for fd in os.listdir('/dev/fd') if os.path.exists('/dev/fd/' + fd))\n";
    let serve = r#"
import json, sys
def emit(**frame):
    print(json.dumps(frame), flush=True)
emit(type="hello", name="s", version="1", capabilities=["tools"])
emit(type="register_tool", name="list", description="", schema={"type": "object"})
emit(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call":
        emit(type="tool_result", id=frame["id"], content=[{"type": "text", "text": str(sys_fds)}])
    if frame["type"] == "shutdown":
        break
"#;
    let script = list.to_owned() + serve;
    let secret = extline.home().join("secret");
    fs::write(&secret, "secret").unwrap();
    let line = format!("exec 7<{0} 9<{0}; exec \"$0\" \"$@\"", secret.display());
    let call = ["call", "list", "--", "python3", "-S", "-c", &script];
    assert_eq!(in_shell(&extline, &line, &call).stdout, "[0, 1, 2]\n");
    // The same for what the tester and the tap start.
    let heard = extline.home().join("heard");
    let noted = format!(
        "{list}open({:?}, 'a').write(str(sys_fds) + '\\n')\n{serve}",
        heard.to_str().unwrap()
    );
    let tested = ["conformance", "--only", "E-FRM-01", "--", "python3", "-S", "-c", &noted];
    // It is no conformant extension.
    in_shell(&extline, &line, &tested);
    in_shell(&extline, &line, &["tap", "--", "python3", "-S", "-c", &noted]).assert_code(0);
    let heard = fs::read_to_string(&heard).unwrap();
    assert!(heard.lines().count() >= 2 && heard.lines().all(|line| line == "[0, 1, 2]"), "{heard}");
}
