//! A small agent: it embeds extline-host, offers the tools of extensions and one of its own to a
//! model, and lets guards decide.
//!
//! `embed-host MODEL.json DIR...` reads the user's lines from stdin: prompts, `/command args`,
//! and keys while a panel is open.

mod agent;
mod bash;
mod model;
mod panel;
mod standing;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use extline_host::effects::DiffRecorder;
use extline_host::protocol::frame::SessionInfo;
use extline_host::{ExtensionState, Host, HostBuilder, MemoPolicy, News, NewsStream, ToolFilter};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::agent::Agent;
use crate::model::ScriptedModel;
use crate::standing::{MODEL, PROVIDER, Standing};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1);
    let model = args.next().ok_or("usage: embed-host MODEL.json DIR...")?;
    let model = ScriptedModel::read(model.as_ref())?;

    let session = SessionInfo { id: format!("s-{}", std::process::id()), generation: None };
    let standing = Standing::default();
    let files = DiffRecorder::new(".")?;
    let builder = Host::builder()
        .host("embed-host", env!("CARGO_PKG_VERSION"))
        .session(session)
        .model(PROVIDER, MODEL)
        .agent(standing.agent())
        .pending_actions()
        .tool_search()
        .repair(true)
        .memo(MemoPolicy::AnswerOnce)
        .loop_guard(true)
        .effects(files.clone())
        .builtin_tool(bash::definition(), bash::call)?;
    let host = args.fold(builder, HostBuilder::folder).start().await;
    tokio::spawn(show(host.news()));

    // An agent whose guard did not start must not go on without it.
    let failed = |state: &ExtensionState| matches!(state, ExtensionState::Failed(_));
    let may_run = !host.extensions().iter().any(|it| failed(&it.state));
    if may_run {
        host.start_session();
        let conversation = Vec::new();
        #[expect(clippy::disallowed_methods, reason = "no extension: its stdout is the user's")]
        let screen = io::stdout();
        let offer = host.offer(&ToolFilter::default());
        let mut agent =
            Agent { host: &host, model, offer, conversation, prompts: 0, standing, files, screen };
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        while let Some(line) = lines.next_line().await? {
            agent.act_on(&line).await?;
        }
        host.end_session("exit");
    }

    let mut all_gone = true;
    for ending in host.shutdown().await {
        all_gone &= ending.gone;
    }
    Ok(if may_run && all_gone { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Shows the user what extensions do besides answering.
async fn show(mut news: NewsStream) {
    while let Some(news) = news.next().await {
        let line = match news {
            News::Failed { diagnosis, .. } => diagnosis.to_string(),
            News::Note { extension, message, .. } => format!("{extension}: {message}"),
            News::ToolUpdate { tool, update, .. } => {
                let message = update.progress.as_ref().and_then(|it| it.message.as_deref());
                format!("{tool}: {}", message.unwrap_or("goes on"))
            }
            // The calls of the model are on the screen already; those of extensions are not.
            News::CallEnded { tool, caller: Some(caller), status, .. } => {
                format!("{caller} called {tool}: {status}")
            }
            News::ArgsRepaired { tool, fixes, .. } => {
                let fixes: Vec<_> = fixes.iter().map(ToString::to_string).collect();
                format!("{tool}: its arguments were repaired: {}", fixes.join("; "))
            }
            News::Notice { extension, notice } => format!("{extension}: {notice}"),
            News::InterceptFailed { extension, failure } => format!("{extension}: {failure}"),
            _ => continue,
        };
        let _ = writeln!(io::stderr(), "{line}");
    }
}
