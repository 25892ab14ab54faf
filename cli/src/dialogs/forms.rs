//! Dialogs on the terminal: a question on stderr, and what is typed.

use std::collections::BTreeMap;
use std::io;

use extline_host::services::ui::{
    Answer, Answers, Ask, AskMethod, Auth, AuthMethod, Choice, Confirm, ConfirmMethod, Confirmed,
    Dismissal, Editor, EditorMethod, Entered, Input, InputMethod, Question, Select, SelectMethod,
    Selected,
};
use extline_host::{Asked, HostBuilder};
use extline_protocol::ErrorKind;
use extline_protocol::frame::RpcError;
use extline_protocol::shown_line;

use super::chooser::choose;
use super::stage;
use super::terminal::{Terminal, Typing, say};
use super::writing::write;
use crate::styled::{BOLD, DIM};

pub(super) fn serve(builder: HostBuilder) -> HostBuilder {
    builder
        .serve::<ConfirmMethod, _, _>(|asked| {
            answered(title(&asked, "asks", |it| &it.title), confirm(asked.params))
        })
        .serve::<SelectMethod, _, _>(|asked| {
            answered(title(&asked, "asks", |it| &it.title), select(asked.params))
        })
        .serve::<InputMethod, _, _>(|asked| {
            answered(title(&asked, "asks", |it| &it.title), input(asked.params))
        })
        .serve::<EditorMethod, _, _>(|asked| {
            answered(title(&asked, "asks", |it| &it.title), editor(asked.params))
        })
        .serve::<AskMethod, _, _>(|asked| {
            answered(title(&asked, "asks", several), ask(asked.params))
        })
        .serve::<AuthMethod, _, _>(|asked| {
            answered(title(&asked, "asks you to sign in", |it| &it.url), auth(asked.params))
        })
}

/// Who asks, and what.
fn title<P>(asked: &Asked<P>, asks: &str, what: fn(&P) -> &str) -> String {
    let (extension, what) = (shown_line(&asked.extension), shown_line(what(&asked.params)));
    format!("{BOLD}{extension}{BOLD:#} {asks}: {what}")
}

fn several(ask: &Ask) -> &str {
    match &*ask.questions {
        [one] => &one.question,
        _ => "some questions",
    }
}

/// No line is what a person does who closes the dialog: Ctrl-D. While a line of the console is edited, the dialog waits
/// until that is entered, because nothing can take the terminal from it.
async fn answered<T>(
    title: String,
    dialog: impl Future<Output = io::Result<Option<T>>>,
) -> Result<Answer<T>, RpcError> {
    let _turn = if let Some(turn) = stage::if_free() {
        turn
    } else {
        stage::tell(format!("{title} {DIM}(Enter, and you can answer){DIM:#}"));
        stage::to_have().await
    };
    say(&format!("{title}\n"));
    match dialog.await {
        Ok(Some(given)) => Ok(Answer::Given(given)),
        Ok(None) => Ok(Answer::Dismissed { dismissed: Dismissal::User }),
        Err(error) => {
            let text = format!("the terminal cannot be used: {error}");
            Err(RpcError::new(ErrorKind::Internal, text))
        }
    }
}

async fn confirm(params: Confirm) -> io::Result<Option<Confirmed>> {
    let mut terminal = Terminal::open()?;
    show_message(params.message.as_deref());
    loop {
        terminal.prompt("[y/N] ");
        let Some(line) = terminal.line().await? else { return Ok(None) };
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(Some(Confirmed { confirmed: true })),
            "" | "n" | "no" => return Ok(Some(Confirmed { confirmed: false })),
            _ => say("  y for yes, n for no\n"),
        }
    }
}

async fn select(params: Select) -> io::Result<Option<Selected>> {
    let mut terminal = Terminal::open()?;
    let Select { options, multi, initial, .. } = params;
    let chosen = values(&mut terminal, &options, multi, initial.as_ref()).await?;
    Ok(chosen.map(|mut values| {
        if multi {
            Selected::Several { values }
        } else {
            Selected::One { value: values.swap_remove(0) }
        }
    }))
}

/// The values that are chosen, one unless there is `multi`.
async fn values(
    terminal: &mut Terminal,
    options: &[Choice],
    multi: bool,
    first: Option<&String>,
) -> io::Result<Option<Vec<String>>> {
    let first = first.and_then(|first| options.iter().position(|option| option.value() == first));
    let chosen = choose(terminal, options, multi, first).await?;
    let value = |position: usize| options[position].value().to_owned();
    Ok(chosen.map(|positions| positions.into_iter().map(value).collect()))
}

async fn input(params: Input) -> io::Result<Option<Entered>> {
    let mut terminal = Terminal::open()?;
    if let Some(example) = &params.placeholder {
        say(&format!("  {DIM}as {}{DIM:#}\n", shown_line(example)));
    }
    // Before the question: what is typed at once is not shown either.
    let _hidden = params.secret.then(Typing::hidden).transpose()?;
    terminal.prompt(if params.secret { "not shown: " } else { ": " });
    let line = terminal.line().await?;
    if params.secret {
        say("\n");
    }
    Ok(line.map(|value| Entered { value }))
}

async fn editor(params: Editor) -> io::Result<Option<Entered>> {
    let text = write(params.prefill.as_deref().unwrap_or_default()).await?;
    Ok(text.map(|value| Entered { value }))
}

async fn ask(params: Ask) -> io::Result<Option<Answers>> {
    let mut terminal = Terminal::open()?;
    let mut answers = BTreeMap::new();
    let count = params.questions.len();
    for (position, asked) in params.questions.into_iter().enumerate() {
        let Question { id, question, options, multi, recommended, .. } = asked;
        if count > 1 {
            say(&format!("{}/{count} {}\n", position + 1, shown_line(&question)));
        }
        let answer = if options.is_empty() {
            terminal.prompt(": ");
            terminal.line().await?.map(|line| vec![line])
        } else {
            values(&mut terminal, &options, multi, recommended.as_ref()).await?
        };
        let Some(answer) = answer else { return Ok(None) };
        answers.insert(id, answer);
    }
    Ok(Some(Answers { answers }))
}

async fn auth(params: Auth) -> io::Result<Option<Confirmed>> {
    let mut terminal = Terminal::open()?;
    if let Some(code) = &params.code {
        say(&format!("  with the code {BOLD}{}{BOLD:#}\n", shown_line(code)));
    }
    show_message(params.message.as_deref());
    terminal.prompt("Enter once that is done, n if it is not: ");
    let Some(line) = terminal.line().await? else { return Ok(None) };
    let confirmed = !matches!(line.trim().to_lowercase().as_str(), "n" | "no");
    Ok(Some(Confirmed { confirmed }))
}

fn show_message(message: Option<&str>) {
    for line in message.into_iter().flat_map(str::lines) {
        say(&format!("  {}\n", shown_line(line)));
    }
}
