//! The way from what extensions ask to the client below whose request they ask it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use extline_host::{ApprovalRequest, ApproverError, Decision, HostBuilder, MethodCall};
use extline_mcp::{ApprovalQuestion, DIALOGS, DISPLAYS, Question, RequestKey, Verdict};
use extline_protocol::frame::{RpcError, Tier};
use extline_protocol::{ErrorKind, RawJson};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use crate::desk::Desk;
use crate::dialogs::not_approved;

/// What a client's server is to do.
pub(super) enum Put {
    /// Ask the client's user, below that request or by itself.
    Ask { number: u64, below: Option<RequestKey>, question: Box<Question>, answer: Answering },
    /// Nobody wants the answer to that any more.
    Withdraw { number: u64 },
    /// Say how a request stands.
    Show { below: RequestKey, text: String },
}

pub(super) type Answering = oneshot::Sender<Result<RawJson, RpcError>>;

/// The clients that can be reached, by the numbers under which the host knows their requests.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClientDesk(Arc<Clients>);

#[derive(Debug, Default)]
struct Clients {
    last: AtomicU64,
    requests: Mutex<HashMap<u64, (UnboundedSender<Put>, RequestKey)>>,
    /// The only client there is, for what belongs to no request.
    only: Mutex<Option<UnboundedSender<Put>>>,
}

/// A question that is taken back when this is dropped.
struct Asking {
    number: u64,
    to: UnboundedSender<Put>,
}

impl Desk for ClientDesk {
    fn serve(&self, builder: HostBuilder) -> HostBuilder {
        // Each client has a person of its own.
        let builder = DIALOGS.iter().fold(builder.many_screens(), |builder, name| {
            let desk = self.clone();
            builder.serve_method(*name, move |call: MethodCall| {
                let desk = desk.clone();
                async move {
                    let params = call.params.as_ref();
                    let question = Question::dialog(&call.extension, &call.method, params)?;
                    desk.ask(call.origin, question).await
                }
            })
        });
        let builder = DISPLAYS.iter().fold(builder, |builder, name| {
            let desk = self.clone();
            builder.serve_method(*name, move |call: MethodCall| {
                desk.show(&call);
                async { Ok(RawJson::empty_object()) }
            })
        });
        let desk = self.clone();
        builder.approver(move |request: ApprovalRequest| {
            let desk = desk.clone();
            async move { desk.approve(request).await }
        })
    }
}

impl ClientDesk {
    /// From now on the client is reached by what it asked for, under this number.
    pub(super) fn enter(&self, to: &UnboundedSender<Put>, below: RequestKey) -> u64 {
        let number = self.number();
        lock(&self.0.requests).insert(number, (to.clone(), below));
        number
    }

    /// That is over.
    pub(super) fn leave(&self, number: u64) {
        lock(&self.0.requests).remove(&number);
    }

    /// There is no other client: what belongs to no request is for this one.
    pub(super) fn is_only(&self, to: UnboundedSender<Put>) {
        *lock(&self.0.only) = Some(to);
    }

    fn number(&self) -> u64 {
        self.0.last.fetch_add(1, Ordering::Relaxed)
    }

    fn way(&self, origin: Option<u64>) -> Option<(UnboundedSender<Put>, Option<RequestKey>)> {
        match origin {
            Some(origin) => {
                let (to, below) = lock(&self.0.requests).get(&origin)?.clone();
                Some((to, Some(below)))
            }
            None => Some((lock(&self.0.only).clone()?, None)),
        }
    }

    /// Asks, and waits. Dropped, the question is taken back.
    async fn ask(&self, origin: Option<u64>, question: Question) -> Result<RawJson, RpcError> {
        let Some((to, below)) = self.way(origin) else {
            return Err(match origin {
                Some(_) => RpcError::new(ErrorKind::Cancelled, "the MCP client waits no more"),
                None => RpcError::new(
                    ErrorKind::Unsupported,
                    "there may be several MCP clients, and this belongs to no call of one: ask in the handler \
                     of a tool or a command",
                ),
            });
        };
        let (answer, answered) = oneshot::channel();
        let number = self.number();
        let asking = Asking { number, to };
        let question = Box::new(question);
        let _ = asking.to.send(Put::Ask { number, below, question, answer });
        let gone = |_| Err(RpcError::new(ErrorKind::Cancelled, "the MCP client is gone"));
        answered.await.unwrap_or_else(gone)
    }

    async fn approve(&self, request: ApprovalRequest) -> Result<Decision, ApproverError> {
        let question = Question::approval(&ApprovalQuestion {
            extension: &request.tool.extension,
            tool: request.tool.name(),
            caller: request.caller.as_deref(),
            args: &request.args,
            tier: request.tier.as_ref().map(Tier::as_str),
            reason: request.reason.as_deref(),
            details: &request.details,
            doubt: request.doubt.as_deref(),
            key: (!request.is_exact).then_some(&*request.key),
        });
        match Verdict::of(&self.ask(request.origin, question).await) {
            Verdict::Once => Ok(Decision::Once),
            Verdict::Always => Ok(Decision::Always),
            Verdict::No => Ok(Decision::Deny { reason: None }),
            Verdict::Closed => {
                Ok(Decision::Deny { reason: Some("the user closed the question".to_owned()) })
            }
            Verdict::Undecided(why) => Err(not_approved(&request, &why).into()),
        }
    }

    /// A client has no place for what is only shown, but it may be told how its request stands.
    fn show(&self, call: &MethodCall) {
        if !matches!(call.method.as_str(), "ui.status" | "ui.working") {
            return;
        }
        let text = call.params.as_ref().and_then(|params| params.string("/text"));
        let way = call.origin.and_then(|origin| self.way(Some(origin)));
        if let (Some(text), Some((to, Some(below)))) = (text, way) {
            let _ = to.send(Put::Show { below, text: text.into_owned() });
        }
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        // One that is answered is known no more.
        let _ = self.to.send(Put::Withdraw { number: self.number });
    }
}

/// A panic elsewhere leaves nothing half done behind these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
