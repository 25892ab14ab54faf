//! The axes of `--deep`: every case again while its surroundings are other ones.
//!
//! A point of an axis is one such change. A case at a point is a case of its own, with the point
//! behind its id: `E-FRM-01@bytes`.

use super::{Case, Process, Text, Verb};
use crate::target::{Conditions, Cutting};

/// What stands between the id of a case and its point.
const AT: char = '@';

/// A change of the surroundings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The word behind the id of a case.
    pub name: &'static str,
    /// The axis it lies on: `chunking`, `locale`, `pipe`, `reader`.
    pub axis: &'static str,
    /// What it means, behind the title of a case.
    pub words: &'static str,
    /// A case that shows something here, and how the puppet is broken so that it does; for selftest.
    pub(crate) kill: (&'static str, &'static str),
    pub(crate) conditions: Conditions,
}

const USUAL: Conditions =
    Conditions { cutting: Cutting::Whole, locale: &[], pipe_bytes: None, slow_reader: false };
const C: &[(&str, &str)] = &[("LC_ALL", "C"), ("LANG", "C")];
const POSIX: &[(&str, &str)] = &[("LC_ALL", "POSIX"), ("LANG", "")];
const TURKISH: &[(&str, &str)] = &[
    ("LC_ALL", "tr_TR.ISO-8859-9"),
    ("LANG", "tr_TR.ISO-8859-9"),
    ("LANGUAGE", "tr"),
    // What Python takes from there also where the system lacks the locale.
    ("PYTHONIOENCODING", "iso8859-9"),
];

/// All points, axis by axis.
pub const POINTS: [Point; 9] = [
    Point {
        name: "bytes",
        axis: "chunking",
        words: "byte by byte",
        kill: ("E-FRM-01", "reads-are-lines"),
        conditions: Conditions { cutting: Cutting::Bytes, ..USUAL },
    },
    Point {
        name: "characters",
        axis: "chunking",
        words: "cut within characters",
        kill: ("E-UNI-01", "chunk-decode"),
        conditions: Conditions { cutting: Cutting::Characters, ..USUAL },
    },
    Point {
        name: "joined",
        axis: "chunking",
        words: "many frames in one write",
        kill: ("E-JSN-01", "first-line-only"),
        conditions: Conditions { cutting: Cutting::Joined, ..USUAL },
    },
    Point {
        name: "locale-c",
        axis: "locale",
        words: "in the locale C",
        kill: ("E-UNI-01", "writes-as-locale"),
        conditions: Conditions { locale: C, ..USUAL },
    },
    Point {
        name: "locale-posix",
        axis: "locale",
        words: "in the locale POSIX",
        kill: ("E-UNI-01", "writes-as-locale"),
        conditions: Conditions { locale: POSIX, ..USUAL },
    },
    Point {
        name: "locale-tr",
        axis: "locale",
        words: "in a Turkish locale that is not UTF-8",
        kill: ("E-UNI-01", "writes-as-locale"),
        conditions: Conditions { locale: TURKISH, ..USUAL },
    },
    Point {
        name: "pipe-4k",
        axis: "pipe",
        words: "with pipes of 4 KiB",
        kill: ("E-TOL-12", "one-read"),
        conditions: Conditions { pipe_bytes: Some(4096), ..USUAL },
    },
    Point {
        name: "pipe-1m",
        axis: "pipe",
        words: "with pipes of 1 MiB",
        kill: ("E-FRM-15", "small-buffer"),
        conditions: Conditions { pipe_bytes: Some(1 << 20), ..USUAL },
    },
    Point {
        name: "slow-reader",
        axis: "reader",
        words: "while the host reads small pipes slowly",
        kill: ("E-TOL-12", "drops-when-full"),
        conditions: Conditions { slow_reader: true, pipe_bytes: Some(4096), ..USUAL },
    },
];

