//! A server over stdin and stdout whose tools are those of a host.

use std::collections::HashMap;
use std::future::pending;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Instant;

use extline_host::{CallError, CallOptions, CommandOutcome, Host, News};
use extline_mcp::{LeftOut, RequestKey, Server, ServerConfig, ServerEvent};
use extline_protocol::frame::{Action, CommandResponse, ErrorInfo, ToolResult, ToolUpdate};
use extline_protocol::{ErrorKind, RawJson};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::sleep_until;

use super::input;
use crate::exit::Exit;
use crate::session::Session;

/// What comes of a request of the client's.
enum Said {
    Update(Arc<ToolUpdate>),
    Result(Box<Result<ToolResult, CallError>>),
    Prompt(Result<CommandOutcome, CallError>),
}

/// Serves until the client closes its end.
pub(super) async fn serve(session: &mut Session) -> Exit {
    let host = Arc::clone(&session.host);
    let served = session.listen_to(async {
        let mut serving = Serving::new(host);
        serving.run().await
    });
    match served.await {
        Ok(Ok(())) => Exit::Ok,
        Ok(Err(error)) => {
            session.printer.error(format_args!("the client cannot be served: {error}"));
            Exit::ToolError
        }
        Err(exit) => exit,
    }
}

/// Offers what a host has. What no client can be offered comes back.
pub(super) fn offer(host: &Host, server: &mut Server) -> Vec<LeftOut> {
    let extensions = host.extensions();
    let hello = match extensions.as_slice() {
        [only] => only.hello.as_ref(),
        _ => None,
    };
    let (name, version) = match hello {
        Some(hello) => (hello.name.clone(), hello.version.clone()),
        None => ("extline".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
    };
    server.introduce(ServerConfig { name, version, ..ServerConfig::default() });
    for command in host.commands() {
        server.add_command(&command.definition);
    }
    let tools = host.tools();
    tools.iter().filter_map(|tool| server.add_tool(&tool.definition).err()).collect()
}

struct Serving {
    host: Arc<Host>,
    server: Server,
    /// What runs for a request.
    tasks: HashMap<RequestKey, JoinHandle<()>>,
    out: Vec<u8>,
    is_closed: bool,
}

impl Serving {
    fn new(host: Arc<Host>) -> Self {
        let mut server = Server::new();
        for LeftOut { tool, why } in offer(&host, &mut server) {
            say(&format!("the tool {tool} is left out: {why}"));
        }
        server.ready(Instant::now());
        Self { host, server, tasks: HashMap::new(), out: Vec::new(), is_closed: false }
    }

    async fn run(&mut self) -> io::Result<()> {
        let mut input = Some(input::chunks()?);
        let mut news = self.host.news();
        let (sender, mut said) = unbounded_channel();
        loop {
            while let Some(event) = self.server.poll_event() {
                self.handle(event, &sender);
            }
            if self.is_closed {
                self.give_up();
            }
            self.write()?;
            if self.is_closed {
                return Ok(());
            }
            let due = self.server.poll_timeout();
            let time = async {
                match due {
                    Some(due) => sleep_until(due.into()).await,
                    None => pending().await,
                }
            };
            let chunk = async {
                match &mut input {
                    Some(input) => input.recv().await,
                    None => pending().await,
                }
            };
            tokio::select! {
                chunk = chunk => if let Some(chunk) = chunk {
                    self.server.handle_input(&chunk, Instant::now());
                } else {
                    input = None;
                    self.server.handle_eof(Instant::now());
                },
                Some((key, said)) = said.recv() => self.answer(key, said),
                Some(news) = news.next() => self.hear(&news),
                () = time => self.server.handle_timeout(Instant::now()),
            }
        }
    }

    fn handle(&mut self, event: ServerEvent, sender: &UnboundedSender<(RequestKey, Said)>) {
        match event {
            ServerEvent::CallTool { key, name, args } => {
                let call = call(Arc::clone(&self.host), key, name, args, sender.clone());
                self.tasks.insert(key, tokio::spawn(call));
            }
            ServerEvent::GetPrompt { key, name, args } => {
                let (host, sender) = (Arc::clone(&self.host), sender.clone());
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
            ServerEvent::Remark(text) => say(&text),
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

    /// What extensions offer may have changed; what they tell a person goes to the client.
    fn hear(&mut self, news: &News) {
        match news {
            News::Registered { .. } | News::Failed { .. } | News::Started { .. } => self.compare(),
            News::Note { level, message, .. } => self.server.log(level, message, None),
            _ => {}
        }
    }

    /// Offers what is new, and takes back what is gone.
    fn compare(&mut self) {
        let tools = self.host.tools();
        let known: Vec<String> = self.server.tool_names().map(str::to_owned).collect();
        for gone in known.iter().filter(|known| !tools.iter().any(|it| it.name() == *known)) {
            self.server.remove_tool(gone);
        }
        for new in tools.iter().filter(|tool| !known.iter().any(|known| known == tool.name())) {
            if let Err(LeftOut { tool, why }) = self.server.add_tool(&new.definition) {
                say(&format!("the tool {tool} is left out: {why}"));
            }
        }
    }

    /// The client has closed its end a while ago: what still runs is cancelled, and answered so.
    fn give_up(&mut self) {
        for (key, task) in std::mem::take(&mut self.tasks) {
            task.abort();
            self.server.fail_tool(key, ErrorInfo::new(ErrorKind::Cancelled, "cancelled"));
        }
    }

    fn write(&mut self) -> io::Result<()> {
        self.out.clear();
        if !self.server.poll_output(&mut self.out) {
            return Ok(());
        }
        let mut stdout = anstream::stdout().into_inner();
        stdout.write_all(&self.out)?;
        stdout.flush()
    }
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

/// One line on stderr; stdout belongs to MCP.
fn say(text: &str) {
    crate::printer::say_as_extension("mcp", text);
}
