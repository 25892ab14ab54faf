//! What is wrong with how an extension describes itself, in its manifest, its hello and its
//! subscriptions, although it works.

use std::path::Path;

use extline_host::{ExtensionSource, ExtensionStatus, Manifest, ManifestFault, Notice};
use extline_protocol::Vocabulary;
use extline_protocol::frame::Hello;

use crate::failure::nearest;

/// The points at which hosts ask guards.
const GUARDED: [&str; 1] = ["tool_call"];

pub(crate) fn remarks(status: &ExtensionStatus) -> Vec<Notice> {
    let mut remarks = Vec::new();
    if let Some(manifest) = &status.manifest {
        remarks.extend(status.dir.iter().flat_map(|dir| of_members(dir)));
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

/// Members of the manifest in a folder that nobody reads. `$schema` and `x-` are for others, by custom.
pub(crate) fn of_members(dir: &Path) -> Vec<Notice> {
    let mut faults = Manifest::check(dir).faults;
    faults.sort_by(|one, other| one.pointer.cmp(&other.pointer));
    let unread = faults.iter().filter(|fault| fault.is_of_member());
    unread.map(of_member).collect()
}

/// Those that are probably misspelt, before the extension is started: it may fail for just that, and says something else.
pub(crate) fn of_misspelt_members(source: &ExtensionSource) -> Vec<Notice> {
    let dir = match source {
        ExtensionSource::Folder(dir) => dir,
        ExtensionSource::Pinned { source, .. } => return of_misspelt_members(source),
        _ => return Vec::new(),
    };
    let check = Manifest::check(dir);
    let misspelt = check.faults.iter().filter(|fault| fault.is_misspelt());
    misspelt.map(of_member).collect()
}

fn of_member(fault: &ManifestFault) -> Notice {
    let text = format!("extension.json: {} {}", fault.pointer, fault.message);
    Notice::with_suggestion(text, fault.remedy.clone())
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

#[cfg(test)]
mod tests {
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
}
