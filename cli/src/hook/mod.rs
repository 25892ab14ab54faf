//! `extline hook`: the guards, interceptors and events of extensions in agents that run hooks.
//!
//! A hook is a process for each event. This one asks extensions that run already (`client`), at a socket of
//! its user (`place`), and starts them where they do not (`start`). They are run by a second process of the
//! same program (`server`), which decides (`decide`); what the two say to each other is in `question`. What
//! agents send and obey is data (`dialects`), read by `event` and `arguments`, written by `answer`. Which
//! agent it is that asks is in `asker`, as some read the files of others.
//!
//! A tool call fails closed: whatever goes wrong on this way blocks it.

#[cfg(unix)]
mod answer;
#[cfg(unix)]
mod arguments;
#[cfg(unix)]
mod asker;
#[cfg(unix)]
mod client;
#[cfg(unix)]
mod decide;
#[cfg_attr(not(unix), expect(dead_code, reason = "only its names are offered"))]
mod dialects;
#[cfg(unix)]
mod event;
#[cfg(unix)]
mod place;
#[cfg(unix)]
mod question;
#[cfg(unix)]
mod server;
#[cfg(unix)]
mod start;
#[cfg(unix)]
mod status;

use std::process::ExitCode;

use crate::args::Hook;
#[cfg(not(unix))]
use crate::exit::Exit;
use crate::printer::Printer;

pub(crate) use dialects::Kind;

/// What an agent's event is for extensions; none where they are not told of it.
pub(crate) fn kind_of(agent: &str, event: &str) -> Option<Kind> {
    dialects::Dialect::of(agent)?.kind(event)
}

/// The names of `--agent`.
#[cfg(unix)]
pub(crate) fn agents() -> Vec<&'static str> {
    dialects::DIALECTS.iter().map(|dialect| dialect.id).collect()
}

/// Whether this process is a hook, and not what runs the extensions: then it needs no runtime.
pub(crate) fn is_hook(hook: &Hook) -> bool {
    hook.serve.is_none()
}

/// Answers one event, or shows or ends what runs.
#[cfg(unix)]
pub(crate) fn run(hook: &Hook, printer: Printer) -> ExitCode {
    if hook.status || hook.stop {
        return status::run(hook.stop, printer).into();
    }
    client::run(hook)
}

#[cfg(unix)]
pub(crate) use server::serve;

/// A hook is answered at a socket of Unix.
#[cfg(not(unix))]
pub(crate) fn run(_hook: &Hook, _printer: Printer) -> ExitCode {
    crate::printer::say_as_extension("hook", NO_SOCKETS);
    Exit::Usage.into()
}

#[cfg(not(unix))]
pub(crate) async fn serve(_hook: Hook, mut printer: Printer) -> Result<Exit, clap::Error> {
    printer.error(NO_SOCKETS);
    Ok(Exit::Usage)
}

#[cfg(not(unix))]
const NO_SOCKETS: &str = "hooks need sockets of Unix, which this system has not: nothing passes";

#[cfg(test)]
mod tests {
    #[test]
    fn every_agent_that_is_known_to_have_hooks_is_answered() {
        let sorted = |mut names: Vec<_>| {
            names.sort_unstable();
            names
        };
        let answered = super::dialects::DIALECTS.iter().map(|dialect| dialect.id).collect();
        assert_eq!(sorted(answered), sorted(crate::agents::names_with_hooks()));
    }
}
