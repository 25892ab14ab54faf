//! The host that a test plays.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::program::program;

/// How long a test waits for what must come. Only a failure waits that long.
const PATIENCE: Duration = Duration::from_secs(60);

const ACK: &str = concat!(
    r#"{"type":"hello_ack","protocol_version":1,"capabilities":["tool_update","log","rpc","#,
    r#""call_tool"],"methods":["ui.confirm","ui.select","ui.input"],"host":{"name":"test","version":"9"}}"#
);

/// An extension as a process, and the host's end of its pipes.
pub(crate) struct Host {
    child: Child,
    stdin: Option<ChildStdin>,
    /// Until it is read.
    stdout: Option<ChildStdout>,
    lines: Option<Receiver<String>>,
    stderr: Option<JoinHandle<String>>,
}

/// How a process ended.
pub(crate) struct End {
    pub(crate) status: ExitStatus,
    /// What it still wrote.
    pub(crate) lines: Vec<String>,
    pub(crate) stderr: String,
}

impl Host {
    /// Starts `tests/programs/NAME.c`, up to its `ready`.
    pub(crate) fn start(name: &str, arguments: &[&str]) -> Self {
        Self::launch(name, arguments).accept(ACK)
    }

    /// Starts it, and reads what it writes as it comes; `hello` is not answered.
    pub(crate) fn launch(name: &str, arguments: &[&str]) -> Self {
        Self::spawn(Command::new(program(name)).args(arguments))
    }

    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut child = command
            .env_remove("EXTLINE_STDIO")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = child.stdout.take();
        let mut stderr = child.stderr.take().unwrap();
        let stderr = thread::spawn(move || {
            let mut text = Vec::new();
            stderr.read_to_end(&mut text).unwrap();
            String::from_utf8_lossy(&text).into_owned()
        });
        Self { child, stdin, stdout, lines: None, stderr: Some(stderr) }
    }

    /// Answers `hello` and reads up to `ready`.
    pub(crate) fn accept(mut self, ack: &str) -> Self {
        assert_eq!(self.frame()["type"], "hello");
        self.send(&[ack]);
        while self.line() != r#"{"type":"ready"}"# {}
        self
    }

    /// Writes lines in one piece.
    pub(crate) fn send<S: AsRef<str>>(&mut self, lines: &[S]) {
        let text: String = lines.iter().flat_map(|line| [line.as_ref(), "\n"]).collect();
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(text.as_bytes()).unwrap();
    }

    /// Calls a tool; its answer.
    pub(crate) fn call(&mut self, tool: &str, args: &str) -> Value {
        self.call_as("1", tool, args)
    }

    /// The same by that id. No other call may be answered meanwhile.
    pub(crate) fn call_as(&mut self, id: &str, tool: &str, args: &str) -> Value {
        self.send(&[call(id, tool, args)]);
        let answer = self.next("tool_result");
        assert_eq!(answer["id"], id);
        answer
    }

    /// The next line. From the first time on everything is read as it comes.
    pub(crate) fn line(&mut self) -> String {
        self.maybe_line().unwrap_or_else(|| {
            let stderr = self.stderr.take().expect("stderr is read once").join().unwrap();
            panic!("stdout is closed; stderr:\n{stderr}");
        })
    }

    fn maybe_line(&mut self) -> Option<String> {
        let stdout = &mut self.stdout;
        let lines = self.lines.get_or_insert_with(|| read(stdout.take().expect("open")));
        match lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Timeout) => panic!("nothing came for {PATIENCE:?}"),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    /// The next frame.
    pub(crate) fn frame(&mut self) -> Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The next frame, which is of that type.
    pub(crate) fn next(&mut self, kind: &str) -> Value {
        let frame = self.frame();
        assert_eq!(frame["type"], kind, "{frame}");
        frame
    }

    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn kill(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Nothing that it writes is read any more.
    pub(crate) fn close_stdout(&mut self) {
        assert!(self.lines.is_none(), "a thread reads it");
        self.stdout = None;
    }

    /// Waits until it has written as much as the pipe holds, which nobody reads, and then for a while; if
    /// that is too short for what it may do wrongly, a test fails to see it and no more.
    pub(crate) fn wait_until_full(&self) {
        let stdout = self.stdout.as_ref().expect("nothing reads it");
        let since = Instant::now();
        // Room for less than a page is none.
        while rustix::io::ioctl_fionread(stdout).unwrap() <= 60 * 1024 {
            assert!(since.elapsed() < PATIENCE, "it writes no more");
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(100));
    }

    /// What it wrote, as it stands there, so many bytes at most. For a host that reads slowly.
    pub(crate) fn read_some(&mut self, most: usize) -> Vec<u8> {
        assert!(self.lines.is_none(), "a thread reads it");
        let mut bytes = vec![0; most];
        let count = self.stdout.as_mut().expect("open").read(&mut bytes).unwrap();
        bytes.truncate(count);
        bytes
    }

    /// Asks for the end, and waits for it.
    pub(crate) fn shut_down(mut self) -> End {
        self.send(&[r#"{"type":"shutdown"}"#]);
        self.wait()
    }

    /// Closes stdin and waits for the end of the process.
    pub(crate) fn close(mut self) -> End {
        self.stdin = None;
        self.wait()
    }

    /// Waits for the end of the process; stdin stays open.
    pub(crate) fn wait(mut self) -> End {
        let mut lines = Vec::new();
        if self.lines.is_some() || self.stdout.is_some() {
            while let Some(line) = self.maybe_line() {
                lines.push(line);
            }
        }
        let status = self.child.wait().unwrap();
        let stderr = self.stderr.take().expect("stderr is read once").join().unwrap();
        End { status, lines, stderr }
    }
}

impl End {
    /// It ended by itself, with that exit status.
    pub(crate) fn assert_code(&self, code: i32) {
        assert_eq!(self.status.code(), Some(code), "{}: {}", self.status, self.stderr);
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // After a failed test nothing is left behind; after a good one it is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(stdout: ChildStdout) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines() {
            // The test may have ended, and a process that dies may leave a broken line.
            let Ok(line) = line else { break };
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

/// A line that calls a tool.
pub(crate) fn call(id: &str, tool: &str, args: &str) -> String {
    format!(r#"{{"type":"tool_call","id":"{id}","name":"{tool}","args":{args}}}"#)
}

/// A line that takes a call back.
pub(crate) fn cancel(id: &str) -> String {
    format!(r#"{{"type":"tool_cancel","id":"{id}"}}"#)
}

/// The text of an answer.
pub(crate) fn text(answer: &Value) -> &str {
    answer["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"))
}
