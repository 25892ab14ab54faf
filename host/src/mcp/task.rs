//! The task of one running server: an extension to the host, a client to the server.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use extline_protocol::frame::{
    CommandResponse, ErrorInfo, Level, Registered, RpcError, ToolCall, ToolResult,
};
use extline_protocol::{
    CallKey, ErrorKind, ExtensionConfig, ExtensionEvent, ExtensionSession, RawJson, RequestError,
    Update,
};
use rmcp::RoleClient;
use rmcp::model::SubscriptionFilter;
use rmcp::service::{
    ClientInitializeError, ClientServiceExt, Peer, RunningService, RunningServiceCancellationToken,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, sleep_until};

use super::calls::Caller;
use super::client::{Client, LogRate, OpenCalls};
use super::content::cut;
use super::era::{Era, Eras, lifecycle};
use super::http::transport;
use super::offers::{Offers, Unusable};
use super::start_failure::problem_of;
use super::wire::{Reader, Wire, Writer};
use crate::connection::Connection;
use crate::report::Problem;
use crate::source::Way;

/// How much may wait to be told the host.
const WORDS: usize = 256;

/// How long the end of the process may take to be seen behind that of its output.
const EXIT_TAKES: Duration = Duration::from_secs(2);

/// Something to tell the host.
pub(super) enum Word {
    Connected(Box<Connected>),
    NotConnected(Box<ClientInitializeError>),
    Offers(Result<Offers, Unusable>),
    /// The server says that what it offers has changed.
    Changed,
    Closed,
    Tool(CallKey, Box<ToolResult>),
    Command(CallKey, Box<CommandResponse>),
    /// The call has no answer, as the server is gone.
    Forgotten(CallKey),
    Update(CallKey, Update),
    Log(Level, String),
    Ask {
        parent: Option<CallKey>,
        method: &'static str,
        params: RawJson,
        answer: oneshot::Sender<Result<RawJson, RpcError>>,
    },
}

/// A server that answers.
pub(super) struct Connected {
    peer: Peer<RoleClient>,
    /// Ends the connection.
    end: RunningServiceCancellationToken,
}

/// What the task knows of its server from the start.
pub(super) struct Setting {
    pub(super) server: Arc<str>,
    pub(super) way: Way,
    pub(super) digest: String,
    pub(super) cwd: PathBuf,
    pub(super) eras: Arc<Eras>,
    /// In which era it speaks, where that is known.
    pub(super) era: Option<Era>,
    pub(super) connection: Weak<Connection>,
}

pub(super) struct Task {
    setting: Setting,
    session: ExtensionSession,
    say: mpsc::Sender<Word>,
    calls: Arc<OpenCalls>,
    /// Tells a call that nobody wants its answer.
    running: HashMap<CallKey, oneshot::Sender<String>>,
    asked: HashMap<CallKey, oneshot::Sender<Result<RawJson, RpcError>>>,
    connected: Option<Box<Connected>>,
    offers: Offers,
    /// The host has heard what it offers.
    is_ready: bool,
    /// What it offers is being read, and has to be read again.
    listing: bool,
    listing_again: bool,
    server_ends: Option<(Reader, Writer)>,
}

