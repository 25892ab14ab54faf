//! Which cases are run: `--only` and `--skip`, among the built-in ones and the author's own.

use clap::error::ErrorKind;
use extline_conformance::{
    Case, Cases, all_cases, builtin, client_cases, deepened, host_cases, mcp_cases,
};
use regex_lite::{Regex, escape};

use crate::target::usage;

/// What stands for all of the author's own cases.
const OWN: &str = "own";

/// The cases that are named and not left out: the built-in ones by their ids, then the author's own
/// as they stand in their files.
pub(super) fn chosen(
    own: &'static [Case],
    only: &[String],
    skip: &[String],
    deep: bool,
) -> Result<Vec<&'static Case>, clap::Error> {
    let mut all: Vec<&'static Case> = builtin().values().chain(own).collect();
    if deep || only.iter().any(|name| name.contains('@')) {
        // As long as the command runs.
        let deepened: &'static [Case] = deepened(&all).leak();
        all.extend(deepened);
    }
    chosen_of(&all, own, only, skip)
}

/// The same among the cases for hosts.
pub(super) fn chosen_of_hosts(
    only: &[String],
    skip: &[String],
) -> Result<Vec<&'static Case>, clap::Error> {
    chosen_of(&host_cases().values().collect::<Vec<_>>(), &[], only, skip)
}

/// The same among the cases for MCP servers.
pub(super) fn chosen_of_servers(
    own: &'static [Case],
    only: &[String],
    skip: &[String],
) -> Result<Vec<&'static Case>, clap::Error> {
    chosen_of(&mcp_cases().values().chain(own).collect::<Vec<_>>(), own, only, skip)
}

/// The same among the cases for clients of MCP.
pub(super) fn chosen_of_clients(
    only: &[String],
    skip: &[String],
) -> Result<Vec<&'static Case>, clap::Error> {
    chosen_of(&client_cases().values().collect::<Vec<_>>(), &[], only, skip)
}

fn chosen_of(
    all: &[&'static Case],
    own: &'static [Case],
    only: &[String],
    skip: &[String],
) -> Result<Vec<&'static Case>, clap::Error> {
    let (only, skip) = (patterns(only, all, own)?, patterns(skip, all, own)?);
    let is_named = |case: &&Case, patterns: &[Regex]| {
        patterns.iter().any(|pattern| pattern.is_match(&case.id))
    };
    let named = all.iter().copied().filter(|case| only.is_empty() || is_named(case, &only));
    let chosen: Vec<_> = named.filter(|case| !is_named(case, &skip)).collect();
    if chosen.is_empty() {
        let message = "no case is left to run: --skip leaves out all that --only names";
        return Err(usage(super::SUBCOMMAND, ErrorKind::InvalidValue, message));
    }
    Ok(chosen)
}

/// That there is no such case, with the nearest there is.
pub(super) fn unknown(name: &str) -> clap::Error {
    let wanted = name.to_uppercase();
    if let Some(elsewhere) = elsewhere(name) {
        return elsewhere;
    }
    let all = || all_cases().map(|case| case.id.as_str());
    // Without the letter that tells whose case it is, both may be meant.
    let mut near: Vec<&str> = all().filter(|id| id.ends_with(&format!("-{wanted}"))).collect();
    if near.is_empty() {
        let likely = all().map(|id| (strsim::jaro_winkler(id, &wanted), id));
        let likely = likely.max_by(|one, other| one.0.total_cmp(&other.0));
        near.extend(likely.filter(|(likeness, _)| *likeness > 0.8).map(|(_, id)| id));
    }
    let near = if near.is_empty() {
        String::new()
    } else {
        format!(" Did you mean {}?", near.join(" or "))
    };
    let text = format!("there is no case {name}; `extline conformance list` has them all.{near}");
    usage(super::SUBCOMMAND, ErrorKind::InvalidValue, &text)
}

/// That a name is one of cases which are played in another way; `None` where it is none of any.
fn elsewhere(name: &str) -> Option<clap::Error> {
    let pattern = pattern(name)?;
    let named = |cases: &Cases| cases.keys().any(|id| pattern.is_match(id));
    let how = if named(mcp_cases()) {
        "is for MCP servers; --protocol mcp plays it"
    } else if named(host_cases()) {
        "is for hosts; `extline conformance host` plays it"
    } else if named(client_cases()) {
        "is for clients of MCP; `extline conformance mcp-client` plays it"
    } else if named(builtin()) {
        "is for extensions, and is played to nothing else"
    } else {
        return None;
    };
    Some(usage(super::SUBCOMMAND, ErrorKind::InvalidValue, &format!("the case {name} {how}")))
}

