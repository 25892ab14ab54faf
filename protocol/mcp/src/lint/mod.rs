//! What clients of MCP make of an extension's tools: what they drop, change, or pay for.
//!
//! The rules are data (`clients.toml`): what each client does where a [`Check`] finds something. [`lint`] looks at
//! what is registered, [`lint_result`] at what a tool answered. Nothing is called or read here.

mod check;
mod client;
mod names;
mod result;
mod schema_facts;
mod words;

use std::collections::BTreeMap;

use extline_model::tokens_estimate;
use extline_protocol::frame::RegisterTool;
use serde_json::Value;

use self::client::fill;
use self::schema_facts::{Facts, Spots, facts};
use self::words::what_is_wrong;
use crate::schema;

pub use check::Check;
pub use client::{Client, Confidence, Place, Rule, Severity, Shortening, clients, every_client};
pub use result::lint_result;
pub use words::Language;

/// A tool, and what its author writes it in.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    /// As it was registered.
    pub tool: &'a RegisterTool,
    /// For what is to be done about a finding.
    pub language: Language,
}

/// What a client is given: a server and its tools.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// What its user calls the server.
    pub server: &'a str,
    /// In the order of registration.
    pub tools: Vec<Offer<'a>>,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What each tool costs that clients see.
    pub costs: Vec<Cost>,
    /// What is wrong, the worst first.
    pub findings: Vec<Finding>,
}

impl Report {
    /// About how many tokens all tools are.
    pub fn tokens(&self) -> usize {
        self.costs.iter().map(|cost| cost.tokens).sum()
    }
}

/// About what one tool costs in each request to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The tool.
    pub tool: String,
    /// A quarter of the bytes of its name, description and schema as clients get them.
    pub tokens: usize,
}

/// One thing that is wrong.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What was looked at.
    pub check: Check,
    /// How bad it is for the client that it is worst for.
    pub severity: Severity,
    /// The tool, unless it is about all of them.
    pub tool: Option<String>,
    /// The schema of the tool that it is in.
    pub place: Option<Place>,
    /// Where in that schema, as a JSON pointer; of several places the first.
    pub pointer: Option<String>,
    /// What is wrong.
    pub what: String,
    /// What to do about it, in the words of its author's language.
    pub fix: String,
    /// Who does what about it.
    pub effects: Vec<Effect>,
}

/// What a client does about a finding.
#[derive(Clone, Debug)]
pub struct Effect {
    /// The client; `None` stands for every one.
    pub client: Option<&'static Client>,
    /// The rule, with its sources.
    pub rule: &'static Rule,
    /// [`Rule::what`] with its values.
    pub what: String,
}

/// Looks at what is registered, for some clients.
pub fn lint(subject: &Subject<'_>, clients: &[&'static Client]) -> Report {
    let mut report = Report::default();
    for offer in &subject.tools {
        let tool = offer.tool;
        let shown = match schema::input(&tool.schema) {
            Ok(shown) => shown,
            Err(why) => {
                let spots = Spots { count: 1, detail: Some(why), ..Spots::default() };
                report.add(*offer, Check::RootType, Some(Place::Input), &spots, 0, clients);
                continue;
            }
        };
        let description = tool.description.as_deref().unwrap_or_default();
        let tokens = tokens_estimate(&tool.name, description, &shown.json);
        report.costs.push(Cost { tool: tool.name.clone(), tokens });
        let mut found = looked_through(tool.schema.get(), &shown.json, Place::Input);
        if !shown.taken_off.is_empty() {
            let detail = Some(format!("`{}`", shown.taken_off.join("`, `")));
            found.insert(Check::RootChoices, Spots { count: 1, detail, ..Spots::default() });
        }
        report.add_all(*offer, Place::Input, &found, clients);
        report.measure(*offer, Check::SchemaSize, Some(Place::Input), shown.json.len(), clients);
        if description.trim().is_empty() {
            report.add(*offer, Check::Description, None, &Spots::one(), 0, clients);
        }
        let length = description.chars().count();
        report.measure(*offer, Check::DescriptionLength, None, length, clients);
        report.output(*offer, clients);
    }
    names::look(subject, clients, &mut report);
    report.totals(subject, clients);
    // The worst first, else in the order of the tools.
    report.findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    report
}

/// A tool that the host refuses, and why: no client is offered it.
pub fn refused(tool: &str, why: &str) -> Finding {
    let registered = RegisterTool { name: tool.to_owned(), ..RegisterTool::default() };
    let offer = Offer { tool: &registered, language: Language::Other };
    let spots = Spots { count: 1, detail: Some(why.to_owned()), ..Spots::default() };
    let mut report = Report::default();
    report.add(offer, Check::Rejected, None, &spots, 0, &[]);
    report.findings.remove(0)
}

