//! Requests of the modern era that are suspended until their client comes back with an answer (multi
//! round-trip requests of 2026-07-28).

use std::time::Instant;

use extline_protocol::frame::{CommandResponse, RpcError, ToolResult};
use extline_protocol::{ErrorKind, Members, write_string};

use super::state::{TIME_TO_LIVE, Unusable};
use super::{RequestKey, Server, ServerEvent};
use crate::entry::push_key;
use crate::failure::Failure;
use crate::message::{Meta, Params, RequestId};
use crate::revision::Revision;

/// So many requests may be suspended: each is a handler that waits.
const MOST: usize = 256;

/// A request that waits for its client.
#[derive(Debug)]
pub(super) struct Suspended {
    /// The number in its `requestState`.
    pub(super) number: u64,
    pub(super) expires: Instant,
    /// What came of it meanwhile, for the client that comes back.
    pub(super) outcome: Option<Box<Outcome>>,
}

/// What a request is answered with.
#[derive(Debug)]
pub(super) enum Outcome {
    Tool(ToolResult),
    Prompt(CommandResponse),
}

/// How far a request is whose client comes back.
#[derive(Debug)]
pub(super) enum Resumed {
    Running,
    Over(Box<Outcome>),
}

impl Server {
    /// Has clients of the modern era asked, by a secret that no client knows; servers for further clients
    /// ([`Server::another`]) share it. Without one they cannot be asked.
    pub fn sign_with(&mut self, secret: [u8; 32], now: Instant) {
        self.signer = Some(super::state::Signer::new(secret, now).into());
    }

    /// Whether nothing is left to answer, neither now nor when its client comes back.
    pub fn is_idle(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether one more request may be suspended.
    pub(super) fn may_suspend(&self, now: Instant) -> Result<(), RpcError> {
        if self.signer.is_none() {
            let why =
                "clients of MCP 2026-07-28 cannot be asked here: there is no secret to sign with";
            return Err(RpcError::new(ErrorKind::Unsupported, why));
        }
        if self.open.suspended(now).count() >= MOST {
            let why = "256 calls wait for an answer of the MCP client already";
            return Err(RpcError::new(ErrorKind::Budget, why));
        }
        Ok(())
    }

    /// Answers a request by what is asked below it, unless it is suspended already: then the client is asked
    /// when it comes back.
    pub(super) fn require_input(&mut self, key: RequestKey, now: Instant) {
        let Some(signer) = self.signer.clone() else { return };
        let number = signer.number();
        let expires = now + TIME_TO_LIVE;
        let suspended = Suspended { number, expires, outcome: None };
        let Some(id) = self.open.suspend(key, suspended) else { return };
        let mut requests = Vec::new();
        for (question, put) in self.questions.below(key) {
            requests.push(if requests.is_empty() { b'{' } else { b',' });
            write_string(&question.name(), &mut requests);
            requests.extend_from_slice(b":{\"method\":\"elicitation/create\",\"params\":");
            put.question.write(question.0, put.revision, &mut requests);
            requests.push(b'}');
        }
        requests.push(b'}');
        self.begin_result_of(&id, "input_required");
        push_key(&mut self.out, "inputRequests");
        self.out.append(&mut requests);
        push_key(&mut self.out, "requestState");
        write_string(&signer.sign(number, expires), &mut self.out);
        self.push_meta(Revision::MODERN, "");
        self.end_result();
    }

    /// The client comes back to a request that was suspended, with answers.
    pub(super) fn resume(
        &mut self,
        id: &RequestId,
        params: &Params<'_>,
        meta: &Meta<'_>,
        what: &str,
        now: Instant,
    ) -> Result<(), Failure> {
        let refused = |why: &str| Failure::invalid_params(format!("params.requestState {why}"));
        let state = params.needed("requestState")?;
        let signer = self.signer.clone().ok_or_else(|| refused("was not made by this server"))?;
        let number = signer.read(&state, now).map_err(|why| match why {
            Unusable::Forged => refused("was not made by this server, or was changed: begin anew without it"),
            Unusable::Expired => {
                refused("has expired, as 15 minutes have passed: its call was cancelled; begin anew without it")
            }
        })?;
        let gone = || refused("was used before, or its call is over: begin anew without it");
        let key = self.open.find_suspended(number).ok_or_else(gone)?;
        if self.open.get(key).and_then(|asked| asked.what.as_deref()) != Some(what) {
            return Err(refused("belongs to a call of something else, or with other arguments"));
        }
        match self.open.resume(key, id.clone(), meta, now).ok_or_else(gone)? {
            Resumed::Over(outcome) => match *outcome {
                Outcome::Tool(result) => self.reply_tool(key, &result),
                Outcome::Prompt(response) => self.reply_prompt(key, &response),
            },
            Resumed::Running => self.take_responses(key, params, now),
        }
        Ok(())
    }

    /// Passes on the answers that a client came back with, and asks for those that are missing.
    fn take_responses(&mut self, key: RequestKey, params: &Params<'_>, now: Instant) {
        let responses = params.raw("inputResponses").and_then(Members::of_valid);
        let asked: Vec<_> = self.questions.below(key).map(|(question, _)| question).collect();
        for question in asked {
            if let Some(response) = responses.as_ref().and_then(|it| it.last(&question.name())) {
                self.answer(question, Ok(response.value));
            }
        }
        if self.questions.below(key).next().is_some() {
            self.require_input(key, now);
        }
    }

    /// Ends the requests whose client has not come back in time.
    pub(super) fn expire(&mut self, now: Instant) {
        for key in self.open.expired(now) {
            self.abandon(key, "the MCP client did not come back with an answer in 15 minutes");
        }
    }

    /// Ends all requests that are suspended, as their client will not come back.
    pub(super) fn abandon_suspended(&mut self) {
        for key in self.open.all_suspended() {
            self.abandon(key, "the MCP client has closed its end");
        }
    }

    fn abandon(&mut self, key: RequestKey, why: &str) {
        self.withdraw_below(key);
        let Some(asked) = self.open.close(key) else { return };
        if asked.suspended.is_some_and(|suspended| suspended.outcome.is_none()) {
            self.events.push_back(ServerEvent::Cancelled { key, reason: Some(why.to_owned()) });
        }
    }
}
