//! What an extension has asked its host for, until the answers come.
//!
//! An SDK says how its language waits: by a thread, a task or a promise, which stands as the waiter of a
//! question. Whoever drives the session hands over what comes, and wakes the waiters that it is given.

use std::collections::{HashMap, VecDeque};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use extline_protocol::frame::{CallToolResult, Content, ErrorInfo};
use extline_protocol::{
    CallKey, CallKind, ErrorKind, ExtensionEvent, ExtensionSession, RawJson, RequestError,
};

/// A host that does not say why it refuses a call has told everything else (`call.no-parent`).
const NO_PARENT: &str =
    "a zot takes a call without a parent only while none of the extension's tools runs";

/// A host without values is one to do without them.
const KEEPS_NOTHING: &str = "this host keeps nothing for extensions: keep it in a file of the data folder, or ask \
                             ctx.host.serves(\"state.get\") before";

/// Why a method was not asked for, and what to do.
fn not_asked(method: &str, refused: &RequestError) -> ErrorInfo {
    let info = ErrorInfo::from(refused);
    let is_kept = method.starts_with("state.") || method.starts_with("session.");
    match refused {
        RequestError::Unsupported { .. } if is_kept => {
            ErrorInfo { hint: Some(KEEPS_NOTHING.to_owned()), ..info }
        }
        _ => info,
    }
}

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked<'q> {
    /// A tool is called.
    Tool {
        /// Its name.
        name: &'q str,
        /// Its arguments, an object.
        args: RawJson,
    },
    /// A method is asked for.
    Request {
        /// Its name.
        method: &'q str,
        /// What it takes.
        params: Option<RawJson>,
        /// How long the answer is waited for, in milliseconds; for ever where it is not said.
        timeout_ms: Option<u64>,
        /// Whether parts that come before the answer are kept.
        wants_parts: bool,
    },
}

/// Who asks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asker<'q> {
    /// The call whose handler asks: the question belongs to it. A tool is called only in the name of
    /// another tool's call.
    pub call: Option<&'q CallKey>,
    /// The answer is wanted as long as a handler is: its cancel interrupts the question.
    pub is_handler: bool,
}

/// What has been asked and not answered.
#[derive(Debug)]
pub struct Questions<W> {
    /// By the serials of their keys.
    open: HashMap<u64, Arc<Question<W>>>,
}

/// One question.
#[derive(Debug)]
pub struct Question<W> {
    /// Who is to be woken when [`Question::take`] gives something.
    pub waiter: W,
    /// None for one that came too late to be asked.
    key: Option<CallKey>,
    /// The serial of the call whose cancel interrupts it.
    call: Option<u64>,
    is_handlers: bool,
    /// Of the tool.
    name: Option<Box<str>>,
    hint: Option<&'static str>,
    wants_parts: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    parts: VecDeque<RawJson>,
    answer: Option<Answer>,
    is_interrupted: bool,
}

/// What there is for who waits.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// It comes before the answer; they are in order.
    Part(RawJson),
    /// The last that comes.
    Answer(Answer),
    /// The handler that asked was cancelled: the answer is no longer wanted.
    Interrupted,
}

/// What the host answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What it is.
    pub reply: Reply,
    /// Why it failed, as the author is told; `None` where it did not.
    pub error: Option<Box<ErrorInfo>>,
}

/// What is in an answer, also in one that tells of a failure.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// Of a tool.
    Tool(CallToolResult),
    /// Of a method: the result, or where it failed what more the host says.
    Method(Option<RawJson>),
}

/// The failure of a question whose handler was cancelled.
pub fn cancelled() -> ErrorInfo {
    ErrorInfo::new(ErrorKind::Cancelled, "cancelled")
}

impl<W> Default for Questions<W> {
    fn default() -> Self {
        Self { open: HashMap::new() }
    }
}

