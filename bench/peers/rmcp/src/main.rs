//! `echo` as an MCP tool on rmcp.
//!
//! `stock`: the multi-thread runtime and `stdio()`, as its README shows. `lean`: a runtime of one
//! thread and `stdio_pipes()`, the fastest it offers.

use std::env;
use std::error::Error;

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::transport::io::{stdio, stdio_pipes};
use rmcp::{ServerHandler, ServiceExt, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::runtime::Builder;

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// What to answer
    text: String,
}

#[derive(Clone)]
struct Server {
    tool_router: ToolRouter<Self>,
}

#[tool_router]
impl Server {
    #[tool(description = "Answers with the text.")]
    async fn echo(&self, Parameters(args): Parameters<Args>) -> String {
        args.text
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Server {}

fn main() -> Result<(), Box<dyn Error>> {
    let server = Server { tool_router: Server::tool_router() };
    if env::args().nth(1).as_deref() == Some("lean") {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async { Ok(server.serve(stdio_pipes()).await?.waiting().await.map(drop)?) })
    } else {
        let runtime = Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(async { Ok(server.serve(stdio()).await?.waiting().await.map(drop)?) })
    }
}
