//! A running server, and a small HTTP client that can do what a good one does not.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Extline, signal};

/// After so long something hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// `extline mcp --http` with the extension beside this file.
pub(crate) struct Server {
    pub(crate) process: Child,
    pub(crate) host: String,
    _extline: Extline,
    _folder: TempDir,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::start_with(&[], |_| ())
    }

    /// With further words, and what else is set.
    pub(crate) fn start_with(words: &[&str], set: impl FnOnce(&mut Command)) -> Self {
        let (extline, folder) = (Extline::new(), folder());
        let mut all = vec!["mcp", "--http", "0", folder.path().to_str().unwrap()];
        all.extend(words);
        let mut command = extline.command(&all);
        set(&mut command);
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(process.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let url = line.trim_end().strip_prefix("http://").unwrap_or_else(|| panic!("{line:?}"));
        let host = url.strip_suffix("/mcp").unwrap().to_owned();
        Self { process, host, _extline: extline, _folder: folder }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes as they are and reads the head of the answer.
    pub(crate) fn send(&self, bytes: &[u8]) -> Response {
        let mut stream = self.connect();
        // Who is refused early may find the connection closed.
        let _ = stream.write_all(bytes);
        Response::read(stream)
    }

    pub(crate) fn ask(&self, request: &Request) -> Response {
        self.send(&request.bytes(&self.host))
    }

    /// A session that has begun.
    pub(crate) fn session(&self) -> Session<'_> {
        self.session_that(&json!({}))
    }

    /// The same of a client that can do so much.
    pub(crate) fn session_that(&self, can: &Value) -> Session<'_> {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": can});
        let mut answer = self.ask(&Request::post(&request(0, "initialize", &params)));
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.json()["result"]["protocolVersion"], "2025-11-25");
        let id = answer.header("mcp-session-id").unwrap().to_owned();
        let session = Session { server: self, id };
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(session.ask(&initialized).status, 202);
        session
    }

    /// What the slow calls came to.
    pub(crate) fn seen(&self) -> Value {
        serde_json::from_str(&self.call("seen", "")).unwrap()
    }

    /// Calls a tool in the modern era, and returns its text.
    pub(crate) fn call(&self, tool: &str, text: &str) -> String {
        let mut answer = self.ask(&Request::modern(1, tool, text));
        assert_eq!(answer.status, 200, "{answer:?}");
        text_of(&answer.json())
    }

    /// Waits until something holds of what the slow calls came to.
    pub(crate) fn wait_until(&self, holds: impl Fn(&Value) -> bool) {
        let began = std::time::Instant::now();
        while !holds(&self.seen()) {
            assert!(began.elapsed() < PATIENCE, "{}", self.seen());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.process.try_wait().unwrap().is_none() {
            signal(&self.process, "KILL");
            self.process.wait().unwrap();
        }
    }
}

/// A session of the era of handshakes.
pub(crate) struct Session<'s> {
    pub(crate) server: &'s Server,
    pub(crate) id: String,
}

impl Session<'_> {
    pub(crate) fn ask(&self, message: &Value) -> Response {
        self.server.ask(&self.post(message))
    }

    pub(crate) fn post(&self, message: &Value) -> Request {
        Request::post(message)
            .with("Mcp-Session-Id", &self.id)
            .with("MCP-Protocol-Version", "2025-11-25")
    }

    /// A stream of what the server says by itself.
    pub(crate) fn listen(&self) -> Response {
        let get = Request::new("GET").with("Mcp-Session-Id", &self.id);
        let answer = self.server.ask(&get.with("Accept", "text/event-stream"));
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, Some("text/event-stream"))
        );
        answer
    }
}

