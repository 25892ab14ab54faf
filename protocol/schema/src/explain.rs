//! jsonschema's errors as violations: the offending member itself, in the words of the SDKs.

use extline_protocol::pointer::join;
use extline_protocol::{ArgsFailure, Members, RawJson};
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use crate::Violation;
use crate::place::follow;

/// How many of the errors about one value are looked at. Each costs a walk to its place in the
/// text, and there can be as many as elements in a list.
const ERRORS: usize = 100;

/// One mistake, and where in the text it is.
#[derive(Debug)]
struct Finding {
    at: usize,
    pointer: String,
    failure: ArgsFailure,
}

/// The first of these errors in the text of the arguments.
pub(crate) fn violation<'e>(
    errors: impl Iterator<Item = ValidationError<'e>>,
    args: &RawJson,
) -> Violation {
    match first(errors.take(ERRORS).flat_map(|error| findings(&error, args.get()))) {
        Some(Finding { pointer, failure, .. }) => {
            Violation { pointer, message: failure.to_string() }
        }
        None => Violation::unexplained(),
    }
}

/// All of these errors, in the order of the text, of those about one place the first.
pub(crate) fn violations<'e>(
    errors: impl Iterator<Item = ValidationError<'e>>,
    args: &RawJson,
) -> Vec<Violation> {
    let mut found: Vec<_> =
        errors.take(ERRORS).flat_map(|error| findings(&error, args.get())).collect();
    found.sort_by_key(|finding| finding.at);
    let mut violations: Vec<Violation> = Vec::new();
    for Finding { pointer, failure, .. } in found {
        if violations.iter().all(|other| other.pointer != pointer) {
            violations.push(Violation { pointer, message: failure.to_string() });
        }
    }
    violations
}

/// Of two findings at one place the one jsonschema names first, in the order of its keywords.
fn first(findings: impl Iterator<Item = Finding>) -> Option<Finding> {
    findings.min_by_key(|finding| finding.at)
}

/// The mistakes an error names: one for each member that should not be there, else one.
fn findings(error: &ValidationError<'_>, args: &str) -> Vec<Finding> {
    let pointer = error.instance_path().as_str();
    let at_members = |names: &[String], failure: &dyn Fn() -> ArgsFailure| {
        names
            .iter()
            .take(ERRORS)
            .map(|name| finding(join(pointer, name), args, |_| failure()))
            .collect()
    };
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            at_members(unexpected, &|| ArgsFailure::not_allowed([]))
        }
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default().to_owned();
            at_members(&[name], &ArgsFailure::missing)
        }
        Kind::AdditionalItems { limit } => {
            at_members(&[limit.to_string()], &|| ArgsFailure::not_allowed([]))
        }
        Kind::PropertyNames { error } => {
            let name = error.instance();
            let failure = failure(error, &name.to_string());
            let failure = || ArgsFailure::sentence(format!("the name {failure}"));
            at_members(&[name.as_str().unwrap_or_default().to_owned()], &failure)
        }
        Kind::FalseSchema if forbids_all_members(error) => {
            let object = follow(args, pointer).value.and_then(Members::of);
            let names = object.iter().flat_map(Members::iter).map(|member| member.key().into());
            at_members(&names.collect::<Vec<_>>(), &|| ArgsFailure::not_allowed([]))
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            vec![nearest_branch(context, pointer, args)]
        }
        _ => vec![finding(pointer.to_owned(), args, |found| failure(error, found))],
    }
}

/// Where `additionalProperties: false` stands without `properties`, jsonschema names the object
/// and not its members.
fn forbids_all_members(error: &ValidationError<'_>) -> bool {
    const KEYWORD: &str = "/additionalProperties";
    error.schema_path().as_str().ends_with(KEYWORD)
        && !error.instance_path().as_str().ends_with(KEYWORD)
}

