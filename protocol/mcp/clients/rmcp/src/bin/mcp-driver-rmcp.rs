//! The driver of the official client for Rust, for `extline conformance mcp-client` (docs/tester/mcp-clients.md):
//! requests on stdin, answers on stdout.
//!
//! Argument: `legacy` or `auto`, how the client begins with a server.

use std::cell::RefCell;
use std::collections::HashMap;
use std::error::Error;
use std::io::Write;
use std::rc::Rc;
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, JsonObject, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use tokio::sync::Notify;
use tokio::task::LocalSet;

type Client = RunningService<RoleClient, ()>;

/// A server, from its start to its end.
struct Server {
    name: String,
    problem: Option<String>,
    client: RefCell<Option<Rc<Client>>>,
    tools: Vec<String>,
}

#[derive(Default)]
struct Driver {
    servers: RefCell<Vec<Rc<Server>>>,
    /// Who is told that a call is given up.
    calls: RefCell<HashMap<u64, Rc<Notify>>>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    LocalSet::new().run_until(serve()).await;
}

async fn serve() {
    let driver = Rc::new(Driver::default());
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let request: Value = serde_json::from_str(&line).unwrap_or_default();
        let given_up = Rc::new(Notify::new());
        driver.calls.borrow_mut().insert(request["id"].as_u64().unwrap_or_default(), Rc::clone(&given_up));
        let driver = Rc::clone(&driver);
        tokio::task::spawn_local(async move {
            let said = driver.answer(&request, &given_up).await;
            let said = match said {
                Some(value) => json!({"id": request["id"], "ok": value}),
                None => json!({"id": request["id"], "unsupported": format!("there is no op {}", request["op"])}),
            };
            let mut stdout = std::io::stdout().lock();
            let _ = writeln!(stdout, "{said}").and_then(|()| stdout.flush());
        });
    }
    // Its servers see the end of their stdin.
    std::process::exit(0);
}

impl Driver {
    async fn answer(&self, request: &Value, given_up: &Notify) -> Option<Value> {
        Some(match request["op"].as_str()? {
            "start" => {
                let mut servers = Vec::new();
                for told in request["servers"].as_array().into_iter().flatten() {
                    servers.push(Rc::new(Server::start(told).await));
                }
                *self.servers.borrow_mut() = servers;
                json!(true)
            }
            "servers" => self.servers.borrow().iter().map(|server| server.told()).collect(),
            "tools" => {
                let servers = self.servers.borrow();
                let of = |server: &Rc<Server>| {
                    let name = server.name.clone();
                    server.tools.clone().into_iter().map(move |tool| json!({"name": tool, "server": name}))
                };
                servers.iter().flat_map(of).collect()
            }
            "call" => {
                let server = self.servers.borrow().iter().find(|one| request["server"] == one.name).cloned();
                let call = call(server.as_ref().and_then(|server| server.client.borrow().clone()), request);
                tokio::select! {
                    // A call that is let go of is cancelled at the server.
                    () = given_up.notified() => json!({"error": {"message": "it was given up"}}),
                    outcome = call => match outcome {
                        Ok(result) => json!({"result": result}),
                        Err(error) => json!({"error": {"message": error.to_string()}}),
                    },
                }
            }
            "cancel" => {
                if let Some(call) = self.calls.borrow().get(&request["call"].as_u64()?) {
                    call.notify_one();
                }
                json!(true)
            }
            "stop" => {
                let servers = self.servers.borrow().clone();
                for server in servers {
                    let client = server.client.borrow_mut().take();
                    if let Some(client) = client.and_then(|client| Rc::try_unwrap(client).ok()) {
                        let _ = client.cancel().await;
                    }
                }
                json!(true)
            }
            _ => return None,
        })
    }
}

impl Server {
    async fn start(told: &Value) -> Self {
        let name = told["name"].as_str().unwrap_or_default().to_owned();
        match begin(told).await {
            Ok((client, tools)) => {
                Self { name, problem: None, client: RefCell::new(Some(Rc::new(client))), tools }
            }
            Err(error) => {
                let problem = Some(with_causes(&*error));
                Self { name, problem, client: RefCell::default(), tools: Vec::new() }
            }
        }
    }

    fn told(&self) -> Value {
        let client = self.client.borrow();
        let state = match &*client {
            Some(client) if client.is_transport_closed() => "ended",
            Some(_) => "ready",
            None if self.problem.is_some() => "failed",
            None => "ended",
        };
        json!({"name": self.name, "state": state, "problem": self.problem})
    }
}

/// An error and what led to it.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

async fn begin(told: &Value) -> Result<(Client, Vec<String>), Box<dyn Error>> {
    let mut command = Command::new(told["command"].as_str().unwrap_or_default());
    command.args(told["args"].as_array().into_iter().flatten().filter_map(Value::as_str));
    command.stderr(std::process::Stdio::null());
    let lifecycle = match std::env::args().nth(1).as_deref() {
        Some("legacy") => ClientLifecycleMode::Initialize,
        _ => ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: None,
        },
    };
    let client = ().serve_with_lifecycle(TokioChildProcess::new(command)?, lifecycle).await?;
    let tools = client.list_all_tools().await?;
    Ok((client, tools.into_iter().map(|tool| tool.name.to_string()).collect()))
}

/// Calls a tool; what it gave, as the tester reads it.
async fn call(client: Option<Rc<Client>>, request: &Value) -> Result<Value, Box<dyn Error>> {
    let client = client.ok_or("there is no such server")?;
    let arguments: JsonObject = serde_json::from_str(request["args"].as_str().unwrap_or("{}"))?;
    let tool = request["tool"].as_str().unwrap_or_default().to_owned();
    let call = client.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments));
    let result = match request["timeout_ms"].as_u64() {
        Some(time) => tokio::time::timeout(Duration::from_millis(time), call).await??,
        None => call.await?,
    };
    let told = serde_json::to_value(result)?;
    let mut result = json!({"content": told["content"], "is_error": told["isError"] == true});
    if let Some(structured) = told.get("structuredContent") {
        result["structured_content"] = structured.clone();
    }
    Ok(result)
}
