//! `extline conformance host` and `mcp-client`: check a host, or a client of MCP, by its driver.

mod answers;
mod driver;
mod person;
mod state;

use std::env;
use std::ffi::OsString;

use clap::error::ErrorKind;
use extline_conformance::{Binds, Case, HostOptions, Report, run_host};
use extline_host::{ExtensionSource, Program};

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
        Some((program, words)) => given(program, words, "host", "hosts.md")?,
        None => own(args)?,
    };
    let again = again("host", &args.driver, Some(args.profile.name));
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
    let Some((program, words)) = args.driver.split_first().filter(|_| !args.choice.list) else {
        return Ok(list(cases, printer));
    };
    let (testing, baseline) = Testing::of(&args.told, &mut printer)?;
    let driver = given(program, words, "client", "mcp-clients.md")?;
    let again = Some(again("mcp-client", &args.driver, None));
    let binds = Binds::Client;
    let options = HostOptions { baseline, again, binds, ..HostOptions::of(driver, puppet()?) };
    test(options, cases, testing, printer).await
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

/// The driver that was given, if there is such a program.
fn given(
    program: &OsString,
    words: &[OsString],
    subject: &str,
    page: &str,
) -> Result<Vec<OsString>, clap::Error> {
    let source = ExtensionSource::command(program, words);
    Program::of(&source, &env::current_dir().unwrap_or_default()).map_err(|problem| {
        let message = format!(
            "--driver: {problem}: check the words behind --driver; they are the program that \
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
fn again(subcommand: &str, driver: &[OsString], profile: Option<&str>) -> String {
    let mut words = vec![format!("extline conformance {subcommand} --only $case")];
    if driver.is_empty() {
        words.extend(profile.map(|profile| format!("--profile {profile}")));
    } else {
        words.push("--driver".to_owned());
        words.extend(driver.iter().map(|word| quoted(&word.to_string_lossy())));
    }
    words.join(" ")
}
