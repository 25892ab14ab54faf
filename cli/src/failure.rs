//! What went wrong, for a person, for a program, and as an exit code.

pub(crate) use extline_host::nearest;
use extline_host::{CallError, Diagnosis, ExtensionState, ExtensionStatus, Host};
use extline_protocol::frame::ErrorInfo;
use extline_protocol::{ErrorKind, RawJson};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::arguments;
use crate::content::json_of_value;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::styled::{Text, text};

/// What went wrong.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    /// For a person; the first line tells the fact.
    text: Text,
    json: Json,
}

/// The shape of a tool's own error, so that a program reads both in the same way.
#[derive(Debug, Serialize)]
struct Json {
    content: [Block; 1],
    is_error: bool,
    error: Error,
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnosis: Option<Diagnosis>,
    /// The schema that the arguments do not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<Box<RawValue>>,
    /// The names there are, where one was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<Vec<String>>,
}

#[derive(Debug, Serialize)]
struct Block {
    r#type: &'static str,
    text: String,
}

#[derive(Debug, Serialize)]
struct Error {
    kind: String,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
}

impl Failure {
    /// A call without a result.
    pub(crate) fn of_call(error: &CallError, host: &Host) -> Self {
        let failure = Self::new(Exit::of(error), error.to_error_info());
        match error {
            CallError::Unknown { what, name } => failure.with_known(what, name, host),
            CallError::Invalid { tool, .. } => {
                failure.with_schema(tool.name(), &tool.definition.schema)
            }
            CallError::Died { diagnosis, .. } => failure.with_diagnosis(diagnosis),
            CallError::Blocked { by, .. } => failure.with_closed_guard(by, host),
            _ => match host.diagnose(error) {
                Some(diagnosis) => failure.with_details(&diagnosis),
                None => failure,
            },
        }
    }

    /// An extension that did not start.
    pub(crate) fn of_start(diagnosis: &Diagnosis) -> Self {
        let info = ErrorInfo::new(ErrorKind::Fatal, diagnosis.summary());
        Self::new(Exit::NotStarted, info).with_diagnosis(diagnosis)
    }

    /// An error that has nothing to do with an extension.
    pub(crate) fn of_usage(message: &str) -> Self {
        Self::new(Exit::Usage, ErrorInfo::new(ErrorKind::Validation, message))
    }

    /// A file that is left as it is.
    pub(crate) fn of_file(message: &str) -> Self {
        Self::new(Exit::ToolError, ErrorInfo::new(ErrorKind::Conflict, message))
    }

    /// Tells it where it belongs, and returns the exit code.
    pub(crate) fn report(&self, printer: &mut Printer) -> Exit {
        if printer.json {
            printer.json(&self.json);
        } else {
            printer.error(&self.text);
        }
        self.exit
    }

    /// The same as JSON.
    pub(crate) fn json(&self) -> &impl Serialize {
        &self.json
    }

    fn new(exit: Exit, info: ErrorInfo) -> Self {
        let text = Text::of(&info.message);
        let json = Json {
            content: [Block { r#type: "text", text: info.message.clone() }],
            is_error: true,
            error: Error { kind: info.kind.to_string(), message: info.message, field: info.field },
            diagnosis: None,
            schema: None,
            known: None,
        };
        Self { exit, text, json }
    }

    fn with_diagnosis(mut self, diagnosis: &Diagnosis) -> Self {
        self.text = Text::of(diagnosis);
        self.json.diagnosis = Some(diagnosis.clone());
        self
    }

    /// The same where the error has said the fact itself.
    fn with_details(mut self, diagnosis: &Diagnosis) -> Self {
        let fact = self.text.clone();
        self = self.with_diagnosis(diagnosis);
        let diagnosis = diagnosis.to_string();
        let details = diagnosis.split_once('\n').map_or("", |(_, details)| details);
        self.text = text!("{fact}\n{details}");
        self
    }

    /// What to do where a guard blocked the call because it cannot be asked.
    fn with_closed_guard(mut self, by: &str, host: &Host) -> Self {
        let is_closed = |it: &ExtensionStatus| it.name == by && !it.closed_points.is_empty();
        if host.extensions().iter().any(is_closed) {
            self.text = text!(
                "{}\n  calls pass once {by} can be asked; --unguarded {by} lets them pass without it",
                self.text
            );
        }
        self
    }

    fn with_schema(mut self, tool: &str, schema: &RawJson) -> Self {
        let lines = Text::of_lines(&arguments::lines(schema, 4));
        self.text = text!("{}\n  {tool} takes\n{lines}", self.text);
        self.json.schema = Some(json_of_value(schema));
        self
    }

    fn with_known(mut self, what: &str, name: &str, host: &Host) -> Self {
        let tools = || host.tools().iter().map(|tool| tool.name().to_owned()).collect();
        let commands = || host.commands().iter().map(|it| it.name().to_owned()).collect();
        let (known, others): (Vec<String>, Vec<String>) =
            if what == "tool" { (tools(), commands()) } else { (commands(), tools()) };
        if let Some(nearest) = nearest(name, &known) {
            self.text = text!("{}; did you mean {nearest}?", self.text);
        }
        self.text = match known.as_slice() {
            [] => text!("{}; there are no {what}s", self.text),
            known => text!("{}\n  {what}s: {}", self.text, known.join(", ")),
        };
        // What it was meant for may have been offered by one of these.
        for extension in host.extensions() {
            if let ExtensionState::Failed(diagnosis) = extension.state {
                self.text = text!("{}\n  failed: {}", self.text, diagnosis.summary());
            }
        }
        if others.iter().any(|other| other == name) {
            let (other, verb) =
                if what == "tool" { ("command", "command") } else { ("tool", "call") };
            self.text = text!("{}\n  {name} is a {other}: use extline {verb}", self.text);
        }
        self.json.known = Some(known);
        self
    }
}
