//! The command line.

use std::ffi::OsString;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

/// Shown below every help text that ends with a call.
pub(crate) const EXIT_CODES: &str = "Exit codes:
  0    all went well
  1    the tool or command answered with an error (run: a line failed)
  2    wrong usage, or there is no such tool or command
  3    the extension did not start
  4    it died in the call
  5    it did not answer in time
  6    the arguments do not fit the tool's schema
  130  stopped by Ctrl-C
  143  stopped by SIGTERM, or by the end of the terminal";

const ENVIRONMENT: &str = "Environment:
  EXTLINE_HOME  the folder for extensions' data and logs, and for the history of the prompt;
                without it, extline in the folder for application data (XDG_DATA_HOME,
                ~/.local/share)
  NO_COLOR      no colours, also on a terminal";

const EXAMPLES: &str = "Examples:
  extline inspect examples/clock-shell
  extline call examples/clock-shell clock_now '{\"utc\":true}'
  extline command examples/hello-python-raw hellopy
  extline run examples/clock-shell examples/hello-python-raw
  extline call clock_now -- sh examples/clock-shell/clock.sh";

const CALL_EXAMPLES: &str = "Examples:
  extline call examples/weather-rust weather '{\"city\":\"Berlin\"}'
  echo '{\"city\":\"Berlin\"}' | extline call examples/weather-rust weather -
  extline call --timeout 5 weather '{\"city\":\"Berlin\"}' -- ./my-extension --verbose";

const COMMAND_EXAMPLES: &str = "Examples:
  extline command examples/hello-python-raw hellopy
  extline command examples/clock-shell clock utc
  extline command . deploy --args '--force staging'
  extline command clock utc -- sh examples/clock-shell/clock.sh";

const INSPECT_EXAMPLES: &str = "Examples:
  extline inspect examples/clock-shell
  extline inspect --json . | jq '.tools[].name'
  extline inspect -- python3 my_extension.py";

const RUN_EXAMPLES: &str = "At the prompt:
  /NAME ARGS    run a slash command
  !NAME JSON    call a tool, without JSON with {}
  :tools        list the tools, :commands the slash commands
  :status       how each extension stands
  :help         all there is
  :quit         stop them all, as do Ctrl-D and a second Ctrl-C
  Tab           completes names, a tool's arguments and their values
  Ctrl-C        cancels the running call, or takes back the line

Examples:
  extline run examples/clock-shell examples/hello-python-raw
  printf '/clock\\n!clock_now {\"utc\":true}\\n' | extline run examples/clock-shell";

/// Run, call and inspect extensions for coding agents.
///
/// An extension is a folder with an extension.json, or any program behind `--`.
#[derive(Debug, Parser)]
#[command(name = "extline", version, max_term_width = 100)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}\n\n{ENVIRONMENT}"))]
#[command(disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) action: Action,

    /// Print JSON on stdout in place of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Call one tool and print its result
    #[command(
        override_usage = "extline call [OPTIONS] <DIR> <TOOL> [JSON]\n       \
                          extline call [OPTIONS] <TOOL> [JSON] -- <PROGRAM> [ARGS]...",
        after_help = format!("{CALL_EXAMPLES}\n\n{EXIT_CODES}")
    )]
    Call(Call),
    /// Run one slash command and print what it wants done
    #[command(
        override_usage = "extline command [OPTIONS] <DIR> <NAME> [ARGS]...\n       \
                          extline command [OPTIONS] <NAME> [ARGS]... -- <PROGRAM> [ARGS]...",
        after_help = format!("{COMMAND_EXAMPLES}\n\n{EXIT_CODES}")
    )]
    Command(Command),
    /// Show what an extension registers, and what is wrong with it
    #[command(
        override_usage = "extline inspect [OPTIONS] <DIR>\n       \
                          extline inspect [OPTIONS] -- <PROGRAM> [ARGS]...",
        after_help = format!("{INSPECT_EXAMPLES}\n\n{EXIT_CODES}")
    )]
    Inspect(Inspect),
    /// Start extensions and take lines: commands, tool calls, questions
    #[command(
        override_usage = "extline run [OPTIONS] <DIR>...\n       \
                          extline run [OPTIONS] [DIR]... -- <PROGRAM> [ARGS]...",
        after_help = format!("{RUN_EXAMPLES}\n\n{EXIT_CODES}")
    )]
    Run(Run),
}

