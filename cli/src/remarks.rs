//! What is wrong with how an extension describes itself, in its manifest, its hello and its
//! subscriptions, although it works.

use extline_host::{ExtensionStatus, Manifest, Notice};
use extline_protocol::Vocabulary;
use extline_protocol::frame::Hello;

use crate::failure::nearest;

/// The members that hosts and the tester read of an `extension.json`, and of its `permissions`.
const MEMBERS: [&str; 12] = [
    "name",
    "version",
    "exec",
    "args",
    "language",
    "description",
    "enabled",
    "guards",
    "permissions",
    "config_schema",
    "skills",
    "samples",
];
const PERMISSIONS: [&str; 2] = ["env", "secrets"];
/// The points at which hosts ask guards.
const GUARDED: [&str; 1] = ["tool_call"];

pub(crate) fn remarks(status: &ExtensionStatus) -> Vec<Notice> {
    let mut remarks = Vec::new();
    if let Some(manifest) = &status.manifest {
        remarks.extend(of_members(manifest));
        remarks.extend(status.hello.iter().flat_map(|hello| of_hello(manifest, hello)));
        let guards = status.subscribed.guards.as_deref().unwrap_or_default();
        remarks.extend(of_guards(&manifest.guards, guards));
    }
    let names = |names: &Option<Vec<String>>| names.clone().unwrap_or_default();
    let subscribed = &status.subscribed;
    let events: Vec<_> = Vocabulary::events().collect();
    let points: Vec<_> = Vocabulary::points().collect();
    remarks.extend(of_names(
        "subscribes to the event",
        "which no known host sends",
        &names(&subscribed.events),
        &events,
    ));
    remarks.extend(of_names(
        "intercepts at the point",
        "where no known host asks",
        &names(&subscribed.intercept),
        &points,
    ));
    remarks.extend(of_names(
        "guards at the point",
        "where no known host asks",
        &names(&subscribed.guards),
        &GUARDED,
    ));
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

/// Guards that the manifest declares, beside those that were registered. What no host knows guards
/// nothing, and is a remark of its own where it was registered.
fn of_guards(declared: &[String], registered: &[String]) -> Vec<Notice> {
    let is_among = |points: &[String], point: &str| points.iter().any(|one| one == point);
    let lacks = |point: &str| is_among(registered, point) && !is_among(declared, point);
    let undeclared = GUARDED.iter().any(|&point| lacks(point)).then(|| {
        let all = GUARDED.iter().filter(|&&point| lacks(point) || is_among(declared, point));
        let names: Vec<_> = all.map(|point| format!("\"{point}\"")).collect();
        Notice::with_suggestion(
            "extension.json does not say that it guards: when it fails to start, calls run unguarded",
            format!("write \"guards\": [{}] in extension.json", names.join(", ")),
        )
    });
    let unknown = declared.iter().filter(|point| !GUARDED.contains(&point.as_str())).map(|point| {
        Notice::with_suggestion(
            format!("extension.json declares a guard at {point:?}, where nobody asks guards"),
            "write \"guards\": [\"tool_call\"]",
        )
    });
    undeclared.into_iter().chain(unknown).collect()
}

/// Names that no known host knows. A host may have some of its own, so these are remarks and no errors.
fn of_names(what: &str, why: &str, names: &[String], known: &[&str]) -> Vec<Notice> {
    let known: Vec<String> = known.iter().map(|&name| name.to_owned()).collect();
    let unknown = names.iter().filter(|name| !known.contains(name));
    let remark = |name: &String| {
        let suggestion = match nearest(name, &known) {
            Some(meant) => format!("did you mean {meant:?}?"),
            None => format!("hosts have {}", known.join(", ")),
        };
        Notice::with_suggestion(format!("it {what} {name:?}, {why}"), suggestion)
    };
    unknown.map(remark).collect()
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
    fn a_misspelt_guard_is_told_and_never_to_be_declared() {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert!(of_guards(&[], &names(&["tool_cal"])).is_empty());
        assert!(of_guards(&names(&["tool_call"]), &names(&["tool_call", "tool_cal"])).is_empty());
        let told = of_guards(&[], &names(&["tool_cal", "tool_call"]));
        let told = told[0].suggestion.as_deref().unwrap();
        assert_eq!(told, "write \"guards\": [\"tool_call\"] in extension.json");
        let told = of_names(
            "guards at the point",
            "where nobody asks",
            &names(&["tool_cal", "tool_call"]),
            &GUARDED,
        );
        let [told] = &told[..] else { panic!("{told:?}") };
        assert_eq!(told.suggestion.as_deref(), Some("did you mean \"tool_call\"?"));
    }

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
