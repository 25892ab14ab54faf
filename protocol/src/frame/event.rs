//! What a host tells about itself, and what it lets an extension decide.

use super::content::{Content, ErrorInfo};
use super::event_details::EventDetails;
use super::extension::ToolResult;
use super::object::{Object, object};
use super::truncate::truncate;
use crate::id::Id;
use crate::json::{Members, RawJson};
use crate::limits::{CALL_TOOL_BYTES, EVENT_MESSAGES};
use crate::word::words;

object! {
    /// A tool's outcome: cut as an event shows it, whole as the point `tool_result` is asked about it.
    #[derive(Default)]
    pub struct EventResult {
        /// The blocks.
        lenient content: Vec<Content>,
        /// The call failed.
        flag is_error: bool,
        /// The blocks were cut.
        flag truncated: bool,
        /// The result as a value; only at the point `tool_result`.
        optional structured_content: RawJson,
        /// More for the user's eyes; only at the point `tool_result`.
        optional details: RawJson,
        /// Why it failed; only at the point `tool_result`.
        optional error: ErrorInfo,
    }
}

impl EventResult {
    /// That of a call with this content, which is cut as in an answer to `call_tool`: to 256 KiB.
    pub fn of(mut content: Vec<Content>, is_error: bool) -> Self {
        let truncated = truncate(&mut content);
        Self { content, is_error, truncated, ..Self::default() }
    }

    /// That of a call, whole, for the point `tool_result`.
    pub fn whole(result: &ToolResult) -> Self {
        Self {
            content: result.content.clone(),
            is_error: result.is_error,
            truncated: false,
            structured_content: result.structured_content.clone(),
            details: result.details.clone(),
            error: result.error.clone(),
        }
    }
}

object! {
    /// What stands in the place of a tool's result; a member that is absent stays as it was.
    #[derive(Default)]
    pub struct ReplaceResult {
        /// Other blocks for the model. The value goes with those that it is the value of, unless
        /// there is another one beside it, and so do the words of the error (`result.replaced`).
        optional content: Vec<Content>,
        /// Another value.
        optional structured_content: RawJson,
        /// Other details.
        optional details: RawJson,
        /// Whether the call counts as failed.
        optional is_error: bool,
    }
}

impl ReplaceResult {
    /// From the text of a JSON object with these members.
    ///
    /// # Errors
    /// It is no object, has another member, or one of another type; in words, with its pointer.
    pub fn parse(text: &str) -> Result<Self, String> {
        const NAMES: [&str; 4] = ["content", "structured_content", "details", "is_error"];
        let members = Members::of(text).ok_or("it is no JSON object")?;
        if let Some(other) = members.iter().find(|member| !NAMES.contains(&&*member.key())) {
            return Err(format!("it has no {:?}; it has {}", other.key(), NAMES.join(", ")));
        }
        Self::read_members(&members).map_err(|error| error.to_string())
    }

    /// Another text for the model.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: Some(vec![Content::text(text)]), ..Self::default() }
    }

    /// The call counts as failed, for the reason that the model reads.
    pub fn failure(text: impl Into<String>) -> Self {
        Self { is_error: Some(true), ..Self::text(text) }
    }

    /// The result with what was said about it (`result.replaced`).
    pub fn apply(&self, result: &mut EventResult) {
        let Self { content, structured_content, details, is_error } = self;
        result.is_error = is_error.unwrap_or(result.is_error);
        result.error = result.error.take().filter(|_| result.is_error);
        if let Some(content) = content {
            result.content.clone_from(content);
            result.structured_content = None;
            // What it failed of is what the model reads now, and nothing that the tool said beside it.
            result.error = result.error.take().map(|error| ErrorInfo {
                retry_after_ms: error.retry_after_ms,
                ..ErrorInfo::new(error.kind, Content::joined(content))
            });
        }
        for (now, other) in
            [(&mut result.structured_content, structured_content), (&mut result.details, details)]
        {
            if other.is_some() {
                now.clone_from(other);
            }
        }
    }

    /// This, and what is said behind it.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        let structured_content = match next.content {
            // The value goes with the blocks that are replaced.
            Some(_) => next.structured_content,
            None => next.structured_content.or(self.structured_content),
        };
        Self {
            content: next.content.or(self.content),
            structured_content,
            details: next.details.or(self.details),
            is_error: next.is_error.or(self.is_error),
        }
    }
}

object! {
    /// A message of the conversation, as an event shows it.
    #[derive(Default)]
    pub struct EventMessage {
        /// Who wrote it: `user`, `assistant`, `tool`, or another of the agent's own.
        lenient role: String,
        /// The blocks. Those that are neither text nor an image are the agent's own.
        lenient content: Vec<Content>,
        /// The model's id of the tool call that it answers.
        optional tool_id: String,
        /// The tool that it is the answer of.
        optional tool_name: String,
        /// That call failed.
        flag is_error: bool,
        /// The blocks were cut (`event.message-bound`).
        flag truncated: bool,
    }
}

