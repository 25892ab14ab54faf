//! One client of a host's tools: its server's end of MCP, and what runs for it. How its messages come and
//! go is left to whoever has it.

use std::collections::HashMap;
use std::future::pending;
use std::sync::Arc;
use std::time::Instant;

use extline_host::{CallError, CallOptions, CommandOutcome, Host, News};
use extline_mcp::{LeftOut, QuestionKey, RequestKey, Server, ServerEvent};
use extline_protocol::frame::{Action, CommandResponse, ErrorInfo, ToolResult, ToolUpdate};
use extline_protocol::{ErrorKind, RawJson};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::sleep_until;

use super::desk::{Answering, ClientDesk, Put};
use super::offers::Offered;

/// What comes of a request of the client's.
enum Said {
    Update(Arc<ToolUpdate>),
    Result(Box<Result<ToolResult, CallError>>),
    Prompt(Result<CommandOutcome, CallError>),
}

/// What runs for a request, and the number under which its questions come.
struct Running {
    task: JoinHandle<()>,
    origin: u64,
}

/// One client. Give its messages to `server`, then [`Client::settle`], then pass on what the server has for
/// it; [`Client::advance`] waits for what comes meanwhile. What runs for it is cancelled when it is dropped.
pub(super) struct Client {
    pub(super) server: Server,
    host: Arc<Host>,
    offered: Offered,
    desk: ClientDesk,
    /// What runs for a request.
    tasks: HashMap<RequestKey, Running>,
    /// Who waits for an answer of the client's user, by the desk's number.
    questions: HashMap<QuestionKey, (u64, Answering)>,
    put: UnboundedSender<Put>,
    puts: UnboundedReceiver<Put>,
    sender: UnboundedSender<(RequestKey, Said)>,
    said: UnboundedReceiver<(RequestKey, Said)>,
    /// What a person should know of since [`Client::remarks`] was asked.
    remarks: Vec<String>,
    is_closed: bool,
}

impl Client {
    pub(super) fn new(host: Arc<Host>, server: Server, offered: Offered, desk: ClientDesk) -> Self {
        let (sender, said) = unbounded_channel();
        let (put, puts) = unbounded_channel();
        Self {
            server,
            host,
            offered,
            desk,
            tasks: HashMap::new(),
            questions: HashMap::new(),
            put,
            puts,
            sender,
            said,
            remarks: Vec::new(),
            is_closed: false,
        }
    }

    /// There is no other client: what extensions ask by themselves is for this one.
    pub(super) fn is_only(&self) {
        self.desk.is_only(self.put.clone());
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
            Some(put) = self.puts.recv() => self.take_put(put),
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
                let origin = self.desk.enter(&self.put, key);
                let (host, sender) = (Arc::clone(&self.host), self.sender.clone());
                let options = CallOptions::default().origin(origin);
                let task = tokio::spawn(call(host, key, name, args, options, sender));
                self.tasks.insert(key, Running { task, origin });
            }
            ServerEvent::GetPrompt { key, name, args } => {
                let origin = self.desk.enter(&self.put, key);
                let (host, sender) = (Arc::clone(&self.host), self.sender.clone());
                let command = async move {
                    let outcome = host.command_of(Some(origin), &name, &args).await;
                    let _ = sender.send((key, Said::Prompt(outcome)));
                };
                self.tasks.insert(key, Running { task: tokio::spawn(command), origin });
            }
            // What is dropped is cancelled.
            ServerEvent::Cancelled { key, .. } => {
                if let Some(running) = self.forget(key) {
                    running.task.abort();
                }
            }
            ServerEvent::Answered { question, answer } => {
                if let Some((_, answering)) = self.questions.remove(&question) {
                    // Whoever asked may want it no more.
                    let _ = answering.send(answer);
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
        self.forget(key);
    }

    /// What an extension asks the client's user.
    fn take_put(&mut self, put: Put) {
        let now = Instant::now();
        match put {
            Put::Ask { number, below, question, answer } => {
                match self.server.ask(below, *question, now) {
                    Ok(question) => _ = self.questions.insert(question, (number, answer)),
                    Err(error) => _ = answer.send(Err(error)),
                }
            }
            Put::Withdraw { number } => {
                let asked = self.questions.iter().find(|(_, (asked, _))| *asked == number);
                if let Some(question) = asked.map(|(question, _)| *question) {
                    self.questions.remove(&question);
                    self.server.withdraw(question);
                }
            }
            Put::Show { below, text } => self.server.show(below, &text, now),
        }
    }

    /// A request is over.
    fn forget(&mut self, key: RequestKey) -> Option<Running> {
        let running = self.tasks.remove(&key)?;
        self.desk.leave(running.origin);
        Some(running)
    }

    /// The client has closed its end a while ago: what still runs is cancelled, and answered so.
    fn give_up(&mut self) {
        for (key, running) in std::mem::take(&mut self.tasks) {
            self.desk.leave(running.origin);
            running.task.abort();
            self.server.fail_tool(key, ErrorInfo::new(ErrorKind::Cancelled, "cancelled"));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        for running in self.tasks.values() {
            self.desk.leave(running.origin);
            running.task.abort();
        }
    }
}

/// Whether a client may be offered something else since. Whoever missed news cannot know.
pub(super) fn changes_offers(news: &News) -> bool {
    matches!(
        news,
        News::Registered { .. }
            | News::Failed { .. }
            | News::Started { .. }
            | News::Pending { .. }
            | News::ToolsActivated { .. }
            | News::Descriptions { .. }
            | News::Missed(_)
    )
}

/// One call, with what it tells meanwhile.
async fn call(
    host: Arc<Host>,
    key: RequestKey,
    name: String,
    args: RawJson,
    options: CallOptions,
    sender: UnboundedSender<(RequestKey, Said)>,
) {
    let result = match host.start_call(&name, args.get(), options).await {
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
