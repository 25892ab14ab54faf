//! `extline mock`: an extension that says what a trace or cases say, in place of the real one.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::error::ErrorKind;
use extline_conformance::{Ended, Mock as Script, parse_own};
use extline_host::file::{WRITTEN_BYTES, read_text};
use extline_protocol::trace::Stream;

use crate::args::Mock;
use crate::printer::say_as_extension;
use crate::tap::close;
use crate::target::usage;
use crate::traced::read;

/// Ends as the script says.
pub(crate) fn run(mock: &Mock) -> Result<ExitCode, clap::Error> {
    let refused = |why: String| usage("mock", ErrorKind::InvalidValue, &why);
    let mut script = Script::default();
    for file in &mock.files {
        let name = file.display().to_string();
        let added = if file.extension().is_some_and(|it| it == "toml") {
            let text = read_text(file, WRITTEN_BYTES);
            let text = text.map_err(|error| refused(format!("{name}: {error}")))?;
            let cases = parse_own(&name, &text).map_err(|error| refused(error.to_string()))?;
            script.add_cases(&name, &cases)
        } else {
            let records = read("mock", file, mock.extension.as_deref())?;
            script.add_trace(&name, &records)
        };
        added.map_err(refused)?;
    }
    let name = mock.name.clone().unwrap_or_else(|| name_of(&mock.files[0]));
    Ok(match script.run(&name, io::stdin(), Output, say) {
        Ended::Status(status) => ExitCode::from(u8::try_from(status).unwrap_or(u8::MAX)),
        Ended::Signal(name) => end_by(&name),
    })
}

/// The extension's stdout. It is closed when this is dropped.
struct Output;

#[expect(clippy::disallowed_methods, reason = "here the command is the extension")]
impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stdout().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        close(Stream::Stdout);
    }
}

/// What extensions may be called: the file's name in small letters, digits and dashes.
fn name_of(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let name: String = stem.chars().map(letter).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "mock".to_owned() } else { name.to_owned() }
}

/// A line on stderr, which hosts keep as the extension's.
fn say(text: &str) {
    say_as_extension("mock", text);
}

/// The process ends by the signal that ended the recorded one.
fn end_by(name: &str) -> ExitCode {
    #[cfg(unix)]
    {
        use rustix::process::{Signal, getpid, kill_process};
        let signal = match name {
            "SIGSEGV" => Signal::SEGV,
            "SIGABRT" => Signal::ABORT,
            "SIGBUS" => Signal::BUS,
            "SIGILL" => Signal::ILL,
            "SIGFPE" => Signal::FPE,
            "SIGPIPE" => Signal::PIPE,
            _ => Signal::KILL,
        };
        let _ = kill_process(getpid(), signal);
    }
    say(&format!("the trace ends with {name}, which did not end this process"));
    ExitCode::FAILURE
}
