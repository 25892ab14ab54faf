//! `extline lint`: what clients of MCP, and providers of models, drop or change of the tools of extensions.

mod called;
mod providers;
mod shown;

use std::sync::Arc;

use clap::error::ErrorKind;
use extline_host::{ExtensionSource, ExtensionStatus, Host, Tool};
use extline_mcp::lint::{
    Check, Client, Confidence, Finding, Language, Offer, Report, Severity, Subject, clients, lint,
    refused,
};
use extline_model::Provider;

use self::providers::{Provided, is_one_refused, provided};
use crate::args::{Lint, Timeout};
use crate::exit::Exit;
use crate::failure::nearest;
use crate::printer::{Printer, say_as_extension};
use crate::session::Session;
use crate::target::{source_of, usage};

/// What a server is called that has the tools of several extensions.
const SEVERAL: &str = "extline";

pub(crate) async fn run(lint: Lint, printer: Printer) -> Result<Exit, clap::Error> {
    let clients = chosen_clients(&lint.clients)?;
    let providers = chosen_providers(&lint.providers)?;
    let mut sources: Vec<_> = lint.dirs.into_iter().map(ExtensionSource::folder).collect();
    sources.extend(source_of("lint", lint.program)?);
    let started = Session::start(sources, &lint.timeout, &lint.settings, None, printer).await;
    let mut session = match started {
        Ok(session) => session,
        Err((printer, exit)) => return Ok(printer.finish(exit)),
    };
    let failed = session.report_failed();
    if let Some(exit) = failed.filter(|_| session.failed().len() == session.host.extensions().len())
    {
        return Ok(session.stop(exit).await);
    }
    let calls = lint.call.then_some(&lint.timeout);
    let looked = look(&mut session, lint.name, &clients, &providers, calls).await;
    let exit = match looked {
        Ok(looked) => {
            let are_providers_named = !lint.providers.is_empty();
            shown::show(&looked, are_providers_named, &mut session.printer);
            let is_lost = looked.findings.iter().any(|it| it.severity == Severity::Dropped)
                || (are_providers_named && is_one_refused(&looked.provided));
            let found = if is_lost { Exit::ToolError } else { Exit::Ok };
            failed.unwrap_or(found)
        }
        Err(interrupted) => interrupted,
    };
    Ok(session.stop(exit).await)
}

/// What was found, and what it was found in.
struct Looked<'a> {
    server: String,
    clients: &'a [&'static Client],
    report: Report,
    /// Those of the report, of what the host refuses, and of results; the worst first.
    findings: Vec<Finding>,
    /// The tools that were called; `None` where none was to be.
    called: Option<Vec<String>>,
    providers: &'a [Provider],
    /// What the providers make of each tool.
    provided: Vec<Provided>,
}

async fn look<'a>(
    session: &mut Session,
    name: Option<String>,
    clients: &'a [&'static Client],
    providers: &'a [Provider],
    calls: Option<&Timeout>,
) -> Result<Looked<'a>, Exit> {
    let host = Arc::clone(&session.host);
    let statuses = host.extensions();
    let tools = host.tools();
    let offers = offers(&tools, &statuses);
    let server = name.unwrap_or_else(|| server_of(&statuses));
    let report = lint(&Subject { server: &server, tools: offers.clone() }, clients);
    let mut findings = report.findings.clone();
    for rejection in statuses.iter().flat_map(|status| &status.report.rejected) {
        if rejection.kind == "tool" {
            findings.push(refused(&rejection.name, &rejection.message));
        }
    }
    let called = match calls {
        Some(timeout) => {
            let (called, found) =
                called::call(session, &statuses, &offers, clients, timeout).await?;
            findings.extend(found);
            Some(called)
        }
        None => None,
    };
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let provided = provided(tools.iter().map(|tool| &**tool), providers);
    Ok(Looked { server, clients, report, findings, called, providers, provided })
}

