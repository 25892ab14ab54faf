//! `extline conformance host`: checks a host, by its driver.

mod answers;
mod driver;
mod person;
mod state;

use std::env;
use std::ffi::OsString;

use clap::error::ErrorKind;
use extline_conformance::{HostOptions, Report, run_host};
use extline_host::{ExtensionSource, Program};

pub(super) use self::driver::drive;
use super::{Testing, list, quoted, run_tests, selection};
use crate::args::TestHost;
use crate::exit::Exit;
use crate::interrupt::Interrupts;
use crate::printer::Printer;
use crate::target::usage;

/// Runs the cases for hosts.
pub(super) async fn run(args: &TestHost, mut printer: Printer) -> Result<Exit, clap::Error> {
    let cases = selection::chosen_of_hosts(&args.choice.only, &args.choice.skip)?;
    if args.choice.list {
        return Ok(list(cases, printer));
    }
    let (testing, baseline) = Testing::of(&args.told, &mut printer)?;
    let puppet = puppet()?;
    let driver = match args.driver.split_first() {
        Some((program, words)) => given(program, words)?,
        None => own(args)?,
    };
    let options =
        HostOptions { baseline, again: Some(again(args)), ..HostOptions::of(driver, puppet) };
    run_tests(
        testing,
        printer,
        &mut Interrupts::listen().ok(),
        move |keeps_passes, progress| -> Report {
            let options = HostOptions { keeps_passes, ..options };
            run_host(&options, &cases, progress)
        },
    )
    .await
}

/// The program that stands in place of extensions: this one.
pub(super) fn puppet() -> Result<Vec<OsString>, clap::Error> {
    Ok(vec![this_program()?, "conformance".into(), "puppet".into()])
}

/// The driver of our own host.
fn own(args: &TestHost) -> Result<Vec<OsString>, clap::Error> {
    let words = ["conformance", "host-driver", "--profile", args.profile.name];
    Ok([this_program()?].into_iter().chain(words.map(OsString::from)).collect())
}

/// The driver that was given, if there is such a program.
fn given(program: &OsString, words: &[OsString]) -> Result<Vec<OsString>, clap::Error> {
    let source = ExtensionSource::command(program, words);
    Program::of(&source, &env::current_dir().unwrap_or_default()).map_err(|problem| {
        let message = format!(
            "--driver: {problem}: check the words behind --driver; they are the program that \
             operates the host, and its arguments (docs/tester/hosts.md)"
        );
        usage(super::SUBCOMMAND, ErrorKind::Io, &message)
    })?;
    Ok([program].into_iter().chain(words).cloned().collect())
}

fn this_program() -> Result<OsString, clap::Error> {
    let path = env::current_exe().map_err(|error| {
        let message = format!("the path of this program is not known: {error}");
        usage(super::SUBCOMMAND, ErrorKind::Io, &message)
    })?;
    Ok(path.into())
}

/// The command that runs one case again.
fn again(args: &TestHost) -> String {
    let mut words = vec!["extline conformance host --only $case".to_owned()];
    if args.driver.is_empty() {
        words.push(format!("--profile {}", args.profile.name));
    } else {
        words.push("--driver".to_owned());
        words.extend(args.driver.iter().map(|word| quoted(&word.to_string_lossy())));
    }
    words.join(" ")
}
