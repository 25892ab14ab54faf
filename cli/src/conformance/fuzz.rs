//! `extline conformance fuzz`: sessions that a seed draws, and what they break.

use std::fs;
use std::io;
use std::path::Path;
use std::thread;

use clap::error::ErrorKind;
use extline_conformance::{
    Binds, CaseReport, Finding, Fuzz, FuzzProgress, Fuzzed, Options, Style, Verdict, case_text,
    draw_seed, fuzz as fuzz_sessions, stop_all,
};
use serde_json::{Value, json};
use tokio::sync::mpsc::{self, UnboundedReceiver};

use super::harness::{blame_the_tester, caught};
use super::{SUBCOMMAND, canary, interrupted, quoted};
use crate::args::{FuzzSessions, Rules, Spoken};
use crate::exit::Exit;
use crate::interrupt::Interrupts;
use crate::printer::Printer;
use crate::styled::{BOLD, Text, text};
use crate::target::{program_of, usage};

/// The version of the lines of `--json`, as of the tester's reports.
const VERSION: u32 = 1;

/// What the thread that plays tells.
enum Told {
    Session {
        number: u32,
        sent: usize,
        received: usize,
    },
    Shrinks(u32),
    Found(Box<Finding>),
    /// All that came of it, or the panic it ended in.
    Ended(Result<Box<Fuzzed>, String>),
}

pub(super) async fn fuzz(args: &FuzzSessions, mut printer: Printer) -> Result<Exit, clap::Error> {
    let words = &args.program.words;
    let mcp = args.protocol == Spoken::Mcp;
    if mcp && (args.level != Rules::Base || args.canary.is_some()) {
        let option = if args.canary.is_some() { "--canary" } else { "--level" };
        let text = format!("{option} is for extensions; leave it out with --protocol mcp");
        return Err(usage(SUBCOMMAND, ErrorKind::ArgumentConflict, &text));
    }
    let canary = args.canary.as_deref().map(canary).transpose()?;
    let program = match program_of(SUBCOMMAND, args.dir.as_ref(), &args.program)? {
        Ok(program) => program,
        Err(why) => {
            printer.error(why);
            return Ok(printer.finish(Exit::NotStarted));
        }
    };
    let options = Options {
        binds: if args.level == Rules::Base { Binds::Extension } else { Binds::Sdk },
        kit: args.level == Rules::Kit,
        calls: args.call || args.level == Rules::Kit,
        canary,
        seed: args.seed.unwrap_or_else(draw_seed),
        ..Options::of(program)
    };
    let plan = Fuzz {
        time: args.time,
        steps: args.steps,
        sessions: args.session.map(|_| 1).or(args.sessions),
        first: args.session.unwrap_or(1),
        findings: usize::try_from(args.findings).unwrap_or(usize::MAX),
        mcp,
    };
    let mut target: Vec<_> = args.dir.iter().map(|dir| quoted(&dir.to_string_lossy())).collect();
    target.extend((!words.is_empty()).then(|| "--".to_owned()));
    target.extend(words.iter().map(|word| quoted(&word.to_string_lossy())));
    let mut shown = Shown { args, seed: options.seed, target: target.join(" "), printer };
    shown.head(&options, plan);
    // Before anything starts: an interrupt that ended this process alone would leave it behind.
    let interrupts = Interrupts::listen().ok();
    let told = match start(options, plan) {
        Ok(told) => told,
        Err(error) => {
            blame_the_tester(&mut shown.printer, &format!("no thread can be started: {error}"));
            return Ok(shown.printer.finish(Exit::of_conformance(4)));
        }
    };
    let exit = shown.follow(told, interrupts).await;
    Ok(shown.printer.finish(exit))
}

/// Starts the thread that plays; what it tells comes in order.
fn start(options: Options, plan: Fuzz) -> io::Result<UnboundedReceiver<Told>> {
    let (tell, told) = mpsc::unbounded_channel();
    let sessions = move || {
        let fuzzed = caught(|| {
            fuzz_sessions(&options, plan, &mut |progress| {
                // Nobody listens any more after the second Ctrl-C.
                let _ = match progress {
                    FuzzProgress::Session { number, so_far: Fuzzed { sent, received, .. } } => {
                        tell.send(Told::Session { number, sent: *sent, received: *received })
                    }
                    FuzzProgress::Shrinks(tried) => tell.send(Told::Shrinks(tried)),
                    FuzzProgress::Found(finding) => {
                        tell.send(Told::Found(Box::new(finding.clone())))
                    }
                    _ => Ok(()),
                };
            })
        });
        let _ = tell.send(Told::Ended(fuzzed.map(Box::new)));
    };
    thread::Builder::new().name("sessions".to_owned()).spawn(sessions)?;
    Ok(told)
}

/// What is shown while sessions are played.
struct Shown<'a> {
    args: &'a FuzzSessions,
    seed: u32,
    /// The extension, as it stands on a command line.
    target: String,
    printer: Printer,
}

