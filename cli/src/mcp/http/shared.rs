//! What all clients share: the host, what is offered, and the end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use extline_host::{Host, News, NewsStream};
use extline_mcp::Server;
use tokio::sync::{broadcast, mpsc, watch};

use crate::http::Outlet;
use crate::mcp::client::{Client, changes_offers};
use crate::mcp::desk::ClientDesk;
use crate::mcp::offers::{self, Offered};

/// News that wait for a client; one that misses some compares what is offered.
const WAITING: usize = 256;

/// So many requests wait for clients that were asked something; what is more is cancelled.
const MOST_PARKED: usize = 1024;

/// What all clients share.
pub(super) struct Shared {
    host: Arc<Host>,
    desk: ClientDesk,
    /// Never asked anything; the servers of clients are made after it.
    first: Mutex<(Server, Offered)>,
    news: broadcast::Sender<Arc<News>>,
    closing: watch::Sender<bool>,
    /// Requests whose clients are asked something, by the state with which these come back.
    parked: Mutex<HashMap<String, mpsc::UnboundedSender<Again>>>,
    /// Dropped, one by one, by all that runs for clients.
    running: Mutex<Option<mpsc::Sender<()>>>,
}

/// A request that waits for its client.
pub(super) struct Parked<'s> {
    shared: &'s Shared,
    state: String,
    inbox: mpsc::UnboundedReceiver<Again>,
}

/// A request that a client has come back to, and where its answer goes.
pub(super) struct Again {
    pub(super) text: String,
    pub(super) outlet: Outlet,
}

/// Whether the server closes.
pub(super) struct Closing(watch::Receiver<bool>);

/// What extensions tell, for one client.
pub(super) struct Heard(broadcast::Receiver<Arc<News>>);

impl Shared {
    /// Also what ends when nothing runs any more.
    pub(super) fn new(host: Arc<Host>, desk: ClientDesk) -> (Self, mpsc::Receiver<()>) {
        let first = Mutex::new(offers::server_of(&host));
        let (running, all_ended) = mpsc::channel(1);
        let shared = Self {
            host,
            desk,
            first,
            news: broadcast::Sender::new(WAITING),
            closing: watch::Sender::new(false),
            parked: Mutex::default(),
            running: Mutex::new(Some(running)),
        };
        (shared, all_ended)
    }

    /// A client that has asked for nothing yet, and what is told from now on.
    pub(super) fn client(&self) -> (Client, Heard) {
        // In this order: a change between the two is heard of, in vain at worst.
        let news = Heard(self.news.subscribe());
        let first = lock(&self.first);
        let (server, offered) = (first.0.another(), first.1.clone());
        (Client::new(Arc::clone(&self.host), server, offered, self.desk.clone()), news)
    }

    /// Passes on what extensions tell, for as long as there is a host.
    pub(super) async fn tell(&self, mut news: NewsStream) {
        while let Some(news) = news.next().await {
            let is_change = changes_offers(&news);
            if is_change {
                let (server, offered) = &mut *lock(&self.first);
                offered.compare(&self.host, server).iter().for_each(offers::tell);
            }
            if is_change || matches!(news, News::Note { .. }) {
                // Nobody may be there to hear it.
                let _ = self.news.send(Arc::new(news));
            }
        }
    }

    /// Keeps a request until its client comes back; `None` when there are too many.
    pub(super) fn park(&self, state: String) -> Option<Parked<'_>> {
        let (sender, inbox) = mpsc::unbounded_channel();
        let mut parked = lock(&self.parked);
        if parked.len() >= MOST_PARKED {
            return None;
        }
        parked.insert(state.clone(), sender);
        Some(Parked { shared: self, state, inbox })
    }

    /// Hands a request to whoever waits for it; back, where nobody does.
    pub(super) fn unpark(&self, state: &str, again: Again) -> Result<(), Again> {
        match lock(&self.parked).remove(state) {
            Some(sender) => sender.send(again).map_err(|unsent| unsent.0),
            None => Err(again),
        }
    }

    pub(super) fn closing(&self) -> Closing {
        Closing(self.closing.subscribe())
    }

    pub(super) fn is_closing(&self) -> bool {
        *self.closing.borrow()
    }

    /// No more begins, and what runs has its time.
    pub(super) fn close(&self) {
        self.closing.send_replace(true);
        *lock(&self.running) = None;
    }

    /// To be kept by what runs for a client, until it has ended; `None` when nothing may begin any more.
    pub(super) fn running(&self) -> Option<mpsc::Sender<()>> {
        lock(&self.running).clone()
    }
}

impl Parked<'_> {
    /// The client's next try; may be dropped and called again.
    pub(super) async fn again(&mut self) -> Option<Again> {
        self.inbox.recv().await
    }
}

impl Drop for Parked<'_> {
    fn drop(&mut self) {
        lock(&self.shared.parked).remove(&self.state);
    }
}

impl Closing {
    /// Waits for it. May be dropped and called again.
    pub(super) async fn wait(&mut self) {
        // Who asks keeps what would tell.
        let _ = self.0.wait_for(|is_closing| *is_closing).await;
    }
}

impl Heard {
    /// The next news. May be dropped and called again.
    pub(super) async fn next(&mut self) -> Arc<News> {
        match self.0.recv().await {
            Ok(news) => news,
            Err(broadcast::error::RecvError::Lagged(missed)) => Arc::new(News::Missed(missed)),
            Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
        }
    }
}

/// A panic elsewhere leaves nothing half done behind these locks.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
