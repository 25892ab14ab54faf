//! What only a terminal gets: colours, progress, a prompt. A few lines of Python make the terminal.

#![cfg(unix)]

mod support;

use support::{Extline, behave};

/// Runs its arguments in a terminal of their own, with the first one typed into it.
const TERMINAL: &str = r"
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
os.write(terminal, sys.argv[1].encode())
output = b''
while True:
    try:
        chunk = os.read(terminal, 65536)
    except OSError:
        break
    if not chunk:
        break
    output += chunk
os.write(1, output)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
";

fn in_terminal(no_colour: bool, typed: &str, words: &[&str]) -> support::Outcome {
    let extline = Extline::new();
    let mut command = std::process::Command::new("python3");
    command
        .args(["-c", TERMINAL, typed, env!("CARGO_BIN_EXE_extline")])
        .args(words)
        .env("EXTLINE_HOME", extline.home())
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .env_remove("CI")
        .current_dir(support::repository())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    if no_colour {
        command.env("NO_COLOR", "1");
    }
    support::outcome(command.spawn().unwrap())
}

#[test]
fn progress_is_shown_live_and_cleared() {
    let outcome = in_terminal(false, "", &behave(&["call", "slow"]));
    outcome.assert_code(0);
    assert!(outcome.stdout.contains("\rslow: working 3/3 steps"), "{outcome:?}");
    let shown = outcome.stdout.trim_end().rsplit('\r').next().unwrap();
    assert_eq!(shown, "done");
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let words = behave(&["call", "nope"]);
    let outcome = in_terminal(false, "", &words);
    assert!(outcome.stdout.contains("\x1b[1m\x1b[31merror:\x1b[0m unknown tool"), "{outcome:?}");
    let outcome = in_terminal(true, "", &words);
    assert!(outcome.stdout.contains("error: unknown tool"));
    assert!(!outcome.stdout.contains('\x1b'), "{outcome:?}");
}

#[test]
fn a_person_gets_a_prompt() {
    let typed = "!echo {\"text\":\"typed\"}\n!nope\n:quit\n";
    let outcome = in_terminal(true, typed, &behave(&["run"]));
    outcome.assert_code(0);
    assert!(outcome.stdout.contains("> "), "{outcome:?}");
    assert!(outcome.stdout.contains("typed\r\n"), "{outcome:?}");
    assert!(!outcome.stdout.contains("> !echo"), "{outcome:?}");
    assert!(outcome.stdout.contains("no process left"), "{outcome:?}");
}