impl Shown<'_> {
    fn head(&mut self, options: &Options, plan: Fuzz) {
        let (seed, program) = (self.seed, options.program.line());
        let seconds = plan.time.as_secs();
        let text = text!("{BOLD}{program}{BOLD:#}  seed {seed}, {seconds} s");
        let json = json!({
            "kind": "fuzz", "version": VERSION, "tester": env!("CARGO_PKG_VERSION"), "seed": seed,
            "program": program, "steps": plan.steps, "time_s": seconds, "first": plan.first,
        });
        self.printer.tell(text, &json);
    }

    /// Shows what is told until the end. The first Ctrl-C ends it in good order, the second at once.
    async fn follow(
        &mut self,
        mut told: UnboundedReceiver<Told>,
        mut interrupts: Option<Interrupts>,
    ) -> Exit {
        let mut stopped = None;
        let mut shrinks = false;
        loop {
            tokio::select! {
                told = told.recv() => match told {
                    Some(Told::Session { number, sent, received }) => {
                        shrinks = false;
                        self.printer.progress(&format!(
                            "session {number}, {sent} lines out, {received} back"
                        ));
                    }
                    Some(Told::Shrinks(tried)) => {
                        shrinks = true;
                        self.printer.progress(&format!("a rule is broken; {tried} smaller sessions tried"));
                    }
                    Some(Told::Found(finding)) => {
                        if let Err(fault) = self.found(&finding) {
                            blame_the_tester(&mut self.printer, &fault);
                            stop_all();
                            return Exit::of_conformance(4);
                        }
                    }
                    Some(Told::Ended(Ok(fuzzed))) => {
                        let exit = self.summary(&fuzzed);
                        return stopped.unwrap_or(exit);
                    }
                    Some(Told::Ended(Err(fault))) => {
                        blame_the_tester(&mut self.printer, &fault);
                        return Exit::of_conformance(4);
                    }
                    None => return Exit::of_conformance(4),
                },
                exit = interrupted(&mut interrupts) => {
                    if let Some(stopped) = stopped {
                        return stopped;
                    }
                    self.printer.say(if shrinks {
                        "stopped: what was found is told as it is now"
                    } else {
                        "stopped before its time was over"
                    });
                    stop_all();
                    stopped = Some(exit);
                }
            }
        }
    }

    /// Writes the case down and shows it; `Err` says why the file could not be written.
    fn found(&mut self, finding: &Finding) -> Result<(), String> {
        let file = self.args.to.join(&finding.name);
        write(&file, &finding.file)?;
        let shown = file.display().to_string();
        let shown = shown.strip_prefix("./").unwrap_or(&shown);
        let again = self.again(shown);
        let (broken, times) = finding.repeats;
        let (before, left) = finding.moves;
        let report = CaseReport { again: Some(again.clone()), ..finding.report.clone() };
        if self.printer.json {
            self.printer.json(&json!({
                "kind": "finding", "session": finding.session, "file": shown, "again": again,
                "verdict": report.verdict, "id": report.id, "failure": report.failure,
                "evidence": report.evidence, "moves": {"before": before, "left": left},
                "left": finding.kinds, "plays": finding.plays,
                "repeats": {"broken": broken, "of": times}, "source": finding.file,
            }));
            return Ok(());
        }
        self.printer.text(Text::made(case_text(&report, Style::Coloured)));
        let kinds = if finding.kinds.is_empty() {
            "no move at all".to_owned()
        } else {
            finding.kinds.join(", ")
        };
        self.printer.result(format_args!(
            "  session   {}: {before} moves made {left} by {} tries: {kinds}\n  \
             repeats   {broken} of {times} times\n  file      {shown}\n\n{}",
            finding.session,
            finding.plays,
            finding.file.trim_end(),
        ));
        Ok(())
    }

    /// The command that plays the file.
    fn again(&self, file: &str) -> String {
        let args = self.args;
        let mut words = vec![format!("extline conformance --cases {} --only own", quoted(file))];
        if args.protocol == Spoken::Mcp {
            words.push("--protocol mcp".to_owned());
            words.extend(args.call.then(|| "--call".to_owned()));
        }
        words.extend(args.canary.as_ref().map(|canary| format!("--canary {}", quoted(canary))));
        words.extend(match args.level {
            Rules::Base => None,
            Rules::Sdk => Some("--level sdk".to_owned()),
            Rules::Kit => Some("--level kit".to_owned()),
        });
        words.push(format!("--seed {} {}", self.seed, self.target));
        words.join(" ")
    }

    fn summary(&mut self, fuzzed: &Fuzzed) -> Exit {
        let Fuzzed { sessions, sent, received, findings, obstacle, .. } = fuzzed;
        let code = fuzzed.exit_code();
        let seconds = fuzzed.took.as_secs_f64();
        let reason = obstacle.as_ref().map(|(_, reason)| reason.as_str());
        let found = match findings.len() {
            0 if *sessions == 0 => "nothing was played".to_owned(),
            0 => "nothing broken".to_owned(),
            1 => "1 rule broken".to_owned(),
            count => format!("{count} rules broken"),
        };
        let text = format!(
            "{found}: {sessions} sessions, {sent} lines out, {received} back, in {seconds:.1} s \
             (seed {})",
            self.seed
        );
        let json: Value = json!({
            "kind": "summary", "exit_code": code, "sessions": sessions, "sent": sent,
            "received": received, "findings": findings.len(), "reason": reason,
            "took_us": fuzzed.took.as_micros(), "seed": self.seed,
        });
        self.printer.tell(text, &json);
        match obstacle {
            Some((Verdict::HarnessError, fault)) => blame_the_tester(&mut self.printer, fault),
            Some((_, reason)) => self.printer.warn(format_args!("it ended early: {reason}")),
            None => {}
        }
        Exit::of_conformance(code)
    }
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}
