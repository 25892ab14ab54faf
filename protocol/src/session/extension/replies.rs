//! Exactly one answer to each call (`tool.one-reply`).

use super::incoming::error_response;
use super::{ExtensionEvent, ExtensionSession, Open};
use crate::error_kind::ErrorKind;
use crate::frame::{
    Action, CommandResponse, Content, ErrorInfo, Response, ResponsePart, RpcError, ToolResult,
};
use crate::json::RawJson;
use crate::limits::PARTS_AHEAD;
use crate::outputs;
use crate::session::outbox::Unsendable;
use crate::session::{CallKey, CallKind, Notice, ReplyError, RequestError};

/// Answers.
impl ExtensionSession {
    /// Answers a tool call; the frame's id is the call's. One over a limit is answered with
    /// `too_large` instead, and comes back as [`ReplyError::TooLarge`]; an error without text gets its message as text.
    pub fn reply_tool(&mut self, key: &CallKey, mut result: ToolResult) -> Result<(), ReplyError> {
        let open = self.close_open(key)?;
        if let Some(format) = open.output
            && !outputs::write(&format, &mut result)
            && self.warned.insert(open.name.to_string())
        {
            self.notice(Notice::NoValue(open.name.into()));
        }
        result.id = key.id().clone();
        result.view = self.view_for_host(result.view);
        make_readable(&mut result);
        if let Err(unsendable) = self.push_result(result) {
            let message = format!("the result of the tool is too large: {unsendable}");
            let error = ErrorInfo::new(ErrorKind::TooLarge, message.clone());
            self.send(&ToolResult::error(key.id().clone(), error));
            self.finish_if_idle();
            return Err(ReplyError::TooLarge(message));
        }
        self.finish_if_idle();
        Ok(())
    }

    fn push_result(&mut self, result: ToolResult) -> Result<(), Unsendable> {
        let Some(results) = &mut self.results else { return self.outbox.push(&result) };
        self.outbox.check_unwritten(&result, result.plain_bytes())?;
        results.push_back(result);
        Ok(())
    }

    /// Answers a tool call with an error.
    pub fn fail_tool(&mut self, key: &CallKey, error: ErrorInfo) -> Result<(), ReplyError> {
        self.reply_tool(key, ToolResult::error(key.id().clone(), error))
    }

    /// Answers a command; the frame's id is the command's. To a host that may not know
    /// `tool_prompt` it becomes `prompt` (`command.tool-prompt`).
    pub fn reply_command(
        &mut self,
        key: &CallKey,
        mut response: CommandResponse,
    ) -> Result<(), ReplyError> {
        self.close_open(key)?;
        response.id = key.id().clone();
        if response.action == Action::ToolPrompt && self.host_is_old() {
            self.warn_old_host("tool_prompt");
            response.action = Action::Prompt;
            response.tool_name = None;
            response.tool_args = None;
        }
        if let Some(panel) = &mut response.open_panel {
            panel.view = self.view_for_host(panel.view.take());
        }
        if let Err(unsendable) = self.outbox.push(&response) {
            let message = format!("the answer is too large: {unsendable}");
            let told = format!("too_large: {message}");
            self.send(&CommandResponse::error(key.id().clone(), told));
            self.finish_if_idle();
            return Err(ReplyError::TooLarge(message));
        }
        if let Some(panel) = &response.open_panel {
            self.panels.open(panel);
        }
        self.finish_if_idle();
        Ok(())
    }

    /// Answers a request of the host's.
    pub fn reply_request(
        &mut self,
        key: &CallKey,
        result: Result<RawJson, RpcError>,
    ) -> Result<(), ReplyError> {
        self.close_open(key)?;
        let response = match result {
            Ok(result) => Response { id: key.id().clone(), result: Some(result), error: None },
            Err(error) => error_response(key.id().clone(), error),
        };
        if let Err(unsendable) = self.outbox.push(&response) {
            let message = format!("the answer is too large: {unsendable}");
            let error = RpcError::new(ErrorKind::TooLarge, message.clone());
            self.send(&error_response(key.id().clone(), error));
            self.finish_if_idle();
            return Err(ReplyError::TooLarge(message));
        }
        self.finish_if_idle();
        Ok(())
    }

    /// Sends a part of an answer before the answer; at most 16 wait to be written. What is no request has
    /// none.
    pub fn send_part(&mut self, key: Option<&CallKey>, data: RawJson) -> Result<(), RequestError> {
        let key = key.filter(|key| key.kind() == CallKind::Request).ok_or(RequestError::NoParts)?;
        let Some(open) = self.open.get_mut(key) else { return Err(RequestError::ParentEnded) };
        if open.unwritten_parts >= PARTS_AHEAD {
            return Err(RequestError::PartsAhead);
        }
        let part = ResponsePart { id: key.id().clone(), seq: open.parts + 1, data };
        self.outbox.push(&part).map_err(|why| RequestError::TooLarge(why.to_string()))?;
        open.parts += 1;
        open.unwritten_parts += 1;
        self.parts_are_waiting = true;
        Ok(())
    }

    /// The handler of an event returned; the next one may come.
    pub fn event_done(&mut self) {
        self.lanes.event_done();
    }

    /// The handler of a panel's input returned; the panel's next one may come.
    pub fn panel_done(&mut self, panel_id: &str) {
        self.lanes.panel_done(panel_id);
    }

    pub(super) fn forget_unwritten_parts(&mut self) {
        if !std::mem::take(&mut self.parts_are_waiting) {
            return;
        }
        for key in self.open.keys() {
            if let Some(open) = self.open.get_mut(&key) {
                open.unwritten_parts = 0;
            }
        }
    }

    /// Closes a call before its answer is sent; what it asked the host for goes with it.
    pub(super) fn close_open(&mut self, key: &CallKey) -> Result<Open, ReplyError> {
        let Some(open) = self.take_open(key) else {
            self.overdue.retain(|(late, _)| late != key);
            return Err(ReplyError::AlreadyAnswered(key.kind()));
        };
        self.cancel_children(key);
        Ok(open)
    }

    pub(super) fn take_open(&mut self, key: &CallKey) -> Option<Open> {
        let open = self.open.close(key)?;
        self.open_intercepts -= usize::from(open.deciding.is_some());
        Some(open)
    }

    pub(super) fn host_is_old(&self) -> bool {
        self.host.as_ref().is_some_and(|host| host.capabilities.is_none())
    }

    /// Gives up a call that can no longer be answered on the wire.
    pub(super) fn abandon(&mut self, key: &CallKey) {
        let Some(open) = self.take_open(key).filter(|open| open.delivered) else { return };
        self.overdue.push((key.clone(), open.name.into()));
        if !open.cancelled {
            let reason = "the host is gone".to_owned();
            self.lanes.control(ExtensionEvent::Cancelled { key: key.clone(), reason });
        }
    }
}

/// A host that knows only the base shows the content and nothing else (`tool.error-text`).
fn make_readable(result: &mut ToolResult) {
    let Some(error) = &result.error else { return };
    result.is_error = true;
    let is_text = |block: &Content| matches!(block, Content::Text(text) if !text.is_empty());
    if !result.content.iter().any(is_text) {
        result.content.push(Content::text(error.message.clone()));
    }
}
