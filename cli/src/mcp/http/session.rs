//! One session of a client that began with `initialize`: its messages come in any number of requests, and
//! what the server says goes to the response it belongs to.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use extline_mcp::Code;
use extline_protocol::Members;
use hyper::body::Bytes;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::sleep_until;

use super::line::error_line;
use super::shared::{Heard, Shared};
use crate::http::Outlet;
use crate::mcp::client::Client;

/// A session that nobody reads from and that is not used for so long ends, with what runs in it: its client
/// is gone without a word. It is long because several clients do not begin anew when they should, and have
/// to be started again by a person (claude-code#62008, python-sdk#1676).
const IDLE: Duration = Duration::from_secs(24 * 60 * 60);

/// So many streams a client may open by GET; of more the oldest ends.
const MOST_STREAMS: usize = 4;

/// So many notifications wait for the next stream while there is none; of more the oldest are dropped.
const MOST_HELD: usize = 64;

/// What reaches a session.
pub(super) enum Input {
    /// A message, and where its answer goes.
    Message { text: String, asked: Option<Asked> },
    /// The client has taken this request back.
    Cancelled { id: String },
    /// A stream for what the server says by itself.
    Stream(Outlet),
    /// The end.
    End,
}

/// A request that waits for its answer.
pub(super) struct Asked {
    /// The JSON text of its id.
    pub(super) id: String,
    /// That of the token of its progress.
    pub(super) token: Option<String>,
    pub(super) outlet: Outlet,
}

/// The session's end of the server's life.
pub(super) struct Session {
    client: Client,
    news: Heard,
    asked: HashMap<String, Asked>,
    /// What the client's user is asked: the id of each question, and of the request below which it is.
    questions: HashMap<String, String>,
    /// Streams by GET, the newest last.
    streams: Vec<Outlet>,
    held: VecDeque<Bytes>,
    used: Instant,
}

impl Session {
    pub(super) fn new(client: Client, news: Heard) -> Self {
        Self {
            client,
            news,
            asked: HashMap::new(),
            questions: HashMap::new(),
            streams: Vec::new(),
            held: VecDeque::new(),
            used: Instant::now(),
        }
    }

    /// Runs until the session ends.
    pub(super) async fn run(mut self, shared: &Shared, mut inputs: UnboundedReceiver<Input>) {
        let mut closing = shared.closing();
        let mut is_closing = false;
        loop {
            let has_ended = self.client.settle();
            self.pass_on();
            if has_ended {
                return;
            }
            tokio::select! {
                input = inputs.recv() => match input {
                    None | Some(Input::End) => return,
                    Some(input) => self.take(input),
                },
                news = self.news.next() => drop(self.client.hear(&news)),
                () = self.client.advance() => {}
                () = sleep_until((self.used + IDLE).into()) => if self.is_idle() { return },
                () = closing.wait(), if !is_closing => {
                    is_closing = true;
                    self.client.server.handle_eof(Instant::now());
                }
            }
            // What is told in the session is told a person elsewhere.
            drop(self.client.remarks());
        }
    }

    fn take(&mut self, input: Input) {
        self.used = Instant::now();
        match input {
            Input::Message { text, asked } => {
                if let Some(asked) = asked {
                    if self.asked.contains_key(&asked.id) {
                        let why = "the id is in use";
                        let id = Some(asked.id.as_str());
                        return asked.outlet.answer(error_line(
                            id,
                            Code::InvalidRequest as i32,
                            why,
                            None,
                        ));
                    }
                    self.asked.insert(asked.id.clone(), asked);
                }
                self.client.server.handle_message(&text, self.used);
            }
            Input::Cancelled { id } => drop(self.asked.remove(&id)),
            Input::Stream(stream) => {
                for line in self.held.drain(..) {
                    stream.tell(line);
                }
                self.streams.retain(|stream| !stream.is_closed());
                if self.streams.len() == MOST_STREAMS {
                    self.streams.remove(0);
                }
                self.streams.push(stream);
            }
            Input::End => {}
        }
    }

    /// Passes on what the server has said since.
    fn pass_on(&mut self) {
        let mut out = Vec::new();
        if !self.client.server.poll_output(&mut out) {
            return;
        }
        let out = Bytes::from(out);
        for line in lines(&out) {
            self.pass(&line);
        }
    }

    fn pass(&mut self, line: &Bytes) {
        let Some(members) = std::str::from_utf8(line).ok().and_then(Members::of_valid) else {
            return;
        };
        let value = |name: &str| members.last(name).map(|member| member.value);
        let Some(method) = value("method") else {
            if let Some(asked) = value("id").and_then(|id| self.asked.remove(id)) {
                self.questions.retain(|_, below| *below != asked.id);
                asked.outlet.answer(line.clone());
            }
            return;
        };
        let params = value("params").and_then(Members::of_valid);
        let param = |name: &str| Some(params.as_ref()?.last(name)?.value);
        match method {
            "\"notifications/progress\"" => {
                let token = param("progressToken");
                if let Some(asked) = self.asked.values().find(|it| it.token.as_deref() == token) {
                    // Who does not read misses it; the next one has a higher number.
                    let _ = asked.outlet.tell(line.clone());
                }
            }
            "\"elicitation/create\"" => {
                let question = value("id").unwrap_or_default();
                let below = self.client.server.request_above(question).map(str::to_owned);
                if let Some(below) = &below {
                    self.questions.insert(question.to_owned(), below.clone());
                }
                self.tell_below(below, line);
            }
            "\"notifications/cancelled\"" => {
                let below = param("requestId").and_then(|question| self.questions.remove(question));
                self.tell_below(below, line);
            }
            _ => self.tell(line.clone()),
        }
    }

    /// Says something that belongs to a request: where that is answered, as long as its client reads there.
    fn tell_below(&mut self, request: Option<String>, line: &Bytes) {
        let asked = request.and_then(|id| self.asked.get(&id));
        if !asked.is_some_and(|asked| asked.outlet.tell(line.clone())) {
            self.tell(line.clone());
        }
    }

    /// Says something by itself: on one stream, as the specification wants it.
    fn tell(&mut self, line: Bytes) {
        while let Some(stream) = self.streams.last() {
            if stream.tell(line.clone()) {
                return;
            }
            self.streams.pop();
        }
        // Twice the same is one change.
        self.held.retain(|held| *held != line);
        if self.held.len() == MOST_HELD {
            self.held.pop_front();
        }
        self.held.push_back(line);
    }

    /// Whether nobody reads anything of it, after its time.
    fn is_idle(&mut self) -> bool {
        let is_read = self.streams.iter().any(|stream| !stream.is_closed())
            || self.asked.values().any(|asked| !asked.outlet.is_closed());
        if is_read {
            self.used = Instant::now();
        }
        !is_read
    }
}

/// The lines in what a server has said, without their ends.
pub(super) fn lines(out: &Bytes) -> impl Iterator<Item = Bytes> {
    out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(|line| out.slice_ref(line))
}
