//! `extline mcp`: extensions as one MCP server, with the host in between: the interceptors and guards of one
//! hold for the tools of the others.

mod client;
mod desk;
mod http;
mod listing;
mod offers;
mod stdio;

use std::time::Duration;

use clap::error::ErrorKind;
use extline_host::ExtensionSource;

use crate::args::{Mcp, Timeout};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::session::Session;
use crate::target::{source_of, usage};

use self::desk::ClientDesk;
use self::http::{Listener, NotBound};

/// A client decides itself how long it waits, unless --timeout says something else.
const NO_TIMEOUT: Duration = Duration::from_secs(365 * 24 * 60 * 60);

pub(crate) async fn run(mut mcp: Mcp, mut printer: Printer) -> Result<Exit, clap::Error> {
    let mut sources: Vec<_> = mcp.dirs.into_iter().map(ExtensionSource::folder).collect();
    sources.extend(source_of("mcp", mcp.program)?);
    if printer.json && !mcp.list && mcp.http.address.is_none() {
        let message = "--json goes with --list or --http: else stdout belongs to MCP";
        return Err(usage("mcp", ErrorKind::ArgumentConflict, message));
    }
    // Before the extensions start: what is wrong here is found at once.
    let listener = match mcp.http.address {
        None => None,
        Some(address) => match Listener::bind(address, &mcp.http).await {
            Ok(listener) => Some(listener),
            Err(NotBound::Usage(why)) => return Err(usage("mcp", ErrorKind::InvalidValue, &why)),
            Err(NotBound::Failed(why)) => {
                printer.error(why);
                return Ok(printer.finish(Exit::ToolError));
            }
        },
    };
    if listener.is_some() && std::env::var_os(http::TOKEN).is_some() {
        mcp.settings.withhold(http::TOKEN);
    }
    let desk = ClientDesk::default();
    mcp.settings.desk = Some(Box::new(desk.clone()));
    let timeout = Timeout { after: mcp.timeout.after.or(Some(NO_TIMEOUT)) };
    let started = Session::start(sources, &timeout, &mcp.settings, None, printer).await;
    let mut session = match started {
        Ok(session) => session,
        Err((printer, exit)) => return Ok(printer.finish(exit)),
    };
    let failed = session.report_failed();
    if let Some(exit) = failed.filter(|_| session.failed().len() == session.host.extensions().len())
    {
        return Ok(session.stop(exit).await);
    }
    crate::lint::warn_of_loss(&session.host);
    let exit = if mcp.list {
        listing::show(&mut session);
        failed.unwrap_or(Exit::Ok)
    } else if let Some(listener) = listener {
        match http::serve(&mut session, listener, desk).await {
            Ok(exit) => exit,
            Err(exit) => return Ok(session.abandon(exit)),
        }
    } else {
        stdio::serve(&mut session, desk).await
    };
    Ok(session.stop(exit).await)
}

/// One line on stderr; stdout belongs to MCP.
fn say(text: &str) {
    crate::printer::say_as_extension("mcp", text);
}
