//! `extline call`: one tool call.

use std::io::{self, Read};
use std::path::PathBuf;

use clap::error::ErrorKind as UsageError;
use extline_host::Host;
use extline_host::view::{self, Fold};
use extline_protocol::ErrorKind;
use extline_protocol::frame::ToolResult;

use crate::args::Call;
use crate::content::{json_of_result, text_of};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::session::with_one;
use crate::styled::{DIM, Text, text};
use crate::target::{Target, usage};

/// Characters that are shown of the kind of an error.
const KIND_CHARS: usize = 64;

pub(crate) async fn run(call: Call, mut printer: Printer) -> Result<Exit, clap::Error> {
    let Target { source, words } = Target::of("call", call.words, call.program)?;
    let (tool, args) = match words.as_slice() {
        [tool] => (tool, "{}".to_owned()),
        [tool, args] if args == "-" => match read_stdin() {
            Ok(args) => (tool, args),
            Err(error) => {
                let failure = Failure::of_usage(&format!("stdin cannot be read: {error}"));
                let exit = failure.report(&mut printer);
                return Ok(printer.finish(exit));
            }
        },
        [tool, args] => (tool, args.clone()),
        [] => {
            let message = "the name of a tool is missing; `extline inspect DIR` lists them";
            return Err(usage("call", UsageError::MissingRequiredArgument, message));
        }
        [_, _, further, ..] => {
            let message = format!(
                "unexpected argument {further:?}: the tool's arguments are one \
                                   JSON object, quoted as a whole"
            );
            return Err(usage("call", UsageError::TooManyValues, &message));
        }
    };
    printer.views = call.views.when;
    let exit = with_one(source, &call.timeout, &call.settings, printer, async |session| {
        match session.call(tool, &args, &call.timeout).await {
            Ok(Ok(result)) => {
                report(tool, &result, Fold::Unfolded, &session.host, &mut session.printer)
            }
            Ok(Err(error)) => Failure::of_call(&error, &session.host).report(&mut session.printer),
            Err(exit) => exit,
        }
    });
    Ok(exit.await)
}

/// Prints a result: on stdout what was asked for, on stderr why there is none.
pub(crate) fn report(
    tool: &str,
    result: &ToolResult,
    fold: Fold,
    host: &Host,
    printer: &mut Printer,
) -> Exit {
    let exit = if result.is_error { Exit::ToolError } else { Exit::Ok };
    let text = text_of(&result.content);
    if printer.json {
        printer.json_result(&json_of_result(result));
    } else if !result.is_error {
        let view = result.view.as_ref().and_then(view::of).filter(|_| printer.views.is_now());
        if let Some(view) = view {
            let hidden = printer.view(&view, fold);
            if hidden > 0 && fold == Fold::Folded {
                printer.say(format_args!("{DIM}:expand shows all of it{DIM:#}"));
            }
        } else if !result.content.is_empty() {
            printer.data(&text);
        }
    } else {
        let error = result.error.as_ref();
        let kind = error
            .map(|error| text!(" ({})", Text::line(&error.kind.to_string(), KIND_CHARS)))
            .unwrap_or_default();
        // Most SDKs put the hint into the text too, for hosts that show nothing else.
        let hint = error.and_then(|error| error.hint.as_ref());
        let hint = hint.filter(|hint| !text.contains(hint.as_str()));
        let hint = hint.map(|hint| format!("\n  try     {hint}")).unwrap_or_default();
        // What nobody foresaw has a traceback or a panic, which the extension wrote to its log.
        let is_unforeseen = error.is_some_and(|error| error.kind == ErrorKind::Internal);
        let log = if is_unforeseen { log_of(host, tool) } else { None };
        let log = log.map(|log| format!("\n  log     {}", log.display())).unwrap_or_default();
        let text = text.strip_prefix(&format!("tool {tool} failed: ")).unwrap_or(&text);
        printer.error(format_args!("{tool} failed{kind}: {text}{hint}{log}"));
    }
    exit
}

fn log_of(host: &Host, tool: &str) -> Option<PathBuf> {
    let tool = host.tools().into_iter().find(|it| it.definition.name == tool)?;
    let mut extensions = host.extensions().into_iter();
    extensions.find(|it| it.name == tool.extension)?.log
}

pub(crate) fn read_stdin() -> io::Result<String> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    Ok(text)
}
