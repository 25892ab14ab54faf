//! A server over stdin and stdout whose tools are those of a host.

mod input;
mod output;
#[cfg(unix)]
mod watched;

use std::io;
use std::sync::Arc;
use std::time::Instant;

use extline_host::Host;

use self::input::Input;
use self::output::Output;
use super::client::Client;
use super::desk::ClientDesk;
use super::{offers, say};
use crate::exit::Exit;
use crate::session::Session;

/// Serves until the client closes its end.
pub(super) async fn serve(session: &mut Session, desk: ClientDesk) -> Exit {
    let host = Arc::clone(&session.host);
    match session.listen_to(run(host, desk)).await {
        Ok(Ok(())) => Exit::Ok,
        Ok(Err(error)) => {
            session.printer.error(format_args!("the client cannot be served: {error}"));
            Exit::ToolError
        }
        Err(exit) => exit,
    }
}

async fn run(host: Arc<Host>, desk: ClientDesk) -> io::Result<()> {
    let mut news = host.news();
    let (server, offered) = offers::server_of(&host);
    let mut client = Client::new(host, server, offered, desk);
    client.is_only();
    let mut input = Input::open()?;
    let mut output = Output::open();
    let mut may_come = true;
    loop {
        let has_ended = client.settle();
        client.remarks().iter().for_each(|remark| say(remark));
        client.server.poll_output(output.bytes());
        output.write()?;
        if has_ended && !output.has_bytes() {
            return Ok(());
        }
        tokio::select! {
            bytes = input.read(), if may_come && !output.is_full() => if let Some(bytes) = bytes {
                client.server.handle_input(bytes, Instant::now());
            } else {
                may_come = false;
                client.server.handle_eof(Instant::now());
            },
            can = output.writable() => can?,
            Some(news) = news.next() => client.hear(&news).iter().for_each(offers::tell),
            () = client.advance() => {}
        }
    }
}
