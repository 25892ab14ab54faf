//! One run of a case.

use std::time::Duration;

use extline_scenario::{Case, Failure, Need, Process, Values, Verb};

use crate::in_process::{Extension, InProcess, Stop, UNKNOWN, question};

/// What the extension has, by name, for `$tool` and its like and for `needs`.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// Tools.
    pub tools: Vec<String>,
    /// Commands.
    pub commands: Vec<String>,
    /// Events that it listens to.
    pub events: Vec<String>,
    /// Points at which it is asked.
    pub points: Vec<String>,
}

/// How a case is run.
#[derive(Clone, Debug)]
pub struct Run {
    /// What stands for `$value`; 0 for a case without values.
    pub value: u64,
    /// How long a step without `within_ms` may take.
    pub deadline: Duration,
    /// What the ids of its calls begin with, and no others of the same extension do.
    pub prefix: String,
}

/// Why a run did not pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble<E> {
    /// The case cannot be played in process, or not against this extension.
    #[error("{0}")]
    Misuse(String),
    /// A step did not go as it should.
    #[error("{place}: case {case}\n  expected  {expected}\n  got       {got}")]
    Failed {
        /// The step's file and line, as `tests/weather.toml:12`.
        place: String,
        /// The case's id, and the value of this run where it has values.
        case: String,
        /// What should have happened.
        expected: String,
        /// What did.
        got: String,
    },
    /// The extension could not be sent to or waited for.
    #[error("{0}")]
    Broken(E),
}

/// Plays a case against an extension that is ready.
pub fn play<E: Extension>(
    case: &Case,
    run: Run,
    surface: &Surface,
    extension: &mut E,
) -> Result<(), Trouble<E::Error>> {
    let Case { file, line, id, .. } = case;
    if let Some(obstacle) = obstacle(case, surface) {
        return Err(Trouble::Misuse(format!("{file}:{line}: case {id}: {obstacle}")));
    }
    let values = values(run.value, surface);
    let mut stage = InProcess::new(extension, run.deadline, run.prefix);
    extline_scenario::play(case, values, &mut stage).map_err(|(step, stop)| {
        let place = format!("{file}:{}", step.line);
        match stop {
            Stop::Broken(error) => Trouble::Broken(error),
            Stop::Process => {
                let (verb, elsewhere) = (step.verb.word(), elsewhere(file));
                Trouble::Misuse(format!("{place}: case {id}: {verb} needs a process: {elsewhere}"))
            }
            Stop::Found(Failure { expected, got, .. }) => {
                let has_values = !case.values.is_empty();
                let value = if has_values {
                    format!(" with the value {}", run.value)
                } else {
                    String::new()
                };
                Trouble::Failed { place, case: format!("{id}{value}"), expected, got }
            }
        }
    })
}

/// Why the case cannot be played.
fn obstacle(case: &Case, surface: &Surface) -> Option<String> {
    let elsewhere = || elsewhere(&case.file);
    if matches!(case.process, Process::Raw | Process::StdinAtEnd | Process::Beside) {
        return Some(format!("it needs a process from its start: {}", elsewhere()));
    }
    if case.check.is_some() {
        return Some(format!("its check looks at processes: {}", elsewhere()));
    }
    let args = |verb: &Verb| match verb {
        Verb::Line(text) | Verb::Raw(text) => text.template.contains("$args"),
        _ => false,
    };
    if case.needs.contains(&Need::Manifest) || case.steps.iter().any(|step| args(&step.verb)) {
        return Some(format!("it needs the manifest: {}", elsewhere()));
    }
    let missing = case.needs.iter().find_map(|need| missing(*need, surface))?;
    Some(format!("it needs {missing}, and the extension has none"))
}

/// What the extension does not have.
fn missing(need: Need, surface: &Surface) -> Option<&'static str> {
    let (has, what) = match need {
        Need::Tool => (!surface.tools.is_empty(), "a tool"),
        Need::Command => (!surface.commands.is_empty(), "a command"),
        Need::Event => (!surface.events.is_empty(), "an event that it listens to"),
        Need::Intercept => (!surface.points.is_empty(), "an interceptor"),
        Need::Kit => (false, "the surface of a kit, which the conformance tester holds"),
        Need::Older
        | Need::NoBatches
        | Need::Required
        | Need::Prompts
        | Need::Resources
        | Need::Logging
        | Need::Completions
        | Need::ToolChanges => {
            (false, "what MCP servers have, and the conformance tester asks for")
        }
        // An SDK's extension answers what nobody registered, and knows panels and cancels; a test
        // allows its own calls.
        Need::Canary
        | Need::ToolCanary
        | Need::CommandCanary
        | Need::Panels
        | Need::Cancel
        | Need::Calls
        | Need::Manifest => (true, ""),
    };
    (!has).then_some(what)
}

fn values(value: u64, surface: &Surface) -> Values {
    let first = |names: &[String]| names.first().cloned().unwrap_or_default();
    Values {
        ask: question("$id"),
        answer: "tool_result".to_owned(),
        unknown: UNKNOWN.to_owned(),
        tool: first(&surface.tools),
        command: first(&surface.commands),
        tools: surface.tools.iter().map(|tool| (tool.clone(), "{}".to_owned())).collect(),
        commands: surface.commands.clone(),
        event: first(&surface.events),
        point: first(&surface.points),
        value,
        ..Values::default()
    }
}

fn elsewhere(file: &str) -> String {
    format!("run it with `extline conformance --cases {file}`")
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use extline_scenario::parse_own;

    use super::*;
    use crate::Arrival;

    /// An extension behind a line that is cut, for one direction at least.
    struct Cut {
        takes_bytes: bool,
    }

    impl Extension for Cut {
        type Error = &'static str;

        fn send(&mut self, _: &[u8]) -> Result<(), &'static str> {
            if self.takes_bytes { Ok(()) } else { Err("cannot send") }
        }

        fn wait(&mut self, _: Instant) -> Result<Arrival, &'static str> {
            Err("cannot wait")
        }
    }

    /// How a run of a case with these steps ends.
    fn trouble(steps: &str, takes_bytes: bool) -> Trouble<&'static str> {
        let case = format!("[[case]]\nid = \"cut\"\ntitle = \"t\"\nsteps = [{steps}]");
        let cases = parse_own("cut.toml", &case).unwrap();
        let run = Run { value: 0, deadline: Duration::from_secs(5), prefix: "c".to_owned() };
        play(&cases[0], run, &Surface::default(), &mut Cut { takes_bytes }).unwrap_err()
    }

    #[test]
    fn a_run_ends_with_what_its_line_fails_with() {
        let line = r#"{ line = '{"type":"shutdown"}' }"#;
        let expect = r#"{ expect = '{"type":"ready"}' }"#;
        assert_eq!(trouble(line, false), Trouble::Broken("cannot send"));
        assert_eq!(trouble(&format!("{line}, {expect}"), true), Trouble::Broken("cannot wait"));
        assert_eq!(trouble("{ wait_ms = 10 }", true), Trouble::Broken("cannot wait"));
        assert_eq!(trouble("{ alive = true }", true), Trouble::Broken("cannot wait"));
        assert_eq!(trouble("{ canary = 2 }", false), Trouble::Broken("cannot send"));
    }
}
