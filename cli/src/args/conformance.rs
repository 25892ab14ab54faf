//! What `extline conformance` takes.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use extline_protocol::Profile;

use super::offered::Offered;
use super::settings::{Program, profiles};

// A word behind it may be a folder, also one named help.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub(crate) struct Conformance {
    #[command(subcommand)]
    pub(crate) question: Option<Question>,

    /// The extension's folder
    #[arg(value_name = "DIR", required_unless_present_any = ["program", "list", "mcp_config"])]
    pub(crate) dir: Option<OsString>,

    /// What the program speaks: extline's protocol, or MCP as a server on stdio (docs/tester/mcp-servers.md)
    #[arg(long, value_enum, default_value_t = Spoken::Extline)]
    pub(crate) protocol: Spoken,

    /// Of MCP only this era: initialize, up to 2025-11-25, or discover, from 2026-07-28 on; those that the
    /// server speaks when absent
    #[arg(long, value_enum)]
    pub(crate) era: Option<SpokenEra>,

    /// Check the MCP server of that name in a configuration file, as .mcp.json or config.toml, with its
    /// environment; --protocol mcp is understood
    #[arg(long, num_args = 2, value_names = ["FILE", "NAME"], conflicts_with_all = ["dir", "program"])]
    pub(crate) mcp_config: Vec<String>,

    /// Allow calls of the tools and commands that the extension registers
    #[arg(long)]
    pub(crate) call: bool,

    /// A harmless call that tells whether the extension lives: 'TOOL {ARGS}' or '/COMMAND ARGS'
    #[arg(long, value_name = "CALL")]
    pub(crate) canary: Option<String>,

    /// Which rules hold: those of every extension, those of SDKs too, or those of kits too
    /// (docs/tester/kits.md)
    #[arg(long, value_enum, default_value_t = Rules::Base)]
    pub(crate) level: Rules,

    /// Run the cases that take longer as well, and every case again at each point of the axes: cut
    /// writes, locales, sizes of pipes, a slow reader (minutes; the grade Hardened needs it)
    #[arg(long)]
    pub(crate) deep: bool,

    #[command(flatten)]
    pub(crate) choice: Choice,

    /// Run your own cases as well: a file, or a folder with .toml files (see docs/tester/cases.md); `--only
    /// own` runs no others; may be given again
    #[arg(long, value_name = "FILE")]
    pub(crate) cases: Vec<OsString>,

    #[command(flatten)]
    pub(crate) told: Reporting,

    /// Play a case that failed alone up to so many times again: one that passes then is flaky, which
    /// fails the run all the same, unless a baseline expects it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=20))]
    pub(crate) retries: u32,

    /// Draw names and ids from this number, as the head of another run shows it
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u32>,

    /// Run again whenever a file of the extension changes, until Ctrl-C
    #[arg(long, conflicts_with = "list")]
    pub(crate) watch: bool,

    #[command(flatten)]
    pub(crate) program: Program,
}

/// What is spoken over the pipes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Spoken {
    Extline,
    Mcp,
}

/// How a client of MCP begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SpokenEra {
    Initialize,
    Discover,
}

/// Which of the cases are run.
#[derive(Debug, Args)]
pub(crate) struct Choice {
    /// Run only these cases: an id, the beginning of one as E-FRM, H-TOL or M-END, or a pattern as 'E-*-01';
    /// may be given again
    #[arg(long, value_name = "CASE")]
    pub(crate) only: Vec<String>,

    /// Leave these cases out
    #[arg(long, value_name = "CASE")]
    pub(crate) skip: Vec<String>,

    /// List the cases that would be run, and run none
    #[arg(long)]
    pub(crate) list: bool,
}

/// What is told of a run, and what is expected of it.
#[derive(Debug, Args)]
pub(crate) struct Reporting {
    /// Write the report to a file too: ndjson=FILE, junit=FILE, tap=FILE, markdown=FILE, html=FILE
    /// (one page with every frame), badge=FILE (the grade as SVG) or badge-json=FILE, with - for
    /// stdout, where it takes the place of the text; may be given again
    #[arg(long, value_name = "FORMAT=FILE")]
    pub(crate) report: Vec<String>,

    /// Expect the failures that this file lists, and no others (see docs/tester/guide.md)
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<String>,

    /// Write a baseline of what fails today, by default to conformance.baseline.toml
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true,
          default_missing_value = "conformance.baseline.toml")]
    pub(crate) write_baseline: Option<String>,

    /// Show the cases that passed as well
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