#[derive(Debug, Args)]
pub(crate) struct Call {
    /// The extension's folder (not with `--`), the tool, and its arguments as a JSON object: `{}`
    /// when absent, read from stdin when `-`
    #[arg(value_name = "DIR TOOL JSON", required = true, num_args = 1..=3)]
    pub(crate) words: Vec<OsString>,

    #[command(flatten)]
    pub(crate) timeout: Timeout,

    #[command(flatten)]
    pub(crate) program: Program,
}

#[derive(Debug, Args)]
pub(crate) struct Command {
    /// The extension's folder (not with `--`), the command's name without its slash, and what
    /// stands behind it
    #[arg(value_name = "DIR NAME ARGS", required = true, num_args = 1..)]
    pub(crate) words: Vec<OsString>,

    /// What stands behind the command, in place of ARGS; also text that begins with a dash
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) args: Option<String>,

    #[command(flatten)]
    pub(crate) timeout: Timeout,

    #[command(flatten)]
    pub(crate) program: Program,
}

#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// The extension's folder
    #[arg(value_name = "DIR", required_unless_present = "program")]
    pub(crate) dir: Option<OsString>,

    #[command(flatten)]
    pub(crate) program: Program,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The extensions' folders; where two offer the same name, the first wins
    #[arg(value_name = "DIR", required_unless_present = "program")]
    pub(crate) dirs: Vec<OsString>,

    #[command(flatten)]
    pub(crate) timeout: Timeout,

    #[command(flatten)]
    pub(crate) program: Program,
}

#[derive(Debug, Args)]
pub(crate) struct Timeout {
    /// How long an answer may take, 60 for tools and 30 for commands when absent
    #[arg(long = "timeout", value_name = "SECONDS", value_parser = seconds)]
    pub(crate) after: Option<Duration>,
}

#[derive(Debug, Args)]
pub(crate) struct Program {
    /// A program without a manifest, in place of a folder; it runs in the present one
    #[arg(id = "program", value_name = "PROGRAM ARGS", last = true, num_args = 1..)]
    pub(crate) words: Vec<OsString>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| *seconds > 0.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration
        .filter(|duration| *duration <= Duration::from_secs(86_400))
        .ok_or_else(|| "expected seconds, more than 0 and at most 86400".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn flags_may_stand_behind_the_words_and_everything_behind_the_dashes_is_the_program_s() {
        let cli = Cli::try_parse_from([
            "extline", "call", "weather", "{}", "--json", "--", "./ext", "--json", "--", "-x",
        ]);
        let cli = cli.unwrap();
        assert!(cli.json);
        let Action::Call(call) = cli.action else { panic!() };
        assert_eq!(call.words, ["weather", "{}"]);
        assert_eq!(call.program.words, ["./ext", "--json", "--", "-x"]);
    }

    #[test]
    fn a_lone_dash_is_a_word() {
        let cli = Cli::try_parse_from(["extline", "call", "dir", "tool", "-"]).unwrap();
        let Action::Call(call) = cli.action else { panic!() };
        assert_eq!(call.words, ["dir", "tool", "-"]);
    }

    #[test]
    fn seconds_are_positive_and_finite() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["0", "-1", "inf", "NaN", "1e9", "soon"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn nothing_to_start_is_wrong_usage() {
        for words in [&["extline", "inspect"][..], &["extline", "run"], &["extline", "call"]] {
            assert_eq!(Cli::try_parse_from(words).unwrap_err().exit_code(), 2);
        }
        assert!(Cli::try_parse_from(["extline", "run", "--", "./ext"]).is_ok());
    }
}
