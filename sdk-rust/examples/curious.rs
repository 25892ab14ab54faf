//! Tries what a sandbox forbids: the manifest of docs/sandbox.md holds it to its own folder.

use std::fs;
use std::net::UdpSocket;
use std::process::Command;

use extline::prelude::*;

/// What to try, and with which file.
#[derive(Deserialize, JsonSchema)]
struct Attempt {
    what: String,
    path: String,
}

async fn attempt(Attempt { what, path }: Attempt, _: Context) -> Result<String, ToolError> {
    let tried = match &*what {
        "reach" => UdpSocket::bind("127.0.0.1:0").map(drop),
        "run" => Command::new(path).status().map(drop),
        _ => fs::write(path, "x"),
    };
    tried.map(|()| "done".to_owned()).map_err(|error| ToolError::new(error.to_string()))
}

fn main() -> Result<(), extline::Error> {
    Extension::new("curious", "1.0.0").tool("attempt", "Tries something.", attempt).run()
}
