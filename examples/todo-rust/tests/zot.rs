//! The program on a zot, frame by frame over real pipes: the panel, and a list that outlives the
//! process.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use extline::serde_json::{Value, from_str, json};

#[test]
fn the_panel_is_opened_drawn_after_each_key_and_closed() {
    let folder = tempfile::tempdir().unwrap();
    let mut todo = Todo::start(folder.path());
    let panel = &todo.open()["open_panel"];
    assert_eq!(panel["id"], "todos");
    assert_eq!(panel["lines"], json!(["  nothing to do"]));

    for (key, text) in [("rune", "a"), ("rune", "h"), ("rune", "i")] {
        todo.press(key, text);
    }
    assert_eq!(todo.shown["lines"], json!(["> new: hi_"]));
    todo.press("enter", "");
    todo.press("rune", " ");
    assert_eq!(todo.shown["title"], "Todos, 0 of 1 open");
    assert_eq!(todo.shown["lines"], json!(["> [x] hi"]));
    assert!(todo.shown["footer"].as_str().unwrap().contains("esc"), "{}", todo.shown);

    // A call of the model shows in the open panel, before its result.
    let result = todo.call(&json!({"action": "add", "text": "ship"}));
    assert_eq!(result["content"][0]["text"], "1. [x] hi\n2. [ ] ship");
    assert_eq!(todo.shown["lines"], json!(["> [x] hi", "  [ ] ship"]));

    todo.write(&json!({"type": "panel_key", "panel_id": "todos", "key": "esc"}));
    assert_eq!(todo.read(), json!({"type": "panel_close", "panel_id": "todos"}));
    todo.ends_by_itself();
}

#[test]
fn what_the_user_closed_is_not_drawn_any_more_and_opens_anew() {
    let folder = tempfile::tempdir().unwrap();
    let mut todo = Todo::start(folder.path());
    todo.open();
    todo.press("rune", "a");
    todo.write(&json!({"type": "panel_close", "panel_id": "todos"}));
    let result = todo.call(&json!({"action": "add", "text": "ship"}));
    assert_eq!(result["content"][0]["text"], "1. [ ] ship");
    assert_eq!(todo.shown["lines"], json!(["> new: _"]), "it was drawn after it was closed");
    assert_eq!(todo.open()["open_panel"]["lines"], json!(["> [ ] ship"]));
    todo.ends_by_itself();
}

#[test]
fn the_list_outlives_the_process_and_a_damaged_one_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut todo = Todo::start(folder.path());
    todo.call(&json!({"action": "add", "text": "ship"}));
    todo.call(&json!({"action": "done", "number": 1}));
    todo.ends_by_itself();

    let mut todo = Todo::start(folder.path());
    let list = todo.call(&json!({"action": "list"}));
    assert_eq!(list["content"][0]["text"], "1. [x] ship");
    todo.open();

    let file = folder.path().join("todos.json");
    fs::write(&file, "not a list").unwrap();
    let refused = todo.call(&json!({"action": "add", "text": "test"}));
    assert_eq!(refused["is_error"], true);
    let said = refused["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("todos.json is damaged") && said.contains("todos.json.bak"), "{said}");
    // The user hears of it at a key, and the command says it too.
    todo.write(&json!({"type": "panel_key", "panel_id": "todos", "key": "enter"}));
    let note = todo.read();
    assert_eq!((&note["type"], &note["level"]), (&json!("notify"), &json!("error")));
    let response = todo.open();
    assert!(response["error"].as_str().unwrap().contains("damaged"), "{response}");
    todo.ends_by_itself();
    assert_eq!(fs::read_to_string(&file).unwrap(), "not a list");
}

/// The running program, past its handshake.
struct Todo {
    process: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    /// The last `panel_render`.
    shown: Value,
    asked: u32,
}

impl Todo {
    fn start(data_dir: &Path) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_todo-rust"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = process.stdin.take().unwrap();
        let stdout = BufReader::new(process.stdout.take().unwrap());
        let mut todo = Self { process, stdin, stdout, shown: Value::Null, asked: 0 };
        assert_eq!(todo.read()["type"], "hello");
        todo.write(&json!({
            "type": "hello_ack", "protocol_version": 1, "zot_version": "0.1.62",
            "provider": "", "model": "", "cwd": "/",
            "extension_dir": data_dir, "data_dir": data_dir,
        }));
        while todo.read()["type"] != "ready" {}
        todo
    }

    /// Runs `/todo`.
    fn open(&mut self) -> Value {
        let command = json!({"type": "command_invoked", "name": "todo"});
        self.ask(command)
    }

    fn call(&mut self, args: &Value) -> Value {
        let call = json!({"type": "tool_call", "name": "todo", "args": args});
        self.ask(call)
    }

    /// Presses a key, after which the panel is drawn.
    fn press(&mut self, key: &str, text: &str) {
        let mut frame = json!({"type": "panel_key", "panel_id": "todos", "key": key});
        if !text.is_empty() {
            frame["text"] = json!(text);
        }
        self.write(&frame);
        self.shown = self.read();
        assert_eq!(self.shown["type"], "panel_render");
    }

    /// Sends a request and returns its answer; what is drawn before it is kept.
    fn ask(&mut self, mut frame: Value) -> Value {
        self.asked += 1;
        let id = json!(self.asked.to_string());
        frame["id"] = id.clone();
        self.write(&frame);
        loop {
            let answer = self.read();
            if answer["id"] == id {
                return answer;
            }
            assert_eq!(answer["type"], "panel_render", "{answer}");
            self.shown = answer;
        }
    }

    fn ends_by_itself(mut self) {
        drop(self.stdin);
        assert!(self.process.wait().unwrap().success());
    }

    fn write(&mut self, frame: &Value) {
        writeln!(self.stdin, "{frame}").unwrap();
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }
}
