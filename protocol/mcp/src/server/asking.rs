//! What the client's user is asked while a request runs.
//!
//! In a session a question is a request of the server's. In the modern era the request below which it is asked
//! is answered by it (`input_required`), and stays suspended until the client comes back with the answer.

use std::time::Instant;

use extline_protocol::frame::{Progress, RpcError, ToolUpdate};
use extline_protocol::{ErrorKind, Members, RawJson, read_string};

use super::{RequestKey, Server, ServerEvent};
use crate::elicits::Elicits;
use crate::keyed::Keyed;
use crate::message::RequestId;
use crate::question::{Question, dismissed};
use crate::revision::Revision;

/// So many questions may be open.
const MOST: usize = 64;

/// The codes of JSON-RPC by which a client says that it cannot ask after all.
const CANNOT: [&str; 2] = ["-32601", "-32602"];

/// Names one question for as long as the server lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QuestionKey(pub(super) u64);

/// One question that has no answer yet.
#[derive(Debug)]
pub(super) struct Put {
    pub(super) question: Question,
    /// The request that it belongs to.
    pub(super) below: Option<RequestKey>,
    pub(super) revision: Revision,
    /// What its client can show.
    elicits: Elicits,
    /// Under which key whoever asks waits for the answer: its own, or that of the question before.
    known_as: QuestionKey,
    closes_at: Option<Instant>,
    fails_at: Option<Instant>,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Questions {
    open: Keyed<Put>,
    last: u64,
}

impl QuestionKey {
    /// As it stands among the questions of a suspended request.
    pub(super) fn name(self) -> String {
        format!("q{}", self.0)
    }
}

impl Questions {
    fn next_key(&mut self) -> QuestionKey {
        self.last += 1;
        QuestionKey(self.last)
    }

    /// Those below a request, in their order.
    pub(super) fn below(&self, key: RequestKey) -> impl Iterator<Item = (QuestionKey, &Put)> {
        self.open.iter().filter(move |(_, put)| put.below == Some(key))
    }

    /// When the next of them is over.
    pub(super) fn next_end(&self) -> Option<Instant> {
        self.open.iter().filter_map(|(_, put)| put.ends_at()).min()
    }
}

impl Put {
    fn ends_at(&self) -> Option<Instant> {
        [self.closes_at, self.fails_at].into_iter().flatten().min()
    }
}

/// Questions.
impl Server {
    /// Asks the client's user, below a request of the client's or by itself. [`ServerEvent::Answered`] has the
    /// answer, and comes for each question, unless it is withdrawn.
    ///
    /// # Errors
    ///
    /// The client cannot be asked this, or no more.
    pub fn ask(
        &mut self,
        below: Option<RequestKey>,
        question: Question,
        now: Instant,
    ) -> Result<QuestionKey, RpcError> {
        let refused = |kind, why: &str| Err(RpcError::new(kind, why));
        if self.has_ended {
            return refused(ErrorKind::Cancelled, "the MCP client has closed its end");
        }
        let (revision, elicits) = match (below, self.session) {
            (Some(key), _) => match self.open.get(key) {
                Some(asked) => (asked.revision, asked.elicits),
                None => {
                    return refused(ErrorKind::Cancelled, "the request that it belongs to is over");
                }
            },
            (None, Some(session)) => (session, self.elicits),
            (None, None) => {
                let why = "this MCP client can be asked only while it waits for a call: ask in the handler of \
                           a tool or a command";
                return refused(ErrorKind::Unsupported, why);
            }
        };
        if let Some(error) = question.refused(elicits) {
            return Err(error);
        }
        if self.questions.open.len() >= MOST {
            return refused(ErrorKind::Budget, "64 questions are open already");
        }
        if revision.is_modern() {
            self.may_suspend(now)?;
        }
        let key = self.questions.next_key();
        let closes_at = question.patience.map(|patience| now + patience);
        let fails_at = question.deadline.map(|deadline| now + deadline);
        let known_as = key;
        let put = Put { question, below, revision, elicits, known_as, closes_at, fails_at };
        self.put(key, put);
        if let Some(below) = below.filter(|_| revision.is_modern()) {
            self.require_input(below, now);
        }
        Ok(key)
    }

    /// Opens a question. A client of the modern era is asked when the request above is answered.
    fn put(&mut self, key: QuestionKey, put: Put) {
        if !put.revision.is_modern() {
            self.request_input(key, &put);
        }
        self.questions.open.insert(key, put);
    }

    /// Nobody wants the answer any more, and none comes.
    pub fn withdraw(&mut self, question: QuestionKey) {
        let found = self.questions.open.iter().find(|(_, put)| put.known_as == question);
        let Some(key) = found.map(|(key, _)| key) else { return };
        if let Some(put) = self.questions.open.remove(key) {
            self.tell_withdrawn(key, &put);
        }
    }

