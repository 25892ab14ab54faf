//! Dialogs of extensions: asked on the terminal, answered by --answer, or dismissed where nobody is there.

mod scripted;
#[cfg(unix)]
mod terminal;

use std::io::{self, IsTerminal};

use extline_host::HostBuilder;

pub(crate) use self::scripted::{Given, Scripted};

/// Serves the dialogs: those that are answered by `scripted` never ask anybody.
pub(crate) fn serve(builder: HostBuilder, scripted: &Scripted) -> HostBuilder {
    let builder = if io::stdin().is_terminal() && io::stderr().is_terminal() {
        ask_on_terminal(builder)
    } else {
        builder.headless()
    };
    scripted.serve(builder)
}

#[cfg(unix)]
fn ask_on_terminal(builder: HostBuilder) -> HostBuilder {
    terminal::serve(builder)
}

/// What waits for a line and can be taken back is Unix's alone yet.
#[cfg(not(unix))]
fn ask_on_terminal(builder: HostBuilder) -> HostBuilder {
    builder.headless()
}
