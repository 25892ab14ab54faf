//! A tool in Rust the way people write it without an SDK: a serde enum, and a loop over `lines()`.
//!
//! It is no model to follow: it is one of the programs that the tester is tested with, and has the
//! mistakes that such programs have. `written_by_hand.rs` says which.

#![expect(clippy::disallowed_methods, reason = "written the way people write it, without an SDK")]

use std::io::{self, BufRead, Write};

use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Frame {
    ToolCall {
        id: String,
        name: String,
        args: Args,
    },
    Shutdown,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Args {
    text: Option<String>,
}

fn main() -> io::Result<()> {
    let mut stdout = io::stdout();
    let mut emit = |frame: Value| writeln!(stdout, "{frame}");
    emit(
        json!({"type": "hello", "name": "serde-lines", "version": "1.0.0", "capabilities": ["tools"]}),
    )?;
    emit(json!({
        "type": "register_tool",
        "name": "echo",
        "description": "Gives the text back.",
        "schema": {"type": "object", "properties": {"text": {"type": "string"}}},
    }))?;
    emit(json!({"type": "ready"}))?;
    for line in io::stdin().lock().lines() {
        match serde_json::from_str(&line?) {
            Ok(Frame::ToolCall { id, name, args }) => {
                let known = name == "echo";
                let text = if known {
                    args.text.unwrap_or_default()
                } else {
                    format!("unknown tool {name}")
                };
                emit(json!({
                    "type": "tool_result",
                    "id": id,
                    "content": [{"type": "text", "text": text}],
                    "is_error": !known,
                }))?;
            }
            Ok(Frame::Shutdown) => {
                emit(json!({"type": "shutdown_ack"}))?;
                break;
            }
            Ok(Frame::Other) => {}
            Err(error) => writeln!(io::stderr(), "skipped a line: {error}")?,
        }
    }
    Ok(())
}