    /// The id, as JSON text, of the client's request below which it is asked what has this id.
    pub fn request_above(&self, question: &str) -> Option<&str> {
        let question = question.parse().ok().map(QuestionKey)?;
        let below = self.questions.open.get(question)?.below?;
        self.open.get(below).map(|asked| asked.id.json())
    }

    /// Says something short below a request, to a client that wants to be told how that stands.
    pub fn show(&mut self, key: RequestKey, text: &str, now: Instant) {
        let progress = Progress { message: Some(text.to_owned()), ..Progress::default() };
        let progress = Some(progress);
        let update = ToolUpdate {
            id: "0".into(),
            seq: 1,
            content: None,
            details: None,
            view: None,
            progress,
        };
        self.update(key, &update, now);
    }

    /// Sends a question to a client with a session.
    fn request_input(&mut self, key: QuestionKey, put: &Put) {
        let head = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":", key.0);
        self.out.extend_from_slice(head.as_bytes());
        self.out.extend_from_slice(b"\"elicitation/create\",\"params\":");
        put.question.write(key.0, put.revision, &mut self.out);
        self.out.extend_from_slice(b"}\n");
    }

    fn tell_withdrawn(&mut self, question: QuestionKey, put: &Put) {
        if !put.revision.is_modern() {
            let params =
                format!("{{\"requestId\":{},\"reason\":\"no longer wanted\"}}", question.0);
            self.notify("notifications/cancelled", &params);
        }
    }

    /// A client with a session has answered something. What nobody asked, or asks no more, is swallowed.
    pub(super) fn take_answer(&mut self, id: &RequestId, answer: Result<&str, &str>) {
        // Some clients write numbers as texts.
        let Some(key) = id.json().trim_matches('"').parse().ok().map(QuestionKey) else { return };
        let is_asked = |put: &Put| !put.revision.is_modern();
        if !self.questions.open.get(key).is_some_and(is_asked) {
            return;
        }
        let answer = match answer {
            Ok(result) => Ok(result),
            Err(error) => Err(failure_of(error)),
        };
        self.answer(key, answer);
    }

    /// Passes on the answer to a question.
    pub(super) fn answer(&mut self, key: QuestionKey, answer: Result<&str, RpcError>) {
        let Some(put) = self.questions.open.remove(key) else { return };
        let answer = answer.and_then(|result| put.question.answer(result, put.revision));
        let next = answer.as_ref().ok().and_then(|answer| put.question.next(answer, put.elicits));
        if let Some(question) = next {
            let key = self.questions.next_key();
            return self.put(key, Put { question, ..put });
        }
        self.events.push_back(ServerEvent::Answered { question: put.known_as, answer });
    }

    /// A request is over, and with it what was asked below it.
    pub(super) fn withdraw_below(&mut self, key: RequestKey) {
        let below: Vec<_> = self.questions.below(key).map(|(question, _)| question).collect();
        for question in below {
            self.close_question(question, Ok(dismissed("cancelled")));
        }
    }

    /// The client has closed its end: it answers nothing any more.
    pub(super) fn withdraw_all(&mut self) {
        for question in self.questions.open.iter().map(|(key, _)| key).collect::<Vec<_>>() {
            self.close_question(question, Ok(dismissed("cancelled")));
        }
    }

    /// Closes the questions whose time is over.
    pub(super) fn close_overdue(&mut self, now: Instant) {
        let is_due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        let due = self.questions.open.iter().filter(|(_, put)| is_due(put.ends_at()));
        let due: Vec<_> = due.map(|(key, put)| (key, is_due(put.closes_at))).collect();
        for (question, is_closed) in due {
            let answer = if is_closed {
                Ok(dismissed("timeout"))
            } else {
                Err(RpcError::new(ErrorKind::Timeout, "the person did not answer in time"))
            };
            self.close_question(question, answer);
        }
    }

    fn close_question(&mut self, question: QuestionKey, answer: Result<RawJson, RpcError>) {
        let Some(put) = self.questions.open.remove(question) else { return };
        self.tell_withdrawn(question, &put);
        self.events.push_back(ServerEvent::Answered { question: put.known_as, answer });
    }
}

/// An error that a client answered with, for the author.
fn failure_of(error: &str) -> RpcError {
    let members = Members::of_valid(error);
    let value = |name: &str| Some(members.as_ref()?.last(name)?.value);
    let message = value("message").and_then(read_string).unwrap_or_default();
    let cannot = value("code").is_some_and(|code| CANNOT.contains(&code));
    let kind = if cannot { ErrorKind::Unsupported } else { ErrorKind::Transient };
    RpcError::new(kind, format!("the MCP client could not ask its user: {message}"))
}
