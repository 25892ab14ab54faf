//! The official client for Rust: what it sees of a server, as JSON.
//!
//! Arguments: `legacy` or `modern`, then the command of the server, or its URL. In TOKEN is what a server with a
//! URL wants to be told. Where TOOL has the name of a tool and its arguments, as JSON, only that is called, and
//! its questions are answered by ANSWERS, field by field.

use std::error::Error;
use std::sync::Mutex;

use rmcp::model::{
    CallToolRequestParams, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability,
    GetPromptRequestParams, JsonObject, ProtocolVersion,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RequestContext, RoleClient, RunningService};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ErrorData};
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
    let answers = std::env::var("ANSWERS").ok().map(|text| serde_json::from_str(&text)).transpose()?;
    let person = Person { answers, asked: Mutex::default() };
    let client = if program.starts_with("http:") {
        let mut config = StreamableHttpClientTransportConfig::with_uri(program.as_str());
        config.auth_header = std::env::var("TOKEN").ok();
        person.serve_with_lifecycle(StreamableHttpClientTransport::from_config(config), lifecycle).await?
    } else {
        let mut command = Command::new(program);
        command.args(arguments);
        person.serve_with_lifecycle(TokioChildProcess::new(command)?, lifecycle).await?
    };
    let seen = match std::env::var("TOOL") {
        Ok(tool) => ask(&client, serde_json::from_str(&tool)?).await?,
        Err(_) => look(&client).await?,
    };
    client.cancel().await?;
    println!("{seen}");
    Ok(())
}

/// Who is asked, and what.
struct Person {
    answers: Option<JsonObject>,
    asked: Mutex<Vec<String>>,
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        let mut config = ClientConfig::default();
        if self.answers.is_some() {
            config.capabilities.elicitation = Some(ElicitationCapability::new());
        }
        config
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request else {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        self.asked.lock().unwrap().push(message);
        let mut content = self.answers.clone().unwrap_or_default();
        content.retain(|name, _| requested_schema.properties.contains_key(name));
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(content.into()))
    }
}

async fn ask(
    client: &RunningService<RoleClient, Person>,
    (tool, arguments): (String, JsonObject),
) -> Result<Value, Box<dyn Error>> {
    let call = CallToolRequestParams::new(tool).with_arguments(arguments);
    let answer = serde_json::to_value(client.call_tool(call).await?)?;
    Ok(json!({"asked": *client.service().asked.lock().unwrap(), "answer": answer["content"][0]["text"]}))
}

async fn look(client: &RunningService<RoleClient, Person>) -> Result<Value, Box<dyn Error>> {
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
