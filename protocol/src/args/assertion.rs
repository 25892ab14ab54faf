//! What a schema says about one value, without looking at the values inside it.

use super::failure::ArgsFailure;
use super::number::Decimal;
use super::value::{equal, is_number, is_whole, members, string};
use crate::json::Elements;

/// One keyword of a schema that one value passes or fails.
#[derive(Debug)]
pub(super) enum Assertion {
    /// The schema `false`: no value passes.
    Never,
    /// `type`.
    Types(Types),
    /// `enum`, and `const` as an `enum` of one.
    ///
    /// Each as JSON text: reading it as a `Value` would round its numbers.
    Values(Vec<Box<str>>),
    /// `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`: of numbers.
    Limit(Relation, Limit),
    /// `minLength`, `maxItems` and the like, each of its own kind of value.
    Size(Measure, Relation, u64),
}

/// A number in a schema, as it is compared and as it is shown.
#[derive(Debug)]
pub(super) struct Limit {
    worth: Decimal,
    /// The same, when it is written as an integer of 64 bits: nearly all are, and compare faster.
    integer: Option<i64>,
    text: String,
}

/// On which side of a limit a number has to be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Relation {
    AtLeast,
    AtMost,
    MoreThan,
    LessThan,
}

/// What of a value is counted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Measure {
    Characters,
    Items,
    Members,
}

/// A set of JSON Schema's types: a bit for each, at its place in `NAMES`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Assertion {
    /// Whether it holds for the value of that text.
    pub(super) fn holds(&self, text: &str) -> bool {
        match self {
            Self::Never => false,
            Self::Types(types) => types.accept(text),
            Self::Values(values) => values.iter().any(|value| equal(value, text)),
            Self::Limit(relation, limit) => !is_number(text) || limit.keeps(*relation, text),
            Self::Size(measure, relation, limit) => {
                // A size that does not fit in 64 bits does not fit in memory either.
                measure.of(text).is_none_or(|size| relation.holds(&(size as u64), limit))
            }
        }
    }

    /// How many values it compares one with.
    pub(super) fn options(&self) -> u64 {
        match self {
            Self::Values(values) => values.len() as u64,
            _ => 0,
        }
    }

    /// The words for a value it does not hold for.
    pub(super) fn failure(&self, text: &str) -> ArgsFailure {
        match self {
            Self::Never => ArgsFailure::not_allowed([]),
            Self::Types(types) => ArgsFailure::types(types.names(), text),
            Self::Values(values) => ArgsFailure::values(values, text),
            Self::Limit(relation, limit) => ArgsFailure::limit(relation.words(), &limit.text, text),
            Self::Size(measure, relation, limit) => {
                let (kind, unit) = measure.words();
                let size = measure.of(text).unwrap_or(0);
                ArgsFailure::size(kind, relation.words(), *limit, unit, size)
            }
        }
    }
}

impl Limit {
    /// Takes a number of a schema; `None` when the text is no number.
    pub(super) fn read(text: &str) -> Option<Self> {
        is_number(text).then(|| Self {
            worth: Decimal::read(text),
            integer: text.parse().ok(),
            text: text.to_owned(),
        })
    }

    fn keeps(&self, relation: Relation, number: &str) -> bool {
        match (self.integer, number.parse()) {
            (Some(limit), Ok(number)) => relation.holds::<i64>(&number, &limit),
            _ => relation.holds(&Decimal::read(number), &self.worth),
        }
    }

    /// The limit of a size, a whole number from 0: one too large for 64 bits is as good as the
    /// largest that fits. `None` when it is not a whole number from 0.
    pub(super) fn to_count(&self) -> Option<u64> {
        let is_count = self.worth.is_whole() && self.worth >= Decimal::read("0");
        is_count.then(|| self.worth.to_u64().unwrap_or(u64::MAX))
    }
}

