//! `extline run`: extensions at a prompt, or fed with lines.

use clap::error::ErrorKind;
use extline_host::discovery::Found;
use extline_host::{ExtensionSource, ExtensionState};

use crate::args::Run;
use crate::console::{Console, summary};
use crate::exit::Exit;
use crate::ext;
use crate::frames::FrameView;
use crate::printer::Printer;
use crate::servers;
use crate::session::Session;
use crate::target::{source_of, usage};

const NOTHING: &str = "nothing is installed that runs: `extline ext list` says why, `extline ext install DIR` \
                       installs an extension, and `extline run DIR` starts one as it is";

/// What is missing where --no-ext stands alone.
const NONE_NAMED: &str = "--no-ext leaves out what is installed, and nothing else is named: `extline run --no-ext --ext \
                          DIR` runs one alone";

/// What is missing where --mcp-tools stands alone.
const NO_SERVERS: &str = "--mcp-tools offers the servers of a file to the model, and no file is named\n  try  \
                          extline run --mcp-tools --mcp-config .mcp.json";

pub(crate) async fn run(mut run: Run, mut printer: Printer) -> Result<Exit, clap::Error> {
    let mut sources: Vec<_> = run.dirs.into_iter().map(ExtensionSource::folder).collect();
    sources.extend(source_of("run", run.program)?);
    if run.servers.tools && run.servers.is_empty() && sources.is_empty() {
        return Err(usage("run", ErrorKind::MissingRequiredArgument, NO_SERVERS));
    }
    let is_told = !sources.is_empty() || !run.servers.is_empty();
    if !run.explicit.is_empty() || !is_told {
        match ext::installed(&run.explicit, run.no_installed, &mut printer).await {
            Ok(found) => {
                sources.splice(0..0, found.iter().filter_map(Found::source));
                run.settings.keep_sources_clean();
                run.settings.is_lazy = !run.start_all;
            }
            Err(failure) => {
                let exit = failure.report(&mut printer);
                return Ok(printer.finish(exit));
            }
        }
        if sources.is_empty() {
            let none_named = run.no_installed && run.explicit.is_empty();
            let why = if none_named { NONE_NAMED } else { NOTHING };
            return Err(usage("run", ErrorKind::MissingRequiredArgument, why));
        }
    }
    match servers::sources(&run.servers, &mut printer).await {
        Ok(servers) => sources.extend(servers),
        Err(why) => {
            let exit = why.report(Exit::ToolError, &mut printer);
            return Ok(printer.finish(exit));
        }
    }
    run.settings.mcp_tools = run.servers.tools.then(|| run.servers.trusting());
    if let Some(why) = run.settings.timeout_in_vain(&run.timeout) {
        printer.warn(why);
    }
    printer.views = run.views.when;
    let frames = FrameView::new();
    let mut session =
        match Session::start(sources, &run.timeout, &run.settings, Some(frames.clone()), printer)
            .await
        {
            Ok(session) => session,
            Err((printer, exit)) => return Ok(printer.finish(exit)),
        };
    let extensions = session.host.extensions();
    let is_used = |state: &ExtensionState| {
        matches!(state, ExtensionState::Ready | ExtensionState::NotStarted)
    };
    for status in extensions.iter().filter(|it| is_used(&it.state)) {
        let is_ready = status.state == ExtensionState::Ready;
        let what = if is_ready { "started" } else { "deferred" };
        session.printer.tell(summary(status), &serde_json::json!({ what: status.name }));
    }
    let failed = session.failed();
    session.report_failed();
    let mut console = Console::new(session, frames, run.timeout);
    let exit = if failed.len() == extensions.len() {
        Exit::NotStarted
    } else {
        console.open();
        let exit = console.take_lines().await;
        if exit == Exit::Ok && !failed.is_empty() { Exit::NotStarted } else { exit }
    };
    Ok(console.stop(exit).await)
}
