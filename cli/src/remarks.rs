//! What is wrong with how an extension describes itself, in its manifest, its hello and its
//! subscriptions, although it works.

use extline_host::{ExtensionStatus, Manifest, Notice};
use extline_protocol::Vocabulary;
use extline_protocol::frame::Hello;

use crate::failure::nearest;

/// The members that hosts and the tester read of an `extension.json`, and of its `permissions`.
const MEMBERS: [&str; 11] = [
    "name",
    "version",
    "exec",
    "args",
    "language",
    "description",
    "enabled",
    "guards",
    "permissions",
    "skills",
    "samples",
];
const PERMISSIONS: [&str; 1] = ["env"];

pub(crate) fn remarks(status: &ExtensionStatus) -> Vec<Notice> {
    let mut remarks = Vec::new();
    if let Some(manifest) = &status.manifest {
        remarks.extend(of_members(manifest));
        remarks.extend(status.hello.iter().flat_map(|hello| of_hello(manifest, hello)));
        let guards = status.subscribed.guards.as_deref().unwrap_or_default();
        remarks.extend(of_guards(&manifest.guards, guards));
    }
    remarks.extend(status.subscribed.events.iter().flatten().filter_map(|event| of_event(event)));
    remarks
}

/// Members that nobody reads. `$schema` and `x-` are for others, by custom.
pub(crate) fn of_members(manifest: &Manifest) -> impl Iterator<Item = Notice> {
    let of = |place: &'static str, known: &'static [&'static str], name: &String| {
        let is_for_others = name.starts_with("x-") || name.starts_with('$');
        (!is_for_others).then(|| unknown(&format!("extension.json: {place}{name}"), name, known))
    };
    let members = manifest.other.keys().filter(|name| *name != "samples");
    let members = members.filter_map(move |name| of("/", &MEMBERS, name));
    let permissions = manifest.permissions.other.keys();
    members.chain(permissions.filter_map(move |name| of("/permissions/", &PERMISSIONS, name)))
}

/// One name in the manifest and another in the hello are two extensions for who reads about them.
fn of_hello(manifest: &Manifest, hello: &Hello) -> impl Iterator<Item = Notice> {
    let differ = |what: &str, ours: &str, theirs: &str| {
        let differ = !ours.is_empty() && !theirs.is_empty() && ours != theirs;
        differ.then(|| {
            Notice::with_suggestion(
                format!("its {what} is {ours:?} in extension.json, and {theirs:?} in its hello"),
                format!("write the same {what} in both; hosts show the one of extension.json"),
            )
        })
    };
    let name = differ("name", &manifest.name, &hello.name);
    name.into_iter().chain(differ("version", &manifest.version, &hello.version))
}

/// Guards that the manifest declares, beside those that were registered.
fn of_guards(declared: &[String], registered: &[String]) -> Vec<Notice> {
    let lacks = registered.iter().any(|point| !declared.contains(point));
    let undeclared = lacks.then(|| {
        let names = format!("[\"{}\"]", registered.join("\", \""));
        Notice::with_suggestion(
            "extension.json does not say that it guards: when it fails to start, calls run unguarded",
            format!("add \"guards\": {names} to extension.json"),
        )
    });
    let unknown = declared.iter().filter(|point| *point != "tool_call").map(|point| {
        Notice::with_suggestion(
            format!("extension.json declares a guard at {point:?}, where nobody asks guards"),
            "write \"guards\": [\"tool_call\"]",
        )
    });
    undeclared.into_iter().chain(unknown).collect()
}

/// A host may send events of its own, so it is a remark and no error.
fn of_event(event: &str) -> Option<Notice> {
    let events: Vec<String> = Vocabulary::events().map(str::to_owned).collect();
    if events.iter().any(|known| known == event) {
        return None;
    }
    let text = format!("it subscribes to the event {event:?}, which no known host sends");
    let suggestion = match nearest(event, &events) {
        Some(meant) => format!("did you mean {meant:?}?"),
        None => format!("hosts send {}", events.join(", ")),
    };
    Some(Notice::with_suggestion(text, suggestion))
}

fn unknown(place: &str, name: &str, known: &[&str]) -> Notice {
    let known: Vec<String> = known.iter().map(|&name| name.to_owned()).collect();
    let suggestion = match nearest(name, &known) {
        Some(meant) => format!("did you mean {meant:?}?"),
        None => "take it out, or begin its name with x- if it is for somebody else".to_owned(),
    };
    Notice::with_suggestion(format!("{place} is not read"), suggestion)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_page_of_the_manifest_has_every_member_and_a_manifest_that_is_right() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/host/manifest.md");
        let page = fs::read_to_string(page).unwrap();
        let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
        assert_eq!(rows.collect::<Vec<_>>(), MEMBERS);
        let sample = page.split("```json extension.json").nth(1).unwrap();
        let sample = sample.split("```").next().unwrap();
        let manifest = Manifest::parse(sample, Path::new("extension.json")).unwrap();
        assert_eq!(of_members(&manifest).count(), 0);
        assert_eq!(manifest.permissions.env, ["OPENWEATHER_KEY"]);
    }
}
