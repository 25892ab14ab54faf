//! The official client for Rust: what it sees of a server, as JSON.
//!
//! Arguments: `legacy` or `modern`, then the command of the server, or its URL. In TOKEN is what a server with a
//! URL wants to be told.

use std::error::Error;

use rmcp::model::{CallToolRequestParams, GetPromptRequestParams, JsonObject, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RoleClient, RunningService};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use serde_json::{Value, json};
use tokio::process::Command;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [mode, program, arguments @ ..] = words.as_slice() else {
        return Err("arguments: legacy or modern, then the command of the server".into());
    };
    let lifecycle = match mode.as_str() {
        "legacy" => ClientLifecycleMode::Initialize,
        _ => ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] },
    };
    let client = if program.starts_with("http:") {
        let mut config = StreamableHttpClientTransportConfig::with_uri(program.as_str());
        config.auth_header = std::env::var("TOKEN").ok();
        ().serve_with_lifecycle(StreamableHttpClientTransport::from_config(config), lifecycle).await?
    } else {
        let mut command = Command::new(program);
        command.args(arguments);
        ().serve_with_lifecycle(TokioChildProcess::new(command)?, lifecycle).await?
    };
    let seen = look(&client).await?;
    client.cancel().await?;
    println!("{seen}");
    Ok(())
}

async fn look(client: &RunningService<RoleClient, ()>) -> Result<Value, Box<dyn Error>> {
    let tools = client.list_all_tools().await?;
    let answer = client.call_tool(call("c")).await?;
    let refused = client.call_tool(call("k")).await?;
    let mut arguments = JsonObject::new();
    arguments.insert("args".to_owned(), "Berlin".into());
    let prompt = client.get_prompt(GetPromptRequestParams::new("weather").with_arguments(arguments)).await?;
    let prompt = serde_json::to_value(prompt)?;
    let (answer, refused) = (serde_json::to_value(answer)?, serde_json::to_value(refused)?);
    Ok(json!({
        "tools": tools.iter().map(|tool| tool.name.to_string()).collect::<Vec<_>>(),
        "answer": answer["content"][0]["text"],
        "refused": [refused["isError"], refused["content"][0]["text"]],
        "prompt": prompt["messages"][0]["content"]["text"],
    }))
}

fn call(units: &str) -> CallToolRequestParams {
    let mut arguments = JsonObject::new();
    arguments.insert("city".to_owned(), "Berlin".into());
    arguments.insert("units".to_owned(), units.into());
    CallToolRequestParams::new("weather").with_arguments(arguments)
}