impl Task {
    pub(super) async fn run(setting: Setting, wire: Wire) {
        let Wire { from_server, to_server, mut from_host, mut to_host, group } = wire;
        let config = ExtensionConfig::new(&*setting.server, "0");
        let (say, mut words) = mpsc::channel(WORDS);
        let mut task = Self {
            setting,
            session: ExtensionSession::new(config),
            say,
            calls: Arc::default(),
            running: HashMap::new(),
            asked: HashMap::new(),
            connected: None,
            offers: Offers::default(),
            is_ready: false,
            listing: false,
            listing_again: false,
            server_ends: Some((from_server, to_server)),
        };
        let mut out = Vec::new();
        let (mut host_writes, mut is_over) = (true, false);
        loop {
            while let Some(event) = task.session.poll_event() {
                is_over |= task.handle(event);
            }
            out.clear();
            if task.session.poll_output(Instant::now(), &mut out)
                && to_host.write_all(&out).await.is_err()
            {
                break;
            }
            if is_over {
                break;
            }
            let due = task.session.poll_timeout();
            tokio::select! {
                read = from_host.read(task.session.read_space()), if host_writes => match read {
                    Ok(0) | Err(_) => {
                        host_writes = false;
                        task.session.handle_eof(Instant::now());
                    }
                    Ok(count) => task.session.handle_read(count, Instant::now()),
                },
                Some(word) = words.recv() => task.take(word),
                () = async {
                    match due {
                        Some(at) => sleep_until(at.into()).await,
                        None => std::future::pending().await,
                    }
                } => task.session.handle_timeout(Instant::now()),
            }
        }
        if task.is_remote() {
            // Else its process ends when its stdin does.
            group.terminate();
        }
        if let Some(connected) = task.connected {
            connected.end.cancel();
        }
    }

    /// Does what the host wants; whether that was the last.
    fn handle(&mut self, event: ExtensionEvent) -> bool {
        match event {
            ExtensionEvent::Accepted(_) => self.connect(),
            ExtensionEvent::ToolCall { key, call, .. } => self.begin_tool(&key, call),
            ExtensionEvent::Command { key, command } => {
                self.begin_prompt(&key, &command.name, command.args.unwrap_or_default());
            }
            ExtensionEvent::Cancelled { key, reason } => {
                if let Some(call) = self.running.remove(&key) {
                    drop(call.send(reason));
                }
            }
            ExtensionEvent::Response { key, result } => {
                if let Some(answer) = self.asked.remove(&key) {
                    drop(answer.send(result));
                }
            }
            ExtensionEvent::Registered(report) => self.refuse_clashes(&report),
            ExtensionEvent::Notice(notice) => {
                tracing::debug!(server = %self.setting.server, %notice, "an MCP server");
            }
            ExtensionEvent::Finished { .. } | ExtensionEvent::Overdue { .. } => return true,
            _ => {}
        }
        false
    }

    fn begin_tool(&mut self, key: &CallKey, call: ToolCall) {
        let called = self.offers.called(&call.name);
        if let Some((called, caller)) = called.and_then(|it| Some((it, self.caller(key)?))) {
            tokio::spawn(caller.tool(called, call));
        } else {
            let error = ErrorInfo::new(ErrorKind::NotFound, "the server has no such tool any more");
            drop(self.session.fail_tool(key, error));
        }
    }

    fn begin_prompt(&mut self, key: &CallKey, command: &str, words: String) {
        let prompt = self.offers.prompt(command);
        if let Some(((name, arguments), caller)) =
            prompt.and_then(|it| Some((it, self.caller(key)?)))
        {
            tokio::spawn(caller.prompt(name, arguments, words));
        } else {
            let why = "the server has no such prompt any more";
            let response = CommandResponse::error(key.id().clone(), why);
            drop(self.session.reply_command(key, response));
        }
    }

    /// Does what was found out meanwhile.
    fn take(&mut self, word: Word) {
        match word {
            Word::Connected(connected) => {
                self.learn(&connected.peer);
                self.connected = Some(connected);
                self.list();
            }
            Word::NotConnected(error) => self.not_connected(&error),
            Word::Offers(offers) => self.offer(offers),
            Word::Changed => self.list(),
            Word::Closed => self.closed(),
            Word::Tool(key, result) => {
                self.running.remove(&key);
                // One that is too large is answered so.
                drop(self.session.reply_tool(&key, *result));
            }
            Word::Command(key, response) => {
                self.running.remove(&key);
                drop(self.session.reply_command(&key, *response));
            }
            Word::Forgotten(key) => {
                self.running.remove(&key);
            }
            Word::Update(key, update) => self.session.update(&key, update),
            Word::Log(level, text) => self.session.log(level, text, None),
            Word::Ask { parent, method, params, answer } => {
                self.ask(parent.as_ref(), method, params, answer);
            }
        }
    }

