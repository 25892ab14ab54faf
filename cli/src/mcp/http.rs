//! A server over streamable HTTP for many clients, whose tools are those of one host.

mod access;
mod endpoint;
mod exchange;
mod line;
mod message;
mod session;
mod sessions;
mod shared;

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

pub(super) use access::TOKEN;

use self::access::Access;
use self::endpoint::{Endpoint, PATH};
use self::shared::Shared;
use super::desk::ClientDesk;
use crate::args::Http;
use crate::exit::Exit;
use crate::http::{ACCEPT_PAUSE, connection};
use crate::session::Session;

/// So many connections there may be at once, of the 1,024 files that a process often may have open. More
/// wait until one ends.
const MOST_CONNECTIONS: usize = 512;

/// How long a connection may take to end with the server: two seconds until what runs is answered, and one
/// for the client to read that.
const CLOSE_TIME: Duration = Duration::from_secs(3);

/// A bound address, and who may ask there.
pub(super) struct Listener {
    socket: TcpListener,
    bound: SocketAddr,
    access: Access,
}

/// Why there is no listener.
pub(super) enum NotBound {
    /// What was asked for cannot be.
    Usage(String),
    /// The address cannot be had.
    Failed(String),
}

impl Listener {
    /// Binds an address; one that others reach only with a token.
    pub(super) async fn bind(address: SocketAddr, http: &Http) -> Result<Self, NotBound> {
        let token = access::token(http.token_file.as_deref()).map_err(NotBound::Usage)?;
        if token.is_none() && !address.ip().to_canonical().is_loopback() {
            return Err(NotBound::Usage(format!(
                "{address} can be reached by others, so clients need a token: put one into a file \
                 that only you can read, for instance with `(umask 077; openssl rand -hex 32 >token)`, \
                 and add --token-file token; or set {TOKEN}"
            )));
        }
        let failed = |error| NotBound::Failed(format!("{address} cannot be listened at: {error}"));
        let socket = TcpListener::bind(address).await.map_err(failed)?;
        let bound = socket.local_addr().map_err(failed)?;
        let access = Access::new(bound, token, http.origins.clone());
        Ok(Self { socket, bound, access })
    }
}

/// Serves until it is interrupted. `Err` when it was again, and nobody is to wait for anything.
pub(super) async fn serve(
    session: &mut Session,
    listener: Listener,
    desk: ClientDesk,
) -> Result<Exit, Exit> {
    let Listener { socket, bound, access } = listener;
    let news = session.host.news();
    let (shared, mut all_ended) = Shared::new(Arc::clone(&session.host), desk);
    let endpoint = Arc::new(Endpoint::new(shared, access));
    let url = format!("http://{bound}{PATH}");
    session.printer.tell(&url, &json!({"url": url}));
    let serving = async {
        tokio::join!(accept(&socket, &endpoint), endpoint.shared.tell(news));
    };
    let Err(exit) = session.listen_to(serving).await else { return Ok(Exit::Ok) };
    drop(socket);
    endpoint.shared.close();
    session.listen_to(all_ended.recv()).await?;
    Ok(exit)
}

/// Takes connections for ever.
async fn accept(socket: &TcpListener, endpoint: &Arc<Endpoint>) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        match socket.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(converse(stream, Arc::clone(endpoint), place));
            }
            // The client may be gone already, or there are too many open files.
            Err(_) => sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// Answers what comes over one connection, until it ends or the server does.
async fn converse(stream: TcpStream, endpoint: Arc<Endpoint>, _place: OwnedSemaphorePermit) {
    let Some(_running) = endpoint.shared.running() else { return };
    let mut closing = endpoint.shared.closing();
    let connection = connection(stream, |request| Arc::clone(&endpoint).answer(request));
    let mut connection = pin!(connection);
    // A connection that breaks is its client's affair.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = closing.wait() => connection.as_mut().graceful_shutdown(),
    }
    let _ = timeout(CLOSE_TIME, connection).await;
}
