//! `extline conformance`: checks an extension against the protocol.

mod baseline;
mod copy;
mod explain;
mod fuzz;
mod harness;
mod host;
mod matrix;
mod own;
mod puppet;
mod reports;
mod screen;
mod selection;
mod server;
mod traces;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use clap::error::ErrorKind;
use extline_conformance::{
    Baseline, Binds, Canary, Case, CaseReport, Cited, Head, Need, Options, Progress, Report,
    Selftest, Verdict, all_cases, client_selftest, draw_seed, host_selftest, run as run_cases,
    selftest, server_selftest, stop_all,
};
use serde_json::json;
use tokio::sync::mpsc::{self, UnboundedReceiver};

use self::harness::blame_the_tester;
use self::reports::{Format, Reports};
use self::screen::Screen;
use crate::args::{Conformance, Question, Reporting, Rules, Spoken};
use crate::exit::Exit;
use crate::interrupt::Interrupts;
use crate::printer::{self, Printer};
use crate::styled::{BOLD, counted};
use crate::target::{program_of, usage};
use crate::watch::Watch;

const SUBCOMMAND: &str = "conformance";
/// How often the time in the progress line is renewed.
const TICK: Duration = Duration::from_secs(1);

/// What the testing thread tells.
enum Told {
    Planned(Head),
    Begins(String),
    Decided(Box<CaseReport>),
    /// All that came of it, or the panic it ended in.
    Ended(Result<Box<Report>, String>),
}

pub(crate) async fn run(args: Conformance, printer: Printer) -> Result<Exit, clap::Error> {
    match &args.question {
        Some(Question::List) => {
            return Ok(list(all_cases(), printer));
        }
        Some(Question::Check(trace)) => return traces::check(trace, printer),
        Some(Question::Matrix(args)) => return matrix::show(args, printer),
        Some(Question::Replay(trace)) => return traces::replay(trace, printer),
        Some(Question::Fuzz(sessions)) => return fuzz::fuzz(sessions, printer).await,
        Some(Question::Host(args)) => return host::run(args, printer).await,
        Some(Question::McpClient(args)) => return host::run_client(args, printer).await,
        Some(Question::Puppet(args)) => return Ok(puppet::run(args, printer)),
        Some(Question::HostDriver { profile }) => {
            return Ok(host::drive(profile.clone(), printer).await);
        }
        Some(Question::ClientDriver { command }) => {
            return Ok(host::drive_command(command, printer));
        }
        Some(Question::Selftest) => return test_the_tester(printer),
        Some(Question::Explain { name }) => return explain::explain(name, printer),
        Some(Question::Copy { cases, to }) => {
            return Ok(copy::copy(&selection::chosen(&[], cases, &[], false)?, to, printer));
        }
        None if args.watch => return watch(&args, printer.json).await,
        None => {}
    }
    run_once(&args, printer, &mut Interrupts::listen().ok()).await
}

/// Runs again at each change, until Ctrl-C.
async fn watch(args: &Conformance, json: bool) -> Result<Exit, clap::Error> {
    let mut watch = watched(args);
    // Once for all runs: one that comes between two of them is not lost.
    let mut interrupts = Interrupts::listen().ok();
    loop {
        match run_once(args, Printer::new(json), &mut interrupts).await {
            Ok(exit @ (Exit::Interrupted | Exit::Terminated)) => return Ok(exit),
            Ok(_) => {}
            // It may be a case of the author's own that is being written.
            Err(error) => printer::usage(&error),
        }
        let mut printer = Printer::new(json);
        let changed = if let Some(file) = watch.changed_during_run(|file| {
            let file = file.display();
            printer.say(format_args!("{file} changes with each run, and is not watched"));
        }) {
            file
        } else {
            printer
                .say(format_args!("watching {}; Ctrl-C ends it", counted(watch.count(), "file")));
            tokio::select! {
                file = watch.change() => file,
                exit = interrupted(&mut interrupts) => return Ok(printer.finish(exit)),
            }
        };
        printer.say(format_args!("\n{BOLD}{} changed{BOLD:#}", changed.display()));
    }
}