/// What is wrong with a value that no alternative accepts: the mistake in the alternative that
/// got furthest in the text, if there is one.
fn nearest_branch(
    branches: &[Vec<ValidationError<'static>>],
    pointer: &str,
    args: &str,
) -> Finding {
    let mut nearest: Vec<Finding> = Vec::new();
    for errors in branches {
        let errors = errors.iter().take(ERRORS);
        let Some(found) = first(errors.flat_map(|error| findings(error, args))) else { continue };
        let furthest = nearest.first().map_or(0, |finding| finding.at);
        if found.at > furthest {
            nearest.clear();
        }
        if found.at >= furthest {
            nearest.push(found);
        }
    }
    let same_member = |finding: &Finding| finding.pointer == nearest[0].pointer;
    if !nearest.is_empty() && nearest.iter().all(same_member) {
        let Finding { at, ref pointer, .. } = nearest[0];
        let pointer = pointer.clone();
        let failures: Vec<_> = nearest.into_iter().map(|finding| finding.failure).collect();
        return Finding { at, pointer, failure: ArgsFailure::join(&failures) };
    }
    let texts = nearest.iter().map(|finding| format!("{}: {}", finding.pointer, finding.failure));
    finding(pointer.to_owned(), args, |_| ArgsFailure::list_alternatives(texts))
}

fn finding(pointer: String, args: &str, failure: impl FnOnce(&str) -> ArgsFailure) -> Finding {
    let place = follow(args, &pointer);
    Finding { at: place.at, failure: failure(place.value.unwrap_or_default()), pointer }
}

/// The words for an error about the value `found`, in JSON.
fn failure(error: &ValidationError<'_>, found: &str) -> ArgsFailure {
    match error.kind() {
        Kind::Type { kind: TypeKind::Single(one) } => ArgsFailure::types([one.as_str()], found),
        Kind::Type { kind: TypeKind::Multiple(types) } => {
            ArgsFailure::types(types.iter().map(JsonType::as_str).collect::<Vec<_>>(), found)
        }
        Kind::Constant { expected_value } => {
            ArgsFailure::values(&[expected_value.to_string()], found)
        }
        Kind::Enum { options } => {
            let options = options.as_array().into_iter().flatten().map(Value::to_string);
            ArgsFailure::values(&options.collect::<Vec<_>>(), found)
        }
        Kind::Minimum { limit } => ArgsFailure::limit("at least", &limit.to_string(), found),
        Kind::Maximum { limit } => ArgsFailure::limit("at most", &limit.to_string(), found),
        Kind::ExclusiveMinimum { limit } => {
            ArgsFailure::limit("more than", &limit.to_string(), found)
        }
        Kind::ExclusiveMaximum { limit } => {
            ArgsFailure::limit("less than", &limit.to_string(), found)
        }
        Kind::MinLength { limit } | Kind::MaxLength { limit } => {
            size(error, "string", *limit, "character")
        }
        Kind::MinItems { limit } | Kind::MaxItems { limit } => size(error, "array", *limit, "item"),
        Kind::MinProperties { limit } | Kind::MaxProperties { limit } => {
            size(error, "object", *limit, "member")
        }
        Kind::FalseSchema => ArgsFailure::not_allowed([]),
        Kind::OneOfMultipleValid { .. } => ArgsFailure::ambiguous(None),
        Kind::Pattern { pattern } => {
            ArgsFailure::must_be(format!("a string that matches {pattern}"), found)
        }
        Kind::Format { format } => ArgsFailure::must_be(format!("a valid {format}"), found),
        Kind::MultipleOf { multiple_of } => {
            ArgsFailure::must_be(format!("a multiple of {multiple_of}"), found)
        }
        Kind::UniqueItems => ArgsFailure::must_be("an array without equal items", found),
        Kind::Contains => {
            ArgsFailure::must_be("an array with the items that `contains` wants", found)
        }
        Kind::UnevaluatedItems { unexpected } => {
            let extra = unexpected.join(", ");
            ArgsFailure::must_be(format!("an array without the items {extra}"), found)
        }
        Kind::Not { schema } => ArgsFailure::must_be(format!("anything but {schema}"), found),
        _ => ArgsFailure::sentence(error.to_string()),
    }
}

fn size(error: &ValidationError<'_>, kind: &str, limit: u64, unit: &str) -> ArgsFailure {
    let found = match error.instance().as_ref() {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    };
    let relation = if error.kind().keyword().starts_with("min") { "at least" } else { "at most" };
    ArgsFailure::size(kind, relation, limit, unit, found)
}