impl EventMessage {
    /// One with these blocks, which are cut as in an answer to `call_tool`: to 256 KiB.
    pub fn of(role: impl Into<String>, content: Vec<Content>) -> Self {
        let mut message = Self { role: role.into(), content, ..Self::default() };
        message.bound();
        message
    }

    /// Cuts the blocks to what an event may hold (`event.message-bound`).
    pub fn bound(&mut self) {
        self.truncated |= truncate(&mut self.content);
    }

    /// The text blocks, a line break between two.
    pub fn text(&self) -> String {
        Content::joined(&self.content)
    }
}

object! {
    /// An entry of the agent's list of what is to be done.
    #[derive(Default)]
    pub struct Todo {
        /// What is to be done.
        lenient text: String,
        /// How it stands: `pending`, `in_progress`, `completed`, `abandoned`.
        optional status: String,
    }
}

object! {
    /// What an event or an intercept carries; which members stand depends on the event.
    #[derive(Default)]
    pub struct EventPayload {
        /// Number of the model call within the prompt, from 1.
        optional step: u64,
        /// Why a turn ended: `end`, `length`, `tool_use`, `error`, `aborted`.
        optional stop: String,
        /// What went wrong.
        optional error: String,
        /// The model's id of the tool call.
        optional tool_id: String,
        /// The tool.
        optional tool_name: String,
        /// Its arguments.
        optional tool_args: RawJson,
        /// The text of a message.
        optional text: String,
        /// The session.
        optional session_id: String,
        /// The working directory.
        optional cwd: String,
        /// Number of the event within the session.
        optional sequence: u64,
        /// How something stands.
        optional status: String,
        /// Why.
        optional reason: String,
        /// Where it came from.
        optional source: String,
        /// What was decided.
        optional decision: String,
        /// How far it is.
        optional stage: String,
        /// What the tool answered.
        optional result: EventResult,
        /// Whether the tool ran.
        optional executed: bool,
        /// The arguments as the model wrote them, where they are no JSON.
        optional tool_args_raw: String,
        /// The call in a line, for a person.
        optional tool_preview: String,
        /// Messages in the history.
        optional message_count: u64,
        /// Tokens in the history, about.
        optional token_estimate: u64,
        /// The compaction.
        optional compaction_id: String,
        /// The agent.
        optional agent_id: String,
        /// The agent's run.
        optional agent_run_id: String,
        /// A name that belongs to the event.
        optional name: String,
        /// The prompt waits for the turn to end.
        flag queued: bool,
        /// Images in the prompt.
        optional image_count: u64,
        /// The extension that caused it.
        optional origin_extension: String,
        /// The configuration of the extension as it is from now on, an object.
        optional config: RawJson,
        /// The session before it.
        optional previous_session: String,
        /// The place in the session's history before.
        optional old_leaf: String,
        /// The place in it now.
        optional new_leaf: String,
        /// What events of agents carry beside, as [`EventPayload::message`].
        flatten details: EventDetails,
        /// The model's provider.
        optional provider: String,
        /// The model.
        optional model: String,
    }
}

impl EventPayload {
    /// Leaves out and cuts what is more than an event may hold (`event.message-bound`). How many messages there
    /// were is said, unless it is already.
    #[must_use]
    pub fn bound(mut self) -> Self {
        if let Some(mut message) = self.message() {
            message.bound();
            self = self.with_message(&message);
        }
        if let Some(messages) = self.messages() {
            self.message_count.get_or_insert(messages.len() as u64);
            self = self.with_messages(&newest(messages));
        }
        if let Some(results) = self.tool_results() {
            self = self.with_tool_results(&newest(results));
        }
        self
    }
}

/// Those that an event may hold.
fn newest(mut messages: Vec<EventMessage>) -> Vec<EventMessage> {
    messages.iter_mut().for_each(EventMessage::bound);
    let mut room = CALL_TOOL_BYTES;
    let fits = |message: &EventMessage| {
        let bytes: usize = message.content.iter().map(Content::plain_bytes).sum();
        room = room.checked_sub(bytes)?;
        Some(())
    };
    let kept = messages.iter().rev().map_while(fits).take(EVENT_MESSAGES).count();
    messages.split_off(messages.len() - kept)
}

object! {
    /// Something happened. It is not answered.
    #[derive(Default)]
    pub struct Event = "event" {
        /// What happened, as `turn_start`.
        required event: String,
        /// More about it.
        flatten payload: EventPayload,
    }
}

