//! `extline conformance`: checks an extension against the protocol.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::sync::{Mutex, PoisonError, mpsc};

use clap::error::ErrorKind;
use extline_conformance::{
    Binds, Canary, Case, CaseReport, Cited, Clause, Options, Progress, Report, Style, Verdict,
    builtin, case_line, case_text, junit, ndjson, run as run_cases, selftest, stop_all,
    summary_line, summary_text,
};
use extline_host::{ExtensionSource, Program};
use serde_json::json;

use crate::args::{Conformance, Question, Rules};
use crate::exit::Exit;
use crate::interrupt::Interrupts;
use crate::printer::{BOLD, Printer};
use crate::target::{source_of, usage};

const SUBCOMMAND: &str = "conformance";

/// What the testing thread tells.
enum Told {
    Planned(usize),
    Begins(String),
    Decided(Box<CaseReport>),
}

pub(crate) async fn run(args: Conformance, mut printer: Printer) -> Result<Exit, clap::Error> {
    match &args.question {
        Some(Question::List) => return Ok(list(printer)),
        Some(Question::Selftest) => return Ok(test_the_tester(printer)),
        Some(Question::Explain { case }) => return explain(case, printer),
        None => {}
    }
    let cases = chosen(&args)?;
    let reports =
        args.report.iter().map(|report| format_of(report)).collect::<Result<Vec<_>, _>>()?;
    let Some(options) = options(args, &mut printer)? else {
        return Ok(printer.finish(Exit::NotStarted));
    };
    let verbose = options.1;
    let (tell, told) = mpsc::channel();
    let mut tests = tokio::task::spawn_blocking(move || {
        run_cases(&options.0, &cases, &mut |progress| {
            let _ = match progress {
                Progress::Planned(count) => tell.send(Told::Planned(count)),
                Progress::Begins(case) => tell.send(Told::Begins(case.id.clone())),
                Progress::Decided(report) => tell.send(Told::Decided(Box::new(report.clone()))),
                _ => Ok(()),
            };
        })
    });
    let shown = tokio::task::spawn_blocking(move || {
        show(&mut printer, &told, verbose);
        printer
    });
    let mut interrupts = Interrupts::listen().ok();
    let interrupted = async {
        match &mut interrupts {
            Some(interrupts) => interrupts.next().await,
            None => std::future::pending().await,
        }
    };
    let (report, stopped) = tokio::select! {
        report = &mut tests => (report, None),
        exit = interrupted => {
            stop_all();
            (tests.await, Some(exit))
        }
    };
    // A thread fails only by a panic, which was printed.
    let (Ok(report), Ok(mut printer)) = (report, shown.await) else { return Ok(Exit::ToolError) };
    if let Some(exit) = stopped {
        return Ok(printer.finish(exit));
    }
    summarize(&mut printer, &report);
    for (format, file) in reports {
        let text = if format == "junit" { junit(&report) } else { ndjson(&report) };
        if let Err(error) = fs::write(&file, text) {
            printer.error(format_args!("{file} cannot be written: {error}"));
            return Ok(printer.finish(Exit::Usage));
        }
    }
    Ok(printer.finish(match report.exit_code() {
        0 => Exit::Ok,
        1 => Exit::ToolError,
        _ => Exit::Usage,
    }))
}

/// What is run; `None` when the program cannot be, which was said.
fn options(
    args: Conformance,
    printer: &mut Printer,
) -> Result<Option<(Options, bool)>, clap::Error> {
    let canary = args.canary.as_deref().map(canary).transpose()?;
    let words = args.program.words.clone();
    let source = match source_of(SUBCOMMAND, args.program)? {
        Some(source) => source,
        None => ExtensionSource::folder(args.dir.clone().unwrap_or_default()),
    };
    let cwd = env::current_dir().unwrap_or_default();
    let program = match Program::of(&source, &cwd) {
        Ok(program) => program,
        Err(problem) => {
            printer.error(format_args!("{problem}: {}", problem.remedy()));
            return Ok(None);
        }
    };
    let binds = if args.level == Rules::Sdk { Binds::Sdk } else { Binds::Extension };
    let again =
        Some(again(args.dir.as_ref(), &words, args.call, args.canary.as_deref(), args.level));
    let options = Options { program, binds, calls: args.call, canary, again, ack: None };
    Ok(Some((options, args.verbose)))
}

/// The command that runs one case again.
fn again(
    dir: Option<&OsString>,
    program: &[OsString],
    call: bool,
    canary: Option<&str>,
    level: Rules,
) -> String {
    let mut words = vec!["extline conformance --only $case".to_owned()];
    words.extend(call.then(|| "--call".to_owned()));
    words.extend(canary.map(|canary| format!("--canary {}", quoted(canary))));
    words.extend((level == Rules::Sdk).then(|| "--level sdk".to_owned()));
    words.extend(dir.map(|dir| quoted(&dir.to_string_lossy())));
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

fn chosen(args: &Conformance) -> Result<Vec<&'static Case>, clap::Error> {
    let matches = |case: &Case, names: &[String]| names.iter().any(|name| is_named(case, name));
    for name in args.only.iter().chain(&args.skip) {
        if !builtin().values().any(|case| is_named(case, name)) {
            return Err(unknown(name));
        }
    }
    let only = |case: &&Case| args.only.is_empty() || matches(case, &args.only);
    Ok(builtin().values().filter(only).filter(|case| !matches(case, &args.skip)).collect())
}

