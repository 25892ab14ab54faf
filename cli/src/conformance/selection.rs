//! Which cases are run: `--only` and `--skip`.

use clap::error::ErrorKind;
use extline_conformance::{Case, builtin};
use regex_lite::{Regex, escape};

use crate::target::usage;

/// The cases that are named and not left out, in the order of their ids.
pub(super) fn chosen(only: &[String], skip: &[String]) -> Result<Vec<&'static Case>, clap::Error> {
    let (only, skip) = (patterns(only)?, patterns(skip)?);
    let is_named = |case: &&Case, patterns: &[Regex]| {
        patterns.iter().any(|pattern| pattern.is_match(&case.id))
    };
    let named = builtin().values().filter(|case| only.is_empty() || is_named(case, &only));
    let chosen: Vec<_> = named.filter(|case| !is_named(case, &skip)).collect();
    if chosen.is_empty() {
        let message = "no case is left to run: --skip leaves out all that --only names";
        return Err(usage(super::SUBCOMMAND, ErrorKind::InvalidValue, message));
    }
    Ok(chosen)
}

/// That there is no such case, with the nearest there is.
pub(super) fn unknown(name: &str) -> clap::Error {
    let near = builtin()
        .keys()
        .map(|id| (strsim::jaro_winkler(id, &name.to_uppercase()), id))
        .max_by(|one, other| one.0.total_cmp(&other.0));
    let near = near.filter(|(likeness, _)| *likeness > 0.8);
    let near = near.map(|(_, id)| format!(" Did you mean {id}?")).unwrap_or_default();
    let text = format!("there is no case {name}; `extline conformance list` has them all.{near}");
    usage(super::SUBCOMMAND, ErrorKind::InvalidValue, &text)
}

fn patterns(names: &[String]) -> Result<Vec<Regex>, clap::Error> {
    let pattern = |name: &String| {
        pattern(name)
            .filter(|pattern| builtin().keys().any(|id| pattern.is_match(id)))
            .ok_or_else(|| unknown(name))
    };
    names.iter().map(pattern).collect()
}

/// A case is named by its id, by the beginning of one up to a dash, or by a pattern in which `*`
/// stands for any text and `?` for one letter.
fn pattern(name: &str) -> Option<Regex> {
    let text = escape(name).replace(r"\*", ".*").replace(r"\?", ".");
    Regex::new(&format!("(?i)^{text}(-.*)?$")).ok()
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
        let error = chosen(&["E-NO-*".to_owned()], &[]).unwrap_err().to_string();
        assert!(error.contains("there is no case E-NO-*"), "{error}");
        let all = ["E-FRM".to_owned()];
        let error = chosen(&all, &all).unwrap_err().to_string();
        assert!(error.contains("no case is left to run"), "{error}");
        let chosen = chosen(&["E-FRM-0?".to_owned()], &["E-FRM-08".to_owned()]).unwrap();
        let ids: Vec<_> = chosen.iter().map(|case| case.id.as_str()).collect();
        assert!(ids.contains(&"E-FRM-09") && !ids.contains(&"E-FRM-08"), "{ids:?}");
        assert!(ids.iter().all(|id| id.starts_with("E-FRM-0")), "{ids:?}");
    }
}