fn offers<'a>(tools: &'a [Arc<Tool>], statuses: &[ExtensionStatus]) -> Vec<Offer<'a>> {
    let language = |extension: &str| {
        let hello =
            statuses.iter().find(|it| it.name == extension).and_then(|it| it.hello.as_ref());
        let sdk = hello.and_then(|hello| hello.sdk.as_ref());
        sdk.map(|sdk| Language::of_sdk(&sdk.language)).unwrap_or_default()
    };
    let offer =
        |tool: &'a Arc<Tool>| Offer { tool: &tool.definition, language: language(&tool.extension) };
    tools.iter().map(offer).collect()
}

/// What users probably call the server.
fn server_of(statuses: &[ExtensionStatus]) -> String {
    match statuses {
        [only] => only.name.clone(),
        _ => SEVERAL.to_owned(),
    }
}

/// Says what clients would drop, for whoever starts a server of a host's tools; nothing where nothing is lost.
pub(crate) fn warn_of_loss(host: &Host) {
    const TOLD: usize = 3;
    let lost = lost(host);
    for line in lost.iter().take(TOLD) {
        say_as_extension("mcp", line);
    }
    if lost.is_empty() {
        return;
    }
    let more = match lost.len().saturating_sub(TOLD) {
        0 => String::new(),
        more => format!("{more} more are lost; "),
    };
    say_as_extension("mcp", &format!("{more}`extline lint` says why and what to do"));
}

/// What clients drop of a host's tools, a line each. What the server itself leaves out is told by it.
fn lost(host: &Host) -> Vec<String> {
    let (statuses, tools) = (host.extensions(), host.tools());
    let subject = Subject { server: &server_of(&statuses), tools: offers(&tools, &statuses) };
    let all: Vec<_> = clients().iter().collect();
    let findings = lint(&subject, &all).findings.into_iter();
    let lost =
        findings.filter(|it| it.severity == Severity::Dropped && it.check != Check::RootType);
    lost.map(|finding| {
        let droppers = finding.effects.iter().filter(|it| it.rule.severity == Severity::Dropped);
        let is_sure = droppers.clone().any(|it| it.rule.confidence != Confidence::Disputed);
        let names: Vec<_> = droppers.filter_map(|it| Some(it.client?.name.as_str())).collect();
        let lost = if is_sure { "lost" } else { "may be lost" };
        let tool = finding.tool.map(|tool| format!("tool {tool}: ")).unwrap_or_default();
        format!("{tool}{}: {lost} in {}", finding.what, names.join(", "))
    })
    .collect()
}

/// The clients of those names; all where none is named.
fn chosen_clients(ids: &[String]) -> Result<Vec<&'static Client>, clap::Error> {
    let all: Vec<_> = clients().iter().map(|client| (client.id.as_str(), client)).collect();
    chosen("client", ids, &all)
}

/// The same of providers.
fn chosen_providers(ids: &[String]) -> Result<Vec<Provider>, clap::Error> {
    chosen("provider", ids, &Provider::ALL.map(|provider| (provider.id(), provider)))
}

/// Those of the ids in the order of the list, each once; all where there are no ids.
fn chosen<T: Copy>(what: &str, ids: &[String], all: &[(&str, T)]) -> Result<Vec<T>, clap::Error> {
    for id in ids {
        if all.iter().any(|(known, _)| known == id) {
            continue;
        }
        let known: Vec<_> = all.iter().map(|(known, _)| (*known).to_owned()).collect();
        let meant = nearest(id, &known).map(|it| format!("; did you mean {it}?"));
        let message = format!(
            "there is no {what} {id:?} here{}\n  known: {}",
            meant.unwrap_or_default(),
            known.join(", ")
        );
        return Err(usage("lint", ErrorKind::InvalidValue, &message));
    }
    let is_chosen = |id: &str| ids.is_empty() || ids.iter().any(|it| it == id);
    Ok(all.iter().filter(|(id, _)| is_chosen(id)).map(|(_, it)| *it).collect())
}
