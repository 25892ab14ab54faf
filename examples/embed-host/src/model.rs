//! A model of rules in a file. It is as real as a test needs: it sees the conversation and the
//! tools on offer, and chooses. A language model takes its place behind the same function.

use std::path::Path;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// Who says what. A tool's answer is a message of its own.
#[derive(Clone, Debug)]
pub(crate) enum Message {
    User(String),
    #[expect(dead_code, reason = "a language model reads its own words, rules do not")]
    Assistant(Reply),
    Tool(String),
}

/// What the model says: a text, tool calls, or both. Without calls the turn is over.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) calls: Vec<ToolCall>,
}

/// A call as the model writes it; its arguments are whatever it wrote. In the file that is JSON, or a string
/// that has the text.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolCall {
    pub(crate) tool: String,
    #[serde(deserialize_with = "as_written")]
    pub(crate) args: String,
}

fn as_written<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let args = Box::<RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(args.get()).unwrap_or_else(|_| args.get().to_owned()))
}

/// Rules, of which the first that fits the last message speaks.
#[derive(Debug, Deserialize)]
pub(crate) struct ScriptedModel(Vec<Rule>);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    /// It fits a message that has this in it.
    after: String,
    say: Reply,
}

impl ScriptedModel {
    pub(crate) fn read(file: &Path) -> Result<Self, String> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = std::fs::read_to_string(file).map_err(|error| failed(&error))?;
        serde_json::from_str(&text).map_err(|error| failed(&error))
    }

    /// What it says to this conversation; it calls only what is on offer.
    pub(crate) fn reply(&self, conversation: &[Message], tools: &[String]) -> Reply {
        let last = match conversation.last() {
            Some(Message::User(text) | Message::Tool(text)) => text,
            Some(Message::Assistant(_)) | None => return Reply::default(),
        };
        let is_offered = |call: &ToolCall| tools.contains(&call.tool);
        let mut rules = self.0.iter().filter(|rule| last.contains(&rule.after));
        let said = rules.find(|rule| rule.say.calls.iter().all(is_offered));
        said.map_or_else(
            || Reply { text: format!("I cannot help with: {last}"), ..Reply::default() },
            |rule| rule.say.clone(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> ScriptedModel {
        serde_json::from_str(
            r#"[{"after":"rain","say":{"calls":[{"tool":"weather","args":{"city":1.0}}]}},
                {"after":"rain","say":{"text":"who knows"}},
                {"after":"sun","say":{"text":"it is dry"}}]"#,
        )
        .unwrap()
    }

    #[test]
    fn it_answers_the_last_message_with_the_first_rule_that_fits() {
        let offer = ["weather".to_owned()];
        let mut conversation = vec![Message::User("will it rain?".into())];
        let reply = model().reply(&conversation, &offer);
        assert_eq!(reply.calls[0].args, r#"{"city":1.0}"#, "as it was written");
        conversation.push(Message::Assistant(reply));
        conversation.push(Message::Tool("sun".into()));
        assert_eq!(model().reply(&conversation, &offer).text, "it is dry");
    }

    #[test]
    fn it_calls_only_what_is_on_offer() {
        let conversation = [Message::User("will it rain?".into())];
        assert_eq!(model().reply(&conversation, &[]).text, "who knows");
    }

    #[test]
    fn what_no_rule_fits_it_cannot_help_with() {
        let conversation = [Message::User("hello".into())];
        assert_eq!(model().reply(&conversation, &[]).text, "I cannot help with: hello");
    }
}
