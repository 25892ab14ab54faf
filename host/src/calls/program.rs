//! `exec.run`: a program that an extension has run. It takes the way of a tool call: interceptors and guards see it
//! as a call of `exec.run`, somebody approves it, and who wants to know of calls is told of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use extline_protocol::frame::{
    Approval, Content, Parent, ParentKind, RegisterTool, RpcError, Tier, ToolResult,
};
use extline_protocol::{ErrorKind, Id, RawJson};
use extline_services::Method as _;
use extline_services::exec::{self, RunMethod, Stream};
use tokio::sync::mpsc;

use super::proposal::Proposal;
use super::telling::Telling;
use crate::approval::Stated;
use crate::connection::{Connection, Method, MethodCall, Standstill, params_of};
use crate::process::{Environment, Launch, Ran, Run, run_to_end, start};
use crate::report::{CallError, Problem};
use crate::source::{explain, resolve};
use crate::tool::{Builtin, Tool};

/// What a call of it is a call of, for those who are asked: a tool that one extension has the use of. No extension can
/// register a name with a dot.
fn tool_of(extension: &str) -> Arc<Tool> {
    let approval = Approval {
        gated: true,
        tier: Some(Tier::Exec),
        key: Some("{line}".to_owned()),
        ..Approval::default()
    };
    let definition = RegisterTool {
        name: RunMethod::NAME.to_owned(),
        description: Some("Runs a program.".to_owned()),
        approval: Some(approval),
        ..RegisterTool::default()
    };
    Arc::new(Builtin::seen_as(extension, definition))
}

/// Serves it; a relative folder is the project's.
pub(crate) fn method(project: PathBuf) -> Method {
    let project = Arc::new(project);
    Method::new(move |call| {
        let project = Arc::clone(&project);
        async move { answer(call, &project).await }
    })
}

/// Whether a tool is what `exec.run` is seen as.
pub(super) fn is_program(tool: &str) -> bool {
    tool == RunMethod::NAME
}

/// What counts for a run. An "always" covers the same command line; where more than that counts, these parameters
/// alone.
pub(super) fn stated(tool: &Tool, params: &RawJson) -> Stated {
    let mut stated = Stated::by(tool);
    let Ok(run) = serde_json::from_str::<exec::Run>(params.get()) else {
        stated.key = None;
        return stated;
    };
    let line = line_of(&run);
    let is_plain = run.cwd.is_none() && run.env.is_empty() && run.stdin.is_none();
    stated.key_args = RawJson::of(&serde_json::json!({ "line": line })).ok().filter(|_| is_plain);
    stated.key = stated.key.filter(|_| stated.key_args.is_some());
    stated.details.push(line);
    stated.details.extend(run.cwd.map(|folder| format!("in {folder}")));
    let names: Vec<_> = run.env.into_keys().collect();
    stated.details.extend((!names.is_empty()).then(|| format!("with {}", names.join(", "))));
    stated.details.extend(run.stdin.map(|text| format!("reads {} bytes", text.len())));
    stated
}

/// The command line, as a shell would have to be told it.
fn line_of(run: &exec::Run) -> String {
    let words = [&run.command].into_iter().chain(&run.args).map(String::as_str);
    // What it refuses is a NUL, which is refused before.
    shlex::try_join(words).unwrap_or_default()
}

async fn answer(mut call: MethodCall, project: &Path) -> Result<RawJson, RpcError> {
    params_of::<RunMethod>(call.params.as_ref())?;
    let gone = || RpcError::new(ErrorKind::Cancelled, "the extension has ended");
    let connection = call.connection.upgrade().ok_or_else(gone)?;
    let shared = Arc::clone(connection.shared());
    let (id, name) = (shared.name_call(), RunMethod::NAME);
    let params = call.params.as_ref().map_or("{}", RawJson::get);
    let caller = Some(&*call.extension);
    let mut telling = Telling::begin(&shared, &id, caller, name, params, None);
    let time = Standstill::default();
    let is_answer = |parent: &Parent| parent.kind == ParentKind::Intercept;
    let proposal = Proposal {
        id: &id,
        tool: name,
        caller,
        time: Some(&time),
        origin: call.origin,
        place: None,
        unasked: caller.filter(|_| call.parent.as_ref().is_some_and(is_answer)),
    };
    let tool = tool_of(&call.extension);
    let passing = shared.pass_tool(Arc::clone(&tool), proposal, params, &mut telling);
    // What asks is large.
    let passed = connection.pausing(&call.key, &time, Box::pin(passing)).await;
    let params = match passed {
        Ok(params) => params,
        Err(error) => {
            telling.failed(&error);
            return Err(refused(&error));
        }
    };
    telling.executed(&tool);
    // Interceptors may have written it anew.
    let ran = match params_of::<RunMethod>(Some(&params)) {
        Ok(params) => run(&mut call, &connection, params, project).await,
        Err(error) => Err(error),
    };
    telling.end(&Ok(Box::new(told(&id, &ran))));
    RawJson::of(&ran?).map_err(|error| RpcError::new(ErrorKind::Internal, error.to_string()))
}

fn refused(error: &CallError) -> RpcError {
    RpcError::new(error.kind(), error.to_string())
}

/// What those who hear of calls are told: how it ended, and nothing of what it wrote.
fn told(id: &str, ran: &Result<exec::Ran, RpcError>) -> ToolResult {
    let (text, is_error) = match ran {
        Ok(exec::Ran { code: Some(code), .. }) => (format!("exit status {code}"), *code != 0),
        Ok(exec::Ran { signal, .. }) => {
            (format!("ended by {}", signal.as_deref().unwrap_or("a signal")), true)
        }
        Err(error) => (error.message.clone(), true),
    };
    let content = vec![Content::text(text)];
    ToolResult { is_error, ..ToolResult::new(Id::from(id), content) }
}

