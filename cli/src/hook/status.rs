//! Which extensions run for hooks, and their end.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use super::channel::{Channel, folder};
use super::client::exchange;
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
    let mut removed = Vec::new();
    for socket in sockets {
        let shown = socket.display();
        let wrong = match ask(&socket, if stop { &Asked::Stop } else { &Asked::Status }) {
            Asking::Said(status) => {
                found.push((socket, *status));
                continue;
            }
            Asking::Gone => continue,
            // What listened there was killed; the next hook makes it anew.
            Asking::Stale => match fs::remove_file(&socket) {
                Ok(()) => {
                    removed.push(socket);
                    continue;
                }
                Err(error) => {
                    format!("nobody listens at {shown}, and it cannot be removed: {error}")
                }
            },
            Asking::Silent(why) => format!("what runs at {shown} does not answer: {why}"),
        };
        printer.error(wrong);
        exit = Exit::ToolError;
    }
    if printer.json {
        let running = found.iter().map(|(socket, status)| {
            let mut json = json!(status);
            json["socket"] = json!(socket);
            json
        });
        let running: Vec<_> = running.collect();
        printer.json(&json!({ "stopped": stop, "running": running, "removed": removed }));
    } else {
        tell(&found, stop, &mut printer);
        for socket in removed {
            let socket = socket.display();
            printer.result(format_args!("removed {socket}: nobody listened there any more"));
        }
    }
    printer.finish(exit)
}

fn tell(found: &[(PathBuf, Status)], stop: bool, printer: &mut Printer) {
    if found.is_empty() {
        printer.result("no extensions run for hooks");
    }
    for (socket, status) in found {
        let Status { pid, seconds, idle_seconds, asked, .. } = status;
        let project = status.project.display();
        printer.result(if stop {
            format!("{project}: stopped, process {pid}")
        } else {
            format!(
                "{project}: process {pid}, since {seconds} s, {asked} hooks answered, the last {idle_seconds} s ago"
            )
        });
        printer.result(format_args!("  {}", socket.display()));
        for extension in &status.extensions {
            let state = Text::line(&extension.state, 200);
            printer.result(format_args!("  {}  {state}", Text::line(&extension.name, 80)));
        }
    }
}

/// What came of asking.
enum Asking {
    Said(Box<Status>),
    /// It has ended meanwhile, and has taken its socket with it.
    Gone,
    /// Its socket is there, and nobody listens.
    Stale,
    Silent(String),
}

fn ask(socket: &Path, asked: &Asked) -> Asking {
    let deadline = Instant::now() + TIME;
    let channel = match Channel::connect(socket, deadline) {
        Ok(channel) => channel,
        Err(error) => {
            return match error.kind() {
                io::ErrorKind::NotFound => Asking::Gone,
                io::ErrorKind::ConnectionRefused => Asking::Stale,
                _ => Asking::Silent(error.to_string()),
            };
        }
    };
    let answer = exchange(channel, asked, b"", deadline);
    let status = answer
        .map_err(|error| error.to_string())
        .and_then(|answer| serde_json::from_slice(&answer).map_err(|error| error.to_string()));
    status.map_or_else(Asking::Silent, |status| Asking::Said(Box::new(status)))
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
