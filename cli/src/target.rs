//! From the words of the command line to an extension and what is wanted of it.

use std::env;
use std::ffi::OsString;

use clap::CommandFactory;
use clap::error::ErrorKind;
use extline_host::{ExtensionSource, Problem, Program as Runnable};
use extline_protocol::shown;

use crate::args::{Cli, Program};

/// The extension, and the words that are not its folder.
pub(crate) struct Target {
    pub(crate) source: ExtensionSource,
    pub(crate) words: Vec<String>,
}

impl Target {
    /// The first word is the folder, unless a program stands behind `--`.
    pub(crate) fn of(
        subcommand: &str,
        mut words: Vec<OsString>,
        program: Program,
    ) -> Result<Self, clap::Error> {
        let source = match source_of(subcommand, program)? {
            Some(source) => source,
            None => ExtensionSource::folder(words.remove(0)),
        };
        let words = words.into_iter().map(|word| {
            word.into_string().map_err(|word| {
                usage(
                    subcommand,
                    ErrorKind::InvalidUtf8,
                    &format!("{} is not UTF-8", word.display()),
                )
            })
        });
        Ok(Self { source, words: words.collect::<Result<_, _>>()? })
    }
}

/// The program behind `--`, if there is one.
pub(crate) fn source_of(
    subcommand: &str,
    program: Program,
) -> Result<Option<ExtensionSource>, clap::Error> {
    let mut words = program.words.into_iter();
    let Some(program) = words.next() else { return Ok(None) };
    if program.as_encoded_bytes().starts_with(b"-") {
        let message = format!(
            "{} is no program: what stands behind `--` is the program of an extension{}",
            program.display(),
            if subcommand == "command" {
                "; for ARGS that begin with a dash use --args"
            } else {
                ""
            }
        );
        return Err(usage(subcommand, ErrorKind::InvalidValue, &message));
    }
    Ok(Some(ExtensionSource::command(program, words)))
}

/// What is to be started: the program behind `--`, or else that of the folder. The inner `Err` says
/// why there is none, and what to do.
pub(crate) fn program_of(
    subcommand: &str,
    dir: Option<&OsString>,
    program: &Program,
) -> Result<Result<Runnable, String>, clap::Error> {
    let source = source_of(subcommand, program.clone())?;
    let source =
        source.unwrap_or_else(|| ExtensionSource::folder(dir.cloned().unwrap_or_default()));
    let cwd = env::current_dir().unwrap_or_default();
    Ok(Runnable::of(&source, &cwd).map_err(|problem| told(&problem)))
}

/// A problem with what to do about it.
pub(crate) fn told(problem: &Problem) -> String {
    format!("{problem}: {}", problem.remedy())
}

/// An error of usage as clap shows its own: with the usage, unless it is a value that is wrong.
pub(crate) fn usage(subcommand: &str, kind: ErrorKind, message: &str) -> clap::Error {
    // It may quote a file that others wrote.
    let message = &shown(message);
    let mut cli = Cli::command();
    cli.build();
    if matches!(kind, ErrorKind::InvalidValue | ErrorKind::Io) {
        let text = format!("{message}\n\nFor more information, try '--help'.\n");
        return clap::Error::raw(kind, text).with_cmd(&cli);
    }
    match cli.find_subcommand_mut(subcommand) {
        Some(subcommand) => subcommand.error(kind, message),
        None => cli.error(kind, message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn the_first_word_is_the_folder_unless_there_is_a_program() {
        let none = Program { words: Vec::new() };
        let target = Target::of("call", words(&["dir", "tool", "{}"]), none).unwrap();
        assert_eq!(target.source, ExtensionSource::folder("dir"));
        assert_eq!(target.words, ["tool", "{}"]);

        let program = Program { words: words(&["./ext", "--flag"]) };
        let target = Target::of("call", words(&["tool", "{}"]), program).unwrap();
        assert_eq!(target.source, ExtensionSource::command("./ext", ["--flag"]));
        assert_eq!(target.words, ["tool", "{}"]);
    }

    #[test]
    fn arguments_behind_the_dashes_are_told_where_they_belong() {
        let program = Program { words: words(&["--force"]) };
        let error = Target::of("command", words(&["dir", "deploy"]), program).err().unwrap();
        assert!(error.to_string().contains("use --args"), "{error}");
        assert_eq!(error.exit_code(), 2);
    }
}
