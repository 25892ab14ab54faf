//! `extline inspect --web`: the server by requests of our own, and its page in a browser where there is one.

#![cfg(unix)]

mod browser;
#[path = "../mcp_http/client.rs"]
#[allow(dead_code, reason = "the client of another server, of which a part is used")]
mod client;
#[path = "../support/mod.rs"]
mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::time::Duration;

use serde_json::{Value, json};

use client::{Request, Response};
use support::{Extline, runs, signal, wait_until_gone};

/// After so long something hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// `extline inspect --web` with the extension beside this file.
struct Page {
    process: Child,
    authority: String,
    token: String,
    extline: Extline,
}

impl Page {
    fn start() -> Self {
        let extline = Extline::new();
        let program = ["--", "python3", "-S", "cli/tests/inspect_web/extension.py"];
        let words = [&["inspect", "--web"], &program[..]].concat();
        let mut process = extline.command(&words).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim_end().strip_prefix("http://").unwrap_or_else(|| panic!("{line:?}"));
        let (authority, token) = url.split_once("/#").unwrap();
        let (authority, token) = (authority.to_owned(), token.to_owned());
        Self { process, authority, token, extline }
    }

    fn send(&self, request: &Request) -> Response {
        let mut stream = TcpStream::connect(&self.authority).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(&request.bytes(&self.authority)).unwrap();
        Response::read(stream)
    }

    fn with_token(&self, request: Request) -> Request {
        request.with("Authorization", &format!("Bearer {}", self.token))
    }

    fn get(&self, path: &'static str) -> Response {
        self.send(&self.with_token(Request::new("GET").at(path)))
    }

    fn post(&self, path: &'static str, body: &Value) -> Response {
        self.send(&self.with_token(Request::post(body).at(path)))
    }

    fn state(&self) -> Value {
        self.get("/state").json()
    }