impl Relation {
    fn holds<T: Ord>(self, number: &T, limit: &T) -> bool {
        match self {
            Self::AtLeast => number >= limit,
            Self::AtMost => number <= limit,
            Self::MoreThan => number > limit,
            Self::LessThan => number < limit,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::AtLeast => "at least",
            Self::AtMost => "at most",
            Self::MoreThan => "more than",
            Self::LessThan => "less than",
        }
    }
}

impl Measure {
    /// The size of a value; `None` when it is not of the kind that has this measure.
    fn of(self, text: &str) -> Option<usize> {
        match self {
            Self::Characters => string(text).map(|string| string.chars().count()),
            Self::Items => Elements::of(text).map(Iterator::count),
            Self::Members => members(text).map(|members| members.len()),
        }
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Characters => ("string", "character"),
            Self::Items => ("array", "item"),
            Self::Members => ("object", "member"),
        }
    }
}

impl Types {
    const NAMES: [&'static str; 7] =
        ["string", "integer", "number", "boolean", "array", "object", "null"];

    /// Adds a type by its name; whether there is one of that name.
    pub(super) fn add(&mut self, name: &str) -> bool {
        let position = Self::NAMES.iter().position(|known| *known == name);
        self.0 |= position.map_or(0, |position| 1 << position);
        position.is_some()
    }

    /// The names of all types, for a message.
    pub(super) fn all_names() -> String {
        Self::NAMES.join(", ")
    }

    fn accept(self, text: &str) -> bool {
        let has = |position: u8| self.0 & (1 << position) != 0;
        match text.as_bytes().first() {
            Some(b'"') => has(0),
            Some(b't' | b'f') => has(3),
            Some(b'[') => has(4),
            Some(b'{') => has(5),
            Some(b'n') => has(6),
            _ => has(2) || (has(1) && is_whole(text)),
        }
    }

    fn names(self) -> impl Iterator<Item = &'static str> {
        let in_set = move |(position, _): &(usize, &&str)| self.0 & (1 << position) != 0;
        Self::NAMES.iter().enumerate().filter(in_set).map(|(_, name)| *name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(names: &[&str]) -> Types {
        let mut types = Types::default();
        for name in names {
            assert!(types.add(name));
        }
        types
    }

    #[test]
    fn each_type_accepts_its_own_values() {
        let values = [
            ("string", "\"1\""),
            ("integer", "1.0"),
            ("number", "1.5"),
            ("boolean", "false"),
            ("array", "[]"),
            ("object", "{}"),
            ("null", "null"),
        ];
        for (name, _) in values {
            for (own, text) in values {
                let expected = own == name || (name, own) == ("number", "integer");
                assert_eq!(types(&[name]).accept(text), expected, "{name} and {text}");
            }
        }
        assert!(types(&["null", "integer"]).accept("-3"));
        assert!(!Types::default().add("float"));
    }

    #[test]
    fn limits_are_exact_and_for_numbers_only() {
        let assertion = |relation, limit| Assertion::Limit(relation, Limit::read(limit).unwrap());
        let at_most = assertion(Relation::AtMost, "9007199254740992");
        assert!(at_most.holds("9007199254740992.0"));
        assert_eq!(
            at_most.failure("9007199254740993").to_string(),
            "must be at most 9007199254740992, and is 9007199254740993"
        );
        assert!(at_most.holds("\"x\""));
        let more = assertion(Relation::MoreThan, "0.5");
        assert!(!more.holds("0.5") && more.holds("0.51"));
    }

    #[test]
    fn sizes_count_characters_items_and_members() {
        let exactly = |measure, limit, text: &str| {
            [Relation::AtLeast, Relation::AtMost]
                .iter()
                .all(|relation| Assertion::Size(measure, *relation, limit).holds(text))
        };
        assert!(exactly(Measure::Characters, 3, r#""a\ud83d\ude00é""#));
        assert!(exactly(Measure::Items, 2, "[[1,2],3]"));
        assert!(exactly(Measure::Members, 1, r#"{"a":1,"a":2}"#));
        assert!(exactly(Measure::Items, 9, "\"no array\""));
        assert!(!exactly(Measure::Items, 1, "[]"));
    }
}