/// What can be asked about the cases.
#[derive(Debug, Subcommand)]
pub(crate) enum Question {
    /// Show what a case does, why, and the clauses it checks, or a clause and its cases
    Explain {
        /// The id of a case or of a clause, as E-FRM-14 or frm.max-line
        #[arg(value_name = "CASE|CLAUSE", value_parser = Offered::RULES, hide_possible_values = true)]
        name: String,
    },
    /// Copy cases into files that --cases takes, to change them
    Copy {
        /// Which: ids, groups or patterns as for --only; without any, all of them
        #[arg(value_name = "CASE")]
        cases: Vec<String>,

        /// The folder for the files, one for each case; none that is there already is changed
        #[arg(long, value_name = "FOLDER")]
        to: PathBuf,
    },
    /// Check a trace: what went both ways between any host and an extension (docs/protocol/traces.md)
    Check(CheckTrace),
    /// Play the host's side of a trace again, and show what the extension says otherwise
    #[command(override_usage = "extline conformance replay [OPTIONS] <TRACE> <DIR>\n       \
                          extline conformance replay [OPTIONS] <TRACE> -- <PROGRAM> [ARGS]...")]
    Replay(ReplayTrace),
    /// Play sessions that a seed draws, legal moves of a host and hostile ones, until one breaks a
    /// rule; write that down as a case, as small as it can be (docs/tester/fuzz.md)
    #[command(override_usage = "extline conformance fuzz [OPTIONS] <DIR>\n       \
                          extline conformance fuzz [OPTIONS] -- <PROGRAM> [ARGS]...")]
    Fuzz(FuzzSessions),
    /// Hold kits (docs/tester/kits.md) to each kind of host: what works, what is not there, on one page
    Matrix(Matrix),
    /// Check a host, through its driver (docs/tester/hosts.md); without one, our own host
    Host(TestHost),
    /// Check a client of MCP, through its driver (docs/tester/mcp-clients.md)
    McpClient(TestClient),
    /// The extension that a host under test is given
    #[command(hide = true)]
    Puppet(Puppet),
    /// The driver of our own host
    #[command(hide = true)]
    HostDriver {
        /// Which host it is like
        #[arg(long, value_name = "NAME", default_value = "spec", value_parser = profiles())]
        profile: Profile,
    },
    /// The driver of a client that is told its server on its command line
    #[command(hide = true)]
    ClientDriver {
        /// The client's command
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
    /// List the cases
    List,
    /// Test the tester: each case must be failed by an extension that is broken on purpose
    Selftest,
}

/// A client of MCP that is checked.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("client").args(["driver", "command", "list"]).required(true).multiple(true)))]
pub(crate) struct TestClient {
    /// The driver: a program that operates the client, with its arguments; it stands last
    #[arg(long, value_name = "COMMAND", num_args = 1.., allow_hyphen_values = true)]
    pub(crate) driver: Vec<OsString>,

    /// A client that is told its server on its command line, and what it does by itself; it stands
    /// last. {server} in it stands for the server's command, {config} for the path of a file with
    /// mcpServers. Cases in which something is asked of the client are n/a
    #[arg(long, value_name = "COMMAND", num_args = 1.., allow_hyphen_values = true,
          conflicts_with = "driver")]
    pub(crate) command: Vec<OsString>,

    #[command(flatten)]
    pub(crate) choice: Choice,

    #[command(flatten)]
    pub(crate) told: Reporting,
}

/// A host that is checked.
#[derive(Debug, Args)]
pub(crate) struct TestHost {
    /// The driver: a program that operates the host, with its arguments; it stands last. Without one,
    /// the driver of our own host
    #[arg(long, value_name = "COMMAND", num_args = 1.., allow_hyphen_values = true)]
    pub(crate) driver: Vec<OsString>,

    /// Which host our own is like: spec, or a zot by its version or commit
    #[arg(long, value_name = "NAME", default_value = "spec", value_parser = profiles(),
          conflicts_with = "driver")]
    pub(crate) profile: Profile,

    #[command(flatten)]
    pub(crate) choice: Choice,

    #[command(flatten)]
    pub(crate) told: Reporting,
}

/// What a puppet is told by whoever starts it.
#[derive(Debug, Args)]
pub(crate) struct Puppet {
    /// The tester's socket
    pub(crate) socket: PathBuf,
    /// The extension's name
    pub(crate) name: String,
}

/// A trace that is checked.
#[derive(Debug, Args)]
pub(crate) struct CheckTrace {
    /// The trace, as `extline record` and `extline tap` write it
    #[arg(value_name = "TRACE")]
    pub(crate) trace: PathBuf,