    /// Begins with the handshake, or with asking which era it is.
    fn connect(&mut self) {
        let Some(ends) = self.server_ends.take() else { return };
        let era = self.setting.era;
        let client = Client {
            say: self.say.clone(),
            calls: Arc::clone(&self.calls),
            cwd: self.setting.cwd.clone(),
            era,
            log: std::sync::Mutex::new(LogRate::default()),
        };
        let (say, way) = (self.say.clone(), self.setting.way.clone());
        tokio::spawn(async move {
            let service = match way {
                Way::Program { .. } => client.serve_with_lifecycle(ends, lifecycle(era)).await,
                Way::Url { url, headers } => match transport(&url, &headers) {
                    Ok(transport) => client.serve_with_lifecycle(transport, lifecycle(era)).await,
                    Err(why) => {
                        return drop(say.send(Word::Offers(Err(Unusable::Refused(why)))).await);
                    }
                },
            };
            match service {
                Ok(service) => serve(service, say).await,
                Err(error) => drop(say.send(Word::NotConnected(Box::new(error))).await),
            }
        });
    }

    fn learn(&self, peer: &Peer<RoleClient>) {
        if let Some(info) = peer.peer_info() {
            let era = Era::of_version(&info.protocol_version);
            self.setting.eras.learn(&self.setting.digest, era);
        }
    }

    fn not_connected(&self, error: &ClientInitializeError) {
        match problem_of(error, self.is_remote()) {
            Some(problem) => self.fail(problem),
            None => self.closed(),
        }
    }

    /// Its output has ended. The end of its process says more, where that comes too.
    fn closed(&self) {
        if self.is_remote() {
            return self.fail(Problem::ConnectionLost);
        }
        let connection = Weak::clone(&self.setting.connection);
        tokio::spawn(async move {
            sleep(EXIT_TAKES).await;
            if let Some(connection) = connection.upgrade() {
                connection.give_up(Problem::OutputClosed);
            }
        });
    }

    /// Reads what it offers; while it is being read, afterwards once more.
    fn list(&mut self) {
        let Some(connected) = &self.connected else { return };
        if std::mem::replace(&mut self.listing, true) {
            self.listing_again = true;
            return;
        }
        let (peer, server, say) =
            (connected.peer.clone(), Arc::clone(&self.setting.server), self.say.clone());
        tokio::spawn(async move {
            let offers = Offers::read(&server, &peer).await;
            drop(say.send(Word::Offers(offers)).await);
        });
    }

    fn offer(&mut self, offers: Result<Offers, Unusable>) {
        self.listing = false;
        let offers = match offers {
            Ok(offers) => offers,
            // If it is gone, the host tells that.
            Err(_) if self.connected.is_some() && self.is_closed() => return,
            Err(Unusable::Unlisted(why)) if self.is_ready => {
                return self.session.log(Level::Warn, cut(&why), None);
            }
            Err(Unusable::Unlisted(why) | Unusable::Refused(why)) => {
                return self.refuse(&cut(&why));
            }
        };
        if let Err(why) = self.register(&offers) {
            return self.refuse(&why);
        }
        self.offers = offers;
        self.session.ready();
        self.is_ready = true;
        if std::mem::take(&mut self.listing_again) {
            self.list();
        }
    }

