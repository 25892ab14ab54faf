//! Why an extension cannot be used, told so that its author can mend it.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

use super::advice::speaks_of_environment;
use super::log::Log;
use super::problem::Problem;
use crate::process::Exit;
use crate::redact::Redactor;
use crate::report::advice;

/// Why an extension cannot be used, can be used no longer, or did not answer: what was being done,
/// how the process ended, what it wrote last, and what to do.
///
/// `Display` gives readable lines; serde gives the same facts to programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Diagnosis {
    /// The extension.
    pub extension: String,
    /// What is wrong.
    pub problem: Problem,
    /// What was being done, as `waiting for its hello`.
    pub doing: String,
    /// How the process ended, where it had ended by itself.
    pub exit: Option<Exit>,
    /// What its processes were doing in the system when they were given up, or are doing instead of
    /// answering, where the platform tells: `process 71 (python3) waits in write on descriptor 1, pipe:[9]`.
    pub process: Option<String>,
    /// What it wrote to stdout that is wrong: how it began where that was no `hello`, the newest
    /// line of a flood.
    pub stdout: Option<String>,
    /// The last lines it wrote to stderr, oldest first.
    pub stderr: Vec<String>,
    /// The file that holds all it wrote to stderr.
    pub log: Option<PathBuf>,
    /// Names of environment variables that the host has and the extension did not get, where it
    /// failed to start and spoke of one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<String>,
    /// What to do.
    pub suggestion: String,
}

impl Diagnosis {
    /// A diagnosis of what happened before there was a process.
    pub(crate) fn before_start(extension: &str, problem: Problem) -> Self {
        let doing = match problem {
            Problem::Manifest { .. } | Problem::Disabled { .. } | Problem::NameTaken => {
                "reading its manifest"
            }
            Problem::Config { .. } => "reading its configuration",
            _ => "starting its program",
        };
        Self::new(extension, problem, doing, None)
    }

    pub(crate) fn new(
        extension: &str,
        problem: Problem,
        doing: impl Into<String>,
        exit: Option<Exit>,
    ) -> Self {
        Self {
            extension: extension.to_owned(),
            suggestion: problem.suggestion(exit.as_ref()),
            problem,
            doing: doing.into(),
            exit,
            process: None,
            stdout: None,
            stderr: Vec::new(),
            log: None,
            withheld: Vec::new(),
        }
    }

    /// Tells what the process wrote, and what follows from that: what it misses, and the variables that
    /// it did not get where its last words are of one.
    pub(crate) fn add_output(&mut self, stdout: Option<String>, log: &Log, withheld: &[String]) {
        self.stdout = stdout;
        self.stderr = log.last_lines();
        self.log = Some(log.path().to_owned());
        if !self.problem.may_be_of_environment() {
            return;
        }
        if let Some(advice) = advice::of_stderr(&self.stderr) {
            self.suggestion = advice;
        } else {
            self.add_withheld(withheld);
        }
    }

    /// The same without secrets.
    pub(crate) fn redacted(mut self, redactor: &Redactor) -> Self {
        let redact = |text: &mut String| *text = redactor.text(text).into_owned();
        self.problem.redact(redactor);
        redact(&mut self.doing);
        redact(&mut self.suggestion);
        self.process.iter_mut().chain(&mut self.stdout).chain(&mut self.stderr).for_each(redact);
        self
    }

    fn add_withheld(&mut self, withheld: &[String]) {
        let named = withheld.iter().find(|name| self.stderr.iter().any(|line| names(line, name)));
        let is_said = self.stderr.iter().any(|line| speaks_of_environment(line));
        if withheld.is_empty() || (named.is_none() && !is_said) {
            return;
        }
        self.withheld = withheld.to_vec();
        self.suggestion = match named {
            Some(name) => format!(
                "the host has {name} and does not pass it on: write \"permissions\": {{\"env\": \
                 [{name:?}]}} in extension.json, or let the host pass it"
            ),
            None => format!(
                "{}; if it misses a variable that was withheld, name that in extension.json, as \
                 \"permissions\": {{\"env\": [...]}}",
                self.suggestion
            ),
        };
    }

    /// The fact in one line: what is wrong, and how the process ended.
    pub fn summary(&self) -> String {
        match &self.exit {
            Some(exit) => format!("{}: {} ({exit})", self.extension, self.problem),
            None => format!("{}: {}", self.extension, self.problem),
        }
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.extension, self.problem)?;
        write!(formatter, "\n  while   {}", self.doing)?;
        if let Some(exit) = &self.exit {
            write!(formatter, "\n  exit    {exit}")?;
        }
        if let Some(process) = &self.process {
            write!(formatter, "\n  system  {process}")?;
        }
        if let Some(stdout) = &self.stdout {
            write!(formatter, "\n  stdout  {stdout}")?;
        }
        for (position, line) in self.stderr.iter().enumerate() {
            let label = if position == 0 { "stderr" } else { "" };
            write!(formatter, "\n  {label:<6}  {line}")?;
        }
        if let Some(log) = &self.log {
            write!(formatter, "\n  log     {}", log.display())?;
        }
        if !self.withheld.is_empty() {
            write!(formatter, "\n  env     withheld: {}", first_of(&self.withheld))?;
        }
        write!(formatter, "\n  try     {}", self.suggestion)
    }
}

/// Whether a text holds a name as a word of its own.
fn names(text: &str, name: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    text.match_indices(name).any(|(at, found)| {
        !text[..at].ends_with(is_part) && !text[at + found.len()..].starts_with(is_part)
    })
}

/// A list for a terminal; a program gets all of it.
fn first_of(names: &[String]) -> String {
    const SHOWN: usize = 12;
    match names.len().checked_sub(SHOWN) {
        Some(further) if further > 0 => {
            format!("{} and {further} more", names[..SHOWN].join(", "))
        }
        _ => names.join(", "),
    }
}

impl std::error::Error for Diagnosis {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnosis_reads_as_a_person_would_tell_it() {
        let exit = Some(Exit::Code { code: 127 });
        let mut diagnosis = Diagnosis::new("clock", Problem::ExitedBeforeHello, "waiting", exit);
        diagnosis.stderr = vec!["line 1".to_owned(), "jq: not found".to_owned()];
        diagnosis.log = Some(PathBuf::from("/logs/clock.log"));
        assert_eq!(
            diagnosis.to_string(),
            "clock: it ended before it said hello\n  \
             while   waiting\n  \
             exit    exit status 127\n  \
             stderr  line 1\n          \
             jq: not found\n  \
             log     /logs/clock.log\n  \
             try     a command in it was not found: install what the lines above name"
        );
        assert_eq!(diagnosis.summary(), "clock: it ended before it said hello (exit status 127)");
    }

    #[test]
    fn a_name_is_found_as_a_word() {
        assert!(names("KeyError: 'API_KEY'", "API_KEY"));
        assert!(names("API_KEY", "API_KEY"));
        assert!(!names("MY_API_KEY is fine, so is API_KEY2", "API_KEY"));
    }

    #[test]
    fn a_long_list_is_cut_for_people() {
        let names: Vec<_> = (0..14).map(|number| format!("N{number}")).collect();
        assert!(first_of(&names).ends_with("N10, N11 and 2 more"));
        assert!(first_of(&names[..12]).ends_with("N10, N11"));
    }

    #[test]
    fn programs_get_a_code() {
        let diagnosis = Diagnosis::before_start("x", Problem::NameTaken);
        let json = serde_json::to_value(&diagnosis).unwrap();
        assert_eq!(json["problem"]["code"], "name_taken");
        assert_eq!(json["extension"], "x");
    }
}
