//! The last step of a call before it is made: it has an approval, or it does not run
//! (`tool.approval`). Who is asked is asked about one call after the other, and the time of the calls
//! above stands still meanwhile.

use std::sync::Arc;
use std::{future, mem};

use extline_protocol::frame::EventPayload;
use extline_protocol::{ErrorKind, RawJson, shown_line};
use extline_services::Method;
use extline_services::approval::{Advice, ApprovalMethod, Proposed};
use serde_json::value::RawValue;
use tokio::sync::OwnedMutexGuard;
use tokio::task::JoinHandle;

use super::program;
use super::proposal::Proposal;
use super::request::Request;
use crate::approval::{
    ApprovalPattern, ApprovalRequest, ApproverError, Considered, Covered, Decision, Ruling, Source,
    Stated,
};
use crate::audit::{More, Record};
use crate::connection::{Shared, Standstill};
use crate::report::{Blocked, CallError};
use crate::tool::{Owner, Tool};

/// Characters of the arguments in the line that an event shows of a call.
const PREVIEW: usize = 200;

/// A decision that is still to be told; one that is dropped tells that it was cancelled.
struct Undecided<'a> {
    shared: &'a Shared,
    call: Proposal<'a>,
    tool: Option<&'a Tool>,
    args: &'a RawJson,
    is_told: bool,
}

/// A question to the approver, which is taken back when this is dropped.
struct Asking(JoinHandle<Decided>);

/// What was decided, and the screen that is free again behind it.
type Decided = (Result<Decision, ApproverError>, Option<OwnedMutexGuard<()>>);

impl Shared {
    /// Has a call approved, with the arguments that the guards saw (`intercept.approval-after`);
    /// `asked` is what guards want a person to decide.
    pub(super) async fn approve(
        &self,
        call: Proposal<'_>,
        tool: Option<&Arc<Tool>>,
        args: &RawJson,
        asked: &[Blocked],
    ) -> Result<(), CallError> {
        let offered = tool.map(|tool| &**tool);
        let stated = self.stated(offered, args, asked).await;
        let considered = self.approvals.consider(call.tool, offered, &stated, args);
        let undecided = Undecided { shared: self, call, tool: offered, args, is_told: false };
        let ruling = match (considered, tool) {
            (Considered::Free, _) => {
                undecided.nothing_to_tell();
                return Ok(());
            }
            (Considered::Ruled(ruling), _) => ruling,
            (Considered::Ask(covered), Some(tool)) => {
                Box::pin(self.ask_about(call, tool, stated, args, covered)).await?
            }
            (Considered::Ask(_), None) => Ruling::denied(Source::Policy, "there is no such tool"),
        };
        undecided.decided(&ruling);
        ruling.verdict.map_err(|reason| denied(call, reason, asked))
    }

    /// The same for a call that the agent makes itself and asks its own user about: why, where a person
    /// has to be asked. What the user says is not seen here.
    pub(super) async fn approve_by_agent(
        &self,
        call: Proposal<'_>,
        tool: Option<&Arc<Tool>>,
        args: &RawJson,
        asked: &[Blocked],
    ) -> Result<Option<String>, CallError> {
        let offered = tool.map(|tool| &**tool);
        let stated = self.stated(offered, args, asked).await;
        let undecided = Undecided { shared: self, call, tool: offered, args, is_told: false };
        match self.approvals.consider(call.tool, offered, &stated, args) {
            Considered::Free => {
                undecided.nothing_to_tell();
                Ok(None)
            }
            Considered::Ruled(ruling) => {
                undecided.decided(&ruling);
                ruling.verdict.map(|()| None).map_err(|reason| denied(call, reason, asked))
            }
            Considered::Ask(_) => {
                self.tell_of_request(call, args);
                undecided.nothing_to_tell();
                let reason = stated.reason.filter(|reason| !reason.trim().is_empty());
                Ok(Some(reason.unwrap_or_else(|| format!("{} needs an approval", call.tool))))
            }
        }
    }