impl<W> Questions<W> {
    /// Asks. A question whose call was cancelled meanwhile is not asked, and is interrupted already.
    ///
    /// # Errors
    ///
    /// The session refuses it; then `waiter` is not made.
    pub fn ask(
        &mut self,
        session: &mut ExtensionSession,
        asker: Asker<'_>,
        what: Asked<'_>,
        waiter: impl FnOnce() -> W,
    ) -> Result<Arc<Question<W>>, Box<ErrorInfo>> {
        let Asker { call, is_handler } = asker;
        let is_late = is_handler && call.is_some_and(|call| session.is_cancelled(call));
        let wants_parts = matches!(what, Asked::Request { wants_parts: true, .. });
        let (mut name, mut hint) = (None, None);
        let key = match what {
            _ if is_late => None,
            Asked::Tool { name: tool, args } => {
                let is_parent = |kind| matches!(kind, CallKind::Tool | CallKind::Intercept);
                let parent = call.filter(|call| is_parent(call.kind()));
                let is_zot = session.host().is_some_and(|host| host.host.is_none());
                hint = (is_zot && parent.is_none()).then_some(NO_PARENT);
                name = Some(tool.into());
                let key = session.call_tool(parent, tool, args, Instant::now());
                Some(key.map_err(|refused| Box::new(ErrorInfo::from(&refused)))?)
            }
            Asked::Request { method, params, timeout_ms, .. } => {
                let key = session.request(call, method, params, timeout_ms, Instant::now());
                Some(key.map_err(|refused| Box::new(not_asked(method, &refused)))?)
            }
        };
        let serial = key.as_ref().map(CallKey::serial);
        let question = Arc::new(Question {
            waiter: waiter(),
            key,
            call: call.map(CallKey::serial),
            is_handlers: is_handler,
            name,
            hint,
            wants_parts,
            state: Mutex::new(State { is_interrupted: is_late, ..State::default() }),
        });
        if let Some(serial) = serial {
            self.open.insert(serial, Arc::clone(&question));
        }
        Ok(question)
    }

    /// Takes in an answer or a part of one. The question, where somebody waits for that.
    ///
    /// # Errors
    ///
    /// The event is something else, and is given back.
    #[expect(clippy::result_large_err, reason = "the event goes on its way")]
    pub fn take_in(
        &mut self,
        event: ExtensionEvent,
    ) -> Result<Option<Arc<Question<W>>>, ExtensionEvent> {
        let (key, result) = match event {
            ExtensionEvent::ResponsePart { key, data, .. } => {
                let question = self.open.get(&key.serial()).filter(|question| question.wants_parts);
                return Ok(question.map(|question| {
                    question.state().parts.push_back(data);
                    Arc::clone(question)
                }));
            }
            ExtensionEvent::CallToolDone { key, result } => (key, Ok(result)),
            ExtensionEvent::Response { key, result } => (key, Err(result)),
            event => return Err(event),
        };
        // Nobody may want it any more.
        let Some(question) = self.open.remove(&key.serial()) else { return Ok(None) };
        let answer = match result {
            Ok(result) => question.tool_answer(result),
            Err(Ok(result)) => Answer { reply: Reply::Method(Some(result)), error: None },
            Err(Err(error)) => {
                let data = error.data.clone();
                Answer { reply: Reply::Method(data), error: Some(Box::new(error.into())) }
            }
        };
        question.state().answer = Some(answer);
        Ok(Some(question))
    }

    /// The call is cancelled: what its handler asked is not wanted any more. Those who waited.
    pub fn interrupt(
        &mut self,
        session: &mut ExtensionSession,
        call: &CallKey,
    ) -> Vec<Arc<Question<W>>> {
        self.interrupt_where(session, |question| question.call == Some(call.serial()))
    }

    /// All handlers are cancelled: the same for each of them.
    pub fn interrupt_all(&mut self, session: &mut ExtensionSession) -> Vec<Arc<Question<W>>> {
        self.interrupt_where(session, |_| true)
    }

    fn interrupt_where(
        &mut self,
        session: &mut ExtensionSession,
        is_meant: impl Fn(&Question<W>) -> bool,
    ) -> Vec<Arc<Question<W>>> {
        // Most of the time nothing is asked.
        if self.open.is_empty() {
            return Vec::new();
        }
        let is_meant = |question: &Arc<Question<W>>| question.is_handlers && is_meant(question);
        let meant: Vec<_> = self.open.values().filter(|one| is_meant(one)).cloned().collect();
        for question in &meant {
            question.state().is_interrupted = true;
            self.give_up(session, question);
        }
        meant
    }

