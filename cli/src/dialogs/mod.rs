//! Dialogs of extensions, and calls that need an approval: asked on the terminal, answered by --answer, or dismissed
//! where nobody is there. And what they have shown.

mod approval;
mod chooser;
mod displays;
mod forms;
mod scripted;
pub(crate) mod stage;
mod terminal;
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
pub(crate) use self::terminal::Typing;
use crate::desk::Desk;

/// Waits for a line that is typed on the terminal. What is typed behind it stays there.
pub(crate) async fn line_of_terminal() -> io::Result<Option<String>> {
    self::terminal::Terminal::open()?.line().await
}

/// Asks for a line that is not shown while it is typed. `None` at Ctrl-D.
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

/// Whether somebody can be asked on stdin. On Windows a pipe is taken for a terminal by its name.
pub(crate) fn stdin_is_terminal() -> bool {
    io::stdin().is_terminal() && Typing::kept().is_ok()
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
    let is_on_terminal = stdin_is_terminal() && io::stderr().is_terminal();
    let builder =
        if is_on_terminal { displays::serve(forms::serve(builder)) } else { dismiss(builder) };
    approval::serve(scripted.serve(builder), scripted, is_on_terminal)
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
