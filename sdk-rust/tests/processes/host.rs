//! The host that a test plays.

use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::Value;

#[cfg(windows)]
use crate::console;

/// How long a test waits for what must come. Only a failure waits that long.
const PATIENCE: Duration = Duration::from_secs(60);

/// An extension as a process, and the host's end of its pipes.
pub(crate) struct Host {
    child: Child,
    stdin: Option<Box<dyn Write + Send>>,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
}

/// How a process ended.
pub(crate) struct End {
    pub(crate) status: ExitStatus,
    /// What it still wrote.
    pub(crate) lines: Vec<String>,
    pub(crate) stderr: String,
}

pub(crate) const HELLO: &str = concat!(
    r#"{"type":"hello","name":"probe","version":"1.0.0","capabilities":["commands","tools","#,
    r#""events","panels","tool_cancel","call_tool","tool_update","tool_registry","registration_report","log","rpc","config","view","event_filters"],"#,
    r#""sdk":{"name":"extline","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#"","language":"rust"},"methods":["double","count"],"protocol_version":2}"#
);

/// The hello of one that guards tool calls.
pub(crate) fn guarded_hello() -> String {
    HELLO.replacen(r#","protocol_version""#, r#","guards":["tool_call"],"protocol_version""#, 1)
}

pub(crate) const ACK: &str = concat!(
    r#"{"type":"hello_ack","protocol_version":1,"capabilities":["tool_update","log"],"#,
    r#""zot_version":"0.2.0","provider":"p","model":"m","cwd":"/project","data_dir":"/data","#,
    r#""host":{"name":"test","version":"9"},"session":{"id":"s1"}}"#
);

impl Host {
    /// Starts `examples/probe` over pipes, up to its `ready`.
    pub(crate) fn probe() -> Self {
        Self::start(&mut Command::new(probe())).accepted(ACK)
    }

    /// Starts a process over pipes.
    pub(crate) fn start(command: &mut Command) -> Self {
        #[cfg(windows)]
        console::prepare(command);
        let mut child = command
            .env_remove("EXTLINE_STDIO")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = child.stdout.take().unwrap();
        Self::over(child, Box::new(stdin), stdout)
    }

    /// Starts a process over these descriptors of its own and their other ends.
    #[cfg(unix)]
    pub(crate) fn start_over(
        command: &mut Command,
        its: (std::os::fd::OwnedFd, std::os::fd::OwnedFd),
        stdin: impl Write + Send + 'static,
        stdout: impl Read + Send + 'static,
    ) -> Self {
        let (its_stdin, its_stdout) = its;
        let child = command
            .env_remove("EXTLINE_STDIO")
            .stdin(its_stdin)
            .stdout(its_stdout)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The command keeps its copies of the descriptors, which would hide the end of the streams.
        command.stdin(Stdio::null()).stdout(Stdio::null());
        Self::over(child, Box::new(stdin), stdout)
    }

    fn over(
        mut child: Child,
        stdin: Box<dyn Write + Send>,
        stdout: impl Read + Send + 'static,
    ) -> Self {
        let mut stderr = child.stderr.take().unwrap();
        let stderr = thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).unwrap();
            text
        });
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
        Self { child, stdin: Some(stdin), lines, stderr: Some(stderr) }
    }

    /// Answers `hello` and reads up to `ready`.
    pub(crate) fn accepted(self, ack: &str) -> Self {
        self.accepted_as(HELLO, ack)
    }

    /// The same of one with a guard, which its `hello` names.
    pub(crate) fn accepted_guard(self, ack: &str) -> Self {
        self.accepted_as(&guarded_hello(), ack)
    }

    fn accepted_as(mut self, hello: &str, ack: &str) -> Self {
        assert_eq!(self.line(), hello);
        self.send(ack);
        while self.line() != r#"{"type":"ready"}"# {}
        self
    }

    /// Writes lines in one piece.
    pub(crate) fn send(&mut self, lines: &str) {
        self.write(format!("{lines}\n").as_bytes()).unwrap();
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(bytes)?;
        stdin.flush()
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, id: &str, tool: &str, args: &str) {
        self.send(&call(id, tool, args));
    }

    /// The next line.
    pub(crate) fn line(&mut self) -> String {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => panic!("nothing came for {PATIENCE:?}"),
            Err(RecvTimeoutError::Disconnected) => {
                let stderr = self.stderr.take().expect("stderr is read once").join().unwrap();
                panic!("stdout is closed; stderr:\n{stderr}");
            }
        }
    }

    /// The next frame.
    pub(crate) fn frame(&mut self) -> Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The text of the answer to the only call that is open.
    pub(crate) fn text(&mut self) -> String {
        let frame = self.frame();
        frame["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {frame}")).into()
    }

    /// Calls `echo` so often, one call at a time.
    #[cfg(target_os = "linux")]
    pub(crate) fn call_echo(&mut self, times: u32) {
        for id in 0..times {
            self.call(&id.to_string(), "echo", r#"{"text":"again"}"#);
            assert_eq!(self.text(), "again");
        }
    }

    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn sigterm(&self) {
        sigterm(&self.child);
    }

    /// Closes stdin and waits for the end of the process.
    pub(crate) fn close(mut self) -> End {
        self.stdin = None;
        self.wait()
    }

    /// Waits for the end of the process; stdin stays open.
    pub(crate) fn wait(mut self) -> End {
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => lines.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("still alive; it wrote {lines:?}"),
            }
        }
        let status = self.child.wait().unwrap();
        let stderr = self.stderr.take().expect("stderr is read once").join().unwrap();
        End { status, lines, stderr }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // After a failed test nothing is left behind; after a good one it is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
pub(crate) fn sigterm(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};

    kill_process(Pid::from_child(child), Signal::TERM).unwrap();
}

/// What a host sends there.
#[cfg(windows)]
pub(crate) fn sigterm(child: &Child) {
    console::send_ctrl_break(child.id());
}

/// A line that calls a tool.
pub(crate) fn call(id: &str, tool: &str, args: &str) -> String {
    format!(r#"{{"type":"tool_call","id":"{id}","name":"{tool}","args":{args}}}"#)
}

/// The program of `examples/probe`. `cargo test` has built it, unless only this test was asked
/// for; so it is built here once more, which takes no time then.
pub(crate) fn probe() -> PathBuf {
    static PROBE: OnceLock<PathBuf> = OnceLock::new();
    let built = PROBE.get_or_init(|| {
        // By scripts/test.py, with everything else, if not here.
        if env::var_os("EXTLINE_BUILT").is_none() {
            let mut build = Command::new(env!("CARGO"));
            build.args(["build", "--quiet", "--package", "extline", "--example", "probe"]);
            if !cfg!(debug_assertions) {
                build.arg("--release");
            }
            assert!(build.status().unwrap().success());
        }
        // target/debug/deps/processes-HASH -> target/debug/examples/probe
        let test = env::current_exe().unwrap();
        test.parent().and_then(|deps| deps.parent()).unwrap().join("examples/probe")
    });
    built.clone()
}
