//! `extline hook`: the guards, interceptors and events of extensions in agents that run hooks.
//!
//! A hook is a process for each event. This one asks extensions that run already (`client`), at a socket or a
//! pipe of its user (`place`, `channel`), and starts them where they do not (`start`). They are run by a second process of the
//! same program (`server`), which decides (`decide`); what the two say to each other is in `question`. What
//! agents send and obey is data (`dialects`), read by `event` and `arguments`, written by `answer`. Which
//! agent it is that asks is in `asker`, as some read the files of others.
//!
//! A tool call fails closed: whatever goes wrong on this way blocks it.

mod answer;
mod arguments;
mod asker;
mod channel;
mod client;
mod decide;
mod dialects;
mod event;
mod place;
mod question;
mod server;
mod start;
mod status;

use std::process::ExitCode;

use crate::args::Hook;
use crate::printer::Printer;

pub(crate) use dialects::Kind;
pub(crate) use server::serve;

/// What an agent's event is for extensions; none where they are not told of it.
pub(crate) fn kind_of(agent: &str, event: &str) -> Option<Kind> {
    dialects::Dialect::of(agent)?.kind(event)
}

/// Whether this process is a hook, and not what runs the extensions: then it needs no runtime.
pub(crate) fn is_hook(hook: &Hook) -> bool {
    hook.serve.is_none()
}

/// Answers one event, or shows or ends what runs.
pub(crate) fn run(hook: &Hook, printer: Printer) -> ExitCode {
    if hook.status || hook.stop {
        return status::run(hook.stop, printer).into();
    }
    client::run(hook)
}

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
