//! `extline inspect --web`: a page that calls tools, presses keys and answers questions, for one person on this
//! machine.

mod endpoint;
mod hub;
mod questions;

use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use extline_host::{ExtensionSource, Host, News, NewsStream, Panel};
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::sleep;

use self::endpoint::Endpoint;
use self::hub::Hub;
use self::questions::Questions;
use crate::args::{Inspect, Settings, Timeout};
use crate::exit::Exit;
use crate::ext::Follower;
use crate::frames::FrameView;
use crate::http::{ACCEPT_PAUSE, Reading, connection};
use crate::inspect;
use crate::news_lines::NewsLine;
use crate::printer::Printer;
use crate::session::Session;

/// So many connections there may be at once: a browser has six.
const MOST_CONNECTIONS: usize = 64;

/// How often the log is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// Lines of the log that are shown of earlier runs, and of the start.
const LAST_LINES: usize = 50;

/// Runs an extension, and serves its page until it is interrupted.
pub(crate) async fn run(inspect: Inspect, printer: Printer) -> Result<Exit, clap::Error> {
    let source = inspect::source(inspect.dir, inspect.program)?;
    Ok(serve(source, inspect.settings, printer).await)
}

async fn serve(source: ExtensionSource, mut settings: Settings, mut printer: Printer) -> Exit {
    let (socket, authority, token) = match bind().await {
        Ok(bound) => bound,
        Err(why) => {
            printer.error(format_args!("the page cannot be served: {why}"));
            return printer.finish(Exit::ToolError);
        }
    };
    let hub = Hub::default();
    let questions = Questions::new(hub.clone());
    settings.desk = Some(Box::new(questions.clone()));
    let listener = hub.clone();
    let frames = FrameView::telling(Arc::new(move |record| listener.frame(record)));
    let timeout = Timeout { after: None };
    let started = Session::start(vec![source], &timeout, &settings, Some(frames), printer).await;
    let mut session = match started {
        Ok(session) => session,
        Err((printer, exit)) => return printer.finish(exit),
    };
    // Its page says why, too, and what passed.
    session.report_failed();
    session.host.start_session();
    let url = format!("http://{authority}/#{token}");
    session.printer.tell(&url, &json!({"url": url}));
    let (host, news) = (Arc::clone(&session.host), session.host.news());
    let telling = hub.clone();
    let reading = Reading::default();
    let endpoint = Endpoint { host, hub, questions, authority, token, reading };
    let endpoint = Arc::new(endpoint);
    let host = Arc::clone(&session.host);
    let log = host.extensions().into_iter().find_map(|it| it.log);
    let serving = async {
        let news = tell(&host, news, &telling);
        tokio::join!(accept(&socket, &endpoint), news, follow(log, &telling));
    };
    let exit = session.idle(serving).await.err().unwrap_or(Exit::Ok);
    session.host.end_session("exit");
    session.stop(exit).await
}

/// The socket, what `Host` has to be there, and the token.
async fn bind() -> std::io::Result<(TcpListener, String, String)> {
    let part = || getrandom::u64().map_err(std::io::Error::other);
    let token = format!("{:016x}{:016x}{:016x}{:016x}", part()?, part()?, part()?, part()?);
    let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let authority = socket.local_addr()?.to_string();
    Ok((socket, authority, token))
}

/// Tells the pages what the host tells, for ever.
async fn tell(host: &Host, mut news: NewsStream, hub: &Hub) {
    // Those that were opened before anybody listened.
    for panel in host.panels() {
        watch(panel, hub);
    }
    while let Some(news) = news.next().await {
        if let News::PanelOpened { panel } = &news {
            watch(panel.clone(), hub);
        }
        if let Some(line) = NewsLine::of(&news) {
            hub.tell("news", &line);
        }
        if is_of_state(&news) {
            hub.changed();
        }
    }
}

/// Tells what the extension writes to stderr, for ever; at first the last of what was written before.
async fn follow(log: Option<PathBuf>, hub: &Hub) {
    let Some(log) = log else { return };
    let mut follower = Follower::new(log);
    let mut most = LAST_LINES;
    loop {
        // One that cannot be read now may be later.
        let lines = follower.lines().unwrap_or_default();
        let skipped = lines.len().saturating_sub(most);
        lines.into_iter().skip(skipped).for_each(|line| hub.log(line));
        most = usize::MAX;
        sleep(LOOK).await;
    }
}

/// Whether it says something about what `/state` answers.
fn is_of_state(news: &News) -> bool {
    matches!(
        news,
        News::Started { .. }
            | News::Failed { .. }
            | News::Restarting { .. }
            | News::Reloaded { .. }
            | News::Ended(_)
            | News::Registered { .. }
            | News::PanelOpened { .. }
            | News::PanelClosed { .. }
            | News::Notice { .. }
            | News::Missed(_)
    )
}

/// Tells when a panel is drawn anew, until it is closed.
fn watch(mut panel: Panel, hub: &Hub) {
    let hub = hub.clone();
    tokio::spawn(async move {
        while panel.changed().await.is_some() {
            hub.changed();
        }
        hub.changed();
    });
}

/// Takes connections for ever. Dropped, all of them end, and so do the calls that they wait for.
async fn accept(socket: &TcpListener, endpoint: &Arc<Endpoint>) {
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        if connections.len() >= MOST_CONNECTIONS {
            connections.join_next().await;
        }
        match socket.accept().await {
            Ok((stream, _)) => _ = connections.spawn(converse(stream, Arc::clone(endpoint))),
            Err(_) => sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// Answers what comes over one connection, until it ends.
async fn converse(stream: TcpStream, endpoint: Arc<Endpoint>) {
    let connection = connection(stream, |request| Arc::clone(&endpoint).answer(request));
    // A connection that breaks is its page's affair.
    let _ = connection.await;
}
