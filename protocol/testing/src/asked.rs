//! What the extension asks of its host: other tools, and methods.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Instant;

use extline_protocol::frame::{CallTool, CallToolResult, Content, Request, RpcError};
use extline_protocol::{CallKey, ErrorKind, Field, RawJson, ToolCallOptions};
use extline_services::{GivenAnswers, GivenSecrets, Unanswered};
use serde_json::Value;

use crate::calls::Outcome;
use crate::frames::raw;
use crate::host::{Host, Mistake};

/// A question that a function of the test's has to answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Names it in the answer.
    pub serial: u64,
    /// Whether a method is asked for, and not a tool.
    pub is_method: bool,
    /// The tool or the method.
    pub name: String,
    /// The arguments, an object; or the params.
    pub json: String,
}

#[derive(Debug, Default)]
pub(crate) struct Questions {
    /// Tools of the test's, and whether each ever answers.
    tools: HashMap<String, bool>,
    /// Methods that functions of the test's answer, before `answers`.
    functions: HashSet<String>,
    /// What a person would say, where there is one.
    answers: Option<GivenAnswers>,
    secrets: Option<GivenSecrets>,
    /// Set at the end: nothing of the test's runs any more.
    is_over: bool,
    waiting: VecDeque<Asked>,
    open: HashMap<u64, Open>,
    /// Calls of the extension's own tools by itself, by the serials of the host: who asked.
    nested: HashMap<u64, u64>,
}

/// A question without an answer.
#[derive(Debug)]
struct Open {
    key: CallKey,
    name: String,
    parts: u64,
}

impl Questions {
    pub(crate) fn new(
        tools: HashMap<String, bool>,
        functions: HashSet<String>,
        (answers, secrets): (Option<GivenAnswers>, Option<GivenSecrets>),
    ) -> Self {
        Self { tools, functions, answers, secrets, ..Self::default() }
    }

    /// What is answered to a method by what the test gave before: secrets, and what a person says.
    fn answer(&mut self, method: &str, params: &str) -> Option<Result<Value, Unanswered>> {
        if self.functions.contains(method) {
            return None;
        }
        let secret = self.secrets.as_ref().and_then(|secrets| secrets.answer(method, params));
        secret.or_else(|| self.answers.as_mut()?.answer(method, params))
    }
}

impl Host {
    /// The next question that a function of the test's has to answer.
    pub fn poll_asked(&mut self) -> Option<Asked> {
        self.turn();
        self.questions.waiting.pop_front()
    }

    /// Answers a call of a tool with blocks.
    ///
    /// One that was answered before stays answered; this holds for all questions.
    ///
    /// # Errors
    ///
    /// They are no blocks.
    pub fn answer_call(
        &mut self,
        serial: u64,
        content: &str,
        is_error: bool,
    ) -> Result<(), Mistake> {
        let content = Field::read(raw(content)?.get()).map_err(Mistake::of)?;
        self.reply(serial, content, is_error);
        Ok(())
    }

    /// Says why a tool has failed.
    pub fn fail_call(&mut self, serial: u64, text: &str) {
        self.reply(serial, vec![Content::text(text)], true);
    }

    /// Answers a request.
    ///
    /// # Errors
    ///
    /// The result is no JSON.
    pub fn answer_request(&mut self, serial: u64, result: &str) -> Result<(), Mistake> {
        let result = raw(result)?;
        if let Some(open) = self.questions.open.remove(&serial) {
            let _ = self.session.reply_request(&open.key, Ok(result), Instant::now());
        }
        Ok(())
    }

    /// Says why a request is not served.
    pub fn refuse_request(&mut self, serial: u64, kind: &str, message: &str) {
        self.refuse_request_with(serial, kind, message, None);
    }

    pub(crate) fn refuse_request_with(
        &mut self,
        serial: u64,
        kind: &str,
        message: &str,
        data: Option<RawJson>,
    ) {
        let error = RpcError { data, ..RpcError::new(ErrorKind::from(kind), message) };
        if let Some(open) = self.questions.open.remove(&serial) {
            let _ = self.session.reply_request(&open.key, Err(error), Instant::now());
        }
    }

