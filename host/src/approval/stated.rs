//! What counts for one call: what its tool declares, and what the extension says of this very call.

use extline_protocol::RawJson;
use extline_protocol::frame::{Approval, Tier};
use extline_services::approval::{Advice, DETAILS, Policy};

use crate::report::Blocked;
use crate::tool::Tool;

/// What is said of a call by its tool, and by who has the tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Stated {
    /// It needs an approval.
    pub(crate) is_gated: bool,
    pub(crate) tier: Option<Tier>,
    /// The template of its key.
    pub(crate) key: Option<String>,
    /// What the template is filled from, where that is not the arguments.
    pub(crate) key_args: Option<RawJson>,
    pub(crate) reason: Option<String>,
    /// What it would do, for the person.
    pub(crate) details: Vec<String>,
    /// The extension was asked and gave no answer that can be used: why.
    pub(crate) doubt: Option<String>,
    /// The extension has it refused: why.
    pub(crate) denied: Option<String>,
    /// Guards have a person decide about this very call (`guard.ask-host`).
    pub(crate) is_asked_for: bool,
    /// The sandbox of the extension lets it change nothing, whatever it declares.
    pub(crate) only_reads: bool,
}

impl Stated {
    /// What the tool declares of all its calls. One that wants to be asked and is not needs an approval.
    pub(crate) fn by(tool: &Tool) -> Self {
        let Some(approval) = tool.definition.approval.clone() else { return Self::default() };
        let Approval { gated, dynamic, tier, key, reason } = approval;
        Self { is_gated: gated || dynamic, tier, key, reason, ..Self::default() }
    }

    /// The same with what the extension said of this call, `Err` where that cannot be used
    /// (`tool.approval-doubt`).
    pub(crate) fn advised(tool: &Tool, advice: Result<Advice, String>) -> Self {
        let declared = Self::by(tool);
        let Advice { policy, tier, key, reason, mut details } = match advice {
            Ok(advice) => advice,
            Err(error) => {
                let asked = &tool.extension;
                let doubt = format!("{asked} could not say more of this call: {error}");
                return Self { is_gated: true, key: None, doubt: Some(doubt), ..declared };
            }
        };
        details.truncate(DETAILS);
        let tier = tier.map(|tier| match tier {
            extline_services::approval::Tier::Read => Tier::Read,
            extline_services::approval::Tier::Write => Tier::Write,
            _ => Tier::Exec,
        });
        let denied = (policy == Policy::Deny).then(|| {
            let reason = reason.clone().filter(|reason| !reason.trim().is_empty());
            reason.unwrap_or_else(|| format!("{} refuses it", tool.extension))
        });
        Self {
            is_gated: policy != Policy::Allow,
            tier: tier.or(declared.tier),
            key: key.or(declared.key),
            key_args: None,
            reason: reason.or(declared.reason),
            details,
            doubt: None,
            denied,
            is_asked_for: false,
            only_reads: false,
        }
    }

    /// The same of an extension whose sandbox lets it do no more than that: what it declares beyond does not happen.
    pub(crate) fn held_to(self, most: Option<&Tier>) -> Self {
        let tier = match (self.tier, most) {
            (Some(Tier::Exec), Some(most)) => Some(most.clone()),
            (Some(Tier::Write), Some(Tier::Read)) => Some(Tier::Read),
            (tier, _) => tier,
        };
        Self { tier, only_reads: most == Some(&Tier::Read), ..self }
    }

    /// The same where guards want a person to decide.
    pub(crate) fn asked_for(self, asked: &[Blocked]) -> Self {
        if asked.is_empty() {
            return self;
        }
        let of_guards = asked.iter().map(|Blocked { by, reason }| format!("{by}: {reason}"));
        let reasons: Vec<_> = self.reason.clone().into_iter().chain(of_guards).collect();
        Self { reason: Some(reasons.join("; ")), is_asked_for: true, ..self }
    }
}