async fn run(
    call: &mut MethodCall,
    connection: &Connection,
    params: exec::Run,
    project: &Path,
) -> Result<exec::Ran, RpcError> {
    let exec::Run { stdin, timeout_ms, max_bytes, stream, .. } = &params;
    let keep = usize::try_from(max_bytes.unwrap_or(exec::MAX_BYTES)).unwrap_or(usize::MAX);
    let (pieces, mut told) = mpsc::channel(1);
    let run = Run {
        stdin: stdin.clone().unwrap_or_default().into_bytes(),
        timeout: timeout_ms.map(Duration::from_millis),
        keep,
        pieces: stream.then_some(pieces),
    };
    let launch = Arc::new(launch(&params, connection.environment(), project)?);
    let processes = Arc::clone(&connection.shared().processes);
    let spawned = start(&launch, &processes).await;
    let spawned = spawned.map_err(|error| not_started(&explain(&launch, &error)))?;
    let running = run_to_end(spawned, processes, run);
    let telling = async {
        let (mut of_stdout, mut of_stderr) = (Halved::default(), Halved::default());
        while let Some((stream, bytes)) = told.recv().await {
            let halved = if stream == Stream::Stderr { &mut of_stderr } else { &mut of_stdout };
            let text = halved.text(&bytes);
            if text.is_empty() {
                continue;
            }
            let part = RawJson::of(&exec::Output { stream, text });
            // Where it cannot be sent nobody wants it, and the request ends for that reason.
            let is_sent = match &part {
                Ok(part) => call.send_part(part).await.is_ok(),
                Err(_) => false,
            };
            if !is_sent {
                told.close();
            }
        }
    };
    let (Ran { exit, timed_out, stdout, stderr }, ()) = tokio::join!(running, telling);
    let ((stdout, out_is_cut), (stderr, err_is_cut)) = (stdout.into_text(), stderr.into_text());
    let signal = exit.code().is_none().then(|| exit.signal_name());
    let truncated = out_is_cut || err_is_cut;
    Ok(exec::Ran { code: exit.code(), signal, timed_out, truncated, stdout, stderr })
}

/// What starts the program: it sees what its extension sees, and what it is given.
fn launch(run: &exec::Run, own: &Environment, project: &Path) -> Result<Launch, RpcError> {
    let dir = run.cwd.as_ref().map_or_else(|| project.to_owned(), |folder| project.join(folder));
    if !dir.is_dir() {
        let text = format!("/cwd: there is no folder {}", dir.display());
        return Err(RpcError::new(ErrorKind::NotFound, text));
    }
    let mut environment = own.clone();
    for (name, value) in &run.env {
        match value {
            Some(value) => {
                let _ = environment.variables.insert(name.into(), value.into());
            }
            None => drop(environment.variables.remove(std::ffi::OsStr::new(name))),
        }
    }
    let program = resolve(run.command.as_ref(), &dir, environment.path());
    let program = program.map_err(|problem| not_started(&problem))?;
    let args = run.args.iter().map(Into::into).collect();
    Ok(Launch {
        program,
        args,
        dir,
        environment: Arc::new(environment),
        is_remote: false,
        pin: None,
        confinement: None,
        notices: Vec::new(),
    })
}

/// The rest of a character whose beginning was in the piece before.
#[derive(Default)]
struct Halved(Vec<u8>);

impl Halved {
    /// A piece as text. A character that is not whole yet waits for the next one; the empty piece is the end.
    fn text(&mut self, piece: &[u8]) -> String {
        let mut bytes = std::mem::take(&mut self.0);
        bytes.extend_from_slice(piece);
        let whole = match std::str::from_utf8(&bytes) {
            // It is the beginning of one, not a wrong one.
            Err(error) if error.error_len().is_none() && !piece.is_empty() => error.valid_up_to(),
            _ => bytes.len(),
        };
        self.0 = bytes.split_off(whole);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

fn not_started(problem: &Problem) -> RpcError {
    let kind = match problem {
        Problem::NotFound { .. } | Problem::NoInterpreter { .. } => ErrorKind::NotFound,
        Problem::NotExecutable { .. } => ErrorKind::Permission,
        _ => ErrorKind::Internal,
    };
    RpcError::new(kind, problem.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_is_whole_though_its_bytes_come_apart() {
        let mut halved = Halved::default();
        let texts: Vec<_> = "a€b".bytes().map(|byte| halved.text(&[byte])).collect();
        assert_eq!(texts.concat(), "a€b");
        assert_eq!(halved.text(&[0xff, b'x']), "\u{fffd}x");
        assert_eq!(halved.text("€".as_bytes().split_last().unwrap().1), "");
        assert_eq!(halved.text(b""), "\u{fffd}");
    }

    fn key(run: &serde_json::Value) -> (Option<String>, Vec<String>) {
        let stated = stated(&tool_of("x"), &RawJson::of(run).unwrap());
        (stated.key.and(stated.key_args).map(|args| args.get().to_owned()), stated.details)
    }

    #[test]
    fn an_always_covers_a_command_line_and_nothing_beside_it() {
        let plain = serde_json::json!({ "command": "git", "args": ["log", "a b; rm"] });
        let line = "git log 'a b; rm'".to_owned();
        let expected = Some(format!(r#"{{"line":"{line}"}}"#));
        assert_eq!(key(&plain), (expected, vec![line]));
        for (member, value) in
            [("cwd", "/".into()), ("env", serde_json::json!({ "A": "b" })), ("stdin", "x".into())]
        {
            let mut more = plain.clone();
            more[member] = value;
            assert_eq!(key(&more).0, None, "{member}");
        }
    }
}
