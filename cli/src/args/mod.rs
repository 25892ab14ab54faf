//! The command line.

mod answers;
mod approvals;
mod config;
mod conformance;
mod dev;
mod ext;
mod help;
mod hook;
mod http;
mod inspect;
mod install;
mod model;
mod offered;
mod package;
mod run;
mod script_hooks;
mod secret;
mod servers;
mod settings;
mod state;
mod views;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

use help::{
    CALL_EXAMPLES, COMMAND_EXAMPLES, COMPLETIONS_EXAMPLES, CONFIG_EXAMPLES, CONFORMANCE_EXAMPLES,
    DEV_EXAMPLES, DISCOVER_EXAMPLES, ENVIRONMENT, EXAMPLES, EXT_EXAMPLES, EXTRACT_EXAMPLES,
    HOOK_EXAMPLES, INSPECT_EXAMPLES, INSTALL_EXAMPLES, LINT_EXAMPLES, MAN_EXAMPLES, MCP_EXAMPLES,
    MOCK_EXAMPLES, NEW_EXAMPLES, PACKAGE_EXAMPLES, RECORD_EXAMPLES, REPAIR_EXAMPLES, RUN_EXAMPLES,
    SECRET_EXAMPLES, STATE_EXAMPLES, TAP_EXAMPLES, UNINSTALL_EXAMPLES,
};
use offered::Offered;

pub(crate) use answers::Given;
pub(crate) use config::{Config, GivenConfig};
pub(crate) use conformance::{
    CheckTrace, Conformance, FuzzSessions, Matrix, Puppet, Question, ReplayTrace, Reporting, Rules,
    Spoken, SpokenEra, TestClient, TestHost,
};
pub(crate) use dev::Dev;
pub(crate) use ext::{
    Bundle, Ext, ExtAction, ExtAudit, ExtDescribe, ExtDoctor, ExtInstall, ExtList, ExtLogs,
    ExtNames, ExtRemove, ExtStatus, ExtTrust, ExtUpdate, ExtValidate,
};
pub(crate) use help::EXIT_CODES;
pub(crate) use hook::{Hook, HookAlone};
pub(crate) use http::Http;
pub(crate) use inspect::Inspect;
pub(crate) use install::{Discover, Install, Place, Uninstall};
pub(crate) use model::{Extract, Repair};
pub(crate) use package::{Kind, Package};
pub(crate) use run::{Record, Run};
pub(crate) use script_hooks::Hooks;
pub(crate) use secret::{Secret, SecretAction, SecretList, SecretRemove, SecretSet};
pub(crate) use servers::Servers;
pub(crate) use settings::{Program, Settings, Timeout, Variable};
pub(crate) use state::{Scope as StateScope, State};
pub(crate) use views::{Views, When};