    /// Which extension, when the trace holds several
    #[arg(long, value_name = "NAME")]
    pub(crate) extension: Option<String>,

    /// Which rules hold: those of every extension, or those of SDKs too
    #[arg(long, value_enum, default_value_t = Rules::Base)]
    pub(crate) level: Rules,

    /// Write the report to a file too, as `extline conformance --report` does
    #[arg(long, value_name = "FORMAT=FILE")]
    pub(crate) report: Vec<String>,

    /// Show the cases that passed as well
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

/// A trace that is played again.
#[derive(Debug, Args)]
pub(crate) struct ReplayTrace {
    /// The trace, as `extline record` and `extline tap` write it
    #[arg(value_name = "TRACE")]
    pub(crate) trace: PathBuf,

    /// The extension's folder
    #[arg(value_name = "DIR", required_unless_present = "program")]
    pub(crate) dir: Option<OsString>,

    /// Which extension, when the trace holds several
    #[arg(long, value_name = "NAME")]
    pub(crate) extension: Option<String>,

    /// What may differ from time to time: a type of frame and a JSON pointer, as
    /// `tool_result/content`; may be given again
    #[arg(long, value_name = "TYPE/POINTER")]
    pub(crate) ignore: Vec<String>,

    /// Write the report to a file too, as `extline conformance --report` does
    #[arg(long, value_name = "FORMAT=FILE")]
    pub(crate) report: Vec<String>,

    /// Show what was the same as well
    #[arg(long, short)]
    pub(crate) verbose: bool,

    #[command(flatten)]
    pub(crate) program: Program,
}

/// Sessions that are drawn.
#[derive(Debug, Args)]
pub(crate) struct FuzzSessions {
    /// The extension's folder
    #[arg(value_name = "DIR", required_unless_present = "program")]
    pub(crate) dir: Option<OsString>,

    /// Draw the sessions from this number: the same one, the same sessions
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u32>,

    /// For how long sessions begin, as 90s, 10m or 1h; what is found is made smaller beyond that
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = duration)]
    pub(crate) time: Duration,

    /// How many moves a session has, about
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) steps: u32,

    /// Play only the session of this number
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) session: Option<u32>,

    /// Play so many sessions at most
    #[arg(long, value_name = "COUNT", conflicts_with = "session")]
    pub(crate) sessions: Option<u32>,

    /// End after so many findings; what one is made of is left out of the sessions behind it
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) findings: u32,

    /// What the program speaks: extline's protocol, or MCP as a server on stdin and stdout
    #[arg(long, value_enum, default_value_t = Spoken::Extline)]
    pub(crate) protocol: Spoken,

    /// Allow calls of the tools for which the manifest has samples; of a server of MCP, of those
    /// for which arguments that fit can be made
    #[arg(long)]
    pub(crate) call: bool,

    /// A harmless call that tells whether the extension lives: 'TOOL {ARGS}' or '/COMMAND ARGS'
    #[arg(long, value_name = "CALL")]
    pub(crate) canary: Option<String>,

    /// Which rules hold: those of every extension, those of SDKs too, or those of kits too, whose
    /// tools are called
    #[arg(long, value_enum, default_value_t = Rules::Base)]
    pub(crate) level: Rules,

    /// The folder for the cases of what is found
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub(crate) to: PathBuf,

    #[command(flatten)]
    pub(crate) program: Program,
}

/// `90`, `90s`, `10m`, `1h`.
fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let seconds = match &text[digits.len()..] {
        "" | "s" => Some(1),
        "m" => Some(60),
        "h" => Some(3600),
        _ => None,
    };
    let whole = digits.parse::<u64>().ok();
    let time = whole.zip(seconds).and_then(|(count, seconds)| count.checked_mul(seconds));
    time.map(Duration::from_secs).ok_or_else(|| "expected a time as 90s, 10m or 1h".to_owned())
}

/// Kits that are played to hosts of several kinds.
#[derive(Debug, Args)]
pub(crate) struct Matrix {
    /// The kits' folders
    #[arg(value_name = "DIR", required = true)]
    pub(crate) kits: Vec<OsString>,

    /// Only this kind of host; may be given again. All that `extline run --profile` knows when absent
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Vec<String>,

    /// Run only these cases, as `extline conformance --only`
    #[arg(long, value_name = "CASE")]
    pub(crate) only: Vec<String>,

    /// Write an HTML page too
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

/// Whose rules hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Rules {
    Base,
    Sdk,
    Kit,
}
