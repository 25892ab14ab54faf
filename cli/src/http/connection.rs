//! One connection of a server: within which bounds it is read.

use std::convert::Infallible;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{HttpService, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;

use super::answer::{Answer, Content};

/// How long the headers of a request may take, from the answer before on. A connection that is not used ends
/// by it too, and a client opens another one.
const HEADERS_TIME: Duration = Duration::from_secs(10);

/// What the headers of a request may have.
const HEADERS_BYTES: usize = 64 * 1024;

/// How long no connection is taken after one could not be: there may be too many open files.
pub(crate) const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// What answers the requests of one connection, until it ends.
pub(crate) fn connection<A>(
    stream: TcpStream,
    answer: impl Fn(Request<Incoming>) -> A + Send,
) -> http1::Connection<
    TokioIo<TcpStream>,
    impl HttpService<Incoming, ResBody = Content, Error = Infallible, Future: Send> + Send,
>
where
    A: Future<Output = Answer> + Send,
{
    // Events are short, and each is waited for.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let answer = answer(request);
        async { Ok::<_, Infallible>(answer.await) }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_TIME)
        .max_header_size(HEADERS_BYTES)
        .serve_connection(TokioIo::new(stream), service)
}
