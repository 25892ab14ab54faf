//! A server over stdin and stdout whose tools are those of a host.

use std::future::pending;
use std::io::{self, Stdout, Write};
use std::sync::Arc;
use std::time::Instant;

use extline_host::Host;

use super::client::Client;
use super::{input, offers, say};
use crate::exit::Exit;
use crate::session::Session;

/// Serves until the client closes its end.
pub(super) async fn serve(session: &mut Session) -> Exit {
    let host = Arc::clone(&session.host);
    match session.listen_to(run(host)).await {
        Ok(Ok(())) => Exit::Ok,
        Ok(Err(error)) => {
            session.printer.error(format_args!("the client cannot be served: {error}"));
            Exit::ToolError
        }
        Err(exit) => exit,
    }
}

async fn run(host: Arc<Host>) -> io::Result<()> {
    let mut news = host.news();
    let (server, offered) = offers::server_of(&host);
    let mut client = Client::new(host, server, offered);
    let mut input = Some(input::chunks()?);
    let mut out = Vec::new();
    // Once: it asks the descriptor whether it is a terminal.
    let mut stdout = anstream::stdout().into_inner();
    loop {
        let has_ended = client.settle();
        client.remarks().iter().for_each(|remark| say(remark));
        write(&mut client, &mut out, &mut stdout)?;
        if has_ended {
            return Ok(());
        }
        let chunk = async {
            match &mut input {
                Some(input) => input.recv().await,
                None => pending().await,
            }
        };
        tokio::select! {
            chunk = chunk => if let Some(chunk) = chunk {
                client.server.handle_input(&chunk, Instant::now());
            } else {
                input = None;
                client.server.handle_eof(Instant::now());
            },
            Some(news) = news.next() => client.hear(&news).iter().for_each(offers::tell),
            () = client.advance() => {}
        }
    }
}

fn write(client: &mut Client, out: &mut Vec<u8>, stdout: &mut Stdout) -> io::Result<()> {
    out.clear();
    if !client.server.poll_output(out) {
        return Ok(());
    }
    stdout.write_all(out)?;
    stdout.flush()
}
