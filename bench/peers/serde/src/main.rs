//! What an author would write by hand: lines from stdin, frames as serde types, lines to stdout.

use std::io::{self, BufRead, Write, stdin, stdout};

use serde::{Deserialize, Serialize};

const HELLO: &str = r#"{"type":"hello","name":"echo","version":"1.0.0","capabilities":["tools"]}
{"type":"register_tool","name":"echo","description":"Answers with the text.","schema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}
{"type":"ready"}
"#;

/// All frames of a host in one: this is faster than an enum that serde tells apart by `type`.
#[derive(Deserialize)]
struct FromHost {
    r#type: String,
    id: Option<String>,
    args: Option<Args>,
}

#[derive(Deserialize)]
struct Args {
    text: String,
}

#[derive(Serialize)]
struct ToolResult {
    r#type: &'static str,
    id: String,
    content: [Block; 1],
}

#[derive(Serialize)]
struct Block {
    r#type: &'static str,
    text: String,
}

fn main() -> io::Result<()> {
    let mut input = stdin().lock();
    let mut output = stdout().lock();
    output.write_all(HELLO.as_bytes())?;
    output.flush()?;

    let (mut line, mut answer) = (String::new(), Vec::new());
    loop {
        line.clear();
        if input.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let frame: FromHost = serde_json::from_str(&line)?;
        if let ("tool_call", Some(id), Some(args)) = (frame.r#type.as_str(), frame.id, frame.args) {
            let block = Block { r#type: "text", text: args.text };
            let result = ToolResult { r#type: "tool_result", id, content: [block] };
            answer.clear();
            serde_json::to_writer(&mut answer, &result)?;
            answer.push(b'\n');
            output.write_all(&answer)?;
            output.flush()?;
        }
    }
}