/// The extension's folder, the files among the words of its program, and the author's cases; what a run
/// itself writes is not watched.
fn watched(args: &Conformance) -> Watch {
    let words = args.program.words.iter().map(PathBuf::from).filter(|word| word.exists());
    let cases = args.cases.iter().map(PathBuf::from);
    let configuration = args.mcp_config.first().map(PathBuf::from);
    let roots = args.dir.iter().map(PathBuf::from).chain(words).chain(cases);
    let roots = roots.chain(configuration).collect();
    let reports = args.told.report.iter().filter_map(|report| report.split_once('='));
    let reports = reports.map(|(_, file)| file).chain(args.told.write_baseline.as_deref());
    let written = reports.filter_map(|file| std::fs::canonicalize(file).ok()).collect();
    Watch::of(roots, written)
}

/// The next signal to end; never, where none can be listened for.
async fn interrupted(interrupts: &mut Option<Interrupts>) -> Exit {
    match interrupts {
        Some(interrupts) => interrupts.next().await,
        None => std::future::pending().await,
    }
}

async fn run_once(
    args: &Conformance,
    mut printer: Printer,
    interrupts: &mut Option<Interrupts>,
) -> Result<Exit, clap::Error> {
    if args.protocol == Spoken::Mcp || !args.mcp_config.is_empty() {
        return server::run(args, printer, interrupts).await;
    }
    if args.era.is_some() {
        let text = "--era is for MCP servers; give --protocol mcp as well";
        return Err(usage(SUBCOMMAND, ErrorKind::MissingRequiredArgument, text));
    }
    let mut cases = selection::chosen(
        own::read(&args.cases)?,
        &args.choice.only,
        &args.choice.skip,
        args.deep,
    )?;
    if args.level != Rules::Kit && args.choice.only.is_empty() {
        cases.retain(|case| !case.needs.contains(&Need::Kit));
    }
    if !args.deep && args.choice.only.is_empty() {
        cases.retain(|case| !case.deep);
    }
    if args.choice.list {
        return Ok(list(cases, printer));
    }
    let (testing, baseline) = Testing::of(&args.told, &mut printer)?;
    let Some(options) = options(args, baseline, &mut printer)? else {
        return Ok(printer.finish(Exit::NotStarted));
    };
    run_tests(testing, printer, interrupts, move |keeps_passes, progress| {
        run_cases(&Options { keeps_passes, ..options }, &cases, progress)
    })
    .await
}

/// What is done with what comes of a run.
struct Testing<'a> {
    reports: Reports,
    write_baseline: Option<&'a String>,
    /// The baseline that is written anew.
    draft: Baseline,
    verbose: bool,
}

impl<'a> Testing<'a> {
    /// As the command line has it, with what is known to fail. Files are opened before anything is run.
    fn of(told: &'a Reporting, printer: &mut Printer) -> Result<(Self, Baseline), clap::Error> {
        let baseline = baseline::read(told.baseline.as_ref())?;
        let write_baseline = told.write_baseline.as_ref();
        let draft = baseline::draft(told.baseline.as_ref(), write_baseline, &baseline)?;
        let reports = Reports::open(&told.report, printer.json)?;
        printer.json = reports.stdout == Some(Format::Ndjson);
        Ok((Self { reports, write_baseline, draft, verbose: told.verbose }, baseline))
    }
}