    /// Sends the next part of the answer to a request.
    ///
    /// # Errors
    ///
    /// The part is no JSON.
    pub fn send_part(&mut self, serial: u64, part: &str) -> Result<(), Mistake> {
        let part = raw(part)?;
        if let Some(open) = self.questions.open.get_mut(&serial) {
            open.parts += 1;
            let _ = self.session.send_part(&open.key, open.parts, part);
        }
        Ok(())
    }

    /// Runs nothing of the test's any more.
    pub fn forget_stand_ins(&mut self) {
        self.questions.is_over = true;
        self.questions.tools.clear();
        self.questions.waiting.clear();
    }

    /// A tool of the test's, one of the extension's own, or one that nobody has.
    pub(crate) fn take_call(&mut self, key: CallKey, call: CallTool) {
        let CallTool { name, args, .. } = call;
        let asked = self.open(key, &name);
        match self.questions.tools.get(&name) {
            Some(false) => {}
            Some(true) => {
                let json = if args.is_object() { args.into_string() } else { "{}".to_owned() };
                self.questions.waiting.push_back(Asked {
                    serial: asked,
                    is_method: false,
                    name,
                    json,
                });
            }
            None if self.offered.tool(&name).is_some() => {
                let options = ToolCallOptions::default();
                match self.session.call_tool(&name, args, options, Instant::now()) {
                    Ok(key) => {
                        self.questions.nested.insert(key.serial(), asked);
                    }
                    Err(error) => self.fail_call(asked, &error.to_string()),
                }
            }
            None => self.fail_call(asked, &format!("unknown tool {name}")),
        }
    }

    /// The session lets only listed methods through.
    pub(crate) fn take_request(&mut self, key: CallKey, request: Request) {
        let Request { method: name, params, .. } = request;
        let serial = self.open(key, &name);
        let json = params.map_or_else(|| "null".to_owned(), |params| params.get().to_owned());
        if self.questions.is_over {
            self.refuse_request(serial, "cancelled", "the test is over");
            return;
        }
        if !self.questions.functions.contains(&name)
            && (self.take_kept(serial, &name, &json) || self.take_push(serial, &name, &json))
        {
            return;
        }
        if let Some(answer) = self.questions.answer(&name, &json) {
            match answer {
                // It is JSON.
                Ok(result) => drop(self.answer_request(serial, &result.to_string())),
                Err((kind, text)) => self.refuse_request(serial, kind, &text),
            }
        } else {
            self.questions.waiting.push_back(Asked { serial, is_method: true, name, json });
        }
    }

    pub(crate) fn take_cancel(&mut self, key: &CallKey) {
        self.questions.open.remove(&key.serial());
    }

    /// Passes on what a tool of the extension's answered to the extension itself; otherwise `outcome`
    /// comes back.
    pub(crate) fn take_nested(&mut self, serial: u64, outcome: Outcome) -> Option<Outcome> {
        let Some(asked) = self.questions.nested.remove(&serial) else {
            return Some(outcome);
        };
        match outcome {
            Outcome::Tool(result) => self.reply(asked, result.content, result.is_error),
            Outcome::Failed(error) => self.fail_call(asked, &error.message),
            // A key names a call of one kind.
            _ => {}
        }
        None
    }

    fn open(&mut self, key: CallKey, name: &str) -> u64 {
        let serial = key.serial();
        self.questions.open.insert(serial, Open { key, name: name.to_owned(), parts: 0 });
        serial
    }

    fn reply(&mut self, serial: u64, content: Vec<Content>, is_error: bool) {
        if let Some(Open { key, name, .. }) = self.questions.open.remove(&serial) {
            let id = key.id().clone();
            let result = CallToolResult { id, name, content, is_error, truncated: false };
            let _ = self.session.reply_call_tool(&key, result, Instant::now());
        }
    }
}
