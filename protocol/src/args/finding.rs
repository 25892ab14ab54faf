//! Mistakes as they are found, and the words they get when one of them is reported.

use std::cell::Cell;
use std::rc::Rc;

use super::ArgsError;
use super::assertion::Assertion;
use super::failure::ArgsFailure;
use super::schema::Node;
use crate::limits::CHECK_STEPS;
use crate::pointer::{join, pointer_to};

/// Findings that one error tells of.
const TOLD: usize = 256;

/// A mistake in the arguments. It holds what is needed to describe it and no words yet: most
/// findings are about alternatives that were not meant, and are dropped.
#[derive(Clone, Debug)]
pub(super) struct Finding<'s, 'a> {
    /// Where in the text it is.
    pub(super) at: usize,
    /// The value it is about, or the object that lacks the member.
    value: &'a str,
    cause: Cause<'s, 'a>,
}

/// What is wrong.
#[derive(Clone, Debug)]
pub(super) enum Cause<'s, 'a> {
    /// The value fails this.
    Rule(&'s Assertion),
    /// The member of that name is not there.
    Missing(&'s str),
    /// The value is a member that this node does not name.
    NotNamed(&'s Node),
    /// That many alternatives of a `oneOf` accept the value.
    Ambiguous(usize),
    /// It is nested too deep to be checked.
    TooDeep,
    /// Checking it takes too long.
    TooMuch,
    /// Each alternative has something else against the value.
    NoAlternative(Rc<[Finding<'s, 'a>]>),
}

impl<'s, 'a> Finding<'s, 'a> {
    /// A mistake of a value in the arguments `text`.
    pub(super) fn new(text: &str, value: &'a str, cause: Cause<'s, 'a>) -> Self {
        let start = value.as_ptr().addr() - text.as_ptr().addr();
        // What is missing belongs before the bracket that ends its object.
        let inside = if let Cause::Missing(_) = cause { value.len() - 1 } else { 0 };
        Self { at: start + inside, value, cause }
    }

    /// Whether both are about the same member.
    pub(super) fn is_about_same(&self, other: &Self) -> bool {
        let missing = |finding: &Self| match finding.cause {
            Cause::Missing(name) => Some(name),
            _ => None,
        };
        self.at == other.at && missing(self) == missing(other)
    }

    /// One finding for several about one member, each from its own alternative. Of very many only
    /// the first are kept, as no sentence has room for all.
    pub(super) fn merge(findings: &[Self]) -> Option<Self> {
        const AT_MOST: usize = 64;
        let mut distinct: Vec<Self> = Vec::new();
        for finding in findings {
            let parts = match &finding.cause {
                Cause::NoAlternative(parts)
                    if parts.iter().all(|part| part.is_about_same(finding)) =>
                {
                    parts
                }
                _ => std::slice::from_ref(finding),
            };
            for part in parts {
                let has_room = distinct.len() < AT_MOST;
                if has_room && !distinct.iter().any(|known| known.is_same(part)) {
                    distinct.push(part.clone());
                }
            }
        }
        let first = distinct.first()?.clone();
        if distinct.len() == 1 {
            return Some(first);
        }
        Some(Self { cause: Cause::NoAlternative(distinct.into()), ..first })
    }

    /// The finding as the error a caller gets.
    pub(super) fn to_error(&self, text: &str) -> ArgsError {
        ArgsError {
            pointer: self.pointer(text),
            message: self.failure(text, &Cell::new(TOLD)).to_string(),
        }
    }

    fn pointer(&self, text: &str) -> String {
        let pointer = pointer_to(self.value, text);
        match self.cause {
            Cause::Missing(name) => join(&pointer, name),
            _ => pointer,
        }
    }

    /// The words for it. Of findings in findings so many are told as are `left`: some may stand in
    /// it again and again.
    fn failure(&self, text: &str, left: &Cell<usize>) -> ArgsFailure {
        match &self.cause {
            Cause::Rule(rule) => rule.failure(self.value),
            Cause::Missing(_) => ArgsFailure::missing(),
            Cause::NotNamed(node) => {
                ArgsFailure::not_allowed(node.properties.keys().map(String::as_str))
            }
            Cause::Ambiguous(matching) => ArgsFailure::ambiguous(Some(*matching)),
            Cause::TooDeep => ArgsFailure::sentence("nests too deep for its schema to be checked"),
            Cause::TooMuch => ArgsFailure::sentence(format!(
                "take more than {CHECK_STEPS} steps to check against the schema"
            )),
            Cause::NoAlternative(findings) => {
                let told = findings.len().min(left.get());
                left.set(left.get() - told);
                let findings = &findings[..told];
                if findings.iter().all(|finding| finding.is_about_same(self)) {
                    let failures: Vec<_> =
                        findings.iter().map(|one| one.failure(text, left)).collect();
                    return ArgsFailure::join(&failures);
                }
                let describe =
                    |one: &Self| format!("{}: {}", one.pointer(text), one.failure(text, left));
                ArgsFailure::list_alternatives(findings.iter().map(describe))
            }
        }
    }

    /// Whether both say the same of the same member, told without spelling it out.
    fn is_same(&self, other: &Self) -> bool {
        self.is_about_same(other)
            && match (&self.cause, &other.cause) {
                (Cause::Rule(one), Cause::Rule(other)) => std::ptr::eq(*one, *other),
                (Cause::Missing(_), Cause::Missing(_))
                | (Cause::TooDeep, Cause::TooDeep)
                | (Cause::TooMuch, Cause::TooMuch) => true,
                (Cause::NotNamed(one), Cause::NotNamed(other)) => std::ptr::eq(*one, *other),
                (Cause::Ambiguous(one), Cause::Ambiguous(other)) => one == other,
                (Cause::NoAlternative(one), Cause::NoAlternative(other)) => Rc::ptr_eq(one, other),
                _ => false,
            }
    }
}
