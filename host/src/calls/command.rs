//! A slash command: sent, and what its answer wants done.

use std::sync::Arc;

use extline_protocol::frame::Action;
use extline_protocol::{ErrorKind, RawJson};

use crate::connection::{CallGuard, CommandAnswer, Panel, SentCommand, Shared, Unanswered};
use crate::registry::{HOST, Registry};
use crate::report::CallError;
use crate::tool::Command;

/// What a command wants the host to do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CommandOutcome {
    /// Submit this to the model.
    Prompt(String),
    /// Put this into the editor.
    Insert(String),
    /// Show this.
    Display(String),
    /// Show this panel, which is open.
    OpenPanel(Panel),
    /// Submit the prompt as if the tool had been called.
    ToolPrompt {
        /// The prompt.
        prompt: String,
        /// The tool.
        tool: String,
        /// Its arguments.
        args: RawJson,
    },
    /// Nothing.
    Noop,
}

/// The command of that name, if it can be run now (`end.restart-names`).
fn find(registry: &mut Registry, name: &str) -> Result<Arc<Command>, CallError> {
    let Some(command) = registry.command(name) else {
        let failed = registry.failed_with_command(name);
        let (name, extension) = (name.to_owned(), registry.disabled_with_command(name));
        return Err(CallError::missing("command", name, extension, failed));
    };
    let (name, extension) = (command.name().to_owned(), command.extension.clone());
    if registry.is_disabled(command.owner) {
        Err(CallError::Disabled { name, extension })
    } else if registry.is_inactive(command.owner) {
        Err(CallError::Inactive { tool: name, by: HOST.to_owned() })
    } else if registry.is_restarting(command.owner) {
        Err(CallError::Restarting { name, extension })
    } else {
        Ok(command)
    }
}

/// Sends a command and waits for its outcome; dropping this forgets the answer.
pub(crate) async fn run(
    shared: &Shared,
    name: &str,
    args: &str,
    origin: Option<u64>,
) -> Result<CommandOutcome, CallError> {
    let is_reloading = |registry: &mut Registry| registry.is_command_reloading(name);
    let command = shared.when_loaded(is_reloading, |registry| find(registry, name)).await?;
    let (name, timeout) = (command.name(), shared.deadlines.command);
    let sent = shared.send(false, is_reloading, || {
        let unknown = || CallError::Unknown { what: "command", name: name.to_owned() };
        shared.connection(command.owner).ok_or_else(unknown)?.invoke_command(name, args, origin)
    });
    let SentCommand { guard, response } = sent.await?;
    let answer = response.await.unwrap_or(Err(Unanswered::HostGone));
    // What a command does nobody declares.
    shared.model_side.memo.changed();
    match answer {
        Ok(answer) => outcome_of(name, answer).map_err(|error| explained(error, &guard)),
        Err(unanswered) => Err(unanswered.into_error(name, timeout, Some(guard.connection()))),
    }
}

/// The same with what the sandbox of the extension refused meanwhile.
fn explained(error: CallError, guard: &CallGuard) -> CallError {
    match error {
        CallError::Refused { mut message } => {
            if let Some(why) = guard.connection().refusals(&message, guard.began()) {
                message.push('\n');
                message.push_str(&why);
            }
            CallError::Refused { message }
        }
        other => other,
    }
}

fn outcome_of(name: &str, answer: CommandAnswer) -> Result<CommandOutcome, CallError> {
    let CommandAnswer { response, panel } = answer;
    if let Some(message) = response.error.filter(|message| !message.is_empty()) {
        return Err(CallError::Refused { message });
    }
    let text = |text: Option<String>| text.unwrap_or_default();
    Ok(match response.action {
        Action::Prompt => CommandOutcome::Prompt(text(response.prompt)),
        Action::Insert => CommandOutcome::Insert(text(response.insert)),
        Action::Display => CommandOutcome::Display(text(response.display)),
        Action::Noop => CommandOutcome::Noop,
        Action::ToolPrompt => CommandOutcome::ToolPrompt {
            prompt: text(response.prompt),
            tool: text(response.tool_name),
            args: response.tool_args.unwrap_or_else(RawJson::empty_object),
        },
        Action::OpenPanel => match (panel, response.open_panel) {
            (Some(panel), _) => CommandOutcome::OpenPanel(panel),
            (None, None) => return Err(protocol(name, "the action open_panel has no open_panel")),
            (None, Some(_)) => {
                let (name, kind) = (name.to_owned(), ErrorKind::Budget);
                let message = "it has too many panels open".to_owned();
                return Err(CallError::Unusable { name, kind, message });
            }
        },
        Action::Other(action) => {
            return Err(protocol(name, &format!("the action {action:?} is unknown")));
        }
    })
}

fn protocol(name: &str, message: &str) -> CallError {
    let (name, message) = (name.to_owned(), message.to_owned());
    CallError::Unusable { name, kind: ErrorKind::Protocol, message }
}
