//! What requests are answered with: one body, or a stream of server-sent events.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{self, HeaderValue};
use hyper::{Response, StatusCode};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, Sleep, sleep, timeout};

/// After so long without a word a request is answered with a stream, which then shows that it goes on. Some
/// clients give up where no header comes in five minutes (Node's fetch).
const QUIET: Duration = Duration::from_secs(10);

/// How often a stream without events shows that it is there: what stands between may cut a connection that
/// is silent for a minute, and a client that is gone without a word is found out by it.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// So many bytes of notifications may wait for a client that does not read. An answer is not among them.
const MOST_UNREAD: usize = 1024 * 1024;

pub(crate) type Answer = Response<Content>;

/// An answer in place of what was asked for.
pub(crate) type Refusal = Box<Answer>;

/// A body.
pub(crate) enum Content {
    Whole(Option<Bytes>),
    Events(Box<Events>),
}

/// Lines for one response, which others may stop to read at any time.
pub(crate) struct Outlet {
    lines: UnboundedSender<Bytes>,
    unread: Arc<AtomicUsize>,
}

/// The other end of an [`Outlet`].
pub(crate) struct Inlet {
    lines: UnboundedReceiver<Bytes>,
    unread: Arc<AtomicUsize>,
    /// Kept for as long as the response is read.
    _kept: Option<Arc<()>>,
}

/// A stream of events.
pub(crate) struct Events {
    inlet: Inlet,
    frames: VecDeque<Bytes>,
    keep_alive: Pin<Box<Sleep>>,
}

/// Both ends of the way to one response. `kept` is dropped when nobody reads it any more.
pub(crate) fn outlet(kept: Option<Arc<()>>) -> (Outlet, Inlet) {
    let (sender, lines) = unbounded_channel();
    let unread = Arc::new(AtomicUsize::new(0));
    (Outlet { lines: sender, unread: Arc::clone(&unread) }, Inlet { lines, unread, _kept: kept })
}

impl Outlet {
    /// Passes on an answer, however much waits before it.
    pub(crate) fn answer(&self, line: Bytes) {
        self.unread.fetch_add(line.len(), Ordering::Relaxed);
        // Whoever does not read any more misses it.
        let _ = self.lines.send(line);
    }

    /// Passes on a notification. Whether it was: the client may be gone, or may not read.
    pub(crate) fn tell(&self, line: Bytes) -> bool {
        if self.unread.load(Ordering::Relaxed) > MOST_UNREAD {
            return false;
        }
        self.unread.fetch_add(line.len(), Ordering::Relaxed);
        self.lines.send(line).is_ok()
    }

    /// Waits until nobody reads the response any more.
    pub(crate) async fn closed(&self) {
        self.lines.closed().await;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.lines.is_closed()
    }
}

impl Inlet {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let line = ready!(self.lines.poll_recv(context));
        if let Some(line) = &line {
            self.unread.fetch_sub(line.len(), Ordering::Relaxed);
        }
        Poll::Ready(line)
    }

    async fn next(&mut self) -> Option<Bytes> {
        std::future::poll_fn(|context| self.poll(context)).await
    }

    /// The response to a request: its answer alone, or a stream where something is told before it, or where
    /// it takes long. `status_of` is that of a line which answers, and none of any other.
    pub(crate) async fn response(mut self, status_of: fn(&[u8]) -> Option<StatusCode>) -> Answer {
        let Ok(first) = timeout(QUIET, self.next()).await else { return self.events(None) };
        let status = first.as_deref().and_then(status_of);
        match (status, first) {
            (Some(status), Some(line)) => json(status, line),
            (_, first) => self.events(first),
        }
    }

    /// A stream that begins with this line, if any.
    pub(crate) fn events(self, first: Option<Bytes>) -> Answer {
        let mut frames = VecDeque::new();
        if let Some(line) = first {
            push_event(&mut frames, line);
        }
        let keep_alive = Box::pin(sleep(KEEP_ALIVE));
        let events = Events { inlet: self, frames, keep_alive };
        let mut response = Response::new(Content::Events(Box::new(events)));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
        response
    }
}

/// The frames of one event, without a copy of what it tells.
fn push_event(frames: &mut VecDeque<Bytes>, line: Bytes) {
    frames.push_back(Bytes::from_static(b"event: message\ndata: "));
    frames.push_back(line);
    frames.push_back(Bytes::from_static(b"\n\n"));
}

impl Body for Content {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let events = match self.get_mut() {
            Self::Whole(bytes) => return Poll::Ready(bytes.take().map(|it| Ok(Frame::data(it)))),
            Self::Events(events) => events,
        };
        if events.frames.is_empty() {
            match events.inlet.poll(context) {
                Poll::Ready(Some(line)) => push_event(&mut events.frames, line),
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => {
                    ready!(events.keep_alive.as_mut().poll(context));
                    events.frames.push_back(Bytes::from_static(b":\n\n"));
                }
            }
            events.keep_alive.as_mut().reset(Instant::now() + KEEP_ALIVE);
        }
        Poll::Ready(events.frames.pop_front().map(|it| Ok(Frame::data(it))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
            Self::Events(_) => SizeHint::default(),
        }
    }
}

/// One value of JSON.
pub(crate) fn json(status: StatusCode, text: impl Into<Bytes>) -> Answer {
    content(status, "application/json", text.into())
}

/// Refuses a request, in words for a person.
pub(crate) fn refuse(status: StatusCode, why: &str) -> Refusal {
    Box::new(content(status, "text/plain; charset=utf-8", format!("{why}\n").into()))
}

/// An answer without a body.
pub(crate) fn empty(status: StatusCode) -> Answer {
    let mut response = Response::new(Content::Whole(None));
    *response.status_mut() = status;
    response
}

pub(crate) fn content(status: StatusCode, kind: &'static str, bytes: Bytes) -> Answer {
    let mut response = Response::new(Content::Whole(Some(bytes)));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