fn patterns(names: &[String], all: &[&Case], own: &[Case]) -> Result<Vec<Regex>, clap::Error> {
    let mut patterns = Vec::new();
    for name in names {
        if name == OWN && !own.is_empty() {
            patterns.extend(own.iter().filter_map(|case| pattern(&case.id)));
            continue;
        }
        let known = pattern(name)
            .filter(|pattern| all.iter().any(|case| pattern.is_match(&case.id)))
            .ok_or_else(|| unknown(name))?;
        patterns.push(known);
    }
    Ok(patterns)
}

/// A case is named by its id, by the beginning of one up to a dash, or by a pattern in which `*`
/// stands for any text and `?` for one letter.
fn pattern(name: &str) -> Option<Regex> {
    let text = escape(name).replace(r"\*", ".*").replace(r"\?", ".");
    Regex::new(&format!("(?i)^{text}([-@].*)?$")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_named_by_id_group_or_pattern() {
        let names = |name: &str, id: &str| pattern(name).unwrap().is_match(id);
        for (name, id) in [
            ("E-FRM-14", "E-FRM-14"),
            ("e-frm-14", "E-FRM-14"),
            ("E-FRM", "E-FRM-14"),
            ("E", "E-FRM-14"),
            ("E-FRM-*", "E-FRM-14"),
            ("*-14", "E-FRM-14"),
            ("E-FRM-14", "E-FRM-14@bytes"),
            ("*@bytes", "E-FRM-14@bytes"),
            ("E-???-14", "E-FRM-14"),
            ("E-FRM-1?", "E-FRM-14"),
        ] {
            assert!(names(name, id), "{name} {id}");
        }
        for (name, id) in [
            ("E-FRM-1", "E-FRM-14"),
            ("E-FR", "E-FRM-14"),
            ("FRM", "E-FRM-14"),
            ("E-FRM-?", "E-FRM-14"),
            ("E.FRM", "E-FRM-14"),
            ("", "E-FRM-14"),
        ] {
            assert!(!names(name, id), "{name} {id}");
        }
    }

    #[test]
    fn a_pattern_that_matches_nothing_is_refused() {
        let error = chosen(&[], &["E-NO-*".to_owned()], &[], false).unwrap_err().to_string();
        assert!(error.contains("there is no case E-NO-*"), "{error}");
        let all = ["E-FRM".to_owned()];
        let error = chosen(&[], &all, &all, false).unwrap_err().to_string();
        assert!(error.contains("no case is left to run"), "{error}");
        let chosen =
            chosen(&[], &["E-FRM-0?".to_owned()], &["E-FRM-08".to_owned()], false).unwrap();
        let ids: Vec<_> = chosen.iter().map(|case| case.id.as_str()).collect();
        assert!(ids.contains(&"E-FRM-09") && !ids.contains(&"E-FRM-08"), "{ids:?}");
        assert!(ids.iter().all(|id| id.starts_with("E-FRM-0")), "{ids:?}");
    }

    #[test]
    fn cases_at_points_are_there_when_they_are_asked_for() {
        let ids = |only: &str, deep| {
            let only = [only.to_owned()];
            let chosen = chosen(&[], &only, &[], deep).unwrap();
            chosen.into_iter().map(|case| case.id.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(ids("E-FRM-01", false), ["E-FRM-01"]);
        assert_eq!(ids("E-FRM-01@bytes", false), ["E-FRM-01@bytes"]);
        assert!(ids("E-FRM-01", true).len() > 5);
    }

    #[test]
    fn own_cases_follow_the_built_in_ones_and_are_named_together() {
        let text = |id| format!("[[case]]\nid = {id:?}\ntitle = \"t\"\ncheck = \"names\"\n");
        let text = text("z") + &text("my-e-frm-08");
        let own = extline_conformance::parse_own("own.toml", &text).unwrap().leak();
        let ids = |only: &[&str], skip: &[&str]| {
            let names =
                |names: &[&str]| names.iter().map(|&one| one.to_owned()).collect::<Vec<_>>();
            let chosen = chosen(own, &names(only), &names(skip), false).unwrap();
            chosen.into_iter().map(|case| case.id.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(ids(&["own"], &[]), ["z", "my-e-frm-08"]);
        assert_eq!(ids(&["E-FRM-08", "my"], &[]), ["E-FRM-08", "my-e-frm-08"]);
        assert_eq!(ids(&[], &["own"]).len(), builtin().len());
        assert_eq!(ids(&[], &[]).len(), builtin().len() + 2);
    }
}
