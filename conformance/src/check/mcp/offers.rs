//! What a server offers beside tools: templates of resources, and completions.

use serde_json::Value;

use super::{each, quoted, results_of};
use crate::check::{Observed, Outcome};

/// So many values a completion has at most.
const MOST: usize = 100;

/// Each template has the URI that it makes others from, and a name.
pub(super) fn templates(observed: &Observed<'_>) -> Outcome {
    let lists = results_of(observed, "resources/templates/list");
    let templates: Vec<_> = lists
        .into_iter()
        .flat_map(|(record, _, result)| {
            let templates = result["resourceTemplates"].as_array();
            templates.into_iter().flatten().map(move |template| (record, template))
        })
        .collect();
    each(&templates, |(record, template)| {
        let uri = template["uriTemplate"].as_str();
        let missing = if uri.is_none() {
            "uriTemplate that is a text"
        } else if uri.is_some_and(|uri| uri.matches('{').count() != uri.matches('}').count()) {
            "uriTemplate whose braces match"
        } else if !template["name"].is_string() {
            "name that is a text"
        } else {
            return None;
        };
        Some((
            *record,
            format!("a template without a {missing}: {}", quoted(&template.to_string())),
        ))
    })
}

/// A completion is a list of at most a hundred texts.
pub(super) fn completions(observed: &Observed<'_>) -> Outcome {
    each(&results_of(observed, "completion/complete"), |(record, _, result)| {
        let values = &result["completion"]["values"];
        let why = match values.as_array() {
            None => "the result has no completion.values that are a list".to_owned(),
            Some(values) if !values.iter().all(Value::is_string) => {
                "not all values of a completion are texts".to_owned()
            }
            Some(values) if values.len() > MOST => {
                format!("a completion has {} values", values.len())
            }
            Some(_) => return None,
        };
        Some((*record, format!("{why}: {}", quoted(&result.to_string()))))
    })
}