/// A request, well-formed until it is changed.
#[derive(Clone)]
pub(crate) struct Request {
    method: &'static str,
    path: &'static str,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    pub(crate) fn new(method: &'static str) -> Self {
        Self { method, path: "/mcp", headers: Vec::new(), body: Vec::new() }
    }

    pub(crate) fn post(message: &Value) -> Self {
        Self::new("POST")
            .with("Accept", "application/json, text/event-stream")
            .with("Content-Type", "application/json")
            .body(message.to_string().as_bytes())
    }

    /// A call in the modern era, with the headers that it needs.
    pub(crate) fn modern(id: u32, tool: &str, text: &str) -> Self {
        Self::post(&modern(id, tool, text))
            .with("MCP-Protocol-Version", "2026-07-28")
            .with("Mcp-Method", "tools/call")
            .with("Mcp-Name", tool)
    }

    /// Another request of the modern era.
    pub(crate) fn modern_method(method: &str, mut params: Value) -> Self {
        params["_meta"] = meta();
        Self::post(&request(1, method, &params))
            .with("MCP-Protocol-Version", "2026-07-28")
            .with("Mcp-Method", method)
    }

    /// With a header, in place of the one of that name; an empty one is left out.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn at(mut self, path: &'static str) -> Self {
        self.path = path;
        self
    }

    pub(crate) fn body(mut self, body: &[u8]) -> Self {
        body.clone_into(&mut self.body);
        self
    }

    pub(crate) fn bytes(&self, host: &str) -> Vec<u8> {
        let is_set = |name: &str| self.headers.iter().any(|(known, _)| known == name);
        let mut lines = vec![format!("{} {} HTTP/1.1", self.method, self.path)];
        if !is_set("Host") {
            lines.push(format!("Host: {host}"));
        }
        if self.method == "POST" && !is_set("Content-Length") {
            lines.push(format!("Content-Length: {}", self.body.len()));
        }
        let set = self.headers.iter().filter(|(_, value)| !value.is_empty());
        lines.extend(set.map(|(name, value)| format!("{name}: {value}")));
        lines.push("\r\n".to_owned());
        [lines.join("\r\n").as_bytes(), &self.body].concat()
    }
}

/// An answer, whose body is read as it is asked for.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    stream: BufReader<TcpStream>,
}

impl Response {
    pub(crate) fn read(stream: TcpStream) -> Self {
        let mut stream = BufReader::new(stream);
        let mut line = || {
            let mut line = String::new();
            stream.read_line(&mut line).unwrap();
            line.trim_end().to_owned()
        };
        let status = line();
        let status = status.strip_prefix("HTTP/1.1 ").and_then(|it| it[..3].parse().ok());
        let mut headers = Vec::new();
        loop {
            let header = line();
            let Some((name, value)) = header.split_once(": ") else { break };
            headers.push((name.to_owned(), value.to_owned()));
        }
        Self { status: status.unwrap_or_default(), headers, stream }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as text, which ends.
    pub(crate) fn text(&mut self) -> String {
        let length = self.header("content-length").map_or(0, |it| it.parse().unwrap());
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        String::from_utf8(body).unwrap()
    }

    pub(crate) fn json(&mut self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"));
        serde_json::from_str(&self.text()).unwrap()
    }

    /// The message of the next event; `None` at the end of the stream, also where it was cut.
    pub(crate) fn event(&mut self) -> Option<Value> {
        loop {
            let chunk = self.chunk()?;
            if let Some(message) = chunk.strip_prefix("data: ") {
                return Some(serde_json::from_str(message).unwrap());
            }
        }
    }

    /// The next line of a chunked body, wherever its chunks end; the server writes no line in two of them
    /// but that of the data.
    fn chunk(&mut self) -> Option<String> {
        let mut line = Vec::new();
        loop {
            let mut size = String::new();
            let count = self.stream.read_line(&mut size).unwrap_or_default();
            let size = usize::from_str_radix(size.trim(), 16).ok().filter(|size| *size > 0);
            let size = size.filter(|_| count > 0)?;
            let mut data = vec![0; size + 2];
            self.stream.read_exact(&mut data).ok()?;
            line.extend_from_slice(&data[..size]);
            if line.ends_with(b"\n\n") {
                let text = String::from_utf8(line).unwrap();
                let mut lines = text.lines();
                let event = lines.next().unwrap();
                if event.starts_with(':') {
                    line = Vec::new();
                    continue;
                }
                assert_eq!(event, "event: message");
                return lines.next().map(str::to_owned);
            }
        }
    }
}

pub(crate) fn request(id: u32, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A call, as the era of handshakes has it.
pub(crate) fn call(id: u32, tool: &str, text: &str) -> Value {
    let meta = json!({"progressToken": format!("token {id}")});
    let params = json!({"name": tool, "arguments": {"text": text}, "_meta": meta});
    request(id, "tools/call", &params)
}

/// The same for the modern era.
pub(crate) fn modern(id: u32, tool: &str, text: &str) -> Value {
    let mut call = call(id, tool, text);
    let token = call["params"]["_meta"]["progressToken"].take();
    call["params"]["_meta"] = meta();
    call["params"]["_meta"]["progressToken"] = token;
    call
}

fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

pub(crate) fn text_of(answer: &Value) -> String {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

pub(crate) fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let manifest =
        json!({"name": "driven", "version": "2.0.0", "exec": "python3", "args": ["-S", "main.py"]});
    fs::write(folder.path().join("extension.json"), manifest.to_string()).unwrap();
    fs::write(folder.path().join("main.py"), include_str!("extension.py")).unwrap();
    folder
}
