//! What a server says and asks by itself.

#![expect(
    deprecated,
    reason = "servers of the old era know no other way to ask for roots and to log"
)]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::Mutex as SyncMutex;
use std::time::{Duration, Instant};

use extline_protocol::frame::{Level, Progress};
use extline_protocol::{CallKey, Update};
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationCapability,
    ErrorData, FormElicitationCapability, Implementation, ListRootsResult, LoggingLevel,
    LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken, ProtocolVersion,
    Root, UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::{Mutex, mpsc};

use super::content::cut;
use super::era::Era;
use super::questions::elicit;
use super::task::Word;
use crate::lock::lock;

/// Lines of a server that are kept in the log, a second; of more only the number.
const LOG_LINES: u32 = 50;

/// The host, as a server sees it.
pub(super) struct Client {
    pub(super) say: mpsc::Sender<Word>,
    pub(super) calls: Arc<OpenCalls>,
    pub(super) cwd: PathBuf,
    /// Where it is known.
    pub(super) era: Option<Era>,
    pub(super) log: SyncMutex<LogRate>,
}

/// The calls that a server works on, by what their progress is called.
#[derive(Default)]
pub(super) struct OpenCalls(pub(super) Mutex<HashMap<ProgressToken, CallKey>>);

impl OpenCalls {
    /// The only one, which a question without a name must be of.
    async fn only(&self) -> Option<CallKey> {
        let calls = self.0.lock().await;
        let mut keys = calls.values();
        let first = keys.next()?.clone();
        keys.next().is_none().then_some(first)
    }
}

/// How many lines came in this second.
#[derive(Default)]
pub(super) struct LogRate {
    began: Option<Instant>,
    lines: u32,
}

impl LogRate {
    /// Whether one more may be kept now, and how many were not kept before it.
    fn note(&mut self, now: Instant) -> (bool, u32) {
        let mut lost = 0;
        if self.began.is_none_or(|began| now - began >= Duration::from_secs(1)) {
            lost = self.lines.saturating_sub(LOG_LINES);
            *self = Self { began: Some(now), lines: 0 };
        }
        self.lines = self.lines.saturating_add(1);
        (self.lines <= LOG_LINES, lost)
    }
}

/// `file:///path`, with what a URI may not have as `%XX`.
pub(super) fn roots(cwd: &Path) -> ListRootsResult {
    let mut uri = "file://".to_owned();
    for byte in cwd.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                uri.push((*byte).into());
            }
            byte => {
                // Writing into a string cannot fail.
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    ListRootsResult::new(vec![Root::new(uri)])
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        let elicitation =
            ElicitationCapability::new().with_form(FormElicitationCapability::default());
        capabilities.elicitation = Some(elicitation.with_url(UrlElicitationCapability::default()));
        if self.era != Some(Era::Modern) {
            capabilities.roots = Some(rmcp::model::RootsCapabilities::default());
        }
        let name = Implementation::new("extline", env!("CARGO_PKG_VERSION"));
        let mut config = ClientConfig::new(capabilities, name);
        if self.era == Some(Era::Handshake) {
            config.protocol_version = ProtocolVersion::LATEST_WITH_INITIALIZE;
        }
        config
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(roots(&self.cwd))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let parent = self.calls.only().await;
        tokio::select! {
            answer = elicit(&self.say, parent.as_ref(), request) => Ok(answer),
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
        }
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let key = self.calls.0.lock().await.get(&params.progress_token).cloned();
        let Some(key) = key else { return };
        let message = params.message.as_deref().map(cut);
        let progress =
            Progress { done: Some(params.progress), total: params.total, unit: None, message };
        let update = Update { progress: Some(progress), ..Update::default() };
        // The next one says more.
        drop(self.say.try_send(Word::Update(key, update)));
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let (is_kept, lost) = lock(&self.log).note(Instant::now());
        if lost > 0 {
            let text =
                format!("{lost} lines of the server were dropped: more than {LOG_LINES} a second");
            drop(self.say.try_send(Word::Log(Level::Warn, text)));
        }
        if !is_kept {
            return;
        }
        let level = match params.level {
            LoggingLevel::Debug => Level::Debug,
            LoggingLevel::Info | LoggingLevel::Notice => Level::Info,
            LoggingLevel::Warning => Level::Warn,
            _ => Level::Error,
        };
        let said = match params.data {
            serde_json::Value::String(text) => text,
            data => data.to_string(),
        };
        drop(self.say.try_send(Word::Log(level, cut(&said))));
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        drop(self.say.try_send(Word::Changed));
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        drop(self.say.try_send(Word::Changed));
    }
}
