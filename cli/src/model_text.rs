//! `extline repair` and `extline extract`: what a model wrote, on stdin.

use std::io;

use extline_model::{Call, Offered, Refused, extract, repair};
use serde_json::value::RawValue;

use crate::args::Extract;
use crate::call::read_stdin;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;

/// Characters that are shown of what was refused.
const SHOWN: usize = 60;

/// Prints the JSON of stdin, repaired, and what was done on stderr.
pub(crate) fn mend(mut printer: Printer) -> Exit {
    let text = match read_stdin() {
        Ok(text) => text,
        Err(error) => return unread(&error, printer),
    };
    let exit = match repair(&text) {
        Ok(repaired) if printer.json => print_json(repaired.to_json(), Exit::Ok, &mut printer),
        Ok(repaired) => {
            printer.data(repaired.value.get());
            for fix in &repaired.fixes {
                printer.say(fix);
            }
            if repaired.unlisted > 0 {
                printer.say(format_args!("and {} more fixes", repaired.unlisted));
            }
            if repaired.truncated {
                printer.warn("the text ends before the value does");
            }
            Exit::Ok
        }
        Err(error) if printer.json => {
            let json = format!("{{\"error\":{}}}", error.to_json());
            print_json(json, Exit::ToolError, &mut printer)
        }
        Err(error) => {
            printer.error(error);
            Exit::ToolError
        }
    };
    printer.finish(exit)
}

/// Prints the calls in the text of stdin, one a line.
pub(crate) fn find(options: &Extract, mut printer: Printer) -> Exit {
    let text = match read_stdin() {
        Ok(text) => text,
        Err(error) => return unread(&error, printer),
    };
    let offered: Vec<_> = options.tools.iter().map(|name| Offered::from(name.as_str())).collect();
    let found = extract(&text, &offered);
    let is_whole = found.refused.is_empty() && !found.truncated;
    let exit = if is_whole { Exit::Ok } else { Exit::ToolError };
    if printer.json {
        print_json(found.to_json(), exit, &mut printer);
        return printer.finish(exit);
    }
    for call in &found.calls {
        printer.data(&format!("{} {}", call.name, call.arguments.get()));
        tell(call, &mut printer);
    }
    for Refused { envelope, start, reason, .. } in &found.refused {
        let shown: String = text[*start..]
            .chars()
            .take(SHOWN)
            .map(|it| if it.is_control() { ' ' } else { it })
            .collect();
        printer.error(format_args!("no call of the form {}: {reason}: {shown}", envelope.as_str()));
    }
    printer.finish(exit)
}

fn tell(call: &Call, printer: &mut Printer) {
    for fix in &call.fixes {
        printer.say(format_args!("{}: {fix}", call.name));
    }
    if call.truncated {
        printer.error(format_args!(
            "the text ends in the call of {}: it may be half of what was meant",
            call.name
        ));
    }
}

fn print_json(json: String, exit: Exit, printer: &mut Printer) -> Exit {
    match RawValue::from_string(json) {
        Ok(json) => printer.json_result(&json),
        Err(error) => printer.error(error),
    }
    exit
}

fn unread(error: &io::Error, mut printer: Printer) -> Exit {
    let failure = Failure::of_usage(&format!("stdin cannot be read: {error}"));
    let exit = failure.report(&mut printer);
    printer.finish(exit)
}