    /// What counts for a call.
    async fn stated(&self, tool: Option<&Tool>, args: &RawJson, asked: &[Blocked]) -> Stated {
        let stated = match tool {
            None => Stated::default(),
            Some(tool) if program::is_program(tool.name()) => program::stated(tool, args),
            // What asks is large, and moved wherever this future goes; most calls ask nobody.
            Some(tool) if self.approvals.are_asked_about(tool) => {
                Stated::advised(tool, Box::pin(self.advice(tool, args)).await)
            }
            Some(tool) => Stated::by(tool),
        };
        let owner = tool.map(|tool| &tool.owner);
        let most = match owner {
            Some(Owner::Extension(owner)) => self.connection(*owner).and_then(|it| it.most()),
            _ => None,
        };
        stated.held_to(most.as_ref()).asked_for(asked)
    }

    /// Asks the extension of a tool about a call, with the arguments that would run
    /// (`tool.approval-asked`). It has as long as a guard.
    async fn advice(&self, tool: &Tool, args: &RawJson) -> Result<Advice, String> {
        let Owner::Extension(owner) = &tool.owner else {
            return Err("it is the agent's own".to_owned());
        };
        let connection = self.connection(*owner).ok_or("it has ended")?;
        let args = RawValue::from_string(args.get().to_owned()).map_err(|it| it.to_string())?;
        let proposed = RawJson::of(&Proposed { tool: tool.name().to_owned(), args });
        let params = proposed.map_err(|error| error.to_string())?;
        let name = ApprovalMethod::NAME;
        let asked = Request::send(&connection, name, Some(params), self.deadlines.intercept);
        let answer = asked.map_err(|error| error.to_string())?.outcome().await;
        let answer = answer.map_err(|error| error.to_string())?;
        // Serde reads an array in place of an object.
        if !answer.is_object() {
            return Err(format!("it answered {name} with what is no object"));
        }
        serde_json::from_str(answer.get()).map_err(|error| format!("it answered {name}: {error}"))
    }

    /// Asks the approver when those before it are done.
    async fn ask_about(
        &self,
        call: Proposal<'_>,
        tool: &Arc<Tool>,
        stated: Stated,
        args: &RawJson,
        covered: Covered,
    ) -> Result<Ruling, CallError> {
        let Some(approver) = self.approvals.approver() else {
            let wanted = ApprovalPattern::exactly(call.tool, &covered.key.to_string());
            let reason = format!(
                "it needs an approval, and nobody is there to give it: let the agent ask a person, \
                 or allow {wanted} before it starts"
            );
            return Ok(Ruling::denied(Source::Policy, reason));
        };
        let _held = call.time.map(Standstill::hold);
        let asking = async {
            let turn = match self.approvals.screen.clone() {
                Some(screen) => Some(screen.lock_owned().await),
                None => None,
            };
            if self.approvals.remembers(&covered) {
                return Ruling::approved(Source::Remembered);
            }
            self.tell_of_request(call, args);
            let Stated { reason, tier, details, doubt, .. } = stated;
            let request = ApprovalRequest {
                id: call.id.to_owned(),
                tool: Arc::clone(tool),
                caller: call.caller.map(str::to_owned),
                origin: call.origin,
                args: args.clone(),
                reason,
                details,
                doubt,
                tier,
                key: covered.key.to_string(),
                is_exact: covered.is_exact(),
            };
            let mut asking = Asking(self.runtime.spawn(async move {
                // Dropped behind the decision: the next prompt comes when this one is closed.
                (approver.decide(request).await, turn)
            }));
            // The next one is asked when this is remembered.
            let Ok((decision, _turn)) = (&mut asking.0).await else {
                let reason = "whoever decides it panicked or is gone";
                return Ruling::denied(Source::Policy, reason);
            };
            match decision {
                Ok(Decision::Once) => Ruling::approved(Source::User),
                Ok(Decision::Always) => {
                    self.approvals.remember(covered);
                    Ruling::approved(Source::User)
                }
                Ok(Decision::Deny { reason }) => {
                    let reason = reason.filter(|reason| !reason.trim().is_empty());
                    let reason = reason.unwrap_or_else(|| "the user said no".to_owned());
                    Ruling::denied(Source::User, reason)
                }
                Err(error) => Ruling::denied(Source::Policy, error.to_string()),
            }
        };
        let ruling = tokio::select! {
            biased;
            () = self.gone(tool) => None,
            ruling = asking => Some(ruling),
        };
        // A person may take long: what was asked about has to be what would run.
        match ruling {
            Some(ruling) if ruling.verdict.is_err() => Ok(ruling),
            // What is the agent's own stays.
            Some(ruling) if tool.is_builtin() => Ok(ruling),
            Some(ruling) if is_the_same(&*self.tool(call.tool)?, tool) => Ok(ruling),
            _ => {
                let message = "it changed, or its extension ended, while its approval was asked \
                               for: call it again"
                    .to_owned();
                let name = call.tool.to_owned();
                Err(CallError::Unusable { name, kind: ErrorKind::Stale, message })
            }
        }
    }

