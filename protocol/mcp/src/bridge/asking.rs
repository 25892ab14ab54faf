//! What the extension asks the person, and the calls of its that need an approval.

use std::time::{Duration, Instant};

use extline_protocol::frame::{ErrorInfo, ParentKind, Request, RpcError, Tier};
use extline_protocol::{CallKey, CallKind, ErrorKind, RawJson, approval_key, read_string};

use super::Bridge;
use crate::question::{ApprovalQuestion, DIALOGS, DISPLAYS, Question, Verdict};
use crate::server::{QuestionKey, RequestKey};

/// So many calls are remembered that always run; those beyond are asked about again.
const REMEMBERED: usize = 4096;

/// What a question to the client's user is for.
#[derive(Debug)]
pub(super) enum Asking {
    /// The extension's own.
    Dialog(CallKey),
    /// Whether a call may run.
    Approval { key: RequestKey, name: String, args: RawJson, covered: Covered },
}

/// The calls of a tool that one approval covers: those with the same key, or the same arguments.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Covered {
    Made(String),
    Exactly(String),
}

impl Bridge {
    /// The extension asks the host for something.
    pub(super) fn handle_request(&mut self, call: &CallKey, request: &Request, now: Instant) {
        let method = request.method.as_str();
        let answer = if DIALOGS.contains(&method) {
            match self.ask_person(call, request, now) {
                Ok(()) => return,
                Err(error) => Err(error),
            }
        } else if DISPLAYS.contains(&method) {
            self.show(request, now);
            Ok(RawJson::empty_object())
        } else {
            let why = format!("{method} is not served: the host is a client of MCP");
            Err(RpcError::new(ErrorKind::Unsupported, why))
        };
        // It was asked just now, so it has no answer yet.
        let _ = self.host.reply_request(call, answer, now);
    }

    /// The extension no longer wants the answer.
    pub(super) fn withdraw(&mut self, call: &CallKey, now: Instant) {
        let is_its = |asking: &Asking| matches!(asking, Asking::Dialog(dialog) if dialog == call);
        let question = self.asking.iter().find(|(_, asking)| is_its(asking)).map(|(key, _)| key);
        let Some(question) = question else { return };
        self.asking.remove(question);
        self.server.withdraw(question);
        let error = RpcError::new(ErrorKind::Cancelled, "cancelled");
        let _ = self.host.reply_request(call, Err(error), now);
    }

    /// A question has its answer.
    pub(super) fn answered(
        &mut self,
        question: QuestionKey,
        answer: Result<RawJson, RpcError>,
        now: Instant,
    ) {
        match self.asking.remove(question) {
            // It may have ended, and taken its question back.
            Some(Asking::Dialog(call)) => drop(self.host.reply_request(&call, answer, now)),
            Some(Asking::Approval { key, name, args, covered }) => {
                let verdict = Verdict::of(&answer);
                if verdict == Verdict::Always && self.approved.len() < REMEMBERED {
                    self.approved.push((name.clone(), covered));
                }
                self.carry_out(verdict, key, name, args, now);
            }
            None => {}
        }
    }

    /// Runs a call that every interceptor and guard has let pass, if it needs no approval or has one.
    pub(super) fn approve(&mut self, key: RequestKey, name: String, args: RawJson, now: Instant) {
        let tool = self.tools.get(&name);
        let approval =
            tool.and_then(|tool| tool.approval.as_ref()).filter(|it| it.gated || it.dynamic);
        let Some(approval) = approval.filter(|_| !self.asks_nobody) else {
            return self.run(key, name, args, now);
        };
        let made = approval.key.as_deref().and_then(|template| approval_key(template, &args));
        let covered = made.map_or_else(|| Covered::Exactly(args.get().to_owned()), Covered::Made);
        let call = (name, covered);
        if self.approved.contains(&call) {
            return self.run(key, call.0, args, now);
        }
        let question = Question::approval(&ApprovalQuestion {
            extension: &self.name,
            tool: &call.0,
            caller: None,
            args: &args,
            tier: approval.tier.as_ref().map(Tier::as_str),
            reason: approval.reason.as_deref(),
            // The user is asked about each call, so the extension need not be.
            details: &[],
            doubt: None,
            key: match &call.1 {
                Covered::Made(key) => Some(key),
                Covered::Exactly(_) => None,
            },
        });
        let (name, covered) = call;
        match self.server.ask(Some(key), question, now) {
            Ok(question) => {
                self.asking.insert(question, Asking::Approval { key, name, args, covered });
            }
            Err(error) => {
                self.carry_out(Verdict::of(&Err(error)), key, name, args, now);
            }
        }
    }

    fn carry_out(
        &mut self,
        verdict: Verdict,
        key: RequestKey,
        name: String,
        args: RawJson,
        now: Instant,
    ) {
        let why = match verdict {
            Verdict::Once | Verdict::Always => return self.run(key, name, args, now),
            Verdict::No => "the user said no".to_owned(),
            Verdict::Closed => "the user closed the question".to_owned(),
            Verdict::Undecided(why) => format!("{why}; or set EXTLINE_APPROVE=yolo for the server"),
        };
        let why = format!("{name} was not approved: {why}");
        self.server.fail_tool(key, ErrorInfo::new(ErrorKind::Permission, why));
    }

    /// What was approved of a tool means nothing for another one of its name.
    pub(super) fn forget_approvals(&mut self, tool: &str) {
        self.approved.retain(|(name, _)| name != tool);
    }

    fn ask_person(
        &mut self,
        call: &CallKey,
        request: &Request,
        now: Instant,
    ) -> Result<(), RpcError> {
        let below = self.request_above(request)?;
        let deadline = request.deadline_ms.map(Duration::from_millis);
        let question = Question::dialog(&self.name, &request.method, request.params.as_ref())?;
        let question = self.server.ask(below, question.deadline(deadline), now)?;
        self.asking.insert(question, Asking::Dialog(call.clone()));
        Ok(())
    }

    /// The client's request that one of the extension's belongs to. An event is none, and a panel has none.
    fn request_above(&self, request: &Request) -> Result<Option<RequestKey>, RpcError> {
        let Some(parent) = &request.parent else { return Ok(None) };
        let kind = match parent.kind {
            ParentKind::ToolCall => CallKind::Tool,
            ParentKind::Command => CallKind::Command,
            ParentKind::Intercept => CallKind::Intercept,
            _ => return Ok(None),
        };
        let call = self.host.in_flight(kind, &parent.id);
        let stage = call.and_then(|call| self.stages.get(&call.serial()));
        let over = || {
            let why = format!("the {} {} that it belongs to is over", parent.kind, parent.id);
            RpcError::new(ErrorKind::Stale, why)
        };
        stage.map(|stage| Some(stage.key())).ok_or_else(over)
    }

    /// A client has no place for what is only shown, but it may be told how the call stands.
    fn show(&mut self, request: &Request, now: Instant) {
        let text = match request.method.as_str() {
            "ui.status" | "ui.working" => request.params.as_ref().and_then(|it| it.at("/text")),
            _ => None,
        };
        let text = text.and_then(read_string).filter(|text| !text.is_empty());
        if let (Some(text), Ok(Some(key))) = (text, self.request_above(request)) {
            self.server.show(key, &text, now);
        }
    }
}
