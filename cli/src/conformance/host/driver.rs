//! `extline conformance host-driver`: the driver of our own host. docs/tester/hosts.md
//! documents what it is asked.

use std::io::{self, BufRead, Write};
use std::rc::Rc;
use std::thread;

use extline_protocol::{Profile, shown_json};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::LocalSet;

use super::answers::{DriverAnswer, answer};
use super::state::State;
use crate::exit::Exit;
use crate::printer::Printer;

/// Operates the host until its stdin ends.
pub(in crate::conformance) async fn drive(profile: Profile, mut printer: Printer) -> Exit {
    let (tell, mut requests) = mpsc::unbounded_channel();
    let read = move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if tell.send(line).is_err() {
                return;
            }
        }
    };
    if let Err(error) = thread::Builder::new().name("requests".to_owned()).spawn(read) {
        printer.error(format_args!("no thread can be started: {error}"));
        return printer.finish(Exit::ToolError);
    }
    let state = Rc::new(State::new(profile));
    let tasks = LocalSet::new();
    tasks
        .run_until(async {
            while let Some(line) = requests.recv().await {
                let state = Rc::clone(&state);
                tokio::task::spawn_local(async move {
                    let request: Value = serde_json::from_str(&line).unwrap_or_default();
                    let number = request["id"].clone();
                    write(&number, &answer(&state, &request).await);
                });
            }
        })
        .await;
    // Whatever still runs ends with the host.
    drop((tasks, state));
    Exit::Ok
}

/// Answers a request.
pub(super) fn write(number: &Value, answer: &DriverAnswer) {
    let line = match answer {
        DriverAnswer::Ok(value) => json!({"id": number, "ok": value}),
        DriverAnswer::Unsupported(why) => json!({"id": number, "unsupported": why}),
        DriverAnswer::Error(why) => json!({"id": number, "error": why}),
    };
    let line = line.to_string();
    // Nobody reads it any more when the tester is gone, and then stdin ends too.
    #[expect(
        clippy::disallowed_methods,
        reason = "escapes in what extensions say pass as they are"
    )]
    let mut stdout = io::stdout().lock();
    let line = shown_json(&line);
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}
