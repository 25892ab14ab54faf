//! What clients call the tools.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::client::is_among;
use super::schema_facts::Spots;
use super::{Check, Client, Effect, Report, Subject, fill, strongest};

/// Adds what is wrong with the names of the tools that clients see.
pub(super) fn look(subject: &Subject<'_>, clients: &[&'static Client], report: &mut Report) {
    let seen: HashSet<_> = report.costs.iter().map(|cost| cost.tool.clone()).collect();
    let offers: HashMap<_, _> =
        subject.tools.iter().map(|it| (it.tool.name.as_str(), *it)).collect();
    let tools = subject.tools.iter().map(|offer| offer.tool.name.as_str());
    let tools: Vec<_> = tools.filter(|tool| seen.contains(*tool)).collect();
    for tool in &tools {
        for check in [Check::NameLength, Check::PluginName] {
            let effects = clients.iter().filter_map(|client| length(client, check, subject, tool));
            report.push(offers[tool], check, None, &named(tool), effects.collect());
        }
        let effects = clients.iter().filter_map(|client| characters(client, subject, tool));
        report.push(offers[tool], Check::NameCharacters, None, &named(tool), effects.collect());
    }
    // Several clients may mix up the same two.
    let mut clashes: BTreeMap<(&str, &str), Vec<Effect>> = BTreeMap::new();
    for client in clients {
        let Some(rule) = strongest(&client.rules, Check::NameClash, None, 0) else { continue };
        for (first, second, name) in clashing(client, subject.server, &tools) {
            let effect = Effect { client: Some(client), rule, what: rule.told(&name, 0) };
            clashes.entry((first, second)).or_default().push(effect);
        }
    }
    for ((first, second), effects) in clashes {
        report.push(offers[second], Check::NameClash, None, &named(first), effects);
    }
}

/// What is said of a tool of that name.
fn named(tool: &str) -> Spots {
    Spots { count: 1, detail: Some(tool.to_owned()), ..Spots::default() }
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
    let rule = strongest(&client.rules, Check::NameCharacters, None, 0)?;
    let keeps = rule.keeps.as_deref().unwrap_or(&client.keeps);
    if tool.chars().all(|it| is_among(it, keeps)) {
        return None;
    }
    let what = rule.told(&client.name_of(subject.server, tool), 0);
    Some(Effect { client: Some(client), rule, what })
}

/// Tools that a client calls the same: the first, a later one, and what it calls them.
fn clashing<'a>(
    client: &Client,
    server: &str,
    tools: &[&'a str],
) -> Vec<(&'a str, &'a str, String)> {
    let mut first: HashMap<String, &str> = HashMap::new();
    let mut clashing = Vec::new();
    for tool in tools {
        match first.entry(client.name_of(server, tool)) {
            Entry::Occupied(entry) if entry.get() != tool => {
                clashing.push((*entry.get(), *tool, entry.key().clone()));
            }
            Entry::Occupied(_) => {}
            Entry::Vacant(entry) => {
                entry.insert(tool);
            }
        }
    }
    clashing
}
