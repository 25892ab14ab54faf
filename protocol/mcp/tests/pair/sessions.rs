//! Whole sessions of real clients. `scripts/test-mcp.py --record` writes what each says; the snapshots have
//! what it is answered.

use std::fs;
use std::path::Path;

use extline_protocol::frame::{Action, CommandResponse, Content, ErrorInfo, Progress, ToolResult};
use extline_protocol::{ErrorKind, ExtensionConfig, ExtensionEvent, Update};

use crate::harness::{Triple, command, config};

fn weather() -> ExtensionConfig {
    let mut config = config();
    config.registrations.command(command("weather")).unwrap();
    config
}

/// What the client says, line by line, and what it is told.
fn played(lines: &str) -> String {
    let mut triple = Triple::ready(weather()).in_process();
    for line in lines.lines() {
        triple.client(line);
        for event in std::mem::take(&mut triple.extension_events) {
            answer(&mut triple, event);
        }
    }
    triple.eof();
    triple.wire.join("\n")
}

/// As the weather examples do.
fn answer(triple: &mut Triple, event: ExtensionEvent) {
    match event {
        ExtensionEvent::ToolCall { key, call, .. } if call.args.get().contains("units\":\"k") => {
            let error = ErrorInfo::new(ErrorKind::Validation, "units is none of c, f");
            triple.extension.fail_tool(&key, error).unwrap();
        }
        ExtensionEvent::ToolCall { key, .. } => {
            let progress = Progress { done: Some(1.0), total: Some(2.0), ..Progress::default() };
            let update = Update { progress: Some(progress), ..Update::default() };
            triple.extension.update(&key, update);
            triple.step();
            let result = ToolResult::new("0".into(), vec![Content::text("Berlin: 16°C, fog")]);
            triple.extension.reply_tool(&key, result).unwrap();
        }
        ExtensionEvent::Command { key, .. } => {
            let mut response = CommandResponse::new("0".into(), Action::Prompt);
            response.prompt = Some("Show the weather of Berlin.".to_owned());
            triple.extension.reply_command(&key, response).unwrap();
        }
        _ => {}
    }
    triple.step();
}

#[test]
fn sessions_of_real_clients_are_answered_as_ever() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions");
    let mut count = 0;
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false, snapshot_path => "../sessions" }, {
        for file in fs::read_dir(folder).unwrap() {
            let file = file.unwrap().path();
            if file.extension().is_some_and(|extension| extension == "jsonl") {
                let name = file.file_stem().unwrap().to_string_lossy();
                insta::assert_snapshot!(name.as_ref(), played(&fs::read_to_string(&file).unwrap()));
                count += 1;
            }
        }
    });
    assert_eq!(count, 7, "clients that were recorded");
}