    /// How things stand once something holds of it.
    fn state_when(&self, holds: impl Fn(&Value) -> bool) -> Value {
        let began = std::time::Instant::now();
        loop {
            let state = self.state();
            if holds(&state) {
                return state;
            }
            assert!(began.elapsed() < PATIENCE, "{state}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if self.process.try_wait().unwrap().is_none() {
            signal(&self.process, "KILL");
            self.process.wait().unwrap();
        }
    }
}

/// The first event that something holds of.
fn event_that(events: &mut Response, holds: impl Fn(&Value) -> bool) -> Value {
    loop {
        let event = events.event().expect("the stream goes on");
        if holds(&event) {
            return event;
        }
    }
}

#[test]
fn a_tool_is_called_and_what_happens_is_told() {
    let page = Page::start();
    let state = page.state();
    assert_eq!(state["state"], "ready");
    let tools = state["extension"]["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["schema"]["properties"]["count"]["maximum"] == 9));
    let call = json!({"tool": "add", "args": {"text": "x", "count": 2}});
    let done = page.post("/call", &call).json();
    let said: Value =
        serde_json::from_str(done["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(said, call["args"]);
    assert!(done["took_ms"].is_number());
    let wrong = page.post("/call", &json!({"tool": "add", "args": {}})).json();
    assert_eq!(wrong["failure"]["error"]["kind"], "validation", "{wrong}");

    // A stream that begins later has what was before.
    let mut events = page.get("/events");
    assert_eq!(events.header("content-type"), Some("text/event-stream"));
    event_that(&mut events, |it| {
        it["event"] == "frame" && it["what"]["line"].as_str().is_some_and(|it| it.contains("hello"))
    });
    let ended = event_that(&mut events, |it| it["what"]["news"] == "call_ended");
    assert_eq!(ended["what"]["tool"], "add");
    page.post("/call", &json!({"tool": "note", "args": {}})).json();
    event_that(&mut events, |it| it["what"]["level"] == "warn");
    event_that(&mut events, |it| it["event"] == "log" && it["what"] == "written to stderr");
}

#[test]
fn questions_are_answered_and_panels_have_keys() {
    let page = Page::start();
    let ask = json!({"tool": "ask", "args": {"method": "ui.select"}});
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| page.post("/call", &ask).json());
        let state = page.state_when(|state| state["questions"] != json!([]));
        let question = &state["questions"][0];
        assert_eq!(
            (&question["method"], &question["extension"]),
            (&json!("ui.select"), &json!("extension"))
        );
        let answer = |answer: &Value| {
            page.post("/answer", &json!({"number": question["number"], "answer": answer})).status
        };
        assert_eq!(answer(&json!({"chosen": "s"})), 400, "that is no answer, and it stays open");
        assert_eq!(answer(&json!({"value": "s"})), 200);
        assert_eq!(answer(&json!({"value": "s"})), 400, "it is answered");
        let answered = asking.join().unwrap();
        assert_eq!(answered["result"]["content"][0]["text"], r#"{"value": "s"}"#);

        for (method, given, wrong) in [
            ("ui.editor", json!({"value": "a\nb"}), json!({"values": ["a"]})),
            ("ui.auth", json!({"confirmed": true}), json!({"confirmed": 1})),
            (
                "ui.ask",
                json!({"answers": {"size": ["small"], "parts": [], "name": ["x"]}}),
                json!({"answers": []}),
            ),
        ] {
            let ask = json!({"tool": "ask", "args": {"method": method}});
            let page = &page;
            let asking = scope.spawn(move || page.post("/call", &ask).json());
            let state = page.state_when(|state| state["questions"] != json!([]));
            let number = &state["questions"][0]["number"];
            let answer = |answer: &Value| {
                page.post("/answer", &json!({"number": number, "answer": answer})).status
            };
            assert_eq!(answer(&wrong), 400, "{method}");
            assert_eq!(answer(&given), 200, "{method}");
            let answered = asking.join().unwrap();
            let text = answered["result"]["content"][0]["text"].as_str().unwrap();
            assert_eq!(serde_json::from_str::<Value>(text).unwrap(), given, "{method}");
        }

        let wiping =
            scope.spawn(|| page.post("/call", &json!({"tool": "wipe", "args": {}})).json());
        let state = page.state_when(|state| state["questions"] != json!([]));
        assert_eq!(state["questions"][0]["method"], "approval");
        let number = &state["questions"][0]["number"];
        page.post("/answer", &json!({"number": number, "answer": "no"}));
        let refused = wiping.join().unwrap();
        assert_eq!(refused["failure"]["error"]["kind"], "permission", "{refused}");
    });

    let opened = page.post("/command", &json!({"name": "panel", "args": ""})).json();
    assert_eq!(opened["outcome"]["open_panel"]["id"], "keys");
    for key in ["down", "ü"] {
        assert_eq!(page.post("/key", &json!({"panel": "keys", "key": key})).status, 200);
    }
    page.state_when(|state| state["panels"][0]["lines"] == json!(["down", "ü"]));
    page.post("/resize", &json!({"panel": "keys", "columns": 40, "lines": 9}));
    page.state_when(|state| state["panels"][0]["footer"] == "type, 40 wide");
    page.post("/key", &json!({"panel": "keys", "key": "close"}));
    page.state_when(|state| state["panels"] == json!([]));
    assert_eq!(page.post("/key", &json!({"panel": "keys", "key": "up"})).status, 404);
}

#[test]
fn a_call_whose_page_is_gone_is_cancelled() {
    let page = Page::start();
    let mut events = page.get("/events");
    let call = Request::post(&json!({"tool": "slow", "args": {}})).at("/call");
    let mut stream = TcpStream::connect(&page.authority).unwrap();
    stream.write_all(&page.with_token(call).bytes(&page.authority)).unwrap();
    event_that(&mut events, |it| it["what"]["news"] == "call_started");
    drop(stream);
    event_that(&mut events, |it| it["what"]["message"] == "cancelled by the page");
}

#[test]
fn only_its_own_page_may_ask() {
    let page = Page::start();
    let state = || page.with_token(Request::new("GET").at("/state"));
    assert_eq!(page.send(&state()).status, 200);
    let own = format!("http://{}", page.authority);
    assert_eq!(page.send(&state().with("Origin", &own)).status, 200);
    for (name, value, status) in [
        ("Authorization", "", 401),
        ("Authorization", "Bearer 0", 401),
        ("Host", "rebound.example", 403),
        ("Host", "localhost", 403),
        ("Origin", "http://evil.example", 403),
        ("Origin", "http://127.0.0.1:1", 403),
        ("Origin", "null", 403),
    ] {
        let mut refused = page.send(&state().with(name, value));
        assert_eq!(refused.status, status, "{name}: {value}");
        assert!(!refused.text().contains(&page.token));
    }
    let rebound = Request::new("GET").at("/").with("Host", "rebound.example");
    assert_eq!(page.send(&rebound).status, 403);

    // The page itself has nothing that is secret.
    let mut shown = page.send(&Request::new("GET").at("/"));
    let policy = shown.header("content-security-policy").unwrap().to_owned();
    let text = shown.text();
    let nonce = policy.split_once("script-src 'nonce-").unwrap().1.split_once('\'').unwrap().0;
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    assert_eq!(text.matches(&format!("nonce=\"{nonce}\"")).count(), 2);
    assert!(!text.contains(&page.token));
    assert!(!text.contains("innerHTML") && !text.contains("https://"), "nothing from outside");
    let again = page.send(&Request::new("GET").at("/"));
    assert_ne!(again.header("content-security-policy"), Some(&*policy), "a nonce is used once");
}

#[test]
fn an_interruption_ends_it_with_all_that_runs() {
    let mut page = Page::start();
    let mut events = page.get("/events");
    let spawned = event_that(&mut events, |it| it["what"]["event"] == "spawn");
    let pid = spawned["what"]["pid"].to_string();
    assert!(runs(&pid));
    let mut stream = TcpStream::connect(&page.authority).unwrap();
    let call = Request::post(&json!({"tool": "slow", "args": {}})).at("/call");
    stream.write_all(&page.with_token(call).bytes(&page.authority)).unwrap();
    event_that(&mut events, |it| it["what"]["news"] == "call_started");
    signal(&page.process, "INT");
    assert_eq!(page.process.wait().unwrap().code(), Some(130));
    wait_until_gone(&pid);
    let mut said = String::new();
    page.process.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(!said.contains(&page.token), "{said}");
    let kept = std::fs::read_dir(page.extline.home()).unwrap();
    assert!(kept.count() < 100, "its home is the test's own");
}

#[test]
fn one_that_does_not_start_has_a_page_too() {
    let extline = Extline::new();
    let words = ["inspect", "--web", "--json", "--", "sh", "-c", "echo no >&2; exit 3"];
    let mut process = extline.command(&words).spawn().unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let url = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    assert!(url.into_iter().any(|line| line["url"].is_string()));
    signal(&process, "TERM");
    assert_eq!(process.wait().unwrap().code(), Some(143));
}
