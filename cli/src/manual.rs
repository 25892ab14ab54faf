//! `extline completions` and `extline man`: what shells and `man` want to know of the command line.

use std::fs;

use clap::CommandFactory;
use clap::error::ErrorKind;

use crate::args::{Cli, Completions, Man};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::target::usage;

pub(crate) fn completions(
    completions: &Completions,
    mut printer: Printer,
) -> Result<Exit, clap::Error> {
    if printer.json {
        let message = "a completion script is a script: there is no JSON of it";
        return Err(usage("completions", ErrorKind::ArgumentConflict, message));
    }
    let mut script = Vec::new();
    clap_complete::generate(completions.shell, &mut Cli::command(), "extline", &mut script);
    printer.data(&String::from_utf8_lossy(&script));
    Ok(printer.finish(Exit::Ok))
}

pub(crate) fn pages(man: &Man, mut printer: Printer) -> Exit {
    let command = Cli::command().disable_help_subcommand(true);
    let written =
        fs::create_dir_all(&man.dir).and_then(|()| clap_mangen::generate_to(command, &man.dir));
    let exit = match written {
        Ok(()) => {
            let mut names = Vec::new();
            name_pages(&Cli::command(), "extline", &mut names);
            for name in names {
                let page = man.dir.join(name);
                printer.tell(page.display(), &serde_json::json!({ "page": page }));
            }
            Exit::Ok
        }
        Err(error) => {
            let folder = man.dir.display();
            printer.error(format_args!("the man pages cannot be written to {folder}: {error}"));
            Exit::ToolError
        }
    };
    printer.finish(exit)
}

/// The pages of a command and of all below it.
fn name_pages(command: &clap::Command, name: &str, names: &mut Vec<String>) {
    names.push(format!("{name}.1"));
    // What is hidden has none.
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        name_pages(below, &format!("{name}-{}", below.get_name()), names);
    }
}
