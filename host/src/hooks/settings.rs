//! `hooks.toml`: which hooks there are.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fmt, io};

use extline_protocol::Glob;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::file::{read_bytes, read_text};

/// The longest file that is read, and the longest script that counts for a digest.
const AT_MOST: u64 = 16 * 1024 * 1024;
/// How long a hook may take where it does not say.
const TIMEOUT_MS: u64 = 30_000;

/// When a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HookPoint {
    /// Before a tool runs, behind the guards of extensions. It may block the call.
    ToolCall,
    /// Behind a tool. It is told.
    ToolResult,
}

/// What it means when a hook cannot decide: it is not there, takes too long, ends by a signal or with a code that is
/// neither 0 nor 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HookMode {
    /// The call is blocked.
    #[default]
    Guard,
    /// The call goes on, and a notice says what happened.
    Advisory,
}

/// A program that runs at a point.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptHook {
    /// What it is called where it blocks or fails; its program where it has no name.
    pub(crate) name: String,
    pub(crate) point: HookPoint,
    /// The tools it is about.
    pub(crate) tool: Glob,
    /// The program and its arguments. A relative path is the file's folder's.
    pub(crate) command: Vec<String>,
    pub(crate) timeout: Duration,
    pub(crate) mode: HookMode,
    /// Names of environment variables that it sees beside those that every extension sees.
    pub(crate) env: Vec<String>,
    /// Where a relative program is.
    pub(crate) folder: PathBuf,
}

/// The hooks of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptHooks {
    pub(crate) hooks: Vec<ScriptHook>,
    digest: String,
}

/// A file of hooks that cannot be used. Nothing is run then.
#[derive(Debug, Error)]
#[error("{}: {problem}", file.display())]
pub struct HooksError {
    file: PathBuf,
    problem: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    hook: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Option<String>,
    point: HookPoint,
    tool: Option<String>,
    command: Vec<String>,
    timeout_ms: Option<u64>,
    #[serde(default)]
    mode: HookMode,
    #[serde(default)]
    env: Vec<String>,
}

impl ScriptHooks {
    /// Reads a `hooks.toml`. Nothing is run.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or says something that is no hook; the line and what is wrong stand in the text.
    pub fn read(file: &Path) -> Result<Self, HooksError> {
        let problem = |problem: String| HooksError { file: file.to_owned(), problem };
        let text = read_text(file, AT_MOST).map_err(|error| problem(error.to_string()))?;
        let entries: File = toml::from_str(&text).map_err(|error| problem(told(&text, &error)))?;
        let absolute = std::path::absolute(file).map_err(|error| problem(error.to_string()))?;
        let folder = absolute.parent().unwrap_or(Path::new("/"));
        let hooks = entries.hook.into_iter().enumerate().map(|(at, entry)| {
            let about = |what: &str| problem(format!("hook {}: {what}", at + 1));
            entry.hook(folder).map_err(about)
        });
        let hooks = hooks.collect::<Result<Vec<_>, _>>()?;
        let digest = digest_of(&text, &hooks).map_err(|error| problem(error.to_string()))?;
        Ok(Self { hooks, digest })
    }

    /// The digest of the file and of the scripts beside it that it names, as `sha256:` and 64 digits: what a person
    /// trusts. It changes with any of them.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The command lines, each with the point at which it runs, for people.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.hooks.iter().map(|hook| {
            let line = shlex::try_join(hook.command.iter().map(String::as_str));
            format!("{} {}: {}", hook.point, hook.tool, line.unwrap_or_default())
        })
    }
}

impl Entry {
    fn hook(self, folder: &Path) -> Result<ScriptHook, &'static str> {
        let Self { name, point, tool, command, timeout_ms, mode, env } = self;
        let Some(program) = command.first().filter(|program| !program.is_empty()) else {
            return Err(
                "command is empty: write the program and its arguments, as [\"./check.sh\"]",
            );
        };
        if command.iter().any(|word| word.contains('\0')) {
            return Err("command has a NUL, which no program can be given");
        }
        if timeout_ms == Some(0) {
            return Err("timeout_ms is 0: a program needs more");
        }
        let tool = tool.as_deref().unwrap_or("*");
        let tool = tool.parse().map_err(|_| "tool: a backslash stands before * or another one")?;
        Ok(ScriptHook {
            name: name.unwrap_or_else(|| program.clone()),
            point,
            tool,
            command,
            timeout: Duration::from_millis(timeout_ms.unwrap_or(TIMEOUT_MS)),
            mode,
            env,
            folder: folder.to_owned(),
        })
    }
}

impl fmt::Display for HookPoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
        })
    }
}

/// The line of an error, and what it is.
fn told(text: &str, error: &toml::de::Error) -> String {
    let message = error.message();
    match error.span() {
        Some(span) => {
            let line = text.get(..span.start).unwrap_or(text).matches('\n').count() + 1;
            format!("line {line}: {message}")
        }
        None => message.to_owned(),
    }
}

fn digest_of(text: &str, hooks: &[ScriptHook]) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut add = |bytes: &[u8]| {
        hash.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_le_bytes());
        hash.update(bytes);
    };
    add(text.as_bytes());
    for (hook, word) in hooks.iter().flat_map(|hook| hook.command.iter().map(move |it| (hook, it)))
    {
        let script = hook.folder.join(word);
        if script.is_file() {
            add(word.as_bytes());
            add(&read_bytes(&script, AT_MOST)?);
        }
    }
    let mut digest = "sha256:".to_owned();
    for byte in hash.finalize() {
        // Writing into a string cannot fail.
        let _ = write!(digest, "{byte:02x}");
    }
    Ok(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ScriptHooks, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hooks.toml");
        std::fs::write(&file, text).unwrap();
        let read = ScriptHooks::read(&file);
        read.map_err(|error| error.to_string().split_once("hooks.toml: ").unwrap().1.to_owned())
    }

    #[test]
    fn what_is_no_hook_is_told_with_its_line() {
        let wrong = [
            ("x", "line 1: "),
            ("[[hook]]\npoint = \"tool_cal\"\ncommand = [\"x\"]", "line 2: unknown variant"),
            ("[[hook]]\npoint = \"tool_call\"", "missing field `command`"),
            ("[[hook]]\npoint = \"tool_call\"\ncomand = []", "line 3: unknown field `comand`"),
            ("[[hook]]\npoint = \"tool_call\"\ncommand = []", "hook 1: command is empty"),
            ("[[hook]]\npoint = \"tool_call\"\ncommand = \"x y\"", "line 3: invalid type"),
            (
                "[[hook]]\npoint = \"tool_call\"\ncommand = [\"x\"]\ntimeout_ms = 0",
                "hook 1: timeout_ms is 0",
            ),
            (
                "[[hook]]\npoint = \"tool_call\"\ncommand = [\"x\"]\ntool = 'a\\b'",
                "hook 1: tool: a backslash",
            ),
        ];
        for (text, said) in wrong {
            let error = read(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
        assert_eq!(read("").unwrap().hooks, []);
    }

    #[test]
    fn the_digest_changes_with_the_scripts_it_names() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hooks.toml");
        std::fs::write(&file, "[[hook]]\npoint = \"tool_call\"\ncommand = [\"sh\", \"a.sh\"]")
            .unwrap();
        let digest = || ScriptHooks::read(&file).unwrap().digest().to_owned();
        let without = digest();
        std::fs::write(folder.path().join("a.sh"), "exit 0").unwrap();
        let with = digest();
        std::fs::write(folder.path().join("a.sh"), "exit 2").unwrap();
        assert!(without != with && with != digest() && digest() == digest());
    }
}
