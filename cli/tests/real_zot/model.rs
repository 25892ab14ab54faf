//! A model server on this machine that follows a plan; zot takes it for an Ollama.
//!
//! The prompt is the plan: a JSON array of turns, `{"text":...}` or `{"call":[TOOL, ARGS]}`. The
//! n-th model call after the prompt plays turn n.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};

/// Starts the server for as long as the process lives; returns its base URL.
pub(crate) fn start() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for connection in listener.incoming() {
            thread::spawn(move || answer(&connection.unwrap()).unwrap());
        }
    });
    url
}

fn answer(mut connection: &TcpStream) -> io::Result<()> {
    let turn = next_turn(&read_request(connection)?);
    let delta = match turn.get("call") {
        Some(call) => {
            let function = json!({"name": call[0], "arguments": call[1].to_string()});
            json!({"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]})
        }
        None => json!({"role": "assistant", "content": turn["text"]}),
    };
    let reason = if turn.get("call").is_some() { "tool_calls" } else { "stop" };
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    connection.write_all(head.as_bytes())?;
    for event in [
        json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}),
        json!({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}),
        json!("[DONE]"),
    ] {
        let event = event.as_str().map_or_else(|| event.to_string(), str::to_owned);
        write!(connection, "data: {event}\n\n")?;
    }
    Ok(())
}

fn read_request(connection: &TcpStream) -> io::Result<Value> {
    let mut reader = BufReader::new(connection);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
    }
    let mut body = Vec::new();
    reader.take(length).read_to_end(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}

/// The turn of the plan that is due after this conversation.
fn next_turn(request: &Value) -> Value {
    let mut played = 0;
    for message in request["messages"].as_array().unwrap().iter().rev() {
        // Beside the plan there are other texts of the user: zot repeats what tools answered.
        match serde_json::from_str::<Vec<Value>>(&text_of(message)) {
            Ok(turns) if message["role"] == "user" => return turns[played].clone(),
            _ => played += usize::from(message["role"] == "assistant"),
        }
    }
    panic!("no plan in {request}");
}

fn text_of(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}
