//! Dialogs of extensions, and calls that need an approval: asked on the terminal, answered by --answer, or dismissed
//! where nobody is there. And what they have shown.

mod approval;
#[cfg(unix)]
mod chooser;
mod displays;
#[cfg(unix)]
mod forms;
mod scripted;
pub(crate) mod stage;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod writing;

use std::io::{self, IsTerminal, Write};

use extline_host::services::ui::{
    Answer, Ask, AskMethod, Auth, AuthMethod, Confirm, ConfirmMethod, Dismissal, Editor,
    EditorMethod, Input, InputMethod, Select, SelectMethod,
};
use extline_host::{Asked, HostBuilder};
use extline_protocol::frame::RpcError;
use extline_protocol::shown_line;

pub(crate) use self::approval::not_approved;
pub(crate) use self::scripted::Scripted;
use crate::desk::Desk;

/// Waits for a line that is typed on the terminal. What is typed behind it stays there.
#[cfg(unix)]
pub(crate) async fn line_of_terminal() -> io::Result<Option<String>> {
    self::terminal::Terminal::open()?.line().await
}

/// Asks for a line that is not shown while it is typed. `None` at Ctrl-D.
#[cfg(unix)]
pub(crate) async fn unseen_line(question: &str) -> io::Result<Option<String>> {
    let mut terminal = self::terminal::Terminal::open()?;
    // Before the question: what is typed at once is not shown either.
    let _hidden = self::terminal::Typing::hidden()?;
    terminal.prompt(question);
    let line = terminal.line().await?;
    self::terminal::say("\n");
    terminal.is_answered();
    Ok(line)
}

/// Nothing can be typed unseen there yet.
#[cfg(not(unix))]
pub(crate) async fn unseen_line(_question: &str) -> io::Result<Option<String>> {
    let text = "nothing can be typed unseen on this platform yet; give the value on stdin";
    Err(io::Error::new(io::ErrorKind::Unsupported, text))
}

/// Serves the dialogs: those that are answered by `scripted` never ask anybody, and where there is a desk, it is
/// asked.
pub(crate) fn serve(
    builder: HostBuilder,
    scripted: &Scripted,
    desk: Option<&dyn Desk>,
) -> HostBuilder {
    if let Some(desk) = desk {
        return approval::scripted(scripted.serve(desk.serve(builder)), scripted);
    }
    let is_on_terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
    let builder =
        if is_on_terminal { displays::serve(ask_on_terminal(builder)) } else { dismiss(builder) };
    approval::serve(scripted.serve(builder), scripted, is_on_terminal)
}

#[cfg(unix)]
fn ask_on_terminal(builder: HostBuilder) -> HostBuilder {
    forms::serve(builder)
}

/// What waits for a line and can be taken back is Unix's alone yet.
#[cfg(not(unix))]
fn ask_on_terminal(builder: HostBuilder) -> HostBuilder {
    dismiss(builder)
}

/// As [`HostBuilder::headless`], and says on stderr what nobody was asked.
fn dismiss(builder: HostBuilder) -> HostBuilder {
    builder
        .headless()
        .serve::<ConfirmMethod, _, _>(|asked: Asked<Confirm>| {
            headless(&asked.extension, &asked.params.title, "confirm=yes")
        })
        .serve::<SelectMethod, _, _>(|asked: Asked<Select>| {
            headless(&asked.extension, &asked.params.title, "select=VALUE")
        })
        .serve::<InputMethod, _, _>(|asked: Asked<Input>| {
            headless(&asked.extension, &asked.params.title, "input=TEXT")
        })
        .serve::<EditorMethod, _, _>(|asked: Asked<Editor>| {
            headless(&asked.extension, &asked.params.title, "editor=TEXT")
        })
        .serve::<AskMethod, _, _>(|asked: Asked<Ask>| {
            let questions = asked.params.questions.iter().map(|it| &*it.question);
            let questions = questions.collect::<Vec<_>>().join(" ");
            headless(&asked.extension, &questions, "'ask={\"ID\":\"VALUE\"}'")
        })
        .serve::<AuthMethod, _, _>(|asked: Asked<Auth>| {
            headless(&asked.extension, &asked.params.url, "auth=yes")
        })
}

fn headless<T: Send>(
    extension: &str,
    title: &str,
    answer: &str,
) -> impl Future<Output = Result<Answer<T>, RpcError>> + Send + use<T> {
    let (extension, title) = (shown_line(extension), shown_line(title));
    // Nobody can be told where stderr is gone.
    let _ = writeln!(
        anstream::stderr(),
        "notice: {extension} asks {title:?}, and nobody is there (headless): --answer {answer} answers it"
    );
    async { Ok(Answer::Dismissed { dismissed: Dismissal::Headless }) }
}