    /// Tells the host what is new and what is gone. A command cannot be taken back: one whose prompt is gone
    /// answers that it is.
    fn register(&mut self, offers: &Offers) -> Result<(), String> {
        let now: HashSet<_> = offers.tools.iter().map(|tool| &tool.name).collect();
        for tool in self.offers.tools.iter().filter(|tool| !now.contains(&tool.name)) {
            self.session.unregister_tool(&tool.name).map_err(|error| error.to_string())?;
        }
        for tool in &offers.tools {
            let before = self.offers.tools.iter().find(|it| it.name == tool.name);
            if before == Some(tool) {
                continue;
            }
            if before.is_some() {
                self.session.unregister_tool(&tool.name).map_err(|error| error.to_string())?;
            }
            self.session.register_tool(tool).map_err(|error| error.to_string())?;
        }
        let known: HashSet<_> =
            self.offers.commands.iter().map(|it| it.name.to_lowercase()).collect();
        for command in offers.commands.iter().filter(|it| !known.contains(&it.name.to_lowercase()))
        {
            self.session.register_command(command).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// A server of which not all is taken is not taken at all.
    fn refuse_clashes(&self, report: &Registered) {
        if let Some(why) = clash(report) {
            self.refuse(&why);
        }
    }

    fn refuse(&self, why: &str) {
        let message = format!("all of it is refused: {why}");
        let remedy = "use another server, or tell its author".to_owned();
        self.fail(Problem::McpServer { message, remedy });
    }

    fn fail(&self, problem: Problem) {
        if let Some(connection) = self.setting.connection.upgrade() {
            connection.give_up(problem);
        }
    }

    fn is_remote(&self) -> bool {
        matches!(self.setting.way, Way::Url { .. })
    }

    fn is_closed(&self) -> bool {
        self.connected.as_ref().is_none_or(|it| it.peer.is_transport_closed())
    }

    /// What a call needs; `None` where it was answered, as there is nobody to ask.
    fn caller(&mut self, key: &CallKey) -> Option<Caller> {
        let peer = self.connected.as_ref()?.peer.clone();
        let (cancel, cancelled) = oneshot::channel();
        self.running.insert(key.clone(), cancel);
        Some(Caller {
            server: Arc::clone(&self.setting.server),
            peer,
            calls: Arc::clone(&self.calls),
            say: self.say.clone(),
            cwd: self.setting.cwd.clone(),
            key: key.clone(),
            cancelled,
        })
    }

    fn ask(
        &mut self,
        parent: Option<&CallKey>,
        method: &'static str,
        params: RawJson,
        answer: oneshot::Sender<Result<RawJson, RpcError>>,
    ) {
        match self.session.request(parent, method, Some(params), None, Instant::now()) {
            Ok(key) => drop(self.asked.insert(key, answer)),
            Err(refused) => drop(answer.send(Err(unanswered(&refused)))),
        }
    }
}

/// Says why not all that a server registered was taken.
pub(super) fn clash(report: &Registered) -> Option<String> {
    let rejection = report.rejected.first()?;
    Some(format!("its {} {} is not taken: {}", rejection.kind, rejection.name, rejection.message))
}

fn unanswered(refused: &RequestError) -> RpcError {
    RpcError::new(refused.kind(), refused.to_string())
}

/// Tells that the server answers, and later that it does no more.
async fn serve(service: RunningService<RoleClient, Client>, say: mpsc::Sender<Word>) {
    let (peer, end) = (service.peer().clone(), service.cancellation_token());
    let is_modern = peer.peer_info().is_some_and(|info| !info.protocol_version.has_initialize());
    if is_modern {
        tokio::spawn(listen(peer.clone(), say.clone()));
    }
    if say.send(Word::Connected(Box::new(Connected { peer, end }))).await.is_err() {
        return;
    }
    drop(service.waiting().await);
    drop(say.send(Word::Closed).await);
}

/// A server without a handshake tells of changes only those who ask to be told.
async fn listen(peer: Peer<RoleClient>, say: mpsc::Sender<Word>) {
    let Some(info) = peer.peer_info() else { return };
    let tools = info.capabilities.tools.as_ref().is_some_and(|it| it.list_changed == Some(true));
    let prompts =
        info.capabilities.prompts.as_ref().is_some_and(|it| it.list_changed == Some(true));
    let mut filter = SubscriptionFilter::new();
    filter.tools_list_changed = tools.then_some(true);
    filter.prompts_list_changed = prompts.then_some(true);
    if !tools && !prompts {
        return;
    }
    let Ok(mut changes) = peer.listen(filter).await else { return };
    while let Ok(Some(_)) = changes.next().await {
        if say.send(Word::Changed).await.is_err() {
            return;
        }
    }
}