/// Run, call and inspect extensions for coding agents.
///
/// An extension is a folder with an extension.json, or any program behind `--`.
#[derive(Debug, Parser)]
#[command(name = "extline", version, max_term_width = 100)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}\n\n{ENVIRONMENT}"))]
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
    ///
    /// It is given up when its hello takes longer than 10 s, or what it registers 3 s more.
    #[command(
        override_usage = "extline inspect [OPTIONS] <DIR>\n       \
                          extline inspect [OPTIONS] -- <PROGRAM> [ARGS]...",
        after_help = format!("{INSPECT_EXAMPLES}\n\n{EXIT_CODES}")
    )]
    Inspect(Inspect),
    /// Start extensions and take lines: commands, tool calls, questions
    ///
    /// Without DIR, PROGRAM and servers those that are installed: `extline ext list` shows them.
    #[command(
        override_usage = "extline run [OPTIONS]\n       \
                          extline run [OPTIONS] <DIR>...\n       \
                          extline run [OPTIONS] [DIR]... -- <PROGRAM> [ARGS]...\n       \
                          extline run [OPTIONS] [DIR]... --mcp <COMMAND>",
        after_help = format!("{RUN_EXAMPLES}\n\n{EXIT_CODES}")
    )]
    Run(Run),
    /// Run an extension at a prompt, and reload it when its files change
    ///
    /// What is saved is built, started on trial, and takes the place of what runs; where it does not start, what
    /// runs goes on, and why is told. Hidden files, and what tools make or bring, as packages and builds, are not
    /// looked at. docs/developing.md has the rest.
    #[command(after_help = format!("{DEV_EXAMPLES}\n\n{EXIT_CODES}"))]
    Dev(Dev),
    /// Be an MCP server whose tools are those of extensions
    ///
    /// Interceptors and guards of each extension hold for the tools of all. A client starts this as it
    /// starts any server, or reaches it at a URL with --http; an extension that is written on an SDK needs
    /// no more than `--mcp` behind its own program (docs/mcp/serve.md).
    #[command(
        override_usage = "extline mcp [OPTIONS] <DIR>...\n       \
                          extline mcp [OPTIONS] [DIR]... -- <PROGRAM> [ARGS]...",
        after_help = format!("{MCP_EXAMPLES}\n\n{EXIT_CODES}")
    )]
    Mcp(Mcp),
    /// Tell what clients of MCP, and providers of models, drop or change of an extension's tools
    ///
    /// Claude Code, Codex, Cursor, VS Code and Gemini CLI each have limits of their own, for names with
    /// their prefix, schemas, descriptions, the number of tools and results. docs/mcp/lint.md has them
    /// all, and what each finding means. OpenAI, Anthropic, Google and Mistral take parts of JSON Schema:
    /// docs/host/linting.md says which, for agents that give them the schemas themselves.
    #[command(
        override_usage = "extline lint [OPTIONS] <DIR>...\n       \
                          extline lint [OPTIONS] [DIR]... -- <PROGRAM> [ARGS]...",
        after_help = format!("{LINT_EXAMPLES}\n\n{EXIT_CODES}")
    )]
    Lint(Lint),
    /// Repair the JSON that a model wrote: text on stdin, JSON on stdout
    ///
    /// What was changed is told on stderr, with line and column; with --json all of it is on stdout, and
    /// whether the text ended before the value did. docs/host/model-side.md has what is repaired.
    #[command(after_help = REPAIR_EXAMPLES)]
    Repair(Repair),
    /// Find the tool calls in the text of a model: text on stdin, one call a line on stdout
    ///
    /// Calls are found in the form of each family of models (docs/host/model-side.md), in the order of the
    /// text, and only those of the tools that are named.
    #[command(after_help = EXTRACT_EXAMPLES)]
    Extract(Extract),
    /// Show what an extension keeps by state.*, or take it away
    #[command(after_help = format!("{STATE_EXAMPLES}\n\n{EXIT_CODES}"))]
    State(State),
    /// Install, list, trust and switch the extensions that `extline run` starts without being told
    ///
    /// They are found in .extline/extensions and .zot/extensions of the project, where they run once they are trusted,
    /// and in `extensions` of the home of extline and of zot. Nothing of an extension is run by these commands. To put
    /// an extension into another agent is `extline install`. docs/installing.md has the rest.
    #[command(after_help = format!("{EXT_EXAMPLES}\n\n{EXIT_CODES}"))]
    Ext(Ext),
    /// Put an extension into the configuration of an agent, as an MCP server and as hooks
    ///
    /// The entry starts `extline mcp` with the folder, both by full paths; hooks, where the extension has
    /// guards or --hooks asks for them, run `extline hook`. Nothing else in the files is changed by a byte;
    /// what they were before is kept beside them. docs/agents.md has the files of each agent.
    #[command(
        override_usage = "extline install [OPTIONS] --for <AGENT> <DIR>\n       \
                          extline install [OPTIONS] --for <AGENT> --name <NAME> -- <PROGRAM> [ARGS]...",
        after_help = format!("{INSTALL_EXAMPLES}\n\n{EXIT_CODES}")
    )]
    Install(Install),
    /// Take an extension out of the configuration of an agent
    ///
    /// Where nothing else was changed since it was installed, the file is afterwards what it was before, and
    /// the backup is gone.
    #[command(after_help = format!("{UNINSTALL_EXAMPLES}\n\n{EXIT_CODES}"))]
    Uninstall(Uninstall),
    /// Make the packages that agents install from an extension
    ///
    /// An Agent Plugin, a plugin of Claude Code and an extension of Gemini CLI, each with the extension in it,
    /// its skills and commands, and hooks where it has guards. They start it by `extline`, which has to be in
    /// PATH where they are installed. docs/packages.md has what is in each.
    #[command(after_help = format!("{PACKAGE_EXAMPLES}\n\n{EXIT_CODES}"))]
    Package(Package),
    /// Show and set what an extension is configured with
    ///
    /// Without KEY all of it, with where each value comes from; with KEY that value; with VALUE it is set, when
    /// it fits the `config_schema` of the extension. Nothing of the extension is run. Secrets are set by
    /// `extline secret set`. docs/configuration.md has the rest.
    #[command(
        override_usage = "extline config <NAME>\n       \
                          extline config <NAME> <KEY> [VALUE]\n       \
                          extline config <NAME> --unset <KEY>\n       \
                          extline config <NAME> --tool <TOOL> [enabled|timeout_ms|weight] [VALUE]",
        after_help = format!("{CONFIG_EXAMPLES}\n\n{EXIT_CODES}")
    )]
    Config(Config),
    /// List the agents' configurations, and which extensions are installed there
    ///
    /// Of other servers only the names are shown, and other hooks are counted. A file that cannot be read is
    /// told of, and is no failure.
    #[command(after_help = format!("{DISCOVER_EXAMPLES}\n\n{EXIT_CODES}"))]
    Discover(Discover),
    /// Set, list and remove the secrets of extensions
    ///
    /// A secret is a key or a token that an extension's manifest declares in permissions.secrets. Its value is kept
    /// on this machine, for the extension of that name alone, and is printed nowhere. docs/secrets.md has the rest.
    #[command(after_help = format!("{SECRET_EXAMPLES}\n\n{EXIT_CODES}"))]
    Secret(Secret),
    /// Answer an agent's hook: guards and interceptors decide about the agent's own tools
    ///
    /// The agent gives one event on stdin and is answered in its own format. The extensions are started by
    /// the first hook and run on, so that a decision takes milliseconds; they end when nothing was asked for
    /// ten minutes. Where a guard cannot be asked, the call is blocked. docs/hooks.md has what each agent
    /// sends and obeys.
    #[command(
        override_usage = "extline hook --agent <AGENT> [OPTIONS] <DIR>...\n       \
                          extline hook --agent <AGENT> [OPTIONS] [DIR]... -- <PROGRAM> [ARGS]...\n       \
                          extline hook --status\n       \
                          extline hook --stop",
        after_help = HOOK_EXAMPLES
    )]
    Hook(Box<Hook>),
    /// Record a session of extensions in a trace: `extline run` with --trace
    ///
    /// The trace can be checked (`extline conformance check`), played to the extension again
    /// (`extline conformance replay`), and played to a host in the extension's place (`extline
    /// mock`). `extline tap` records under any other host.
    #[command(
        override_usage = "extline record [OPTIONS] <TRACE> <DIR>...\n       \
                          extline record [OPTIONS] <TRACE> [DIR]... -- <PROGRAM> [ARGS]...",
        mut_arg("trace", |trace| trace.hide(true)),
        after_help = format!("{RECORD_EXAMPLES}\n\n{EXIT_CODES}")
    )]
    Record(Record),
    /// Check whether an extension keeps to the protocol, and explain where it does not
    #[command(
        override_usage = "extline conformance [OPTIONS] <DIR>\n       \
                          extline conformance [OPTIONS] -- <PROGRAM> [ARGS]...\n       \
                          extline conformance check <TRACE>\n       \
                          extline conformance replay <TRACE> [DIR | -- PROGRAM]\n       \
                          extline conformance fuzz [OPTIONS] [DIR | -- PROGRAM]\n       \
                          extline conformance matrix <DIR>...\n       \
                          extline conformance explain <CASE|CLAUSE>\n       \
                          extline conformance list\n       \
                          extline conformance selftest",
        after_help = CONFORMANCE_EXAMPLES,
        args_conflicts_with_subcommands = true
    )]
    Conformance(Box<Conformance>),
    /// Stand between a host and an extension: pass everything on, record it, and tell what is wrong
    ///
    /// Give this in place of the extension's program to any host, or in place of an MCP server to
    /// its client. What passes is not changed by a byte; rules of the protocol that the extension or
    /// the server breaks are told on stderr as soon as it does, and the trace can be checked, or
    /// shown, later.
    #[command(
        override_usage = "extline tap [OPTIONS] <DIR>\n       \
                          extline tap [OPTIONS] -- <PROGRAM> [ARGS]...",
        after_help = TAP_EXAMPLES
    )]
    Tap(Tap),
    /// Be an extension that says what a trace or cases say, in place of the real one
    ///
    /// Give this in place of an extension's program to any host, to test the host or an agent
    /// without the extension. From a trace: what the extension said comes again when the host asks
    /// the same, and when it does what it did. From a file of cases (docs/tester/cases.md): what they send
    /// is asked, what they expect is answered. From a trace of an MCP server it is that server. Where no
    /// file has an answer, it answers with an error and says so on stderr.
    #[command(after_help = MOCK_EXAMPLES)]
    Mock(Mock),
    /// Write a new extension that works, to begin with
    #[command(after_help = format!("{NEW_EXAMPLES}\n\n{EXIT_CODES}"))]
    New(New),
    /// Print a script that completes `extline` in a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions(Completions),
    /// Write the man pages into a folder
    #[command(after_help = MAN_EXAMPLES)]
    Man(Man),
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
    pub(crate) views: Views,

    #[command(flatten)]
    pub(crate) settings: Settings,

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
    pub(crate) views: Views,

    #[command(flatten)]
    pub(crate) settings: Settings,

    #[command(flatten)]
    pub(crate) program: Program,
}

