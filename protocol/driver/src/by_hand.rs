//! An extension that a person starts in a terminal: it has no host, and says how it is tried.

use std::env;
use std::io::{self, Write};

use extline_protocol::Registrations;
use extline_stdio::is_by_hand;

/// Whether a person started the program in a terminal, and asked neither for frames to type nor for MCP.
/// Then it has said on stderr how it is tried, and there is nothing to serve. `program` is the command
/// line that starts it.
pub fn is_tried(
    (name, version): (&str, &str),
    offer: &Registrations,
    program: &str,
    is_mcp: impl FnOnce() -> bool,
) -> bool {
    let wants_frames = || env::var_os("EXTLINE_STDIO").is_some_and(|choice| choice == "claim");
    if !is_by_hand() || wants_frames() || is_mcp() {
        return false;
    }
    // A closed stderr is no reason to fail.
    let _ = io::stderr().write_all(explanation(name, version, offer, program).as_bytes());
    true
}

fn explanation(name: &str, version: &str, offer: &Registrations, program: &str) -> String {
    let mut tries = vec![
        "extline run DIR        a console with its commands and tools".to_owned(),
        "extline inspect DIR    what it offers".to_owned(),
    ];
    let tool = offer.tools().first();
    tries.extend(tool.map(|tool| format!("extline call DIR {} '{{...}}'", tool.name)));
    let command = offer.commands().first();
    tries.extend(command.map(|command| format!("extline command DIR {}", command.name)));
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
    use extline_protocol::RawJson;
    use extline_protocol::frame::{RegisterCommand, RegisterTool};

    use super::*;

    #[test]
    fn the_explanation_names_what_can_be_tried() {
        let mut offer = Registrations::default();
        let schema = RawJson::empty_object();
        let now = RegisterTool { name: "now".to_owned(), schema, ..RegisterTool::default() };
        offer.tool(now).unwrap();
        let forecast = "forecast".to_owned();
        offer.command(RegisterCommand { name: forecast, ..RegisterCommand::default() }).unwrap();
        let text = explanation("weather", "1.0.0", &offer, "./weather");
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
