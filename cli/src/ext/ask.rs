//! Questions that a person answers with yes or no.

use std::fmt::Display;
use std::io::{self, BufRead, IsTerminal};

use crate::printer::Printer;

/// Whether somebody is there to answer.
pub(super) fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Whether the answer is yes; anything else is no.
pub(super) fn agreed(question: impl Display, printer: &mut Printer) -> bool {
    printer.say(format_args!("{question} [y/N]"));
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}