    /// Nobody waits for the answer any more. It comes all the same, and nobody is told.
    pub fn give_up(&mut self, session: &mut ExtensionSession, question: &Question<W>) {
        if let Some(key) = &question.key
            && self.open.remove(&key.serial()).is_some()
        {
            session.cancel_outgoing(key);
        }
    }

    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether its answer has not come, and is wanted.
    pub fn is_open(&self, question: &Question<W>) -> bool {
        question.key.as_ref().is_some_and(|key| self.open.contains_key(&key.serial()))
    }

    /// The question with that serial, while it is open.
    pub fn get(&self, serial: u64) -> Option<&Arc<Question<W>>> {
        self.open.get(&serial)
    }
}

impl<W> Question<W> {
    /// The serial of its key; 0 for one that came too late to be asked.
    pub fn serial(&self) -> u64 {
        self.key.as_ref().map_or(0, CallKey::serial)
    }

    /// The next that came: the parts first, then what it ends with. `None` until the waiter is woken.
    pub fn take(&self) -> Option<News> {
        let mut state = self.state();
        if state.is_interrupted {
            return Some(News::Interrupted);
        }
        let part = state.parts.pop_front().map(News::Part);
        part.or_else(|| mem::take(&mut state.answer).map(News::Answer))
    }

    fn tool_answer(&self, result: CallToolResult) -> Answer {
        let error = result.is_error.then(|| {
            let mut text = Content::joined(&result.content);
            if text.is_empty() {
                let name = self.name.as_deref().unwrap_or_default();
                text = format!("{name} failed and does not say why");
            }
            let hint = self.hint.map(str::to_owned);
            Box::new(ErrorInfo { hint, ..ErrorInfo::new(ErrorKind::Internal, text) })
        });
        Answer { reply: Reply::Tool(result), error }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use extline_protocol::{ExtensionConfig, decode_frame};

    use super::*;

    const ACK: &str = r#"{"type":"hello_ack","protocol_version":1,"capabilities":["rpc","call_tool"],"methods":["a.b"],"host":{"name":"h","version":"2"}}"#;
    const CALL: &str = r#"{"type":"tool_call","id":"7","name":"t","args":{}}"#;

    /// A session that serves a call, and the key of that.
    fn session(ack: &str) -> (ExtensionSession, CallKey) {
        let tool = decode_frame(
            r#"{"type":"register_tool","name":"t","description":"","schema":{"type":"object"}}"#,
        );
        let mut session = ExtensionSession::new(ExtensionConfig::new("w", "1.0.0"));
        hear(&mut session, &[ack]);
        session.register_tool(&tool.unwrap()).unwrap();
        session.ready();
        let events = hear(&mut session, &[CALL]);
        let key = events.into_iter().find_map(|event| match event {
            ExtensionEvent::ToolCall { key, .. } => Some(key),
            _ => None,
        });
        (session, key.unwrap())
    }

    fn hear(session: &mut ExtensionSession, lines: &[&str]) -> Vec<ExtensionEvent> {
        for line in lines {
            session.handle_input(format!("{line}\n").as_bytes(), Instant::now());
        }
        std::iter::from_fn(|| session.poll_event()).collect()
    }

    fn said(session: &mut ExtensionSession) -> String {
        let mut said = Vec::new();
        session.poll_output(Instant::now(), &mut said);
        String::from_utf8(said).unwrap()
    }

    fn request(wants_parts: bool) -> Asked<'static> {
        Asked::Request { method: "a.b", params: None, timeout_ms: None, wants_parts }
    }