    /// Waits until the extension of a tool has ended.
    async fn gone(&self, tool: &Tool) {
        if let Owner::Extension(owner) = &tool.owner
            && let Some(connection) = self.connection(*owner)
        {
            connection.ended().await;
        } else {
            future::pending::<()>().await;
        }
    }

    fn tell_of_request(&self, call: Proposal<'_>, args: &RawJson) {
        if self.emission.of_calls {
            let tool_preview = Some(preview(call.tool, args.get()));
            let payload = EventPayload { tool_preview, ..call.named() };
            self.emit("tool_confirmation_requested", payload);
        }
    }
}

/// Why a call does not run; behind it, what guards wanted to have looked at.
fn denied(call: Proposal<'_>, reason: String, asked: &[Blocked]) -> CallError {
    let asked = asked.iter().map(|Blocked { by, reason }| format!("; {by}: {reason}"));
    let reason = asked.fold(reason, |said, one| said + &one);
    CallError::Denied { tool: call.tool.to_owned(), reason }
}

fn is_the_same(offered: &Tool, tool: &Tool) -> bool {
    offered.owner() == tool.owner()
        && offered.extension == tool.extension
        && offered.definition == tool.definition
}

/// The call in a line, for a person.
fn preview(tool: &str, args: &str) -> String {
    let args = shown_line(args);
    let mut characters = args.chars();
    let shown: String = characters.by_ref().take(PREVIEW).collect();
    let more = if characters.next().is_some() { "…" } else { "" };
    format!("{tool} {shown}{more}")
}

impl Undecided<'_> {
    fn nothing_to_tell(mut self) {
        self.is_told = true;
    }

    fn decided(mut self, ruling: &Ruling) {
        self.is_told = true;
        let decision = if ruling.verdict.is_ok() { "approved" } else { "denied" };
        self.tell(decision, Some(ruling));
    }

    fn tell(&self, decision: &str, ruling: Option<&Ruling>) {
        let Self { shared, call, tool, args, .. } = self;
        if shared.is_audited() {
            let source = ruling.map(|ruling| ruling.source.as_str());
            shared.audit(&Record {
                event: "decision",
                call: call.id,
                tool: tool.map(Tool::name),
                extension: tool.filter(|tool| !tool.is_builtin()).map(|tool| &*tool.extension),
                caller: call.caller,
                args_hash: shared.audit_hash(args.get()),
                more: More::Decided { decision, source },
            });
        }
        if self.shared.emission.of_calls {
            let payload = EventPayload {
                decision: Some(decision.to_owned()),
                source: ruling.map(|ruling| ruling.source.as_str().to_owned()),
                stage: Some("pre_execution".to_owned()),
                reason: ruling.and_then(|ruling| ruling.verdict.clone().err()),
                ..self.call.named()
            };
            self.shared.emit("permission_decision", payload);
        }
    }
}

impl Drop for Undecided<'_> {
    fn drop(&mut self) {
        if !mem::replace(&mut self.is_told, true) {
            self.tell("cancelled", None);
        }
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.abort();
    }
}
