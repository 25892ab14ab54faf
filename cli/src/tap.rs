//! `extline tap`: stands between a host and an extension, passes on every byte, writes the trace,
//! and tells on stderr which rules are broken, as soon as they are.

mod closing;
mod observer;

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use extline_conformance::Binds;
use extline_host::{Exit as Ended, Program, inherit_nothing};
use extline_protocol::trace::{Lines, Side, Stream, What};
use tokio::sync::oneshot;

pub(crate) use self::closing::close;
use self::observer::{Observer, Teller};
use crate::args::{Rules, Tap};
use crate::exit::Exit;
use crate::interrupt::Interrupts;
use crate::printer::Printer;
use crate::target::{program_of, told};

/// How much is passed on at a time.
const CHUNK: usize = 64 * 1024;
/// How long what an extension wrote last is waited for after its end.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Ends as the extension does; the exit code is its own.
pub(crate) async fn run(tap: Tap, mut printer: Printer) -> Result<ExitCode, clap::Error> {
    let program = program_of("tap", tap.dir.as_ref(), &tap.program)?;
    let binds = if tap.level == Rules::Base { Binds::Extension } else { Binds::Sdk };
    let started = program.and_then(|program| {
        let observer = Observer::start(tap.trace.as_deref(), tap.redact, binds)?;
        // From here on, as a signal that ends the tap alone would leave the extension behind.
        let interrupts = Interrupts::listen();
        let interrupts =
            interrupts.map_err(|error| format!("cannot listen for Ctrl-C: {error}"))?;
        Ok((start(&program, &observer.teller())?, interrupts, observer))
    });
    let (child, interrupts, observer) = match started {
        Ok(started) => started,
        Err(fault) => {
            printer.error(fault);
            return Ok(printer.finish(Exit::NotStarted).into());
        }
    };
    let status = pass_on(child, interrupts, &observer.teller()).await;
    observer.end();
    Ok(match status {
        Ok(status) => exit_code(status),
        Err(error) => {
            printer.error(format_args!("the extension is lost: {error}"));
            printer.finish(Exit::Died).into()
        }
    })
}

/// Starts the extension, in the process group that the host gave to the tap: a signal for the group
/// reaches both.
fn start(program: &Program, teller: &Teller) -> Result<Child, String> {
    let mut command = program.command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let child = inherit_nothing(|| command.spawn());
    let child = child.map_err(|error| told(&program.explain(&error)))?;
    teller.tell(What::Spawn { argv: argv(&command), pid: Some(child.id()) });
    Ok(child)
}

fn argv(command: &Command) -> Vec<String> {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Passes on what comes from either side until the extension has ended.
async fn pass_on(
    mut child: Child,
    mut interrupts: Interrupts,
    teller: &Teller,
) -> io::Result<ExitStatus> {
    let pid = child.id();
    let (input, to_extension) = (child.stdin.take(), teller.clone());
    // It may wait for the host for ever: the end of this process ends it.
    let inward = move || {
        let Some(input) = input else { return };
        pass(io::stdin(), input, Side::Host, &to_extension);
        to_extension.tell(What::Eof(Stream::Stdin));
        close(Stream::Stdin);
    };
    let (output, to_host) = (child.stdout.take(), teller.clone());
    let (drained, drain) = oneshot::channel();
    let outward = move || {
        let Some(output) = output else { return };
        #[expect(clippy::disallowed_methods, reason = "the extension's own bytes pass here")]
        pass(output, io::stdout(), Side::Extension, &to_host);
        to_host.tell(What::Eof(Stream::Stdout));
        close(Stream::Stdout);
        let _ = drained.send(());
    };
    let (ended, mut end) = oneshot::channel();
    let wait = move || {
        let _ = ended.send(child.wait());
    };
    thread::Builder::new().name("to the extension".to_owned()).spawn(inward)?;
    thread::Builder::new().name("to the host".to_owned()).spawn(outward)?;
    thread::Builder::new().name("the end".to_owned()).spawn(wait)?;
    let status = loop {
        tokio::select! {
            status = &mut end => break status.map_err(io::Error::other)??,
            // The tap stays to see what the extension does. One that was told by the host as well,
            // with the whole group, hears it twice.
            exit = interrupts.next() => {
                let name = if exit == Exit::Interrupted { "SIGINT" } else { "SIGTERM" };
                teller.tell(What::Signal(name.to_owned()));
                forward(exit, pid);
            }
        }
    };
    // A process that the extension left behind may hold its stdout.
    let _ = tokio::time::timeout(LAST_WORDS, drain).await;
    let (code, signal) = match Ended::of(status) {
        Ended::Code { code } => (Some(code), None),
        Ended::Signal { name: Some(name), .. } => (None, Some(name.to_owned())),
        Ended::Signal { number, name: None } => (None, Some(number.to_string())),
        _ => (None, None),
    };
    teller.tell(What::Exit { code, signal });
    Ok(status)
}

/// Passes bytes on as they come until one side is closed.
fn pass(mut from: impl Read, mut to: impl Write, side: Side, teller: &Teller) {
    let mut lines = Lines::default();
    let mut chunk = vec![0; CHUNK];
    loop {
        let count = match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        // First told, then on its way: what it brings about on the other side is told behind it.
        lines.push(&chunk[..count], |line| teller.tell(What::Line { from: side, line }));
        if to.write_all(&chunk[..count]).and_then(|()| to.flush()).is_err() {
            break;
        }
    }
    if let Some(line) = lines.end() {
        teller.tell(What::Line { from: side, line });
    }
}

#[cfg(unix)]
fn forward(exit: Exit, pid: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    let signal = if exit == Exit::Interrupted { Signal::INT } else { Signal::TERM };
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // It may be gone by now.
        let _ = kill_process(pid, signal);
    }
}

/// On Windows the extension is in the process group of the tap, and has its console: it was told as the tap was.
#[cfg(not(unix))]
fn forward(_exit: Exit, _pid: u32) {}

/// The extension's own; 128 and the signal's number when one ended it, as shells have it.
fn exit_code(status: ExitStatus) -> ExitCode {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX));
    }
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX))
}
