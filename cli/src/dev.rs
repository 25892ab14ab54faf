//! `extline dev`: an extension at a prompt, which is reloaded when its files change.

use std::iter;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Instant;

use clap::error::ErrorKind;
use extline_host::{Diagnosis, ExtensionSource, ExtensionState, Host, ReloadError};
use serde::Serialize;
use serde_json::json;
use serde_json::value::to_raw_value;
use tokio::process::Command;
use tokio::sync::mpsc::UnboundedSender;

use crate::args::Dev;
use crate::console::{Console, summary};
use crate::exit::Exit;
use crate::frames::FrameView;
use crate::printer::Printer;
use crate::session::{Remark, Session};
use crate::styled::{BOLD, DIM, RED, Text, counted, text};
use crate::target::usage;
use crate::watch::Watch;

/// Lines that are shown of what a build wrote.
const LINES: usize = 40;
/// Characters that are shown of each.
const CHARS: usize = 400;

pub(crate) async fn run(dev: Dev, mut printer: Printer) -> Result<Exit, clap::Error> {
    if !dev.dir.is_dir() {
        let message = format!("{} is no folder", dev.dir.display());
        return Err(usage("dev", ErrorKind::ValueValidation, &message));
    }
    printer.views = dev.views.when;
    let workshop = Workshop { dir: dev.dir.clone(), build: dev.build };
    let watch = Watch::of(vec![dev.dir.clone()], Vec::new());
    if let Err(remark) = workshop.build().await {
        let is_json = printer.json;
        remark.show(is_json, &mut printer);
    }
    let frames = FrameView::new();
    let source = ExtensionSource::folder(dev.dir);
    let started =
        Session::start(vec![source], &dev.timeout, &dev.settings, Some(frames.clone()), printer);
    let mut session = match started.await {
        Ok(session) => session,
        Err((printer, exit)) => return Ok(printer.finish(exit)),
    };
    let mut names = Vec::new();
    for status in session.host.extensions() {
        if status.state == ExtensionState::Ready {
            session.printer.tell(summary(&status), &json!({ "started": status.name }));
        }
        names.push(status.name);
    }
    session.report_failed();
    let count = counted(watch.count(), "file");
    let dir = workshop.dir.display();
    session.printer.say(format_args!("{DIM}watching {count} of {dir}{DIM:#}"));
    let remarks = session.remarks();
    let extension = (Arc::clone(&session.host), names.concat());
    let reloading = tokio::spawn(workshop.reload_at_changes(extension, watch, remarks));
    let mut console = Console::new(session, frames, dev.timeout);
    console.open();
    let exit = console.take_lines_and_stay().await;
    // Dropped at its next wait; what it builds is ended.
    reloading.abort();
    let _ = reloading.await;
    Ok(console.stop(exit).await)
}

/// Where the extension is worked on.
struct Workshop {
    dir: PathBuf,
    build: Option<String>,
}

impl Workshop {
    /// For ever: builds and reloads the extension of that name at each change.
    async fn reload_at_changes(
        self,
        (host, name): (Arc<Host>, String),
        mut watch: Watch,
        remarks: UnboundedSender<Remark>,
    ) {
        // Nobody listens any more when the command ends.
        let tell = |remark| drop(remarks.send(remark));
        let mut changed = None;
        loop {
            let file = match changed.take() {
                Some(file) => file,
                None => watch.change().await,
            };
            tell(self.changed(&file));
            match self.build().await {
                Ok(()) => tell(reload(&host, &name).await),
                Err(remark) => tell(remark),
            }
            changed = watch.changed_during_run(|file| tell(self.is_written(file)));
        }
    }

    /// Builds what is there, where something is to be built.
    async fn build(&self) -> Result<(), Remark> {
        let Some(build) = &self.build else { return Ok(()) };
        // The start says so; what it would build is of the extension too.
        if extline_host::is_switched_off() {
            return Ok(());
        }
        let mut command = Command::new("sh");
        command.args(["-c", build]).current_dir(&self.dir).stdin(Stdio::null()).kill_on_drop(true);
        let (why, wrote) = match command.output().await {
            Ok(output) if output.status.success() => return Ok(()),
            Ok(output) => (how(output.status), [output.stdout, output.stderr].concat()),
            Err(error) => (format!("cannot be run: {error}"), Vec::new()),
        };
        let output = String::from_utf8_lossy(&wrote);
        let head = text!("{RED}error:{RED:#} the build {why}: {}", Text::line(build, CHARS));
        let last = output.lines().skip(output.lines().count().saturating_sub(LINES));
        let lines = iter::once(head).chain(last.map(|line| Text::line(line, CHARS)));
        let text = Text::of_lines(&lines.collect::<Vec<_>>());
        Err(remark(text, &Line::NotBuilt { command: build, why: &why, output: &output }))
    }

    /// The file as seen from the folder.
    fn name(&self, file: &Path) -> String {
        file.strip_prefix(&self.dir).unwrap_or(file).display().to_string()
    }

    fn changed(&self, file: &Path) -> Remark {
        let file = self.name(file);
        remark(text!("{BOLD}{file} changed{BOLD:#}"), &Line::Changed { file: &file })
    }

    fn is_written(&self, file: &Path) -> Remark {
        let file = self.name(file);
        let text = text!("{DIM}{file} changes with each reload, and is not watched{DIM:#}");
        remark(text, &Line::NotWatched { file: &file })
    }
}

/// What is told as JSON.
#[derive(Serialize)]
#[serde(tag = "news", rename_all = "snake_case")]
enum Line<'a> {
    /// A file was saved, is gone or is new.
    Changed { file: &'a str },
    /// The extension writes a file itself.
    NotWatched { file: &'a str },
    /// The build failed, and nothing was reloaded.
    NotBuilt { command: &'a str, why: &'a str, output: &'a str },
    /// It was not reloaded.
    NotReloaded {
        extension: &'a str,
        /// The version before does.
        goes_on: bool,
        why: &'a str,
        diagnosis: Option<&'a Diagnosis>,
    },
}

fn remark(text: Text, line: &Line<'_>) -> Remark {
    Remark { text, json: to_raw_value(line).ok() }
}

/// As a shell says it.
fn how(status: ExitStatus) -> String {
    let code = |code| format!("failed with exit status {code}");
    status.code().map_or_else(|| format!("was ended ({status})"), code)
}

/// Reloads the extension, and says what came of it.
async fn reload(host: &Host, name: &str) -> Remark {
    let began = Instant::now();
    let error = match host.reload(name).await {
        Ok(difference) => {
            let seconds = began.elapsed().as_secs_f64();
            let text = text!("{BOLD}{name}{BOLD:#} reloaded in {seconds:.2} s: {difference}");
            // The host tells it as news.
            return Remark { text, json: None };
        }
        Err(error) => error,
    };
    let goes_on = matches!(error, ReloadError::GoesOn { .. });
    let diagnosis = error.diagnosis().map(|diagnosis| &**diagnosis);
    let why = error.to_string();
    let told = diagnosis.map_or_else(|| Text::of(&why), Text::of);
    let mut lines = vec![text!("{RED}error:{RED:#} {told}")];
    if goes_on {
        lines.push(text!("{DIM}{name} goes on as it was{DIM:#}"));
    }
    let line = Line::NotReloaded { extension: name, goes_on, why: &why, diagnosis };
    remark(Text::of_lines(&lines), &line)
}
