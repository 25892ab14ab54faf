//! Questions to the person in front of the terminal.

use std::fmt::Display;
use std::io::{self, BufRead, IsTerminal};
use std::thread;

use tokio::sync::oneshot;

use crate::exit::Exit;
use crate::interrupt::Interrupts;
use crate::printer::Printer;

/// Whether somebody is there to answer.
pub(crate) fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// What a person answers, in small letters; nothing at the end of the input. `Err` where Ctrl-C or the end of the
/// terminal came in place of it.
pub(crate) async fn answer(
    question: impl Display,
    printer: &mut Printer,
) -> Result<Option<String>, Exit> {
    let mut interrupts = Interrupts::listen().map_err(|error| {
        printer.error(format_args!("cannot listen for Ctrl-C: {error}"));
        Exit::ToolError
    })?;
    printer.say(question);
    let (sender, line) = oneshot::channel();
    // In a thread of its own, which nobody waits for: nothing but a line, or the end of the process, ends it.
    thread::spawn(move || {
        let mut text = String::new();
        let read = io::stdin().lock().read_line(&mut text);
        let text = text.trim().to_ascii_lowercase();
        drop(sender.send(read.is_ok_and(|count| count > 0).then_some(text)));
    });
    tokio::select! {
        biased;
        exit = interrupts.next() => Err(exit),
        text = line => Ok(text.ok().flatten()),
    }
}

/// Whether the answer is yes; anything else is no.
pub(crate) async fn is_agreed(question: impl Display, printer: &mut Printer) -> Result<bool, Exit> {
    let answer = answer(format_args!("{question} [y/N]"), printer).await?;
    Ok(answer.is_some_and(|text| is_yes(&text)))
}

pub(crate) fn is_yes(text: &str) -> bool {
    matches!(text, "y" | "yes")
}
