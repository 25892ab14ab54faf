//! Why an extension cannot be used, told so that its author can mend it.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

use crate::exit::Exit;
use crate::problem::Problem;

/// Why an extension cannot be used, or can be used no longer: what was being done, how the process
/// ended, what it wrote last, and what to do.
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
    /// The beginning of what it wrote to stdout, where that was no frame.
    pub stdout: Option<String>,
    /// The last lines it wrote to stderr, oldest first.
    pub stderr: Vec<String>,
    /// The file that holds all it wrote to stderr.
    pub log: Option<PathBuf>,
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
            stdout: None,
            stderr: Vec::new(),
            log: None,
        }
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
        write!(formatter, "\n  try     {}", self.suggestion)
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
    fn programs_get_a_code() {
        let diagnosis = Diagnosis::before_start("x", Problem::NameTaken);
        let json = serde_json::to_value(&diagnosis).unwrap();
        assert_eq!(json["problem"]["code"], "name_taken");
        assert_eq!(json["extension"], "x");
    }
}
