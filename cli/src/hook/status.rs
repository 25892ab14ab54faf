//! Which extensions run for hooks, and their end.

use std::fs;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::exchange;
use super::place::folder;
use super::question::{Asked, Status};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::styled::Text;

/// How long one may take to say how it stands.
const TIME: Duration = Duration::from_secs(5);

pub(super) fn run(stop: bool, mut printer: Printer) -> Exit {
    let sockets = match folder().and_then(|folder| sockets(&folder)) {
        Ok(sockets) => sockets,
        Err(why) => {
            printer.error(why);
            return printer.finish(Exit::ToolError);
        }
    };
    let mut exit = Exit::Ok;
    let mut found = Vec::new();
    for socket in sockets {
        match ask(&socket, if stop { &Asked::Stop } else { &Asked::Status }) {
            Some(Ok(status)) => found.push(status),
            // Nobody listens there any more; the next hook makes it anew.
            None => drop(fs::remove_file(&socket)),
            Some(Err(why)) => {
                let socket = socket.display();
                let why = format_args!("what runs at {socket} does not answer: {why}");
                printer.error(why);
                exit = Exit::ToolError;
            }
        }
    }
    if printer.json {
        printer.json(&json!({ "stopped": stop, "running": found }));
    } else {
        tell(&found, stop, &mut printer);
    }
    printer.finish(exit)
}

fn tell(found: &[Status], stop: bool, printer: &mut Printer) {
    if found.is_empty() {
        printer.result("no extensions run for hooks");
    }
    for status in found {
        let Status { pid, seconds, idle_seconds, asked, .. } = status;
        let project = status.project.display();
        printer.result(if stop {
            format!("{project}: stopped, process {pid}")
        } else {
            format!(
                "{project}: process {pid}, since {seconds} s, {asked} hooks answered, the last {idle_seconds} s ago"
            )
        });
        for extension in &status.extensions {
            let state = Text::line(&extension.state, 200);
            printer.result(format_args!("  {}  {state}", Text::line(&extension.name, 80)));
        }
    }
}

/// `None` where nobody listens.
fn ask(socket: &Path, asked: &Asked) -> Option<Result<Status, String>> {
    let stream = UnixStream::connect(socket).ok()?;
    let answer = exchange(&stream, asked, b"", Instant::now() + TIME);
    Some(
        answer
            .map_err(|error| error.to_string())
            .and_then(|answer| serde_json::from_slice(&answer).map_err(|error| error.to_string())),
    )
}

fn sockets(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder)
        .map_err(|error| format!("{} cannot be read: {error}", folder.display()))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut sockets: Vec<_> =
        paths.filter(|it| it.extension().is_some_and(|it| it == "sock")).collect();
    sockets.sort();
    Ok(sockets)
}