impl Point {
    /// The point of a case; `None` for one in the usual surroundings.
    pub fn of(case: &Case) -> Option<&'static Self> {
        let (_, name) = case.id.split_once(AT)?;
        POINTS.iter().find(|point| point.name == name)
    }

    /// How many times the usual time is waited for an answer.
    pub(crate) fn patience(&self) -> u32 {
        if self.conditions.slow_reader || self.conditions.cutting == Cutting::Bytes { 4 } else { 1 }
    }

    /// Whether a case could say something else here.
    fn suits(&self, case: &Case) -> bool {
        // What measures a time, or takes long, is not played again with another time.
        if case.timing
            || case.deep
            || case.is_set_aside()
            || matches!(case.check.as_deref(), Some("rests"))
        {
            return false;
        }
        if case.check.is_some() {
            return true;
        }
        let verbs = || case.steps.iter().map(|step| &step.verb);
        let reads = || verbs().any(|verb| matches!(verb, Verb::Read(_) | Verb::Burst(_)));
        let cuts = || texts(case).any(|text| text.chunk.is_some());
        match self.conditions.cutting {
            Cutting::Whole if self.conditions.slow_reader => !reads(),
            Cutting::Whole => true,
            _ if cuts() || case.process == Process::StdinAtEnd => false,
            Cutting::Bytes => true,
            Cutting::Characters => texts(case).any(|text| {
                let id = text.id.as_deref().unwrap_or_default();
                [text.template.as_str(), id].iter().any(|it| !it.is_ascii() || it.contains("\\u"))
            }),
            Cutting::Joined => case.steps.len() > 1 && !reads(),
        }
    }
}

/// The same cases at every point at which they could say something else.
pub fn deepened(cases: &[&Case]) -> Vec<Case> {
    let at = |point: &'static Point| {
        let suited = cases.iter().filter(|case| point.suits(case));
        suited.map(|case| Case {
            id: format!("{}{AT}{}", case.id, point.name),
            title: format!("{}, {}", case.title, point.words),
            ..(*case).clone()
        })
    };
    POINTS.iter().flat_map(at).collect()
}

/// The id of the case that is played at a point; any other as it is.
pub(crate) fn without_point(id: &str) -> &str {
    id.split_once(AT).map_or(id, |(id, _)| id)
}

fn texts(case: &Case) -> impl Iterator<Item = &Text> {
    case.steps.iter().filter_map(|step| match &step.verb {
        Verb::Line(text) | Verb::Raw(text) | Verb::Hex(text) => Some(text),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::builtin;

    #[test]
    fn a_case_at_a_point_has_an_id_of_its_own_and_says_the_point() {
        let one = deepened(&[&builtin()["E-UNI-01"]]);
        let ids: Vec<_> = one.iter().map(|case| case.id.as_str()).collect();
        assert_eq!(ids.len(), POINTS.len(), "{ids:?}");
        assert_eq!(ids[0], "E-UNI-01@bytes");
        assert!(one[0].title.ends_with(", byte by byte"), "{}", one[0].title);
        assert_eq!(Point::of(&one[8]).map(|point| point.axis), Some("reader"));
        assert_eq!(Point::of(&builtin()["E-UNI-01"]), None);
        assert_eq!(without_point("E-UNI-01@bytes"), "E-UNI-01");
    }

    #[test]
    fn what_a_point_does_not_change_is_not_played_again() {
        let names = |id: &str| -> Vec<_> {
            let at = deepened(&[&builtin()[id]]);
            at.iter().filter_map(Point::of).map(|point| point.name).collect()
        };
        assert_eq!(names("E-LIF-01"), [""; 0], "it measures a time");
        assert!(!names("E-FRM-02").contains(&"bytes"), "it cuts its writes itself");
        assert!(!names("E-FRM-01").contains(&"characters"), "it has none but ASCII");
        assert!(!names("E-BPR-04").contains(&"slow-reader"), "it stops reading itself");
    }
}
