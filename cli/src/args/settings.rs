//! What several subcommands share.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};
use extline_protocol::{Deadlines, Profile};

use super::answers::Given;
use super::approvals::Approvals;
use super::config::{GivenConfig, given_config};
use super::script_hooks::Hooks;
use crate::desk::Desk;

#[derive(Debug, Args)]
pub(crate) struct Timeout {
    /// How long an answer may take, 60 for tools and 30 for commands when absent
    #[arg(long = "timeout", value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) after: Option<Duration>,
}

/// How the host runs extensions.
#[derive(Debug, Args)]
#[command(next_help_heading = "Host")]
pub(crate) struct Settings {
    /// Give the extensions a variable; without VALUE, with the value it has here. May be repeated
    #[arg(long = "env", value_name = "NAME[=VALUE]", value_parser = variable)]
    pub(crate) variables: Vec<Variable>,

    /// Be like this host: the protocol's own, or a zot of that version with all its oddities
    #[arg(long, value_name = "NAME", default_value = "spec", value_parser = profiles())]
    pub(crate) profile: Profile,

    /// Let calls pass where the guard of this extension cannot be asked, because it is not ready, has
    /// failed or has died; else nothing passes. May be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) unguarded: Vec<String>,

    /// Start extensions without the sandbox that `permissions` in their manifests call for: they may do what you may
    #[arg(long)]
    pub(crate) no_sandbox: bool,

    /// Serve this conversation: what extensions keep with it is there again under the same ID. Without one it ends
    /// with the command; what they keep with the project or for all is there again in any case
    #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) session: Option<String>,

    #[command(flatten)]
    pub(crate) approvals: Approvals,

    #[command(flatten)]
    pub(crate) hooks: Hooks,

    /// Answer the questions of extensions: confirm=yes, confirm=no, select=VALUE (several with commas),
    /// input=TEXT, editor=TEXT, auth=yes, ask={"ID":"VALUE"}; a word alone closes the dialog. And about calls that
    /// need an approval: approve=yes, always or no. May be repeated: those of a kind come in their order, the last of them again and
    /// again. Else a person is asked on the terminal, or by the client of MCP, and nobody elsewhere
    #[arg(long = "answer", value_name = "KIND=VALUE")]
    pub(crate) answers: Vec<Given>,

    /// Lay the object in this file over the configuration of the extension (see `extline config`); of several
    /// extensions NAME says whose it is. May be repeated
    #[arg(long = "config", value_name = "[NAME=]FILE", value_parser = given_config)]
    pub(crate) configs: Vec<GivenConfig>,

    /// Write down each call and each decision about one, without arguments and results, a line of JSON each
    /// behind the end of that file; at 64 MiB it becomes FILE.1, in place of the one before
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,

    /// Write down every line that passes, both ways, with arguments and results in full (see
    /// docs/protocol/traces.md); the file is made anew
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,

    /// Write *** into the trace for each secret that is handed out, and for what looks like one
    #[arg(long)]
    pub(crate) redact: bool,

    /// The model connects to servers of MCP itself; the command that trusts one, without its digest
    #[arg(skip)]
    pub(crate) mcp_tools: Option<String>,

    /// Extensions are started when they are first used, where that can be
    #[arg(skip)]
    pub(crate) is_lazy: bool,

    /// Who is asked, in place of the terminal
    #[arg(skip)]
    pub(crate) desk: Option<Box<dyn Desk>>,
}

impl Settings {
    /// Programs in Python write nothing beside what they are read from: it would change what somebody trusts.
    pub(crate) fn keep_sources_clean(&mut self) {
        let (name, value) = ("PYTHONDONTWRITEBYTECODE".to_owned(), OsString::from("1"));
        self.variables.push(Variable { name, value });
    }

    /// Gives the extensions an empty variable in place of the one that is set here.
    pub(crate) fn withhold(&mut self, name: &str) {
        self.variables.push(Variable { name: name.to_owned(), value: OsString::new() });
    }

    /// Why a timeout does not hold for commands, if it does not (`zot.fixed-deadlines`). A tool call
    /// is given up by whoever made it, so for tools it always holds.
    pub(crate) fn timeout_in_vain(&self, timeout: &Timeout) -> Option<String> {
        timeout.after.filter(|_| self.profile.fixed_deadlines)?;
        let asked = Deadlines { command: Duration::MAX, ..Deadlines::default() };
        let fixed = self.profile.deadlines(asked).command.as_secs();
        let profile = self.profile.name;
        Some(format!("--timeout does not hold for commands: a {profile} gives them {fixed} s"))
    }
}

/// An environment variable for extensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) value: OsString,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Program {
    /// A program without a manifest, in place of a folder; it runs in the present one
    #[arg(id = "program", value_name = "PROGRAM ARGS", last = true, num_args = 1..)]
    pub(crate) words: Vec<OsString>,
}

pub(super) fn profiles() -> impl TypedValueParser<Value = Profile> {
    PossibleValuesParser::new(Profile::NAMES).try_map(|name| Profile::named(&name))
}

fn variable(text: &str) -> Result<Variable, String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(OsString::from(value))),
        None => (text, None),
    };
    if name.is_empty() {
        return Err("the name is missing: NAME=VALUE, or NAME".to_owned());
    }
    let value = value.or_else(|| env::var_os(name)).ok_or_else(|| {
        format!("{name} is not set here; give it a value with --env {name}=VALUE")
    })?;
    Ok(Variable { name: name.to_owned(), value })
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| *seconds > 0.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration
        .filter(|duration| *duration <= Duration::from_secs(86_400))
        .ok_or_else(|| "expected seconds, more than 0 and at most 86400".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_positive_and_finite() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["0", "-1", "inf", "NaN", "1e9", "soon"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_variable_has_a_value_or_the_one_it_has_here() {
        let value = |text| variable(text).map(|it| (it.name, it.value.into_string().unwrap()));
        assert_eq!(value("A=b=c"), Ok(("A".to_owned(), "b=c".to_owned())));
        assert_eq!(value("A="), Ok(("A".to_owned(), String::new())));
        let path = env::var("PATH").unwrap();
        assert_eq!(value("PATH"), Ok(("PATH".to_owned(), path)));
        assert!(value("EXTLINE_NO_SUCH").unwrap_err().contains("is not set here"));
        assert!(value("=x").unwrap_err().contains("the name is missing"));
    }
}