#[derive(Debug, Args)]
pub(crate) struct Tap {
    /// The extension's folder
    #[arg(value_name = "DIR", required_unless_present = "program")]
    pub(crate) dir: Option<OsString>,

    /// Write down every line that passes, both ways, with arguments and results in full (see
    /// docs/protocol/traces.md); the file is made anew
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,

    /// Write *** into the trace for what looks like a secret
    #[arg(long, requires = "trace")]
    pub(crate) redact: bool,

    /// Which rules hold: those of every extension, or those of SDKs too
    #[arg(long, value_enum, default_value_t = Rules::Base)]
    pub(crate) level: Rules,

    #[command(flatten)]
    pub(crate) program: Program,
}

#[derive(Debug, Args)]
pub(crate) struct Mock {
    /// Traces, or files of cases (.toml); where two answer the same, each is used once, in order,
    /// and then the last
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Which extension, when a trace holds several
    #[arg(long, value_name = "NAME")]
    pub(crate) extension: Option<String>,

    /// What it is called where no file says so, by default as the first file
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// The extensions' folders; where two offer the same name, the first wins
    #[arg(value_name = "DIR", required_unless_present = "program")]
    pub(crate) dirs: Vec<OsString>,

    /// Show what a client will see, and what is left out and why, and end
    #[arg(long)]
    pub(crate) list: bool,

