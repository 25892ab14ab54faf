//! What is decided without asking: by mode, by patterns, by what was remembered.

use std::sync::Arc;

use extline_protocol::RawJson;
use extline_protocol::frame::Tier;
use tokio::sync::Mutex;

use super::approver::AskApprover;
use super::key::{Key, digest};
use super::mode::ApprovalMode;
use super::pattern::ApprovalPattern;
use super::remembered::{Covered, Remembered};
use super::stated::Stated;
use crate::tool::Tool;

/// What the builder of a host says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    pub(crate) mode: ApprovalMode,
    pub(crate) allow: Vec<ApprovalPattern>,
    pub(crate) deny: Vec<ApprovalPattern>,
    /// Tools that declare to be dangerous need an approval too.
    pub(crate) gates_risky: bool,
    pub(crate) approver: Option<AskApprover>,
}

/// Decides about the calls of one host.
#[derive(Debug)]
pub(crate) struct Approvals {
    rules: Rules,
    /// A profile whose host knows nothing of `approval` gates nothing by itself.
    knows_declarations: bool,
    remembered: Remembered,
    /// Whose prompt or dialog is shown holds it.
    pub(crate) screen: Option<Arc<Mutex<()>>>,
}

/// Who decided, as the event `permission_decision` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    User,
    Remembered,
    Policy,
    Yolo,
}

/// A call that was decided about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ruling {
    pub(crate) source: Source,
    /// `Err`: it does not run, and why.
    pub(crate) verdict: Result<(), String>,
}

/// What is to be done about a call.
#[derive(Debug)]
pub(crate) enum Considered {
    /// It needs no approval.
    Free,
    Ruled(Ruling),
    /// A person has to be asked; what an "always" covers.
    Ask(Covered),
}

impl Source {
    /// The word on the wire.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Remembered => "remembered",
            Self::Policy => "policy",
            Self::Yolo => "yolo",
        }
    }
}

impl Ruling {
    pub(crate) fn approved(source: Source) -> Self {
        Self { source, verdict: Ok(()) }
    }

    pub(crate) fn denied(source: Source, reason: impl Into<String>) -> Self {
        Self { source, verdict: Err(reason.into()) }
    }
}

impl Approvals {
    pub(crate) fn new(
        rules: Rules,
        knows_declarations: bool,
        screen: Option<Arc<Mutex<()>>>,
    ) -> Self {
        Self { rules, knows_declarations, remembered: Remembered::default(), screen }
    }

    /// What is to be done about a call with these arguments; `tool` is absent where none of that name
    /// is offered.
    pub(crate) fn consider(
        &self,
        name: &str,
        tool: Option<&Tool>,
        stated: &Stated,
        args: &RawJson,
    ) -> Considered {
        let Rules { mode, allow, deny, .. } = &self.rules;
        if let Some(reason) = &stated.denied {
            return Considered::Ruled(Ruling::denied(Source::Policy, reason));
        }
        let is_gated = stated.is_asked_for || tool.is_some_and(|tool| self.gates(tool, stated));
        let names_it = |pattern: &&ApprovalPattern| pattern.tool() == name;
        if !is_gated && !deny.iter().any(|pattern| names_it(&pattern)) {
            return Considered::Free;
        }
        let mut covered = covered(name, tool, stated, args);
        let key = covered.key.to_string();
        // Each pattern that a prompt or an error shows holds when it is copied.
        let mut keys = vec![key.clone()];
        if stated.is_asked_for {
            // What a guard asks about may be in any argument, so an "always" holds for these alone.
            covered.key = Key::of(None, args);
            keys.push(covered.key.to_string());
        }
        if let Some(pattern) = deny.iter().filter(names_it).find(|it| it.matches(&key)) {
            let reason = format!("the pattern {pattern} denies it");
            return Considered::Ruled(Ruling::denied(Source::Policy, reason));
        }
        if !is_gated {
            return Considered::Free;
        }
        let unknown = deny.iter().find(names_it).zip(stated.doubt.as_ref());
        let ruling = if *mode == ApprovalMode::Yolo
            && let Some((pattern, doubt)) = unknown
        {
            // Nobody is asked, and what would deny it cannot be compared.
            let reason = format!("whether the pattern {pattern} denies it is not known: {doubt}");
            Ruling::denied(Source::Policy, reason)
        } else if *mode == ApprovalMode::Yolo {
            Ruling::approved(Source::Yolo)
        } else if allow.iter().filter(names_it).any(|it| keys.iter().any(|key| it.allows(key))) {
            Ruling::approved(Source::Policy)
        } else if *mode == ApprovalMode::Allowlist {
            let wanted = ApprovalPattern::exactly(name, &key);
            Ruling::denied(Source::Policy, format!("no pattern allows {wanted}"))
        } else if self.remembered.has(&covered) {
            Ruling::approved(Source::Remembered)
        } else {
            return Considered::Ask(covered);
        };
        Considered::Ruled(ruling)
    }

