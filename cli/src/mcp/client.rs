//! One client of a host's tools: its server's end of MCP, and what runs for it. How its messages come and
//! go is left to whoever has it.

use std::collections::HashMap;
use std::future::pending;
use std::sync::Arc;
use std::time::Instant;

use extline_host::{CallError, CallOptions, CommandOutcome, Host, News};
use extline_mcp::{LeftOut, RequestKey, Server, ServerEvent};
use extline_protocol::frame::{Action, CommandResponse, ErrorInfo, ToolResult, ToolUpdate};
use extline_protocol::{ErrorKind, RawJson};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::sleep_until;

use super::offers::Offered;

/// What comes of a request of the client's.
enum Said {
    Update(Arc<ToolUpdate>),
    Result(Box<Result<ToolResult, CallError>>),
    Prompt(Result<CommandOutcome, CallError>),
}

/// One client. Give its messages to `server`, then [`Client::settle`], then pass on what the server has for
/// it; [`Client::advance`] waits for what comes meanwhile. What runs for it is cancelled when it is dropped.
pub(super) struct Client {
    pub(super) server: Server,
    host: Arc<Host>,
    offered: Offered,
    /// What runs for a request.
    tasks: HashMap<RequestKey, JoinHandle<()>>,
    sender: UnboundedSender<(RequestKey, Said)>,
    said: UnboundedReceiver<(RequestKey, Said)>,
    /// What a person should know of since [`Client::remarks`] was asked.
    remarks: Vec<String>,
    is_closed: bool,
}

impl Client {
    pub(super) fn new(host: Arc<Host>, server: Server, offered: Offered) -> Self {
        let (sender, said) = unbounded_channel();
        Self {
            server,
            host,
            offered,
            tasks: HashMap::new(),
            sender,
            said,
            remarks: Vec::new(),
            is_closed: false,
        }
    }

    /// Begins what the client has asked for. Whether that was all there will be: its input has ended, and
    /// what still ran is answered as cancelled.
    pub(super) fn settle(&mut self) -> bool {
        while let Some(event) = self.server.poll_event() {
            self.handle(event);
        }
        if self.is_closed {
            self.give_up();
        }
        self.is_closed
    }

    /// Waits for something that was asked for, or until the server has something to do by itself. May be
    /// dropped and called again.
    pub(super) async fn advance(&mut self) {
        let due = self.server.poll_timeout();
        let time = async {
            match due {
                Some(due) => sleep_until(due.into()).await,
                None => pending().await,
            }
        };
        tokio::select! {
            Some((key, said)) = self.said.recv() => self.answer(key, said),
            () = time => self.server.handle_timeout(Instant::now()),
        }
    }

    /// What extensions offer may have changed; what they tell a person goes to the client. What no client
    /// can be offered comes back.
    pub(super) fn hear(&mut self, news: &News) -> Vec<LeftOut> {
        if changes_offers(news) {
            return self.offered.compare(&self.host, &mut self.server);
        }
        // Without a log the server would have it told on stderr, where whoever listens to the host tells it.
        if let News::Note { level, message, .. } = news
            && self.server.has_log()
        {
            self.server.log(level, message, None);
        }
        Vec::new()
    }

    /// The schema of a tool of the host's.
    pub(super) fn schema_of(&self, tool: &str) -> Option<RawJson> {
        let tools = self.host.tools();
        tools.iter().find(|it| it.name() == tool).map(|it| it.definition.schema.clone())
    }

    /// What a person should know of, once.
    pub(super) fn remarks(&mut self) -> Vec<String> {
        std::mem::take(&mut self.remarks)
    }

    fn handle(&mut self, event: ServerEvent) {
        match event {
            ServerEvent::CallTool { key, name, args } => {
                let call = call(Arc::clone(&self.host), key, name, args, self.sender.clone());
                self.tasks.insert(key, tokio::spawn(call));
            }
            ServerEvent::GetPrompt { key, name, args } => {
                let (host, sender) = (Arc::clone(&self.host), self.sender.clone());
                let command = async move {
                    let outcome = host.command(&name, &args).await;
                    let _ = sender.send((key, Said::Prompt(outcome)));
                };
                self.tasks.insert(key, tokio::spawn(command));
            }
            // What is dropped is cancelled.
            ServerEvent::Cancelled { key, .. } => {
                if let Some(task) = self.tasks.remove(&key) {
                    task.abort();
                }
            }
            ServerEvent::Closed => self.is_closed = true,
            ServerEvent::Remark(text) => self.remarks.push(text),
            _ => {}
        }
    }

    fn answer(&mut self, key: RequestKey, said: Said) {
        match said {
            Said::Update(update) => return self.server.update(key, &update, Instant::now()),
            Said::Result(result) => match *result {
                Ok(result) => self.server.reply_tool(key, &result),
                Err(error) => self.server.fail_tool(key, error.to_error_info()),
            },
            Said::Prompt(outcome) => self.server.reply_prompt(key, &response(outcome)),
        }
        self.tasks.remove(&key);
    }

    /// The client has closed its end a while ago: what still runs is cancelled, and answered so.
    fn give_up(&mut self) {
        for (key, task) in std::mem::take(&mut self.tasks) {
            task.abort();
            self.server.fail_tool(key, ErrorInfo::new(ErrorKind::Cancelled, "cancelled"));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.tasks.values().for_each(JoinHandle::abort);
    }
}

/// Whether a client may be offered something else since. Whoever missed news cannot know.
pub(super) fn changes_offers(news: &News) -> bool {
    matches!(
        news,
        News::Registered { .. } | News::Failed { .. } | News::Started { .. } | News::Missed(_)
    )
}

/// One call, with what it tells meanwhile.
async fn call(
    host: Arc<Host>,
    key: RequestKey,
    name: String,
    args: RawJson,
    sender: UnboundedSender<(RequestKey, Said)>,
) {
    let result = match host.start_call(&name, args.get(), CallOptions::default()).await {
        Ok(mut call) => {
            while let Some(update) = call.update().await {
                let _ = sender.send((key, Said::Update(update)));
            }
            call.outcome().await
        }
        Err(error) => Err(error),
    };
    let _ = sender.send((key, Said::Result(Box::new(result))));
}

/// What a command wants done, as the frame that says so.
fn response(outcome: Result<CommandOutcome, CallError>) -> CommandResponse {
    let id = || "0".into();
    let prompt =
        |text| CommandResponse { prompt: Some(text), ..CommandResponse::new(id(), Action::Prompt) };
    match outcome {
        Ok(
            CommandOutcome::Prompt(text)
            | CommandOutcome::Insert(text)
            | CommandOutcome::Display(text)
            | CommandOutcome::ToolPrompt { prompt: text, .. },
        ) => prompt(text),
        Ok(CommandOutcome::OpenPanel(_)) => CommandResponse::new(id(), Action::OpenPanel),
        Ok(_) => CommandResponse::new(id(), Action::Noop),
        Err(error) => CommandResponse::error(id(), error.to_string()),
    }
}
