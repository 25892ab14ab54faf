//! Commands as prompts: what a person runs in a client by a slash.

use extline_protocol::frame::{Action, CommandResponse, RegisterCommand};
use extline_protocol::write_string;

use crate::entry::push_key;
use crate::failure::{Code, Failure};

/// The one argument of each prompt: what is typed behind the command.
pub(crate) const ARGUMENT: &str = "args";

/// The prompt's entry in a list.
pub(crate) fn entry(command: &RegisterCommand) -> String {
    let mut out = b"{\"name\":".to_vec();
    write_string(&command.name, &mut out);
    if let Some(description) = &command.description {
        push_key(&mut out, "description");
        write_string(description, &mut out);
    }
    push_key(&mut out, "arguments");
    out.extend_from_slice(b"[{\"name\":");
    write_string(ARGUMENT, &mut out);
    if let Some(usage) = &command.usage {
        push_key(&mut out, "description");
        write_string(usage, &mut out);
    }
    push_key(&mut out, "required");
    out.extend_from_slice(b"false}]}");
    String::from_utf8_lossy(&out).into_owned()
}

/// What a command answered, as the text of a prompt; `None` where it said nothing.
pub(crate) fn text(response: &CommandResponse) -> Result<Option<&str>, Failure> {
    if let Some(error) = response.error.as_deref().filter(|error| !error.is_empty()) {
        return Err(Failure::new(Code::Internal, error));
    }
    let text = match &response.action {
        Action::Prompt | Action::ToolPrompt => response.prompt.as_deref(),
        Action::Insert => response.insert.as_deref(),
        Action::Display => response.display.as_deref(),
        Action::OpenPanel => {
            return Err(Failure::new(
                Code::Internal,
                "the command opens a panel, which MCP does not have",
            ));
        }
        Action::Noop | Action::Other(_) => None,
    };
    Ok(text.filter(|text| !text.is_empty()))
}

/// Appends the members of the result of `prompts/get`.
pub(crate) fn write(text: Option<&str>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"messages\":[");
    if let Some(text) = text {
        out.extend_from_slice(b"{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":");
        write_string(text, out);
        out.extend_from_slice(b"}}");
    }
    out.push(b']');
}
