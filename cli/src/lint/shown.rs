//! The findings as text, and as JSON.

use extline_mcp::lint::{Confidence, Effect, Finding, Place, Severity};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{Looked, providers};
use crate::printer::Printer;
use crate::styled::{BOLD, DIM, RED, Style, Text, YELLOW, text};

/// Characters that are shown of a name and of a sentence.
const NAME_CHARS: usize = 100;
const SENTENCE_CHARS: usize = 500;

/// The worst first.
const SEVERITIES: [Severity; 4] =
    [Severity::Dropped, Severity::Changed, Severity::Costly, Severity::Hint];

pub(super) fn show(looked: &Looked<'_>, with_changes: bool, printer: &mut Printer) {
    if printer.json {
        return printer.json(&Json::of(looked));
    }
    let server = Text::line(&looked.server, NAME_CHARS);
    let names: Vec<_> = looked.clients.iter().map(|client| client.name.as_str()).collect();
    printer.result(format_args!("server     {BOLD}{server}{BOLD:#}"));
    printer.result(format_args!("clients    {}", names.join(", ")));
    let total = looked.report.tokens();
    match looked.report.costs.len() {
        0 => printer.result("tools      none"),
        count => {
            printer
                .result(format_args!("tools      {count}, about {total} tokens in all (estimate)"));
        }
    }
    for cost in &looked.report.costs {
        let name = Text::line(&cost.tool, NAME_CHARS);
        let tokens = text!("{DIM}about {} tokens{DIM:#}", cost.tokens);
        printer.result(format_args!("  {BOLD}{name}{BOLD:#}  {tokens}"));
    }
    providers::show(&looked.provided, with_changes, printer);
    match &looked.called {
        None => {
            printer.result("results    not looked at; --call calls the tools that have a sample");
        }
        Some(called) if called.is_empty() => {
            printer.result("results    none: no tool answered a sample of its extension.json");
        }
        Some(called) => printer.result(format_args!(
            "results    of {}",
            Text::line(&called.join(", "), SENTENCE_CHARS)
        )),
    }
    printer.result(format_args!("findings   {}", counts(&looked.findings)));
    for finding in &looked.findings {
        tell(finding, printer);
    }
}

fn counts(findings: &[Finding]) -> String {
    let of = |severity: Severity| findings.iter().filter(|it| it.severity == severity).count();
    let counted = SEVERITIES.into_iter().map(|it| (of(it), it.as_str()));
    let counted = counted.filter(|(count, _)| *count > 0);
    let told: Vec<_> = counted.map(|(count, name)| format!("{count} {name}")).collect();
    if told.is_empty() { "none".to_owned() } else { told.join(", ") }
}

fn tell(finding: &Finding, printer: &mut Printer) {
    let style = style(finding.severity);
    let severity = finding.severity.as_str();
    let tool = finding.tool.as_deref().map(|tool| format!("{tool}: ")).unwrap_or_default();
    let what = Text::line(&format!("{tool}{}", finding.what), SENTENCE_CHARS);
    let id = text!("{DIM}[{}]{DIM:#}", finding.check.id());
    printer.result(format_args!("  {style}{severity}{style:#}  {what}  {id}"));
    for Effect { client, rule, what } in &finding.effects {
        let who = client.map_or("every client", |client| &client.name);
        let sure = match rule.confidence {
            Confidence::Certain => String::new(),
            confidence => format!(" ({})", confidence.as_str()),
        };
        let what = Text::line(what, SENTENCE_CHARS);
        printer.result(format_args!("    {who}: {what}{sure}"));
    }
    printer.result(format_args!("    fix: {}", Text::line(&finding.fix, SENTENCE_CHARS)));
}

fn style(severity: Severity) -> Style {
    match severity {
        Severity::Dropped => RED,
        Severity::Changed | Severity::Costly => YELLOW,
        Severity::Hint => DIM,
    }
}

#[derive(Serialize)]
struct Json<'a> {
    server: &'a str,
    clients: Vec<&'a str>,
    tools: Vec<Value>,
    tokens_estimate: usize,
    /// What each provider makes of each tool.
    providers: Vec<Value>,
    /// The tools whose results were seen; null where none was called.
    called: &'a Option<Vec<String>>,
    findings: Vec<Value>,
    dropped: usize,
    changed: usize,
    costly: usize,
    hints: usize,
}

impl<'a> Json<'a> {
    fn of(looked: &'a Looked<'_>) -> Self {
        let tools = looked.report.costs.iter().map(|cost| {
            let names = looked.clients.iter().map(|client| {
                (client.id.clone(), client.name_of(&looked.server, &cost.tool).into())
            });
            let names: Map<String, Value> = names.collect();
            json!({"name": cost.tool, "names": names, "tokens_estimate": cost.tokens})
        });
        let of = |severity: Severity| {
            looked.findings.iter().filter(|it| it.severity == severity).count()
        };
        Self {
            server: &looked.server,
            clients: looked.clients.iter().map(|client| client.id.as_str()).collect(),
            tools: tools.collect(),
            tokens_estimate: looked.report.tokens(),
            providers: providers::json(&looked.provided, looked.providers),
            called: &looked.called,
            findings: looked.findings.iter().map(json_of).collect(),
            dropped: of(Severity::Dropped),
            changed: of(Severity::Changed),
            costly: of(Severity::Costly),
            hints: of(Severity::Hint),
        }
    }
}

fn json_of(finding: &Finding) -> Value {
    let effects = finding.effects.iter().map(|Effect { client, rule, what }| {
        json!({
            "client": client.map(|client| &client.id),
            "severity": rule.severity.as_str(),
            "confidence": rule.confidence.as_str(),
            "what": what,
            "sources": rule.sources,
        })
    });
    let place = finding.place.map(|place| match place {
        Place::Input => "schema",
        Place::Output => "output_schema",
    });
    json!({
        "severity": finding.severity.as_str(),
        "check": finding.check.id(),
        "tool": finding.tool,
        "in": place,
        "pointer": finding.pointer,
        "what": finding.what,
        "fix": finding.fix,
        "clients": effects.collect::<Vec<_>>(),
    })
}
