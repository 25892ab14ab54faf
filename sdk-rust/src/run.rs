//! `Extension::run`: a program that is nothing but an extension.

use std::env;
use std::io::{self, Write};
use std::process;

use extline_stdio::is_by_hand;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::{Error, Extension, claim, serve};

pub(crate) fn run(mut extension: Extension) -> Result<(), Error> {
    if let Some(mistake) = extension.mistake.take() {
        return Err(mistake);
    }
    if is_by_hand() && !claim::is_asked_for() && !claim::is_mcp() {
        explain(&extension);
        return Ok(());
    }
    if Handle::try_current().is_ok() {
        return Err(Error::InsideRuntime);
    }
    let runtime = runtime()?;
    let served = runtime.block_on(serve::serve(extension, Some(runtime.metrics())));
    // What the author still has on blocking threads must not hold the end up.
    runtime.shutdown_background();
    match served? {
        0 => Ok(()),
        code => exit(code),
    }
}

/// All on the thread that blocks on it.
pub(crate) fn runtime() -> Result<Runtime, Error> {
    let mut builder = Builder::new_current_thread();
    builder.enable_io().enable_time().build().map_err(Error::system("start a tokio runtime"))
}

#[expect(
    clippy::disallowed_methods,
    reason = "`main` returns `Result<(), Error>`, which has no other status than 0 and 1; \
              everything is written and dropped by now"
)]
fn exit(code: u8) -> ! {
    process::exit(i32::from(code))
}

/// For a person who started the program in a terminal.
fn explain(extension: &Extension) {
    // A closed stderr is no reason to fail.
    let _ = io::stderr().write_all(explanation(extension, env::args().next()).as_bytes());
}

fn explanation(extension: &Extension, program: Option<String>) -> String {
    let Extension { name, version, registrations, .. } = extension;
    let program = program.unwrap_or_else(|| name.clone());
    let mut tries = vec![
        "extline run DIR        a console with its commands and tools".to_owned(),
        "extline inspect DIR    what it offers".to_owned(),
    ];
    if let Some(tool) = registrations.tools().first() {
        tries.push(format!("extline call DIR {} '{{...}}'", tool.name));
    }
    if let Some(command) = registrations.commands().first() {
        tries.push(format!("extline command DIR {}", command.name));
    }
    format!(
        "{name} {version} is an extension for a coding agent. It talks with its host over stdin and\n\
         stdout, so there is nothing to see when it is started by hand. To try it:\n\n  \
         {}\n\n\
         DIR is the folder with its extension.json; in its place `-- {program}` starts this very\n\
         program. To type frames yourself, set EXTLINE_STDIO=claim.\n",
        tries.join("\n  ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_explanation_names_what_can_be_tried() {
        let extension = Extension::new("weather", "1.0.0")
            .command("forecast", "the week", async |_: &str, _| "rain")
            .raw_tool("now", "now", serde_json::json!({}), async |_: serde_json::Value, _| Ok(()));
        let text = explanation(&extension, Some("./weather".to_owned()));
        for part in [
            "weather 1.0.0 is an extension",
            "extline run DIR",
            "extline call DIR now",
            "extline command DIR forecast",
            "`-- ./weather`",
        ] {
            assert!(text.contains(part), "{part} is not in: {text}");
        }
    }
}
