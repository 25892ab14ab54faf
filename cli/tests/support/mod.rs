//! What the tests share: the command with a home of its own, the extensions, a look at processes.

#![allow(dead_code, reason = "each test file uses a part")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The command with a folder for logs and data that is gone after the test.
pub(crate) struct Extline {
    home: TempDir,
}

/// What came of one run.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// stdout as one JSON value.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// stdout as one JSON value for each line.
    pub(crate) fn json_lines(&self) -> Vec<serde_json::Value> {
        let line =
            |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.stdout.lines().map(line).collect()
    }

    #[track_caller]
    pub(crate) fn assert_code(&self, code: i32) {
        assert_eq!(self.code, code, "{self:#?}");
    }

    /// Asserts that stderr holds each of these.
    #[track_caller]
    pub(crate) fn assert_says(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.stderr.contains(part), "{part:?} is missing: {self:#?}");
        }
    }
}

impl Extline {
    pub(crate) fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_extline"));
        command
            .args(args)
            .env("EXTLINE_HOME", self.home())
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .current_dir(repository())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        outcome(self.command(args).spawn().unwrap())
    }

    pub(crate) fn run_with_input(&self, args: &[&str], input: &str) -> Outcome {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        outcome(child)
    }
}

pub(crate) fn outcome(child: Child) -> Outcome {
    let output = child.wait_with_output().unwrap();
    Outcome {
        code: output.status.code().expect("it was ended by a signal"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// What came of a program in a terminal.
#[derive(Debug)]
pub(crate) struct Screen {
    pub(crate) code: i64,
    /// With the escape sequences.
    pub(crate) output: String,
    /// The terminal is as it was before.
    pub(crate) restored: bool,
}

/// Runs the command in a terminal of its own, and drives it by the steps of terminal.py.
pub(crate) fn in_terminal(
    extline: &Extline,
    no_colour: bool,
    steps: &[serde_json::Value],
    words: &[&str],
) -> Screen {
    in_terminal_with(extline, no_colour, &[], steps, words)
}

/// The same without colours, in another folder than the repository.
pub(crate) fn in_terminal_at(
    extline: &Extline,
    folder: &Path,
    variables: &[String],
    steps: &[serde_json::Value],
    words: &[&str],
) -> Screen {
    screen(terminal(extline, true, variables, steps, words).current_dir(folder))
}

/// The same with variables, as `NAME=VALUE`.
pub(crate) fn in_terminal_with(
    extline: &Extline,
    no_colour: bool,
    variables: &[String],
    steps: &[serde_json::Value],
    words: &[&str],
) -> Screen {
    screen(&mut terminal(extline, no_colour, variables, steps, words))
}

fn terminal(
    extline: &Extline,
    no_colour: bool,
    variables: &[String],
    steps: &[serde_json::Value],
    words: &[&str],
) -> Command {
    let mut command = Command::new("python3");
    command
        .arg(repository().join("cli/tests/support/terminal.py"))
        .args([&serde_json::Value::from(steps).to_string(), env!("CARGO_BIN_EXE_extline")])
        .args(words)
        .env("EXTLINE_HOME", extline.home())
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .env_remove("CI")
        .current_dir(repository())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if no_colour {
        command.env("NO_COLOR", "1");
    }
    command.envs(variables.iter().filter_map(|it| it.split_once('=')));
    command
}

fn screen(command: &mut Command) -> Screen {
    let outcome = outcome(command.spawn().unwrap());
    outcome.assert_code(0);
    let json = outcome.json();
    Screen {
        code: json["code"].as_i64().unwrap(),
        output: json["output"].as_str().unwrap().to_owned(),
        restored: json["restored"].as_bool().unwrap(),
    }
}

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The program of an example in Rust, built where this test's programs are; scripts/test.py has built
/// it already.
pub(crate) fn built(example: &str) -> PathBuf {
    // target/debug/extline
    let builds = Path::new(env!("CARGO_BIN_EXE_extline")).parent().unwrap();
    if std::env::var_os("EXTLINE_BUILT").is_none() {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", example, "--target-dir"]);
        build.arg(builds.parent().unwrap());
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        assert!(build.status().unwrap().success());
    }
    builds.join(example)
}

/// The program of an example within a package, built as [`built`] does.
pub(crate) fn built_example(package: &str, example: &str) -> PathBuf {
    let builds = Path::new(env!("CARGO_BIN_EXE_extline")).parent().unwrap();
    if std::env::var_os("EXTLINE_BUILT").is_none() {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", package, "--example", example]);
        build.arg("--target-dir").arg(builds.parent().unwrap());
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        assert!(build.status().unwrap().success());
    }
    builds.join("examples").join(example)
}

/// The well-behaved extension, as words behind `--`; without the site's packages, which take longer to
/// look through than Python to start.
pub(crate) const BEHAVE: [&str; 4] = ["--", "python3", "-S", "host/tests/extensions/behave.py"];

/// The words of a command on the well-behaved extension.
pub(crate) fn behave<'a>(words: &[&'a str]) -> Vec<&'a str> {
    words.iter().copied().chain(BEHAVE).collect()
}

/// The words of a command on the extension that misbehaves.
pub(crate) fn misbehave<'a>(words: &[&'a str], mode: &[&'a str]) -> Vec<&'a str> {
    let program = ["--", "python3", "-S", "host/tests/extensions/misbehave.py"];
    words.iter().copied().chain(program).chain(mode.iter().copied()).collect()
}

/// Sends a signal, by name.
pub(crate) fn signal(child: &Child, name: &str) {
    let kill = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
}

/// Waits until a file has that many lines, and returns them.
pub(crate) fn wait_for_lines(path: &Path, count: usize) -> Vec<String> {
    let began = Instant::now();
    loop {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if text.ends_with('\n') && text.lines().count() >= count {
            return text.lines().map(str::to_owned).collect();
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{} has {text:?}", path.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until a process has ended.
pub(crate) fn wait_until_gone(pid: &str) {
    let began = Instant::now();
    while runs(pid) {
        assert!(began.elapsed() < Duration::from_secs(60), "process {pid} still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process runs; one that only waits for its parent does not.
pub(crate) fn runs(pid: &str) -> bool {
    let state = if Path::new("/proc/self/stat").exists() {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(')').next().unwrap_or_default().trim().to_owned()
    } else {
        let output = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    !state.is_empty() && !state.starts_with(['Z', 'X'])
}
