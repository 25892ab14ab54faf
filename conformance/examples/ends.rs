//! Plays a host that does not read what it asked for, and then ends the extension in every way there is:
//! `ends COMMAND [ARG...]`, where COMMAND is a kit on an SDK (docs/tester/kits.md).
//!
//! An extension is to be gone in time (`end.in-time`), also where it has read ahead as much as it may
//! (`io.read-ahead`) and so has not read the end of its input (`end.eof`), and says once why it could
//! not end in order (`end.hard`). It ends with 1 and says where that was otherwise.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program")]

use std::env;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::io::{ioctl_fionbio, ioctl_fionread};
use rustix::process::{Pid, Signal, kill_process};

/// 2 s, and what a busy machine needs to notice.
const END: Duration = Duration::from_secs(4);
/// Without any progress for so long, the extension reads no more.
const QUIET: Duration = Duration::from_millis(500);
/// How long what must come may take. Only a failure takes that long.
const PATIENCE: Duration = Duration::from_secs(60);
const WHY: &str = "ended 1.5s after shutdown; the host did not take the last answers";
const UNREAD: &str =
    "{\"type\":\"tool_call\",\"id\":\"unread\",\"name\":\"bytes\",\"args\":{\"n\":100000}}\n";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Shutdown,
    EndOfInput,
    Sigterm,
}

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    if words.is_empty() {
        eprintln!("usage: ends COMMAND [ARG...], with the command of a kit on an SDK");
        return ExitCode::from(2);
    }
    // Behind all that is read ahead nobody can see a `shutdown`.
    let ways = [
        (false, Cause::Shutdown),
        (false, Cause::EndOfInput),
        (false, Cause::Sigterm),
        (true, Cause::EndOfInput),
        (true, Cause::Sigterm),
    ];
    // They wait more than they compute.
    let plays: Vec<_> = ways
        .map(|(is_ahead, cause)| {
            let words = words.clone();
            thread::spawn(move || play(&words, is_ahead, cause))
        })
        .into_iter()
        .collect();
    let mut is_good = true;
    for (play, (is_ahead, cause)) in plays.into_iter().zip(ways) {
        let ahead = if is_ahead { " with 4,096 frames ahead" } else { "" };
        match play.join().unwrap_or_else(|_| Err("this program failed".to_owned())) {
            Ok(took) => println!("{cause:?}{ahead}: ended after {took:.2?}"),
            Err(problem) => {
                println!("{cause:?}{ahead}: {problem}: {}", words.join(" "));
                is_good = false;
            }
        }
    }
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// One process; how long its end took.
fn play(words: &[String], is_ahead: bool, cause: Cause) -> Result<Duration, String> {
    let mut extension = Extension::start(words)?;
    extension.write(UNREAD)?;
    extension.wait_until_full()?;
    if is_ahead {
        extension.fill()?;
    }
    let begun = Instant::now();
    match cause {
        Cause::Shutdown => extension.write("{\"type\":\"shutdown\"}\n")?,
        Cause::EndOfInput => extension.stdin = None,
        Cause::Sigterm => kill_process(Pid::from_child(&extension.child), Signal::TERM)
            .map_err(|error| error.to_string())?,
    }
    let status = extension.wait(begun)?;
    let took = begun.elapsed();
    let expected = if cause == Cause::Sigterm { 143 } else { 0 };
    if status != Some(expected) {
        return Err(format!("it ended with the status {status:?}, not {expected}"));
    }
    let told = extension.stderr.take().and_then(|stderr| stderr.join().ok()).unwrap_or_default();
    let ends: Vec<&str> = told.lines().filter(|line| line.contains("ended ")).collect();
    if ends != [format!("extline: {WHY}")] {
        return Err(format!("it did not say `{WHY}` once: {told:?}"));
    }
    Ok(took)
}

struct Extension {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    stderr: Option<JoinHandle<String>>,
}

impl Extension {
    /// Up to its `ready`.
    fn start(words: &[String]) -> Result<Self, String> {
        let mut child = Command::new(&words[0])
            .args(&words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start it: {error}"))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().ok_or("it has no stdout")?;
        let mut stderr = child.stderr.take().ok_or("it has no stderr")?;
        let stderr = thread::spawn(move || {
            let mut told = Vec::new();
            let _ = stderr.read_to_end(&mut told);
            String::from_utf8_lossy(&told).into_owned()
        });
        let stdout = BufReader::with_capacity(1, stdout);
        let mut extension = Self { child, stdin, stdout, stderr: Some(stderr) };
        extension.write("{\"type\":\"hello_ack\",\"protocol_version\":1}\n")?;
        let mut line = String::new();
        while line != "{\"type\":\"ready\"}\n" {
            line.clear();
            if !extension.stdout.read_line(&mut line).is_ok_and(|count| count > 0) {
                return Err("it never became ready".to_owned());
            }
        }
        Ok(extension)
    }

    fn write(&mut self, text: &str) -> Result<(), String> {
        let stdin = self.stdin.as_mut().ok_or("stdin is closed")?;
        stdin.write_all(text.as_bytes()).map_err(|error| format!("it reads no more: {error}"))
    }

    /// Until it has written as much as its pipe takes.
    fn wait_until_full(&self) -> Result<(), String> {
        let since = Instant::now();
        let waits = || ioctl_fionread(self.stdout.get_ref()).map_err(|error| error.to_string());
        // Room for less than a page is none.
        while waits()? <= 60 * 1024 {
            if since.elapsed() > PATIENCE {
                return Err("it writes no answer".to_owned());
            }
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Until it reads no more, and its pipe is full.
    fn fill(&mut self) -> Result<(), String> {
        let stdin = self.stdin.as_mut().ok_or("stdin is closed")?;
        ioctl_fionbio(&*stdin, true).map_err(|error| error.to_string())?;
        let (mut calls, mut last) = (String::new(), Instant::now());
        for id in 0.. {
            // Cannot fail.
            let _ = writeln!(
                calls,
                r#"{{"type":"tool_call","id":"{id}","name":"nothing","args":{{}}}}"#
            );
            match stdin.write(calls.as_bytes()) {
                Ok(count) => {
                    calls.drain(..count);
                    last = Instant::now();
                }
                Err(error) if error.kind() != ErrorKind::WouldBlock => {
                    return Err(error.to_string());
                }
                Err(_) if last.elapsed() > QUIET => break,
                Err(_) => thread::sleep(Duration::from_millis(5)),
            }
        }
        Ok(())
    }

    /// The status that it ends with.
    fn wait(&mut self, since: Instant) -> Result<Option<i32>, String> {
        while since.elapsed() < END {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Ok(status.code());
            }
            thread::sleep(Duration::from_millis(2));
        }
        Err(format!("it had not ended after {END:?}"))
    }
}

impl Drop for Extension {
    fn drop(&mut self) {
        // One that has ended is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