impl Report {
    fn output(&mut self, offer: Offer<'_>, clients: &[&'static Client]) {
        let Some(schema) = &offer.tool.output_schema else { return };
        let place = Place::Output;
        if let Some(shown) = schema::output(schema) {
            let found = looked_through(schema.get(), &shown, place);
            self.add_all(offer, place, &found, clients);
        } else {
            self.add(offer, Check::OutputSchema, Some(place), &Spots::one(), 0, clients);
        }
    }

    fn totals(&mut self, subject: &Subject<'_>, clients: &[&'static Client]) {
        let nobody = RegisterTool::default();
        let offer = Offer { tool: &nobody, language: Language::Other };
        for (check, measured) in
            [(Check::ToolCount, self.costs.len()), (Check::ListTokens, self.tokens())]
        {
            self.measure(offer, check, None, measured, clients);
        }
        let kept = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
        if !subject.server.chars().all(kept) {
            let detail = Some(schema_facts::cut(subject.server));
            let spots = Spots { count: 1, detail, ..Spots::default() };
            self.add(offer, Check::ServerName, None, &spots, 0, clients);
        }
    }

    fn add_all(
        &mut self,
        offer: Offer<'_>,
        place: Place,
        found: &Facts,
        clients: &[&'static Client],
    ) {
        for (check, spots) in found {
            self.add(offer, *check, Some(place), spots, 0, clients);
        }
    }

    /// Something that counts for a client where it is more than its limit.
    fn measure(
        &mut self,
        offer: Offer<'_>,
        check: Check,
        place: Option<Place>,
        measured: usize,
        clients: &[&'static Client],
    ) {
        self.add(offer, check, place, &Spots::one(), measured, clients);
    }

    /// A finding, if some client does something about it.
    fn add(
        &mut self,
        offer: Offer<'_>,
        check: Check,
        place: Option<Place>,
        spots: &Spots,
        measured: usize,
        clients: &[&'static Client],
    ) {
        let everybody = strongest(every_client(), check, place, measured).map(|rule| (None, rule));
        let some = clients.iter().filter_map(|client| {
            Some((Some(*client), strongest(&client.rules, check, place, measured)?))
        });
        let effects = everybody.into_iter().chain(some).map(|(client, rule)| {
            let what = rule.told("", measured);
            Effect { client, rule, what }
        });
        self.push(offer, check, place, spots, effects.collect());
    }

    fn push(
        &mut self,
        offer: Offer<'_>,
        check: Check,
        place: Option<Place>,
        spots: &Spots,
        effects: Vec<Effect>,
    ) {
        let Some(severity) = effects.iter().map(|effect| effect.rule.severity).max() else {
            return;
        };
        self.findings.push(Finding {
            check,
            severity,
            tool: Some(offer.tool.name.clone()).filter(|name| !name.is_empty()),
            place,
            pointer: spots.pointers.first().cloned(),
            what: what_is_wrong(check, place, spots),
            fix: words::what_to_do(check, place, spots, offer.language),
            effects,
        });
    }
}

/// Of the rules for a check that hold, the one with the highest limit.
fn strongest(
    rules: &'static [Rule],
    check: Check,
    place: Option<Place>,
    measured: usize,
) -> Option<&'static Rule> {
    let holds = |rule: &&Rule| {
        rule.check == check
            && rule.place.is_none_or(|it| place == Some(it))
            && rule.most.is_none_or(|most| measured > most)
    };
    rules.iter().filter(holds).max_by_key(|rule| rule.most)
}

impl Rule {
    /// What the client does, with its values.
    fn told(&self, name: &str, measured: usize) -> String {
        let most = self.most.map(|most| most.to_string()).unwrap_or_default();
        let told = self.what.replace("{measured}", &measured.to_string()).replace("{most}", &most);
        told.replace("{name}", name)
    }
}

impl Spots {
    /// Found, and nowhere in a schema.
    fn one() -> Self {
        Self { count: 1, ..Self::default() }
    }
}

/// What is found in a schema. One that nests deeper than a frame may (`frm.depth`) is not looked through.
fn looked_through(whole: &str, shown: &str, place: Place) -> Facts {
    let read = |text| serde_json::from_str::<Value>(text).ok();
    match (read(whole), read(shown)) {
        (Some(whole), Some(shown)) => facts(&whole, &shown, place),
        _ => BTreeMap::new(),
    }
}

#[cfg(test)]
mod tests;
