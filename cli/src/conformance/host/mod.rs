//! `extline conformance host` and `mcp-client`: check a host, or a client of MCP, by its driver.

mod answers;
mod client;
mod driver;
mod person;
mod state;

use std::env;
use std::ffi::OsString;

use clap::error::ErrorKind;
use extline_conformance::{Binds, Case, HostOptions, Report, run_host};
use extline_host::{ExtensionSource, Program};

pub(super) use self::client::drive_command;
pub(super) use self::driver::drive;
use super::{Testing, list, quoted, run_tests, selection};
use crate::args::{TestClient, TestHost};
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
    let driver = match args.driver.split_first() {
        Some((program, words)) => given("--driver", program, words, HOST)?,
        None => own(args)?,
    };
    let again = again("host", "--driver", &args.driver, Some(args.profile.name));
    let options =
        HostOptions { baseline, again: Some(again), ..HostOptions::of(driver, puppet()?) };
    test(options, cases, testing, printer).await
}

/// Runs the cases for clients of MCP.
pub(super) async fn run_client(
    args: &TestClient,
    mut printer: Printer,
) -> Result<Exit, clap::Error> {
    let cases = selection::chosen_of_clients(&args.choice.only, &args.choice.skip)?;
    let by_command = !args.command.is_empty();
    let (option, words) =
        if by_command { ("--command", &args.command) } else { ("--driver", &args.driver) };
    let Some((program, arguments)) = words.split_first().filter(|_| !args.choice.list) else {
        return Ok(list(cases, printer));
    };
    let (testing, baseline) = Testing::of(&args.told, &mut printer)?;
    let given = given(option, program, arguments, CLIENT)?;
    let driver = if by_command { by_itself(given)? } else { given };
    let again = Some(again("mcp-client", option, words, None));
    let binds = Binds::Client;
    let options =
        HostOptions { baseline, again, binds, by_command, ..HostOptions::of(driver, puppet()?) };
    test(options, cases, testing, printer).await
}

/// The driver of a client that is told its server on its command line.
fn by_itself(command: Vec<OsString>) -> Result<Vec<OsString>, clap::Error> {
    if !client::has_place(&command) {
        let message = "--command: no word of it is {server} or {config}, so the client would know no \
                       server; put {server} where the server's command belongs, or {config} where the \
                       path of a configuration file does";
        return Err(usage(super::SUBCOMMAND, ErrorKind::InvalidValue, message));
    }
    let words = ["conformance", "client-driver", "--"];
    let driver = [this_program()?].into_iter().chain(words.map(OsString::from));
    Ok(driver.chain(command).collect())
}

async fn test(
    options: HostOptions,
    cases: Vec<&'static Case>,
    testing: Testing<'_>,
    printer: Printer,
) -> Result<Exit, clap::Error> {
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

/// What is operated, and the page that says how.
const HOST: (&str, &str) = ("host", "hosts.md");
const CLIENT: (&str, &str) = ("client", "mcp-clients.md");

/// The driver that was given, if there is such a program.
fn given(
    option: &str,
    program: &OsString,
    words: &[OsString],
    (subject, page): (&str, &str),
) -> Result<Vec<OsString>, clap::Error> {
    let source = ExtensionSource::command(program, words);
    Program::of(&source, &env::current_dir().unwrap_or_default()).map_err(|problem| {
        let message = format!(
            "{option}: {problem}: check the words behind {option}; they are the program that \
             operates the {subject}, and its arguments (docs/tester/{page})"
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
fn again(subcommand: &str, option: &str, driver: &[OsString], profile: Option<&str>) -> String {
    let mut words = vec![format!("extline conformance {subcommand} --only $case")];
    if driver.is_empty() {
        words.extend(profile.map(|profile| format!("--profile {profile}")));
    } else {
        words.push(option.to_owned());
        words.extend(driver.iter().map(|word| quoted(&word.to_string_lossy())));
    }
    words.join(" ")
}
