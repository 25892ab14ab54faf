//! The tools of a server, each called once where calls are allowed: the checks look at what comes of it.

use std::time::{Duration, Instant};

use extline_scenario::{Failure, Outcome};

use super::Run;
use super::arguments::made;
use super::spare::Used;
use crate::check::{ANSWERED, VALIDATES};
use crate::conversation::{Answered, Callable, Called, Conversation, Era, Reply, SOFT, request};
use crate::report::Evidence;
use crate::target::Setting;

/// The time for the answer to a call of a tool, which is cancelled then.
const CALL: Duration = Duration::from_secs(5);
/// How much is shown of what became of a call.
const SHOWN: usize = 6;
/// So many of the tools that ask the user are called again, with another answer.
const AGAIN: usize = 2;
const ACCEPT: Reply = Reply::Accept(made);

impl Run<'_> {
    /// Calls each tool for which there are arguments once, one with arguments that its schema refuses, and
    /// those that ask the user again.
    pub(super) fn call_tools(&mut self, era: Era) {
        let at_hand = self.at_hand(&[Used::Little]);
        let at_hand = at_hand.map_or_else(|| self.fresh(Setting::default()), Ok);
        let Ok(mut conversation) = at_hand else { return };
        self.begin_calls(&mut conversation, era);
        let mut asking = Vec::new();
        for tool in self.survey.callable.clone() {
            let began = Instant::now();
            let mark = conversation.seen().timeline().mark();
            let Answered { result, questions } = call(&mut conversation, era, &tool, ACCEPT);
            let took = result.is_ok().then(|| began.elapsed());
            let took_us = took.map(|took| u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
            self.survey.called.push(Called { kind: "tool", name: tool.name.clone(), took_us });
            if questions > 0 {
                self.note_unanswered(&conversation, mark, result.err());
                asking.push(tool);
            }
            if conversation.seen().exit().is_some() {
                let Ok(mut fresh) = self.fresh(Setting::default()) else { return };
                self.begin_calls(&mut fresh, era);
                self.end(std::mem::replace(&mut conversation, fresh), true);
            }
        }
        // What cases call is answered without a user.
        self.survey.callable.retain(|tool| !asking.contains(tool));
        for tool in asking.iter().take(AGAIN) {
            let mark = conversation.seen().timeline().mark();
            let declined = call(&mut conversation, era, tool, Reply::Decline);
            self.note_unanswered(&conversation, mark, declined.result.err());
            self.call_undeclared(era, tool);
        }
        self.call_wrongly(conversation, era);
    }

    /// The checks hold what comes of a call to what was listed in the same process, and changes to what was
    /// subscribed to.
    fn begin_calls(&self, conversation: &mut Conversation, era: Era) {
        conversation.listed(era, "tools/list", "tools");
        if era == Era::Discover && self.survey.declares("tools/listChanged") {
            let id = conversation.fresh_id();
            let params = format!(r#""notifications":{{"toolsListChanged":true}},{}"#, era.meta());
            conversation.send(&request(&id, "subscriptions/listen", &params));
        }
    }

    /// Calls a tool that asks the user from a client that has none.
    fn call_undeclared(&self, era: Era, tool: &Callable) {
        let Ok(mut conversation) = self.fresh(Setting::default()) else { return };
        let id = conversation.fresh_id();
        let line = request(&id, "tools/call", &format!("{},{}", tool.params(), era.meta()));
        // Whatever comes is looked at.
        let _ = conversation.ask(&id, &line, "tools/call", SOFT);
        self.keep(conversation, Used::ByMany);
    }

    /// Calls a tool with arguments that its schema refuses, and lists the tools again.
    fn call_wrongly(&self, mut conversation: Conversation, era: Era) {
        let mark = conversation.seen().timeline().mark();
        let refusing = self.survey.refusing();
        let outcome = refusing.map(|(name, args)| {
            let tool = Callable { name: name.to_owned(), args, is_sample: false };
            call(&mut conversation, era, &tool, ACCEPT).result
        });
        // An error is the best answer to these; it is no result, but an answer.
        let failure = outcome.and_then(Result::err).filter(|it| it.outcome != Outcome::Wrong);
        let Some(failure) = failure else {
            conversation.listed(era, "tools/list", "tools");
            return self.keep(conversation, Used::ByMany);
        };
        let conversation = self.end(conversation, true);
        let evidence = Evidence::between(conversation.seen().timeline(), mark, mark + SHOWN);
        self.watch().blame(VALIDATES, failure, evidence);
    }

    /// Notes that a call whose question was answered was not. An error is an answer.
    fn note_unanswered(&self, conversation: &Conversation, mark: usize, failure: Option<Failure>) {
        let Some(failure) = failure.filter(|it| it.outcome != Outcome::Wrong) else { return };
        let evidence = Evidence::between(conversation.seen().timeline(), mark, mark + SHOWN);
        self.watch().blame(ANSWERED, failure, evidence);
    }
}

/// Calls a tool, and answers what the user is asked meanwhile.
fn call(conversation: &mut Conversation, era: Era, tool: &Callable, reply: Reply) -> Answered {
    conversation.ask_as_person(era, "tools/call", &tool.params(), reply, CALL)
}
