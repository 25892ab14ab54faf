//! Makes the environment of an extension before that is put in place, once a person has said yes.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use extline_host::{EnvironmentKind, Manifest, MissingEnvironment, Supervised, Supervisor};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{ChildStderr, ChildStdout};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use super::Refused;
use crate::interrupt::Interrupts;
use crate::printer::Printer;
use crate::question;
use crate::styled::{BOLD, Text};

/// Lines that are told of a command that failed, and characters of a line.
const LINES: usize = 20;
const LINE_CHARS: usize = 500;
/// How often it is looked whether a command has ended.
const EACH: Duration = Duration::from_millis(20);
/// How long the rest of what a command that has ended wrote is waited for.
const REST: Duration = Duration::from_secs(1);
/// A longer file is no script and no path: nothing in it is replaced.
const SCRIPT_BYTES: u64 = 1024 * 1024;

/// What `install` makes: packages, and no programs.
pub(super) fn wanted(manifest: &Manifest, folder: &Path) -> Vec<MissingEnvironment> {
    let mut missing = missing(manifest, folder);
    missing.retain(|one| one.kind != EnvironmentKind::Rust);
    missing
}

/// All that is missing.
pub(super) fn missing(manifest: &Manifest, folder: &Path) -> Vec<MissingEnvironment> {
    let words = manifest.exec.iter().chain(&manifest.args);
    MissingEnvironment::in_folder(folder, words.map(String::as_str))
}

/// Whether a person wants them to be made. Where nobody is there, nobody does.
pub(super) async fn are_agreed(
    wanted: &[MissingEnvironment],
    yes: bool,
    printer: &mut Printer,
) -> Result<bool, Refused> {
    if yes || wanted.is_empty() || !question::is_terminal() {
        return Ok(yes);
    }
    show(wanted, printer);
    let question = "This runs what its packages bring. Make it?";
    question::is_agreed(question, printer).await.map_err(Refused::interrupted)
}

/// The commands that make them.
pub(super) fn show(wanted: &[MissingEnvironment], printer: &mut Printer) {
    for one in wanted {
        printer.say(format_args!("  {one}, and is made by"));
        for step in &one.steps {
            printer.say(format_args!("    {BOLD}{}{BOLD:#}", line(step)));
        }
    }
}

/// Makes them in `folder`, which will be `target`.
pub(super) async fn make(
    wanted: &[MissingEnvironment],
    folder: &Path,
    target: &Path,
    interrupts: &mut Interrupts,
    printer: &mut Printer,
) -> Result<(), Refused> {
    // It ends them where this process is killed: nothing writes into a folder that the next one takes away.
    let supervisor = Supervisor::new();
    for one in wanted {
        for step in &one.steps {
            run(step, folder, &supervisor, interrupts, printer).await?;
        }
        if one.kind == EnvironmentKind::Python {
            move_paths(folder, folder, target)
                .map_err(|error| Refused::file(&format!("{}: {error}", folder.display())))?;
        }
    }
    printer.clear_progress();
    Ok(())
}

/// Runs one command to its end; its last line is the progress. An interruption ends it, and what it has started.
async fn run(
    step: &[String],
    folder: &Path,
    supervisor: &Supervisor,
    interrupts: &mut Interrupts,
    printer: &mut Printer,
) -> Result<(), Refused> {
    let (mut child, group) = start(step, folder, supervisor)
        .map_err(|error| Refused::file(&format!("{} cannot be started: {error}", step[0])))?;
    let (sender, mut lines) = mpsc::channel(LINES);
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let stdout = stdout.and_then(|it| ChildStdout::from_std(it).ok());
    let stderr = stderr.and_then(|it| ChildStderr::from_std(it).ok());
    tokio::spawn(pass_on(stdout, sender.clone()));
    tokio::spawn(pass_on(stderr, sender));
    let mut last = VecDeque::new();
    printer.progress(&line(step));
    let status = loop {
        tokio::select! {
            biased;
            exit = interrupts.next() => {
                group.end();
                // It is waited for, so that nothing writes into a folder that is taken away.
                let _ = child.wait();
                return Err(Refused::interrupted(exit));
            }
            Some(said) = lines.recv() => {
                printer.progress(&format!("{}: {said}", step[0]));
                keep(&mut last, said);
            }
            () = sleep(EACH) => match child.try_wait() {
                Ok(None) => {}
                Ok(Some(status)) => break Ok(status),
                Err(error) => break Err(error),
            },
        }
    };
    // What it has left running would write on, and keeps its output open.
    group.end();
    while let Ok(Some(said)) = timeout(REST, lines.recv()).await {
        keep(&mut last, said);
    }
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => {
            let said = last.iter().map(|said| format!("\n  {}", Text::line(said, LINE_CHARS)));
            let said = said.collect::<String>();
            Err(Refused::file(&format!("`{}` ended with {status}{said}", line(step))))
        }
        Err(error) => Err(Refused::file(&format!("{}: {error}", step[0]))),
    }
}

/// In a group of its own, with the person's own variables, but those that lead to another environment.
fn start(
    step: &[String],
    folder: &Path,
    supervisor: &Supervisor,
) -> io::Result<(Child, Supervised)> {
    let mut command = Command::new(program(&step[0], folder));
    command.args(&step[1..]).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for name in ["VIRTUAL_ENV", "PYTHONHOME", "PYTHONPATH", "CONDA_PREFIX"] {
        command.env_remove(name);
    }
    command.env("PIP_DISABLE_PIP_VERSION_CHECK", "1").env("PIP_NO_INPUT", "1");
    // Files that are shared with a cache would change with it.
    command.env("UV_LINK_MODE", "copy");
    command.env("npm_config_audit", "false").env("npm_config_fund", "false");
    supervisor.spawn(&mut command)
}

/// One of the folder by its path: a relative one would be looked for in the present folder.
fn program(word: &str, folder: &Path) -> PathBuf {
    if word.contains('/') { folder.join(word) } else { word.into() }
}

fn keep(last: &mut VecDeque<String>, said: String) {
    if last.len() == LINES {
        last.pop_front();
    }
    last.push_back(said);
}

async fn pass_on(from: Option<impl AsyncRead + Unpin>, to: mpsc::Sender<String>) {
    let Some(from) = from else { return };
    let mut lines = BufReader::new(from);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).await.is_ok_and(|count| count > 0) {
        let text = String::from_utf8_lossy(&line);
        let text: String = text.trim().chars().take(LINE_CHARS).collect();
        if !text.is_empty() && to.send(text).await.is_err() {
            return;
        }
        line.clear();
    }
}

/// An environment of Python names its own path in its scripts: they get the one that it will have. Files are written
/// anew, as they may be shared.
fn move_paths(folder: &Path, from: &Path, to: &Path) -> io::Result<()> {
    let (from_text, to_text) = (from.to_string_lossy(), to.to_string_lossy());
    for entry in folder.read_dir()? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            move_paths(&path, from, to)?;
        } else if kind.is_file() && entry.metadata()?.len() <= SCRIPT_BYTES {
            let Ok(text) = fs::read_to_string(&path) else { continue };
            if text.contains(&*from_text) {
                let permissions = entry.metadata()?.permissions();
                fs::remove_file(&path)?;
                fs::write(&path, text.replace(&*from_text, &to_text))?;
                fs::set_permissions(&path, permissions)?;
            }
        }
    }
    Ok(())
}

fn line(step: &[String]) -> String {
    shlex::try_join(step.iter().map(String::as_str)).unwrap_or_else(|_| "?".to_owned())
}
