//! `exec.run`: a program, run by the host.
//!
//! There is no shell: the program gets its arguments as they are. It runs in a process group of its own, which ends
//! with the call that asked for it. The host asks for an approval first, where its rules say so.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;

use crate::method::answered;

/// Bytes that are kept of each stream at most, and where nothing else is said: 256 KiB. So both fit into one frame, also
/// where each byte is written as six.
pub const MAX_BYTES: u64 = 1 << 18;
/// Bytes that `stdin` may have at most: 1 MiB.
pub const STDIN_BYTES: usize = 1 << 20;

answered! {
    /// Runs a program and says how it ended.
    "exec.run": RunMethod(Run), parts Output => Ran;
}

/// What `exec.run` is asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Run {
    /// The program: a name that is looked for in `PATH`, or a path.
    pub command: String,
    /// Its arguments. No shell reads them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// The folder it runs in: absolute, or from the project's; the project's where it is unsaid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Variables of its environment beside those it has from the extension's; `null` takes one away.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, Option<String>>,
    /// What it reads; nothing where it is unsaid. 1 MiB at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// Milliseconds that it has, more than 0. Unsaid it has as long as the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub timeout_ms: Option<u64>,
    /// Bytes that are kept of each stream, its last ones: 262,144 at most, and where it is unsaid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 262_144)))]
    pub max_bytes: Option<u64>,
    /// Whether what it writes is sent as parts while it runs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stream: bool,
}

/// A part of the answer to `exec.run`: what the program has just written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Output {
    /// Where it wrote it.
    pub stream: Stream,
    /// What it wrote. Bytes that are no UTF-8 are U+FFFD.
    pub text: String,
}

/// A stream of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Stream {
    /// What it wrote as its result.
    Stdout,
    /// What it wrote beside that.
    Stderr,
}

/// The answer to `exec.run`: how the program ended. One that could not be started is an error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Ran {
    /// The code that it ended with; absent where a signal ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    /// The signal that ended it, as `SIGKILL`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// Whether the host ended it because its time was over.
    #[serde(default)]
    pub timed_out: bool,
    /// Whether something of what it wrote was cut off.
    #[serde(default)]
    pub truncated: bool,
    /// What it wrote to stdout: the end of it where that is more than `max_bytes`. Bytes that are no UTF-8 are U+FFFD.
    #[serde(default)]
    pub stdout: String,
    /// What it wrote to stderr, likewise.
    #[serde(default)]
    pub stderr: String,
}

impl Ran {
    /// Whether it ended by itself with the code 0.
    pub fn success(&self) -> bool {
        self.code == Some(0)
    }
}

impl Run {
    fn check(&self) -> Result<(), String> {
        if self.command.is_empty() {
            return Err("/command: it is empty".to_owned());
        }
        let texts = [("/command", &self.command)].into_iter();
        let args = self.args.iter().map(|argument| ("/args", argument));
        if let Some((at, _)) = texts.chain(args).find(|(_, text)| text.contains('\0')) {
            return Err(format!("{at}: it has a NUL, which no program can be given"));
        }
        let is_name = |name: &String| !name.is_empty() && !name.contains(['=', '\0']);
        if let Some(name) = self.env.keys().find(|name| !is_name(name)) {
            return Err(format!("/env: {name:?} is no name of a variable"));
        }
        if self.timeout_ms == Some(0) {
            return Err("/timeout_ms: a program needs more than 0 ms".to_owned());
        }
        if self.max_bytes.is_some_and(|bytes| !(1..=MAX_BYTES).contains(&bytes)) {
            return Err(format!("/max_bytes: it is 1 to {MAX_BYTES}"));
        }
        if self.stdin.as_ref().is_some_and(|text| text.len() > STDIN_BYTES) {
            return Err(format!("/stdin: it has more than {STDIN_BYTES} bytes"));
        }
        Ok(())
    }
}