    fn of(call: &CallKey) -> Asker<'_> {
        Asker { call: Some(call), is_handler: true }
    }

    #[test]
    fn parts_come_in_order_and_before_the_answer() {
        let (mut session, call) = session(ACK);
        let mut questions = Questions::default();
        let wanted = questions.ask(&mut session, of(&call), request(true), || ()).unwrap();
        let other = questions.ask(&mut session, of(&call), request(false), || ()).unwrap();
        assert_eq!(wanted.take(), None);
        let lines = ["1", "2"].map(|id| {
            let part =
                |seq| format!(r#"{{"type":"response_part","id":"{id}","seq":{seq},"data":{seq}}}"#);
            let last = format!(r#"{{"type":"response","id":"{id}","result":3}}"#);
            [part(1), part(2), last]
        });
        for line in lines.as_flattened() {
            for event in hear(&mut session, &[line]) {
                questions.take_in(event).unwrap();
            }
        }
        let number = |text: &str| RawJson::parse(text).unwrap();
        let answer = || Answer { reply: Reply::Method(Some(number("3"))), error: None };
        assert_eq!(wanted.take(), Some(News::Part(number("1"))));
        assert_eq!(wanted.take(), Some(News::Part(number("2"))));
        assert_eq!(wanted.take(), Some(News::Answer(answer())));
        assert_eq!(wanted.take(), None);
        assert_eq!(other.take(), Some(News::Answer(answer())));
    }

    #[test]
    fn a_cancel_interrupts_what_its_handler_asked() {
        let (mut session, call) = session(ACK);
        let mut questions = Questions::default();
        let of_call = questions.ask(&mut session, of(&call), request(true), || ()).unwrap();
        let of_none = questions.ask(&mut session, Asker::default(), request(true), || ()).unwrap();
        hear(&mut session, &[r#"{"type":"tool_cancel","id":"7"}"#]);
        assert_eq!(questions.interrupt(&mut session, &call).len(), 1);
        assert_eq!(of_call.take(), Some(News::Interrupted));
        assert_eq!(of_none.take(), None);
        assert!(said(&mut session).contains(r#"{"type":"cancel","id":"1"}"#));
        for event in hear(&mut session, &[r#"{"type":"response","id":"1","result":3}"#]) {
            assert!(questions.take_in(event).unwrap().is_none());
        }
        let late = questions.ask(&mut session, of(&call), request(false), || ()).unwrap();
        assert_eq!((late.take(), late.serial()), (Some(News::Interrupted), 0));
        assert!(!said(&mut session).contains("a.b"));
    }

    #[test]
    fn what_is_given_up_is_cancelled_once() {
        let (mut session, call) = session(ACK);
        let mut questions = Questions::default();
        let question = questions.ask(&mut session, of(&call), request(false), || ()).unwrap();
        questions.give_up(&mut session, &question);
        questions.give_up(&mut session, &question);
        assert_eq!(said(&mut session).matches(r#""cancel""#).count(), 1);
        assert!(questions.get(question.serial()).is_none());
    }

    #[test]
    fn a_failure_has_the_kind_and_the_text_that_the_author_is_told() {
        let (mut session, call) = session(ACK);
        let mut questions = Questions::default();
        let question = questions.ask(&mut session, of(&call), request(false), || ()).unwrap();
        let failed = r#"{"type":"response","id":"1","error":{"code":"budget","message":"not now","data":{"why":1}}}"#;
        for event in hear(&mut session, &[failed]) {
            questions.take_in(event).unwrap();
        }
        let Some(News::Answer(Answer { error: Some(error), .. })) = question.take() else {
            panic!("no failure");
        };
        assert_eq!(error.kind, ErrorKind::Budget);
        assert_eq!(error.to_string(), "not now\ncaused by: {\"why\":1}");

        let asked =
            Asked::Request { method: "a.c", params: None, timeout_ms: None, wants_parts: false };
        let refused = questions.ask(&mut session, of(&call), asked, || ()).unwrap_err();
        assert_eq!(refused.kind, ErrorKind::Unsupported);
    }

    #[test]
    fn a_tool_that_says_nothing_is_named_and_a_zot_is_explained() {
        let zot = r#"{"type":"hello_ack","protocol_version":1,"capabilities":["call_tool"]}"#;
        for (ack, has_call, hint) in
            [(ACK, false, None), (zot, true, None), (zot, false, Some(NO_PARENT))]
        {
            let (mut session, call) = session(ack);
            let mut questions = Questions::default();
            let asker = if has_call { of(&call) } else { Asker::default() };
            let what = Asked::Tool { name: "read", args: RawJson::empty_object() };
            let question = questions.ask(&mut session, asker, what, || ()).unwrap();
            let failed = r#"{"type":"tool_result","id":"1","content":[],"is_error":true}"#;
            for event in hear(&mut session, &[failed]) {
                questions.take_in(event).unwrap();
            }
            let Some(News::Answer(answer)) = question.take() else { panic!("no answer") };
            let error = answer.error.unwrap();
            assert_eq!(error.message, "read failed and does not say why");
            assert_eq!(error.hint.as_deref(), hint);
        }
    }
}