    /// Who is asked.
    pub(crate) fn approver(&self) -> Option<AskApprover> {
        self.rules.approver.clone()
    }

    pub(crate) fn remember(&self, covered: Covered) {
        self.remembered.add(covered);
    }

    /// Whether the person has said so meanwhile.
    pub(crate) fn remembers(&self, covered: &Covered) -> bool {
        self.remembered.has(covered)
    }

    /// Whether the extension of a tool is asked about each call of it (`tool.approval-asked`).
    pub(crate) fn are_asked_about(&self, tool: &Tool) -> bool {
        let approval = tool.definition.approval.as_ref();
        self.knows_declarations && !tool.is_builtin() && approval.is_some_and(|it| it.dynamic)
    }

    /// Whether a call of a tool needs an approval.
    fn gates(&self, tool: &Tool, stated: &Stated) -> bool {
        if !(self.knows_declarations || tool.is_builtin()) {
            return false;
        }
        let is_destructive = || {
            let annotations = tool.definition.annotations.as_ref();
            annotations.is_some_and(|it| it.destructive == Some(true))
        };
        let is_risky = || stated.tier == Some(Tier::Exec) || !stated.only_reads && is_destructive();
        stated.is_gated || self.rules.gates_risky && is_risky()
    }
}

fn covered(name: &str, tool: Option<&Tool>, stated: &Stated, args: &RawJson) -> Covered {
    let template = stated.key.as_deref();
    let schema = tool.map_or("", |tool| tool.definition.schema.get());
    let template_bytes = template.map(str::as_bytes);
    Covered {
        extension: tool.filter(|tool| tool.is_of_extension()).map(|tool| tool.extension.clone()),
        tool: name.to_owned(),
        declared: digest([schema.as_bytes()].into_iter().chain(template_bytes)),
        key: Key::of(template, stated.key_args.as_ref().unwrap_or(args)),
    }
}

#[cfg(test)]
mod tests {
    use extline_protocol::frame::{Annotations, Approval, RegisterTool};

    use super::*;
    use crate::report::Blocked;
    use crate::tool::Owner;

    fn tool(approval: Option<Approval>, annotations: Option<Annotations>) -> Tool {
        let schema = RawJson::empty_object();
        let name = "wipe".to_owned();
        let definition =
            RegisterTool { name, schema, approval, annotations, ..RegisterTool::default() };
        Tool::new("cleaner", Owner::Extension(0), definition, None)
    }

    fn gated() -> Tool {
        let key = Some("{path}".to_owned());
        tool(Some(Approval { gated: true, key, ..Approval::default() }), None)
    }

