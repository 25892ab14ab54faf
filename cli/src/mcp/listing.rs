//! What a client will see, and what was left out and why.

use std::time::Instant;

use extline_mcp::{Server, ServerEvent};
use serde_json::{Value, json};

use super::offers::{Offered, introduce};
use crate::session::Session;
use crate::styled::{BOLD, DIM, Text, YELLOW, text};

/// Characters that are shown of a description.
const DESCRIPTION_CHARS: usize = 100;

pub(super) fn show(session: &mut Session) {
    let mut server = Server::new();
    introduce(&session.host, &mut server);
    let left_out = Offered::default().compare(&session.host, &mut server);
    server.ready(Instant::now());
    let remarks: Vec<String> = std::iter::from_fn(|| server.poll_event())
        .filter_map(|event| match event {
            ServerEvent::Remark(text) => Some(text),
            _ => None,
        })
        .collect();
    let tools = listed(&mut server, "tools");
    let prompts = listed(&mut server, "prompts");
    if session.printer.json {
        let left_out: Vec<_> =
            left_out.iter().map(|it| json!({"tool": it.tool, "why": it.why})).collect();
        session.printer.json(
            &json!({"tools": tools, "prompts": prompts, "left_out": left_out, "remarks": remarks}),
        );
        return;
    }
    for (title, entries) in [("tools", &tools), ("prompts", &prompts)] {
        if !entries.is_empty() {
            session.printer.result(text!("{BOLD}{title}{BOLD:#}"));
        }
        for entry in entries {
            let string = |name: &str| entry[name].as_str().unwrap_or_default();
            let name = Text::line(string("name"), DESCRIPTION_CHARS);
            let description = Text::line(string("description"), DESCRIPTION_CHARS);
            session.printer.result(text!("  {name}  {DIM}{description}{DIM:#}"));
        }
    }
    for it in &left_out {
        session.printer.say(format_args!("{YELLOW}left out:{YELLOW:#} {}: {}", it.tool, it.why));
    }
    for remark in &remarks {
        session.printer.warn(remark);
    }
}

/// A list as a client gets it, all its pages.
fn listed(server: &mut Server, what: &str) -> Vec<Value> {
    let (mut entries, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let request = json!({
            "jsonrpc": "2.0", "id": 1, "method": format!("{what}/list"), "params": {"cursor": cursor},
        });
        server.handle_input(format!("{request}\n").as_bytes(), Instant::now());
        let mut out = Vec::new();
        server.poll_output(&mut out);
        let answer: Value = serde_json::from_slice(&out).unwrap_or_default();
        entries.extend(answer["result"][what].as_array().into_iter().flatten().cloned());
        cursor = answer["result"]["nextCursor"].clone();
        if cursor.is_null() {
            return entries;
        }
    }
}
