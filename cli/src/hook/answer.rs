//! An answer, as the agent reads it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::dialects::{Dialect, Format, PromptFormat};

/// What is decided about an event.
#[derive(Debug)]
pub(super) enum Verdict {
    /// Nothing is said: the agent goes on as without a hook, and asks its user where it would.
    Pass,
    /// The call runs with these arguments, in the agent's words.
    Rewrite(Map<String, Value>),
    /// The agent asks its user, who reads why; the call runs with these arguments where they changed.
    Ask(String, Option<Map<String, Value>>),
    /// The call does not run.
    Block(String),
    /// The agent does not take the prompt; its user reads why.
    Refuse(PromptFormat, String),
}

/// What the hook prints and how it ends.
#[derive(Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct Answer {
    pub(super) code: u8,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Blocks in every agent that has hooks which block: the reason is read from stderr.
const BLOCK: u8 = 2;
/// Nothing is blocked, and the user is told.
const FAILURE: u8 = 1;

impl Answer {
    pub(super) fn of(dialect: &Dialect, event: &str, verdict: Verdict) -> Self {
        let (said, reason) = match verdict {
            Verdict::Pass => return Self { stdout: dialect.silence.to_owned(), ..Self::default() },
            Verdict::Rewrite(args) => (
                rewritten(dialect.answer, event, &args),
                format!(
                    "an extension rewrote the call, and {} has no way to run it so",
                    dialect.name
                ),
            ),
            Verdict::Ask(reason, args) => (
                asked(dialect, event, &reason, args.as_ref()),
                format!("{reason} (a person is to be asked, and {} has no way to)", dialect.name),
            ),
            Verdict::Block(reason) => (None, reason),
            Verdict::Refuse(format, reason) => match refused(format, &reason) {
                None => return Self::blocked(&reason),
                said => (said, reason),
            },
        };
        match said.or_else(|| blocked(dialect.answer, event, &reason)) {
            Some(said) => Self { stdout: said.to_string(), ..Self::default() },
            None => Self::blocked(&reason),
        }
    }

    /// A call that nobody could decide about.
    pub(super) fn blocked(reason: &str) -> Self {
        Self { code: BLOCK, stderr: reason.to_owned(), ..Self::default() }
    }

    /// An event that blocks nothing could not be told.
    pub(super) fn not_told(reason: &str) -> Self {
        Self { code: FAILURE, stderr: reason.to_owned(), ..Self::default() }
    }
}

fn blocked(format: Format, event: &str, reason: &str) -> Option<Value> {
    Some(match format {
        Format::Claude | Format::ClaudeWithoutRewrites | Format::Codex => {
            json!({ "hookSpecificOutput": {
                "hookEventName": event,
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
            }})
        }
        Format::Gemini => json!({ "decision": "deny", "reason": reason }),
        Format::Crush => json!({ "version": 1, "decision": "deny", "reason": reason }),
        Format::Cursor => {
            json!({ "permission": "deny", "user_message": reason, "agent_message": reason })
        }
        Format::Copilot => {
            json!({ "permissionDecision": "deny", "permissionDecisionReason": reason })
        }
        Format::VsCode => {
            let mut said = blocked(Format::Claude, event, reason)?;
            said["permissionDecision"] = json!("deny");
            said["permissionDecisionReason"] = json!(reason);
            said
        }
        Format::ExitCode => return None,
    })
}

fn refused(format: PromptFormat, reason: &str) -> Option<Value> {
    Some(match format {
        PromptFormat::Decision(word) => json!({ "decision": word, "reason": reason }),
        PromptFormat::Cursor => json!({ "continue": false, "user_message": reason }),
        PromptFormat::VsCode => json!({ "continue": false, "stopReason": reason }),
        PromptFormat::ExitCode => return None,
    })
}

/// Nothing where the agent cannot ask, or cannot run what was rewritten.
fn asked(
    dialect: &Dialect,
    event: &str,
    reason: &str,
    args: Option<&Map<String, Value>>,
) -> Option<Value> {
    if !dialect.asks || args.is_some() && rewritten(dialect.answer, event, &Map::new()).is_none() {
        return None;
    }
    let mut said = blocked(dialect.answer, event, reason)?;
    if matches!(dialect.answer, Format::Copilot | Format::VsCode) {
        ask_in(&mut said, "modifiedArgs", args);
    }
    if dialect.answer != Format::Copilot {
        ask_in(said.get_mut("hookSpecificOutput")?, "updatedInput", args);
    }
    Some(said)
}

fn ask_in(within: &mut Value, rewrite: &str, args: Option<&Map<String, Value>>) {
    within["permissionDecision"] = json!("ask");
    if let Some(args) = args {
        within[rewrite] = json!(args);
    }
}

fn rewritten(format: Format, event: &str, args: &Map<String, Value>) -> Option<Value> {
    Some(match format {
        // Without a decision: the agent's own rules hold for what runs.
        Format::Claude => {
            json!({ "hookSpecificOutput": { "hookEventName": event, "updatedInput": args } })
        }
        Format::Codex => json!({ "hookSpecificOutput": {
            "hookEventName": event,
            "permissionDecision": "allow",
            "updatedInput": args,
        }}),
        Format::Gemini => {
            json!({ "hookSpecificOutput": { "hookEventName": event, "tool_input": args } })
        }
        Format::Crush => json!({ "version": 1, "updated_input": args }),
        Format::Cursor => json!({ "permission": "allow", "updated_input": args }),
        Format::Copilot => json!({ "modifiedArgs": args }),
        Format::VsCode => {
            let mut said = rewritten(Format::Claude, event, args)?;
            said["modifiedArgs"] = json!(args);
            said
        }
        Format::ClaudeWithoutRewrites | Format::ExitCode => return None,
    })
}