/// A case is named by its id, or by the beginning of one up to a dash.
fn is_named(case: &Case, name: &str) -> bool {
    case.id == name || case.id.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'))
}

fn unknown(name: &str) -> clap::Error {
    let near = builtin()
        .keys()
        .map(|id| (strsim::jaro_winkler(id, &name.to_uppercase()), id))
        .max_by(|one, other| one.0.total_cmp(&other.0));
    let near = near.filter(|(likeness, _)| *likeness > 0.8);
    let near = near.map(|(_, id)| format!(" Did you mean {id}?")).unwrap_or_default();
    let text = format!("there is no case {name}; `extline conformance list` has them all.{near}");
    usage(SUBCOMMAND, ErrorKind::InvalidValue, &text)
}

fn format_of(report: &str) -> Result<(String, String), clap::Error> {
    match report.split_once('=') {
        Some((format @ ("ndjson" | "junit"), file)) if !file.is_empty() => {
            Ok((format.to_owned(), file.to_owned()))
        }
        _ => Err(usage(
            SUBCOMMAND,
            ErrorKind::InvalidValue,
            &format!("--report {report}: expected ndjson=FILE or junit=FILE"),
        )),
    }
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

fn show(printer: &mut Printer, told: &mpsc::Receiver<Told>, verbose: bool) {
    let (mut planned, mut done) = (0, 0);
    for told in told {
        match told {
            Told::Planned(count) => planned = count,
            Told::Begins(id) => printer.progress(&format!("{done}/{planned} {id}")),
            Told::Decided(report) => {
                done += 1;
                // Why cases could not run is said once for all of them, in the summary.
                let quiet = matches!(
                    report.verdict,
                    Verdict::Pass | Verdict::NotApplicable | Verdict::CouldNotRun
                );
                if printer.json {
                    printer.json(&case_line(&report));
                } else if verbose || !quiet {
                    printer.text(&case_text(&report, Style::Coloured));
                }
            }
        }
    }
    printer.clear_progress();
}

fn summarize(printer: &mut Printer, report: &Report) {
    if printer.json {
        printer.json(&summary_line(report));
    } else {
        printer.text(&summary_text(report, Style::Coloured));
    }
}

fn list(mut printer: Printer) -> Exit {
    for case in builtin().values() {
        let level = case.level().word();
        let line = format!("{:<9} {:<6} {}", case.id, level, case.title);
        let json =
            json!({"id": case.id, "level": level, "title": case.title, "clauses": case.clauses});
        printer.tell(line, &json);
    }
    printer.finish(Exit::Ok)
}

/// Prints the kill matrix: each mutant with the cases that must catch it.
fn test_the_tester(printer: Printer) -> Exit {
    let printer = Mutex::new(printer);
    let locked = || printer.lock().unwrap_or_else(PoisonError::into_inner);
    let outcome = selftest(&|done, count| locked().progress(&format!("{done}/{count} mutants")));
    let mut printer = printer.into_inner().unwrap_or_else(PoisonError::into_inner);
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            printer.error(&error);
            return printer.finish(Exit::NotStarted);
        }
    };
    for case in &outcome.unsound {
        printer.result(format_args!("FAIL the unbroken puppet does not pass {}", case.id));
    }
    for kill in &outcome.kills {
        let word = if kill.is_caught() { "caught" } else { "MISSED" };
        let json = json!({"mutant": kill.mutant, "case": kill.case, "caught": kill.is_caught()});
        printer.tell(format_args!("{word}  {:<20} {}", kill.mutant, kill.case), &json);
    }
    for case in &outcome.untested {
        printer.result(format_args!("FAIL no mutant fails {case}"));
    }
    printer.finish(if outcome.is_sound() { Exit::Ok } else { Exit::ToolError })
}

fn explain(id: &str, mut printer: Printer) -> Result<Exit, clap::Error> {
    let Some(case) = builtin().get(&id.to_uppercase()) else { return Err(unknown(id)) };
    let clauses: Vec<_> = case.clauses.iter().filter_map(|id| Clause::named(id)).collect();
    if printer.json {
        let clauses: Vec<_> = clauses
            .iter()
            .map(|clause| json!({"id": clause.id, "level": clause.level, "text": clause.text}))
            .collect();
        printer.json(&json!({
            "id": case.id, "title": case.title, "about": case.about, "clauses": clauses,
            "source": case.source,
        }));
        return Ok(printer.finish(Exit::Ok));
    }
    printer.result(format_args!("{BOLD}{}{BOLD:#}  {}", case.id, case.title));
    for clause in clauses {
        printer.result(format_args!("\n{} {}\n  {}", clause.level.word(), clause.id, clause.text));
    }
    if !case.about.is_empty() {
        printer.result(format_args!("\n{}", case.about));
    }
    printer.result(format_args!("\nThe case:\n\n{}", case.source.trim_end()));
    Ok(printer.finish(Exit::Ok))
}
