//! What can be wrong with an extension, in words, and what to do about it.

use std::fmt;
use std::path::{Path, PathBuf};

use extline_protocol::HandshakeError;
use extline_protocol::limits::FRAME_BYTES;
use serde::Serialize;

use super::advice;
use super::notice::Author;
use crate::config_fault::ConfigFault;
use crate::memory::EXTENSION_MEMORY;
use crate::process::Exit;
use crate::redact::Redactor;
use crate::switch::SWITCH;

/// What is wrong with an extension; `code` in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "code")]
#[non_exhaustive]
pub enum Problem {
    /// Its manifest cannot be used.
    Manifest {
        /// The file.
        file: PathBuf,
        /// JSON pointer into it.
        pointer: Option<String>,
        /// What is wrong there.
        message: String,
        /// What to do.
        remedy: String,
    },
    /// Its manifest says `"enabled": false`.
    Disabled {
        /// The manifest.
        file: PathBuf,
    },
    /// The environment switches all extensions off.
    SwitchedOff,
    /// Nobody trusts it as it is now.
    Untrusted {
        /// Its folder.
        folder: PathBuf,
        /// Why not.
        message: String,
        /// What to do.
        remedy: String,
    },
    /// Its configuration cannot be used (`config.valid`).
    Config {
        /// All that is wrong with it.
        faults: Vec<ConfigFault>,
        /// What to do.
        remedy: String,
    },
    /// An extension that was given before it has the same name.
    NameTaken,
    /// There is no such program.
    NotFound {
        /// The program.
        program: PathBuf,
        /// It as it is written in `exec` or on the command line.
        written: String,
        /// It is a bare name, and was looked up in `$PATH`.
        in_path: bool,
    },
    /// The program is no executable file.
    NotExecutable {
        /// The program.
        program: PathBuf,
    },
    /// The program is a script without a first line that names its interpreter.
    NoShebang {
        /// The program.
        program: PathBuf,
    },
    /// The interpreter that a script names does not exist.
    NoInterpreter {
        /// The script.
        program: PathBuf,
        /// The interpreter.
        interpreter: String,
    },
    /// The system would not start it.
    Spawn {
        /// The program.
        program: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The system cannot hold it to the `permissions` of its manifest.
    Sandbox {
        /// Why not.
        reason: String,
    },
    /// It ended before its `hello`.
    ExitedBeforeHello,
    /// No `hello` came in time.
    NoHello {
        /// How long it was waited for, in milliseconds.
        waited_ms: u64,
    },
    /// Its first frame is another.
    NotHello {
        /// The type of that frame.
        found: String,
    },
    /// Its `hello` cannot be read.
    BadHello {
        /// Why not.
        reason: String,
    },
    /// Its `hello` is of another protocol version.
    Version {
        /// Which one, and which is wanted.
        reason: String,
    },
    /// It ended between `hello` and `ready`.
    ExitedBeforeReady,
    /// It ended while it was in use.
    Died,
    /// It wrote a line that is longer than its host reads, after which nothing more is read.
    LineTooLong,
    /// It closed its stdout and went on running.
    OutputClosed,
    /// It closed its stdin and went on running.
    InputClosed,
    /// It does not read its stdin: too much waits to be written.
    InputFull {
        /// Frames that wait.
        frames: usize,
        /// Their size in bytes.
        bytes: usize,
    },
    /// It does not read its stdin: one write took too long.
    InputStalled {
        /// How long it was waited for, in milliseconds.
        waited_ms: u64,
        /// Bytes that wait.
        bytes: usize,
    },
    /// It writes far more to its stdout than anybody asked for.
    Flood,
    /// It makes the host keep more for it than one extension may have.
    TooMuchKept {
        /// What is kept of it, in bytes.
        bytes: usize,
    },
    /// A server of MCP is not used.
    McpServer {
        /// Why not.
        message: String,
        /// What to do.
        remedy: String,
    },
    /// What runs somewhere else cannot be reached.
    Unreachable {
        /// Why not.
        reason: String,
    },
    /// What runs somewhere else does not answer any more.
    ConnectionLost,
    /// A server of MCP ended, or closed its output, before it had answered.
    SilentServer,
    /// It did not answer in time, and still runs.
    NoAnswer {
        /// How long it was waited for, in milliseconds.
        waited_ms: u64,
    },
    /// The host was shut down.
    ShutDown,
    /// Not even SIGKILL ended it.
    Unkillable,
}

impl Problem {
    /// Whether it was never ready for use.
    pub fn is_failed_start(&self) -> bool {
        !matches!(
            self,
            Self::Died
                | Self::LineTooLong
                | Self::OutputClosed
                | Self::InputClosed
                | Self::InputFull { .. }
                | Self::InputStalled { .. }
                | Self::Flood
                | Self::TooMuchKept { .. }
                | Self::ConnectionLost
                | Self::SilentServer
                | Self::NoAnswer { .. }
                | Self::ShutDown
                | Self::Unkillable
        )
    }