    fn patterns(texts: &[&str]) -> Vec<ApprovalPattern> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    /// Who decides, and whether it runs; nothing where nobody does.
    fn ruling(rules: Rules, tool: &Tool, path: &str) -> Option<(&'static str, bool)> {
        let approvals = Approvals::new(rules, true, None);
        let args = RawJson::parse(&format!(r#"{{"path":"{path}"}}"#)).unwrap();
        match approvals.consider("wipe", Some(tool), &Stated::by(tool), &args) {
            Considered::Free => None,
            Considered::Ruled(ruling) => Some((ruling.source.as_str(), ruling.verdict.is_ok())),
            Considered::Ask(_) => Some(("user", false)),
        }
    }

    #[test]
    fn modes_and_patterns_decide_and_deny_wins() {
        let rules = |mode| Rules {
            mode,
            allow: patterns(&["wipe(tmp/*)", "other(*)"]),
            deny: patterns(&["wipe(*/keep)"]),
            ..Rules::default()
        };
        let expected = [
            (ApprovalMode::Ask, "tmp/a", ("policy", true)),
            (ApprovalMode::Ask, "etc/a", ("user", false)),
            (ApprovalMode::Ask, "tmp/keep", ("policy", false)),
            (ApprovalMode::Allowlist, "tmp/a", ("policy", true)),
            (ApprovalMode::Allowlist, "etc/a", ("policy", false)),
            (ApprovalMode::Allowlist, "tmp/../etc/a", ("policy", false)),
            (ApprovalMode::Allowlist, "tmp/keep", ("policy", false)),
            (ApprovalMode::Yolo, "etc/a", ("yolo", true)),
            (ApprovalMode::Yolo, "tmp/keep", ("policy", false)),
        ];
        for (mode, path, decided) in expected {
            assert_eq!(ruling(rules(mode), &gated(), path), Some(decided), "{mode:?} {path}");
        }
    }

    #[test]
    fn what_declares_nothing_is_free_unless_a_pattern_denies_it() {
        let free = tool(None, None);
        let rules = || Rules { gates_risky: true, ..Rules::default() };
        assert_eq!(ruling(rules(), &free, "a"), None);
        let deny = Rules { deny: patterns(&["wipe"]), mode: ApprovalMode::Yolo, ..rules() };
        assert_eq!(ruling(deny, &free, "a"), Some(("policy", false)));
    }

    #[test]
    fn what_declares_a_risk_is_gated_where_the_agent_wants_that() {
        let exec = Approval { tier: Some(Tier::Exec), ..Approval::default() };
        let write = Approval { tier: Some(Tier::Write), ..Approval::default() };
        let destructive = Annotations { destructive: Some(true), ..Annotations::default() };
        let risky = [tool(Some(exec), None), tool(None, Some(destructive))];
        let gated = |tool, most: Option<Tier>| {
            let stated = Stated::by(tool).held_to(most.as_ref());
            let rules = Rules { gates_risky: true, ..Rules::default() };
            Approvals::new(rules, true, None).gates(tool, &stated)
        };
        // What a sandbox does not let it do is no risk.
        let held = [None, Some(Tier::Exec), Some(Tier::Write), Some(Tier::Read)];
        let of = |tool| held.clone().map(|most| gated(tool, most));
        assert_eq!(of(&risky[0]), [true, true, false, false]);
        assert_eq!(of(&risky[1]), [true, true, true, false]);
        for tool in &risky {
            assert_eq!(ruling(Rules::default(), tool, "a"), None);
            let rules = Rules { gates_risky: true, ..Rules::default() };
            assert_eq!(ruling(rules, tool, "a"), Some(("user", false)));
        }
        let rules = Rules { gates_risky: true, ..Rules::default() };
        assert_eq!(ruling(rules, &tool(Some(write), None), "a"), None);
    }

    /// `guard.ask-host`.
    #[test]
    fn what_a_guard_asks_about_is_asked_whatever_the_tool_declares() {
        let asked = Blocked { by: "careful".to_owned(), reason: "it pushes".to_owned() };
        let args = RawJson::parse(r#"{"path":"tmp/a"}"#).unwrap();
        let consider = |rules: Rules, tool: Option<&Tool>| {
            let stated = tool.map_or_else(Stated::default, Stated::by);
            let stated = stated.asked_for(std::slice::from_ref(&asked));
            Approvals::new(rules, true, None).consider("wipe", tool, &stated, &args)
        };
        for tool in [None, Some(&tool(None, None)), Some(&gated())] {
            let Considered::Ask(covered) = consider(Rules::default(), tool) else { panic!() };
            assert!(covered.is_exact());
            let yolo = Rules { mode: ApprovalMode::Yolo, ..Rules::default() };
            let Considered::Ruled(ruling) = consider(yolo, tool) else { panic!() };
            assert_eq!(ruling, Ruling::approved(Source::Yolo));
        }
        let exactly = ApprovalPattern::exactly("wipe", &Key::of(None, &args).to_string());
        let rules = Rules { allow: vec![exactly], ..Rules::default() };
        let Considered::Ruled(ruling) = consider(rules, Some(&gated())) else { panic!() };
        assert_eq!(ruling, Ruling::approved(Source::Policy));
        // A pattern of the tool's own keys holds as before.
        for (allow, deny, runs) in [("wipe(tmp/*)", "other", true), ("other", "wipe(tmp/*)", false)]
        {
            let (allow, deny) = (patterns(&[allow]), patterns(&[deny]));
            let rules = Rules { allow, deny, mode: ApprovalMode::Yolo, ..Rules::default() };
            let Considered::Ruled(ruling) = consider(rules, Some(&gated())) else { panic!() };
            assert_eq!(ruling.verdict.is_ok(), runs);
        }
    }

    #[test]
    fn a_host_that_does_not_know_approvals_gates_no_extension() {
        let approvals = Approvals::new(Rules::default(), false, None);
        let args = RawJson::empty_object();
        let stated = Stated::by(&gated());
        let considered = approvals.consider("wipe", Some(&gated()), &stated, &args);
        assert!(matches!(considered, Considered::Free));
    }
}
