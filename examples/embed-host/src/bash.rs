//! The agent's own tool `bash`: runs a command line, for as long as it may.

use std::io::{self, Write};
use std::process::Stdio;
use std::time::Duration;

use extline_host::BuiltinCall;
use extline_host::protocol::ErrorKind;
use extline_host::protocol::frame::{Content, ErrorInfo, RegisterTool, ToolResult};
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group};
use serde::Deserialize;
use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// What a command may print, in bytes.
const OUTPUT: u64 = 64 * 1024;

/// What the host gives up on it after, whatever the model asks for, in milliseconds.
const TIMEOUT: u64 = 600_000;

/// The tool as the model and other extensions see it.
pub(crate) fn definition() -> RegisterTool {
    let schema = json!({
        "type": "object",
        "properties": {
            "command": {"type": "string", "description": "What sh runs"},
            "timeout": {"type": "integer", "minimum": 1, "description": "After how many seconds to stop it"},
        },
        "required": ["command"],
    });
    RegisterTool {
        name: "bash".to_owned(),
        description: Some("Runs a command line and returns what it prints.".to_owned()),
        schema: schema.into(),
        timeout_ms: Some(TIMEOUT),
        ..RegisterTool::default()
    }
}

/// Runs a call that every guard has let pass, with arguments that fit the schema.
pub(crate) async fn call(call: BuiltinCall) -> Result<ToolResult, ErrorInfo> {
    let _ = writeln!(io::stderr(), "bash runs: {}", call.args);
    let internal = |error| ErrorInfo::new(ErrorKind::Internal, format!("bash: {error}"));
    let bash: Bash = call.args.to().map_err(internal)?;
    let (printed, failed) = match bash.run().await {
        Ok(printed) => (printed, false),
        Err(printed) => (printed, true),
    };
    let mut result = call.result(vec![Content::text(printed)]);
    result.is_error = failed;
    Ok(result)
}

#[derive(Debug, Deserialize)]
struct Bash {
    command: String,
    timeout: Option<u64>,
}

impl Bash {
    /// What the command printed, both streams as they came. The error says how it ended as well.
    async fn run(self) -> Result<String, String> {
        let mut sh = Command::new("sh");
        sh.args(["-c", r#"eval "$1" 2>&1"#, "sh", &self.command])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        sh.process_group(0);
        let mut sh = sh.spawn().map_err(|error| format!("cannot start sh: {error}"))?;
        #[cfg(unix)]
        let _group = Group::of(&sh);
        let mut printed = Vec::new();
        let work = async {
            if let Some(stdout) = sh.stdout.take() {
                stdout.take(OUTPUT).read_to_end(&mut printed).await?;
            }
            // Whoever goes on printing hears that nobody reads: SIGPIPE ends it.
            if printed.len() as u64 == OUTPUT {
                printed.extend_from_slice(b"\n[stopped here: too much output]");
            }
            sh.wait().await
        };
        let limit = self.timeout.map_or(Duration::MAX, Duration::from_secs);
        let ended = timeout(limit, work).await;
        let printed = String::from_utf8_lossy(&printed);
        match ended {
            Ok(Ok(status)) if status.success() => Ok(printed.into_owned()),
            Ok(Ok(status)) => Err(format!("{printed}[{status}]")),
            Ok(Err(error)) => Err(format!("{printed}[{error}]")),
            Err(_) => Err(format!("{printed}[stopped after {} s]", limit.as_secs())),
        }
    }
}

/// The process group of a command: what it started in the background ends with it, and all of it
/// when nobody waits any more. On Windows, which has none, only `sh` itself ends so.
#[cfg(unix)]
struct Group(Option<Pid>);

#[cfg(unix)]
impl Group {
    fn of(leader: &Child) -> Self {
        Self(leader.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)))
    }
}

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        // Nothing is left to be killed: that is as well.
        let _ = self.0.map(|group| kill_process_group(group, Signal::KILL));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    async fn run(command: &str, timeout: Option<u64>) -> Result<String, String> {
        Bash { command: command.to_owned(), timeout }.run().await
    }

    #[tokio::test]
    async fn both_streams_and_a_status_other_than_0_are_told() {
        assert_eq!(run("echo a; echo b >&2", None).await, Ok("a\nb\n".into()));
        assert_eq!(run("echo a; exit 3", None).await, Err("a\n[exit status: 3]".into()));
        assert_eq!(run("echo '\"' $$ | grep -c .", None).await, Ok("1\n".into()));
    }

    #[tokio::test]
    async fn a_command_is_stopped_at_its_timeout_with_all_that_it_started() {
        let began = Instant::now();
        let error = run("echo a; sleep 600 & sleep 600", Some(1)).await.unwrap_err();
        assert_eq!(error, "a\n[stopped after 1 s]");
        assert!(began.elapsed() < Duration::from_secs(300), "it waited for the sleep");
    }

    #[tokio::test]
    async fn a_flood_is_cut() {
        let error = run("yes", Some(60)).await.unwrap_err();
        assert!(error.contains("too much output") && error.len() < 70_000, "{}", error.len());
    }
}