    /// Takes secrets out of what others wrote in it.
    pub(crate) fn redact(&mut self, redactor: &Redactor) {
        let texts: [Option<&mut String>; 2] = match self {
            Self::Manifest { message, remedy, .. } | Self::McpServer { message, remedy } => {
                [Some(message), Some(remedy)]
            }
            Self::NotFound { written, .. } => [Some(written), None],
            Self::NotHello { found } => [Some(found), None],
            Self::Spawn { reason, .. }
            | Self::BadHello { reason }
            | Self::Version { reason }
            | Self::Unreachable { reason } => [Some(reason), None],
            _ => [None, None],
        };
        for text in texts.into_iter().flatten() {
            *text = redactor.text(text).into_owned();
        }
    }

    /// Whether a program that misses an environment variable fails like this.
    pub(crate) fn may_be_of_environment(&self) -> bool {
        matches!(self, Self::ExitedBeforeHello | Self::ExitedBeforeReady | Self::NoHello { .. })
    }

    /// What to do about it, for one who does not know how the process ended.
    pub fn remedy(&self) -> String {
        self.suggestion(None)
    }

    /// What to do about it.
    pub(crate) fn suggestion(&self, exit: Option<&Exit>) -> String {
        match self {
            Self::SwitchedOff => format!("take {SWITCH} out of the environment"),
            Self::Manifest { remedy, .. }
            | Self::Untrusted { remedy, .. }
            | Self::Config { remedy, .. }
            | Self::McpServer { remedy, .. } => remedy.clone(),
            Self::Disabled { file } => {
                format!("remove \"enabled\": false from {}", file.display())
            }
            Self::NameTaken => "give one of the two another name".to_owned(),
            Self::NotFound { program, written, .. } if is_command_line(program, written) => {
                let words: Vec<&str> = written.split_whitespace().collect();
                format!(
                    "\"exec\" is one program and no command line: write \"exec\": {:?}, \"args\": {:?}",
                    words[0],
                    &words[1..]
                )
            }
            Self::NotFound { program, in_path: true, .. } => format!(
                "install it, or write \"./{0}\" if {0} stands in the extension's folder",
                program.display()
            ),
            Self::NotFound { program, written, .. } => advice::of_missing_program(program, written)
                .unwrap_or_else(|| {
                    "check \"exec\" in extension.json or the command line, and that it was built"
                        .to_owned()
                }),
            Self::NotExecutable { program } if program.is_dir() => {
                "name the program in that folder".to_owned()
            }
            Self::NotExecutable { .. } if cfg!(windows) => {
                "name a program (.exe, .com, .bat, .cmd) or a script (.py, .js, .mjs, .cjs)"
                    .to_owned()
            }
            Self::NotExecutable { program } => format!("chmod +x {}", program.display()),
            Self::NoShebang { .. } => "let a script begin with a line like #!/usr/bin/env python3 \
                                       or #!/bin/sh; rebuild a program for this machine"
                .to_owned(),
            Self::NoInterpreter { interpreter, .. } if interpreter.ends_with('\r') => {
                "save the script with Unix line ends (LF)".to_owned()
            }
            Self::NoInterpreter { interpreter, .. } if cfg!(windows) => {
                format!("install what {interpreter} belongs to, and let PATH name its folder")
            }
            Self::NoInterpreter { interpreter, .. } => {
                format!("install {interpreter}, or correct the first line of the script")
            }
            Self::Spawn { .. } => "start the program by hand and see what it says".to_owned(),
            Self::Sandbox { .. } => {
                "see what this machine can do with `extline ext doctor`; start it with \
                                     --no-sandbox where you trust it with all that you may do"
                    .to_owned()
            }
            Self::ExitedBeforeHello | Self::ExitedBeforeReady => exit_suggestion(exit),
            Self::NoHello { .. } => "write {\"type\":\"hello\",\"name\":\"...\",\"version\":\
                                     \"...\"} and a line end first of all, and flush stdout \
                                     after it"
                .to_owned(),
            Self::NotHello { .. } => "write the hello frame before every other frame".to_owned(),
            Self::BadHello { .. } => "write {\"type\":\"hello\",\"name\":\"my-extension\",\
                                      \"version\":\"1.0.0\"}"
                .to_owned(),
            Self::Version { .. } => {
                "write the version that this host speaks into its hello, or try \
                                     it under another host"
                    .to_owned()
            }
            Self::Died => "see the lines above and the log for the reason; the calls that it had \
                           not answered were not repeated"
                .to_owned(),
            Self::LineTooLong => "answer with less, or with the path of a file".to_owned(),
            Self::OutputClosed => {
                "keep stdout open until the process ends: it is the only way to answer".to_owned()
            }
            Self::InputClosed => "keep stdin open and read it until it ends".to_owned(),
            Self::InputFull { .. } | Self::InputStalled { .. } => {
                "read stdin all the time, also while a handler runs".to_owned()
            }
            Self::Flood => "write a note only when it is news to somebody, and debug output to \
                            stderr"
                .to_owned(),
            Self::TooMuchKept { .. } => "register fewer and smaller tools, subscribe to what \
                                         exists, and close the panels that nobody looks at"
                .to_owned(),
            Self::Unreachable { .. } => {
                "see whether the URL is right, and whether the server runs".to_owned()
            }
            Self::ConnectionLost => "see whether the server runs".to_owned(),
            Self::SilentServer => {
                "see what it writes to stderr; a server of MCP answers on its stdout, and runs \
                                   until its stdin ends"
                    .to_owned()
            }
            Self::NoAnswer { .. } => Author::Unknown.advice_on_no_answer(),
            Self::ShutDown => "start the host again".to_owned(),
            Self::Unkillable => {
                "look for a process that waits for a device or a network disk".to_owned()
            }
        }
    }
}

/// Whether what was given as a program, and is none, is a program with arguments: more behind a bare
/// name or a program that is there, or an option. The path of a program may hold spaces too.
fn is_command_line(program: &Path, written: &str) -> bool {
    let Some((first, rest)) = written.split_once(char::is_whitespace) else { return false };
    let folder = program.to_str().and_then(|program| program.strip_suffix(written));
    let is_there = || folder.is_some_and(|folder| Path::new(&[folder, first].concat()).is_file());
    !first.contains('/') || rest.starts_with('-') || is_there()
}

/// What a shell's exit statuses say; for others the extension's own words must do.
fn exit_suggestion(exit: Option<&Exit>) -> String {
    match exit {
        Some(Exit::Code { code: 127 }) => {
            "a command in it was not found: install what the lines above name".to_owned()
        }
        Some(Exit::Code { code: 126 }) => "a command in it is not executable".to_owned(),
        Some(Exit::Code { code: 0 }) => {
            "see the lines above, if any; an extension runs until its stdin ends: read it in a loop"
                .to_owned()
        }
        // The SDKs' own (`report.required`).
        Some(Exit::Code { code: 78 }) => {
            "it requires something that this host does not have, or was not set up: see the lines \
             above"
                .to_owned()
        }
        _ => "see the lines above and the log for the reason".to_owned(),
    }
}

impl From<HandshakeError> for Problem {
    fn from(error: HandshakeError) -> Self {
        match error {
            HandshakeError::NoHello { waited_ms } => Self::NoHello { waited_ms },
            HandshakeError::NotHello { found } => Self::NotHello { found },
            HandshakeError::BadHello(reason) => Self::BadHello { reason },
            HandshakeError::Version(reason) => Self::Version { reason },
            HandshakeError::Ended => Self::ExitedBeforeHello,
            other => Self::BadHello { reason: other.to_string() },
        }
    }
}

/// The words for an interpreter that is missing: Unix finds its name in the script, Windows by the ending.
fn without_interpreter(program: &Path, interpreter: &str) -> String {
    let program = program.display();
    if cfg!(windows) {
        return format!("{program} is run by {interpreter}, which is in no folder of PATH");
    }
    format!("the first line of {program} names {interpreter:?}, which does not exist")
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Manifest { file, pointer, message, .. } => {
                write!(formatter, "{}: ", file.display())?;
                if let Some(pointer) = pointer {
                    write!(formatter, "{pointer}: ")?;
                }
                formatter.write_str(message)
            }
            Self::Disabled { file } => {
                write!(formatter, "it is disabled by {}", file.display())
            }
            Self::Config { faults, .. } => {
                formatter.write_str("its configuration cannot be used")?;
                for (at, fault) in faults.iter().enumerate() {
                    let before = if at == 0 { ": " } else { "; " };
                    write!(formatter, "{before}{fault}")?;
                }
                Ok(())
            }
            Self::SwitchedOff => write!(formatter, "{SWITCH} switches all extensions off"),
            Self::Untrusted { folder, message, .. } => {
                write!(formatter, "{}: {message}", folder.display())
            }
            Self::NameTaken => formatter.write_str("an extension before it has the same name"),
            Self::NotFound { program, in_path: true, .. } => {
                write!(formatter, "the program {} is in no folder of $PATH", program.display())
            }
            Self::NotFound { program, .. } => {
                write!(formatter, "there is no program {}", program.display())
            }
            Self::NotExecutable { program } if program.is_dir() => {
                write!(formatter, "{} is a folder, not a program", program.display())
            }
            Self::NotExecutable { program } => {
                write!(formatter, "{} is not executable", program.display())
            }
            Self::NoShebang { program } => write!(
                formatter,
                "{} is neither a script with a #! line nor a program for this machine",
                program.display()
            ),
            Self::NoInterpreter { program, interpreter } => {
                formatter.write_str(&without_interpreter(program, interpreter))
            }
            Self::Spawn { program, reason } => {
                write!(formatter, "{} could not be started: {reason}", program.display())
            }
            Self::Sandbox { reason } => {
                write!(
                    formatter,
                    "it was not started, since it cannot be put into its sandbox: {reason}"
                )
            }
            Self::ExitedBeforeHello => formatter.write_str("it ended before it said hello"),
            Self::NoHello { waited_ms } => write!(formatter, "no hello within {waited_ms} ms"),
            Self::NotHello { found } => {
                write!(formatter, "its first frame is {found:?}, and must be \"hello\"")
            }
            Self::BadHello { reason } => write!(formatter, "its hello cannot be read: {reason}"),
            Self::Version { reason } => formatter.write_str(reason),
            Self::ExitedBeforeReady => {
                formatter.write_str("it ended after its hello, before it was ready")
            }
            Self::Died => formatter.write_str("it ended while it was in use"),
            Self::LineTooLong => {
                write!(formatter, "it wrote a line of more than {FRAME_BYTES} bytes")
            }
            Self::OutputClosed => formatter.write_str("it closed its stdout, and still runs"),
            Self::InputClosed => formatter.write_str("it closed its stdin, and still runs"),
            Self::InputFull { frames, bytes } => {
                write!(
                    formatter,
                    "it does not read its stdin: {frames} frames ({bytes} bytes) wait"
                )
            }
            Self::InputStalled { waited_ms, bytes } => write!(
                formatter,
                "it does not read its stdin: a write has waited for {waited_ms} ms ({bytes} bytes \
                 wait)"
            ),
            Self::Flood => formatter.write_str(
                "it floods its stdout: far more lines than a thousand a second that nobody asked \
                 for",
            ),
            Self::TooMuchKept { bytes } => write!(
                formatter,
                "the host keeps {bytes} bytes for it, and {EXTENSION_MEMORY} at most"
            ),
            Self::McpServer { message, .. } => formatter.write_str(message),
            Self::Unreachable { reason } => write!(formatter, "it cannot be reached: {reason}"),
            Self::ConnectionLost => formatter.write_str("the connection to it ended"),
            Self::SilentServer => formatter.write_str("it has not answered as a server of MCP"),
            Self::NoAnswer { waited_ms } => write!(formatter, "no answer within {waited_ms} ms"),
            Self::ShutDown => formatter.write_str("the host was shut down"),
            Self::Unkillable => formatter.write_str("it could not be ended"),
        }
    }
}
