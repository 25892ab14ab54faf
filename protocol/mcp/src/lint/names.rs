//! What clients call the tools.

use std::collections::HashMap;

use super::schema_facts::Spots;
use super::{Check, Client, Effect, Report, Subject, fill, strongest};

/// Adds what is wrong with the names.
pub(super) fn look(subject: &Subject<'_>, clients: &[&'static Client], report: &mut Report) {
    let seen = |name: &str| report.costs.iter().any(|cost| cost.tool == name);
    let offers: Vec<_> = subject.tools.iter().filter(|it| seen(&it.tool.name)).copied().collect();
    for offer in &offers {
        let tool = offer.tool.name.as_str();
        for check in [Check::NameLength, Check::PluginName] {
            let effects = clients.iter().filter_map(|client| length(client, check, subject, tool));
            report.push(*offer, check, None, &named(tool, None), effects.collect());
        }
        let effects = clients.iter().filter_map(|client| characters(client, subject, tool));
        report.push(*offer, Check::NameCharacters, None, &named(tool, None), effects.collect());
    }
    for (client, first, second) in clients.iter().flat_map(|client| {
        let names = offers.iter().map(|offer| offer.tool.name.as_str());
        clashes(client, subject.server, names).into_iter().map(move |(a, b)| (*client, a, b))
    }) {
        let Some(offer) = offers.iter().find(|offer| offer.tool.name == second) else { continue };
        let Some(rule) = strongest(&client.rules, Check::NameClash, None, 0) else { continue };
        let what = rule.told(&client.name_of(subject.server, &second), 0);
        let spots = named(&second, Some(&first));
        let effect = Effect { client: Some(client), rule, what };
        // Another client may mix up the same two.
        let same = report.findings.iter_mut().find(|finding| {
            finding.check == Check::NameClash
                && finding.tool.as_ref() == Some(&second)
                && finding.what.contains(&format!("`{first}`"))
        });
        match same {
            Some(same) => {
                same.severity = same.severity.max(rule.severity);
                same.effects.push(effect);
            }
            None => report.push(*offer, Check::NameClash, None, &spots, vec![effect]),
        }
    }
}

fn named(tool: &str, other: Option<&str>) -> Spots {
    Spots { count: 1, detail: Some(other.unwrap_or(tool).to_owned()), ..Spots::default() }
}

fn length(
    client: &'static Client,
    check: Check,
    subject: &Subject<'_>,
    tool: &str,
) -> Option<Effect> {
    let full = client.full_name(subject.server, tool);
    let of = |pattern: &Option<String>| match pattern {
        Some(pattern) => fill(pattern, subject.server, tool),
        None => full.clone(),
    };
    let exceeded = client.rules.iter().filter(|rule| rule.check == check).filter_map(|rule| {
        let (name, most) = (of(&rule.name), rule.most?);
        let measured = name.chars().count();
        (measured > most).then_some((most, rule, name, measured))
    });
    let (_, rule, name, measured) = exceeded.max_by_key(|(most, ..)| *most)?;
    Some(Effect { client: Some(client), rule, what: rule.told(&name, measured) })
}

/// A client that does not keep all characters of a tool's name.
fn characters(client: &'static Client, subject: &Subject<'_>, tool: &str) -> Option<Effect> {
    if tool.chars().all(|it| client.keeps(it)) {
        return None;
    }
    let rule = strongest(&client.rules, Check::NameCharacters, None, 0)?;
    let what = rule.told(&client.name_of(subject.server, tool), 0);
    Some(Effect { client: Some(client), rule, what })
}

/// Tools that a client calls the same as an earlier one.
fn clashes<'a>(
    client: &Client,
    server: &str,
    tools: impl Iterator<Item = &'a str>,
) -> Vec<(String, String)> {
    let mut first: HashMap<String, &str> = HashMap::new();
    let mut clashes = Vec::new();
    for tool in tools {
        let name = client.name_of(server, tool);
        match first.get(&name) {
            Some(other) if *other != tool => clashes.push(((*other).to_owned(), tool.to_owned())),
            Some(_) => {}
            None => {
                first.insert(name, tool);
            }
        }
    }
    clashes
}