    #[command(flatten)]
    pub(crate) timeout: Timeout,

    #[command(flatten)]
    pub(crate) http: Http,

    #[command(flatten)]
    pub(crate) settings: Settings,

    #[command(flatten)]
    pub(crate) program: Program,
}

#[derive(Debug, Args)]
pub(crate) struct Lint {
    /// The extensions' folders, together as one server; where two offer the same name, the first wins
    #[arg(value_name = "DIR", required_unless_present = "program")]
    pub(crate) dirs: Vec<OsString>,

    /// Only for this client: claude-code, codex, cursor, vscode or gemini. May be repeated
    #[arg(long = "client", value_name = "NAME", value_parser = Offered::CLIENTS, hide_possible_values = true)]
    pub(crate) clients: Vec<String>,

    /// Only for this provider, with every change told: openai, anthropic, google or mistral. May be repeated
    #[arg(long = "provider", value_name = "NAME", value_parser = Offered::PROVIDERS, hide_possible_values = true)]
    pub(crate) providers: Vec<String>,

    /// What the server is called in the clients' configuration; as the extension when absent
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Call each tool that has a sample in its extension.json, and look at the results too
    #[arg(long)]
    pub(crate) call: bool,

    #[command(flatten)]
    pub(crate) timeout: Timeout,

    #[command(flatten)]
    pub(crate) settings: Settings,

    #[command(flatten)]
    pub(crate) program: Program,
}

#[derive(Debug, Args)]
pub(crate) struct New {
    /// What it is called: lower-case letters, digits and dashes, a letter first
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    /// The language: rust, python, typescript, javascript, c or sh
    #[arg(long, value_name = "LANGUAGE", default_value = "rust", value_parser = Offered::LANGUAGES,
          hide_possible_values = true)]
    pub(crate) lang: String,

    /// The folder to make, NAME in the present one when absent
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,

    /// The SDK's folder, in place of the published one; a clone's build has one
    #[arg(long, value_name = "DIR")]
    pub(crate) sdk: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The folder, made where there is none; pages of earlier versions in it are replaced
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
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
    fn nothing_to_start_is_wrong_usage() {
        for words in [&["extline", "inspect"][..], &["extline", "mcp"], &["extline", "call"]] {
            assert_eq!(Cli::try_parse_from(words).unwrap_err().exit_code(), 2);
        }
        assert!(Cli::try_parse_from(["extline", "run", "--", "./ext"]).is_ok());
    }
}