words! {
    /// Which half of an intercept is asked for.
    pub enum Phase {
        /// The interceptors, which may rewrite.
        Intercept = "intercept",
        /// The guards, which see the final arguments and may only block.
        Guard = "guard",
    }
}

object! {
    /// Something is about to happen. It is answered within 5 s.
    pub struct EventIntercept = "event_intercept" {
        /// Names the intercept.
        required id: Id,
        /// What is about to happen.
        required event: String,
        /// Interceptors or guards; absent on a zot, where both are meant.
        optional phase: Phase,
        /// More about it.
        flatten payload: EventPayload,
        /// The system prompt as it stands.
        optional system_prompt: String,
    }
}

object! {
    /// What an extension makes of an intercept; without members, it goes on unchanged.
    pub struct EventInterceptResponse = "event_intercept_response" {
        /// The intercept's id.
        stamped id: Id,
        /// It must not happen.
        flag block: bool,
        /// Unless a person approves it; of a guard (`guard.ask`).
        flag ask: bool,
        /// Why not, or why a person is asked; for the model or the user.
        optional reason: String,
        /// Other arguments; never `null`, which a real zot takes as arguments.
        optional modified_args: RawJson,
        /// Another text.
        optional replace_text: String,
        /// Another system prompt; an empty one removes it.
        optional system_prompt: String,
        /// Another result, at `tool_result`.
        optional replace_result: ReplaceResult,
        /// The extension has dealt with the prompt, which the agent does not send; at
        /// `user_prompt_submit`.
        flag handled: bool,
    }
}

impl EventInterceptResponse {
    /// It goes on unchanged.
    pub fn allow(id: Id) -> Self {
        Self {
            id,
            block: false,
            ask: false,
            reason: None,
            modified_args: None,
            replace_text: None,
            system_prompt: None,
            replace_result: None,
            handled: false,
        }
    }

    /// It must not happen.
    pub fn block(id: Id, reason: impl Into<String>) -> Self {
        Self { block: true, reason: Some(reason.into()), ..Self::allow(id) }
    }

    /// It happens only if a person approves it; a host that cannot ask one blocks it (`guard.ask`).
    pub fn ask(id: Id, reason: impl Into<String>) -> Self {
        Self { ask: true, ..Self::block(id, reason) }
    }

    /// What an SDK gives as reason in the place of a handler that takes too long (`guard.margin`).
    pub(crate) fn timed_out(role: &str, handler: &str) -> String {
        format!("{role} {handler}{TIMED_OUT}")
    }

    /// Whether an SDK answered in the place of a handler that took too long: `guard.margin` says by
    /// which words a host knows that.
    pub fn is_timed_out(&self) -> bool {
        let Some(reason) = self.reason.as_deref() else { return false };
        let is_of_a_handler = [GUARD, INTERCEPTOR]
            .iter()
            .any(|role| reason.strip_prefix(role).is_some_and(|handler| handler.starts_with(' ')));
        self.block && is_of_a_handler && reason.ends_with(TIMED_OUT)
    }
}

/// Who did not decide, in the words of `guard.margin`.
pub(crate) const GUARD: &str = "guard";
pub(crate) const INTERCEPTOR: &str = "interceptor";
const TIMED_OUT: &str = " timed out";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_messages_are_kept_and_the_count_tells_of_the_others() {
        let message = |text: &str| EventMessage::of("user", vec![Content::text(text)]);
        let half = "x".repeat(CALL_TOOL_BYTES / 2);
        let payload = EventPayload::default()
            .with_messages(&vec![message("old"), message(&half), message(&half)])
            .with_tool_results(&vec![EventMessage::default(); EVENT_MESSAGES + 1])
            .bound();
        assert_eq!(payload.messages().unwrap(), [message(&half), message(&half)]);
        assert_eq!(payload.tool_results().unwrap().len(), EVENT_MESSAGES);
        assert_eq!(payload.message_count, Some(3));

        let long = message(&"x".repeat(CALL_TOOL_BYTES + 1));
        assert!(long.truncated);
        let payload = EventPayload::default().with_messages(&vec![long.clone()]).bound();
        assert_eq!(payload.messages().unwrap(), [long]);
    }

    #[test]
    fn an_answer_in_the_place_of_a_slow_handler_is_known() {
        let says = |reason: &str| EventInterceptResponse::block("1".into(), reason).is_timed_out();
        assert!(says(&EventInterceptResponse::timed_out(GUARD, "no rm")));
        assert!(says(&EventInterceptResponse::timed_out(INTERCEPTOR, "tool_call")));
        assert!(!says("the last guard timed out"));
        assert!(!says("guards timed out"));
        assert!(!EventInterceptResponse::allow("1".into()).is_timed_out());
    }
}