/// Runs tests on a thread of their own, and shows what is told. The test is told whether cases that
/// pass are to keep what happened. Interrupts are listened for before it begins: one that ended this
/// process alone would leave an extension behind.
async fn run_tests(
    testing: Testing<'_>,
    printer: Printer,
    interrupts: &mut Option<Interrupts>,
    test: impl FnOnce(bool, &mut (dyn FnMut(Progress<'_>) + Send)) -> Report + Send + 'static,
) -> Result<Exit, clap::Error> {
    let mut reports = testing.reports;
    let told = match start(reports.show_passes(), test) {
        Ok(told) => told,
        Err(error) => {
            let mut printer = printer;
            blame_the_tester(&mut printer, &format!("no thread can be started: {error}"));
            return Ok(printer.finish(Exit::of_conformance(4)));
        }
    };
    let mut screen = Screen::new(printer, testing.verbose);
    let (outcome, stopped) = follow(told, interrupts, &mut screen, &mut reports).await;
    let Screen { mut printer, .. } = screen;
    let mut faults = Vec::new();
    let mut code = 4;
    match outcome {
        Some(Ok(report)) => {
            code = report.exit_code();
            let fault = |case: &&CaseReport| case.verdict == Verdict::HarnessError;
            let fault = report.cases.iter().find(fault);
            faults.extend(fault.and_then(|case| case.reason.clone()));
            if let Some(file) = testing.write_baseline {
                match baseline::write(file, &testing.draft, &report) {
                    Ok(written) => printer.say(written),
                    Err(fault) => faults.push(fault),
                }
            }
            faults.extend(reports.finish(&report, &mut printer).err());
        }
        Some(Err(fault)) => faults.push(fault),
        None => {}
    }
    if let Some(exit) = stopped {
        return Ok(printer.finish(exit));
    }
    faults.extend(printer.broken());
    if faults.is_empty() {
        return Ok(printer.finish(Exit::of_conformance(code)));
    }
    blame_the_tester(&mut printer, &faults.join("; "));
    Ok(printer.finish(Exit::of_conformance(4)))
}

/// Starts the thread that tests; what it tells comes in order.
fn start(
    keeps_passes: bool,
    test: impl FnOnce(bool, &mut (dyn FnMut(Progress<'_>) + Send)) -> Report + Send + 'static,
) -> io::Result<UnboundedReceiver<Told>> {
    let (tell, told) = mpsc::unbounded_channel();
    let test = move || {
        let report = harness::caught(|| {
            test(keeps_passes, &mut |progress| {
                // Nobody listens any more after the second Ctrl-C.
                let _ = match progress {
                    Progress::Planned(head) => tell.send(Told::Planned(head.clone())),
                    Progress::Begins(case) => tell.send(Told::Begins(case.id.clone())),
                    Progress::Decided(report) => tell.send(Told::Decided(Box::new(report.clone()))),
                    _ => Ok(()),
                };
            })
        });
        let _ = tell.send(Told::Ended(report.map(Box::new)));
    };
    thread::Builder::new().name("tests".to_owned()).spawn(test)?;
    Ok(told)
}

/// Shows what is told until the end. The first Ctrl-C ends the run in good order, the second at
/// once.
async fn follow(
    mut told: UnboundedReceiver<Told>,
    interrupts: &mut Option<Interrupts>,
    screen: &mut Screen,
    reports: &mut Reports,
) -> (Option<Result<Box<Report>, String>>, Option<Exit>) {
    let mut stopped = None;
    let mut ticks = tokio::time::interval(TICK);
    loop {
        tokio::select! {
            told = told.recv() => match told {
                Some(Told::Ended(outcome)) => {
                    if let Ok(report) = &outcome {
                        screen.summary(report, reports);
                    }
                    return (Some(outcome), stopped);
                }
                Some(told) => screen.show(told, reports),
                None => return (Some(Err("the testing thread is gone".to_owned())), stopped),
            },
            exit = interrupted(interrupts) => {
                if stopped.is_some() {
                    return (None, stopped);
                }
                stop_all();
                stopped = Some(exit);
            }
            _ = ticks.tick() => screen.progress(),
        }
    }
}

/// What is run; `None` when the program cannot be, which was said.
fn options(
    args: &Conformance,
    baseline: Baseline,
    printer: &mut Printer,
) -> Result<Option<Options>, clap::Error> {
    let canary = args.canary.as_deref().map(canary).transpose()?;
    let words = args.program.words.clone();
    let program = match program_of(SUBCOMMAND, args.dir.as_ref(), &args.program)? {
        Ok(program) => program,
        Err(why) => {
            printer.error(why);
            return Ok(None);
        }
    };
    let binds = if args.level == Rules::Base { Binds::Extension } else { Binds::Sdk };
    let kit = args.level == Rules::Kit;
    let seed = args.seed.unwrap_or_else(draw_seed);
    let again = again(args, &words, seed);
    let options = Options {
        binds,
        kit,
        calls: kit || args.call,
        canary,
        again: Some(again),
        seed,
        retries: args.retries,
        baseline,
        ..Options::of(program)
    };
    Ok(Some(options))
}

/// The command that runs one case again.
fn again(args: &Conformance, program: &[OsString], seed: u32) -> String {
    let mut words = vec!["extline conformance --only $case".to_owned()];
    let own = args.cases.iter();
    words.extend(own.map(|path| format!("--cases {}", quoted(&path.to_string_lossy()))));
    words.extend(args.call.then(|| "--call".to_owned()));
    words.extend(args.canary.as_ref().map(|canary| format!("--canary {}", quoted(canary))));
    words.extend(match args.level {
        Rules::Base => None,
        Rules::Sdk => Some("--level sdk".to_owned()),
        Rules::Kit => Some("--level kit".to_owned()),
    });
    words.push(format!("--seed {seed}"));
    words.extend(args.dir.as_ref().map(|dir| quoted(&dir.to_string_lossy())));
    words.extend((!program.is_empty()).then(|| "--".to_owned()));
    words.extend(program.iter().map(|word| quoted(&word.to_string_lossy())));
    words.join(" ")
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:=@%+,".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn canary(text: &str) -> Result<Canary, clap::Error> {
    if let Some(command) = text.trim().strip_prefix('/') {
        let (command, args) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        return Ok(Canary::AllowedCommand { command: command.to_owned(), args: args.to_owned() });
    }
    let (tool, args) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), "{}"));
    match serde_json::from_str::<serde_json::Value>(args) {
        Ok(serde_json::Value::Object(args)) if !tool.is_empty() => Ok(Canary::Allowed {
            tool: tool.to_owned(),
            args: serde_json::Value::Object(args).to_string(),
        }),
        _ => Err(usage(
            SUBCOMMAND,
            ErrorKind::InvalidValue,
            &format!(
                "--canary {text:?}: expected a tool and a JSON object, as 'echo {{\"text\":\"x\"}}'"
            ),
        )),
    }
}

fn list<'a>(cases: impl IntoIterator<Item = &'a Case>, mut printer: Printer) -> Exit {
    for case in cases {
        let level = case.level().word();
        let line = format!("{:<9} {:<6} {}", case.id, level, case.title);
        let json =
            json!({"id": case.id, "level": level, "title": case.title, "clauses": case.clauses});
        printer.tell(line, &json);
    }
    printer.finish(Exit::Ok)
}

/// Prints the kill matrix: each mutant with the cases that must catch it, extensions first and
/// hosts behind them.
fn test_the_tester(printer: Printer) -> Result<Exit, clap::Error> {
    let puppet = host::puppet()?;
    let printer = Mutex::new(printer);
    let locked = || printer.lock().unwrap_or_else(PoisonError::into_inner);
    let told = |done, count| locked().progress(&format!("{done}/{count} mutants"));
    let outcomes = selftest(&told).and_then(|extensions| {
        let (hosts, servers) = (host_selftest(&puppet, &told)?, server_selftest(&told)?);
        Ok([extensions, hosts, servers, client_selftest(&puppet, &told)?])
    });
    let mut printer = printer.into_inner().unwrap_or_else(PoisonError::into_inner);
    let outcomes = match outcomes {
        Ok(outcomes) => outcomes,
        Err(error) => {
            printer.error(&error);
            return Ok(printer.finish(Exit::NotStarted));
        }
    };
    for case in outcomes.iter().flat_map(|outcome| &outcome.unsound) {
        printer.result(format_args!("FAIL what is not broken does not pass {}", case.id));
    }
    for kill in outcomes.iter().flat_map(|outcome| &outcome.kills) {
        let word = if kill.is_caught() { "caught" } else { "MISSED" };
        let json = json!({"mutant": kill.mutant, "case": kill.case, "caught": kill.is_caught()});
        printer.tell(format_args!("{word}  {:<20} {}", kill.mutant, kill.case), &json);
    }
    for case in outcomes.iter().flat_map(|outcome| &outcome.untested) {
        printer.result(format_args!("FAIL no mutant fails {case}"));
    }
    let sound = outcomes.iter().all(Selftest::is_sound);
    Ok(printer.finish(if sound { Exit::Ok } else { Exit::ToolError }))
}
