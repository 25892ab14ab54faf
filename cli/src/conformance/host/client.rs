//! `extline conformance client-driver`: the driver of a client that is told its server on its command line, and
//! does what it does by itself. docs/tester/mcp-clients.md

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Map, Value, json};

use super::answers::DriverAnswer;
use super::driver::write;
use crate::exit::Exit;
use crate::printer::Printer;

/// What stands for the command of the server: as a word of its own for all of its words, within one for a line.
const SERVER: &str = "{server}";
/// What stands for the path of a file that has the server as clients' configuration files have it.
const CONFIG: &str = "{config}";

/// Whether a command has a place for its server.
pub(super) fn has_place(command: &[OsString]) -> bool {
    command.iter().any(|word| {
        let word = word.to_string_lossy();
        word.contains(SERVER) || word.contains(CONFIG)
    })
}

/// Runs the client when it is asked to start, until stdin ends.
pub(in crate::conformance) fn drive_command(command: &[OsString], printer: Printer) -> Exit {
    let mut client = None;
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let request: Value = serde_json::from_str(&line).unwrap_or_default();
        let answer = match request["op"].as_str() {
            Some("start") => match start(command, &request) {
                Ok(started) => {
                    client = Some(started);
                    DriverAnswer::Ok(json!(true))
                }
                Err(error) => DriverAnswer::Error(error.to_string()),
            },
            _ => DriverAnswer::Unsupported("a client without a driver is asked nothing".to_owned()),
        };
        write(&request["id"], &answer);
    }
    if let Some(mut client) = client {
        // It may have ended by itself.
        let _ = client.kill().and_then(|()| client.wait());
    }
    printer.finish(Exit::Ok)
}

fn start(command: &[OsString], request: &Value) -> io::Result<Child> {
    let home = Path::new(request["home"].as_str().unwrap_or("."));
    let config = home.join("mcp.json");
    fs::write(&config, configuration(&request["servers"]).to_string())?;
    let server = words_of(&request["servers"][0]);
    let words = filled(command, &server, &config.to_string_lossy());
    let (program, args) = words.split_first().ok_or_else(|| io::Error::other("no command"))?;
    let mut client = Command::new(program);
    // What it prints is shown where a case fails.
    client.args(args).stdin(Stdio::null()).stdout(io::stderr());
    client.spawn().map_err(|error| io::Error::new(error.kind(), format!("{program}: {error}")))
}

/// The words of a server's command.
fn words_of(server: &Value) -> Vec<String> {
    let args = server["args"].as_array().into_iter().flatten();
    let words = [&server["command"]].into_iter().chain(args);
    words.filter_map(|word| word.as_str().map(str::to_owned)).collect()
}

/// The servers as the files of most clients have them.
fn configuration(servers: &Value) -> Value {
    let entry = |server: &Value| {
        let name = server["name"].as_str()?.to_owned();
        Some((name, json!({"command": server["command"], "args": server["args"]})))
    };
    let servers: Map<_, _> = servers.as_array().into_iter().flatten().filter_map(entry).collect();
    json!({"mcpServers": servers})
}

/// The client's command with its server in it.
fn filled(command: &[OsString], server: &[String], config: &str) -> Vec<String> {
    let line = shlex::try_join(server.iter().map(String::as_str)).unwrap_or_default();
    let fill = |word: &OsString| {
        let word = word.to_string_lossy();
        if word == SERVER {
            return server.to_vec();
        }
        vec![word.replace(SERVER, &line).replace(CONFIG, config)]
    };
    command.iter().flat_map(fill).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_stands_where_the_command_has_a_place_for_it() {
        let server = ["my server".to_owned(), "--stdio".to_owned()];
        let fill = |words: &[&str]| {
            let words: Vec<_> = words.iter().map(OsString::from).collect();
            filled(&words, &server, "/tmp/mcp.json")
        };
        assert_eq!(
            fill(&["c", "--cli", "{server}", "x"]),
            ["c", "--cli", "my server", "--stdio", "x"]
        );
        assert_eq!(fill(&["c", "--stdio={server}"]), ["c", "--stdio='my server' --stdio"]);
        assert_eq!(
            fill(&["c", "--mcp-config", "{config}"]),
            ["c", "--mcp-config", "/tmp/mcp.json"]
        );
        let servers = json!([{"name": "alpha", "command": "a", "args": ["b"]}]);
        assert_eq!(
            configuration(&servers),
            json!({"mcpServers": {"alpha": {"command": "a", "args": ["b"]}}})
        );
    }
}
