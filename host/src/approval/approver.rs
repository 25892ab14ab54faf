//! Who is asked whether a call may run: the agent's own code, in front of a person.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use extline_protocol::RawJson;
use extline_protocol::frame::Tier;

use super::pattern::ApprovalPattern;
use crate::tool::Tool;

/// A call that needs an approval. Its arguments are final: nothing changes them any more
/// (`intercept.approval-after`).
///
/// Texts in it are an extension's or a model's: show them so that nothing in them acts on a terminal,
/// as by [`shown_line`](extline_protocol::shown_line).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The host's own name for the call, the same that interceptors and guards were told.
    pub id: String,
    /// The tool, with the extension that has it.
    pub tool: Arc<Tool>,
    /// The extension that calls; absent when the agent does.
    pub caller: Option<String>,
    /// What the agent knows the call by, or the one above it: [`CallOptions::origin`](crate::CallOptions::origin).
    pub origin: Option<u64>,
    /// The arguments, byte for byte those that run.
    pub args: RawJson,
    /// Why it is asked, in the words of the tool's author.
    pub reason: Option<String>,
    /// What this very call would do, a line each, in the words of an extension that is asked about
    /// each call (`approval: {"dynamic": true}`).
    pub details: Vec<String>,
    /// Such an extension gave no answer that can be used: why. What its tool declares stands.
    pub doubt: Option<String>,
    /// How much the call can do, in the words of the tool's author.
    pub tier: Option<Tier>,
    /// Which calls [`Decision::Always`] covers: those with the same key.
    pub key: String,
    /// The key is the digest of the arguments, so it covers this very call and its repetitions.
    pub is_exact: bool,
}

impl ApprovalRequest {
    /// The pattern that fits calls like this one and no others, as `wipe(tmp/a)`.
    pub fn pattern(&self) -> ApprovalPattern {
        ApprovalPattern::exactly(self.tool.name(), &self.key)
    }
}

/// What was decided about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// It runs, this time.
    Once,
    /// It runs, and so does each call with the same key of the same tool with the same schema, until
    /// the host ends.
    Always,
    /// It does not run.
    Deny {
        /// Why, for the model.
        reason: Option<String>,
    },
}

/// Why nobody decided. The call does not run then.
pub type ApproverError = Box<dyn Error + Send + Sync>;

/// Decides about calls that need an approval, see
/// [`HostBuilder::approver`](crate::HostBuilder::approver). A function is one:
///
/// ```
/// use extline_host::{ApprovalRequest, Decision, Host};
///
/// let builder = Host::builder().approver(|request: ApprovalRequest| async move {
///     println!("may {} run with {}?", request.tool.name(), request.args);
///     Ok(Decision::Deny { reason: None })
/// });
/// ```
pub trait Approver: Send + Sync + 'static {
    /// Decides about one call. It is dropped when nobody wants the call any more; whoever shows a
    /// prompt closes it then. One that fails or panics denies.
    fn decide(
        &self,
        request: ApprovalRequest,
    ) -> impl Future<Output = Result<Decision, ApproverError>> + Send;
}

impl<F, A> Approver for F
where
    F: Fn(ApprovalRequest) -> A + Send + Sync + 'static,
    A: Future<Output = Result<Decision, ApproverError>> + Send,
{
    fn decide(
        &self,
        request: ApprovalRequest,
    ) -> impl Future<Output = Result<Decision, ApproverError>> + Send {
        self(request)
    }
}

type Deciding = Pin<Box<dyn Future<Output = Result<Decision, ApproverError>> + Send>>;

/// Any approver.
#[derive(Clone)]
pub(crate) struct AskApprover(Arc<dyn Fn(ApprovalRequest) -> Deciding + Send + Sync>);

impl AskApprover {
    pub(crate) fn new(approver: impl Approver) -> Self {
        let approver = Arc::new(approver);
        Self(Arc::new(move |request| {
            let approver = Arc::clone(&approver);
            Box::pin(async move { approver.decide(request).await })
        }))
    }

    pub(crate) fn decide(&self, request: ApprovalRequest) -> Deciding {
        (self.0)(request)
    }
}

impl fmt::Debug for AskApprover {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("AskApprover").finish_non_exhaustive()
    }
}
