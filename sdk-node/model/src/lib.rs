//! The native half of `extline/model`: what `extline-model` finds, for JavaScript.
//!
//! It is a module of its own so that an extension loads none of it. Values cross as JSON text.

#![expect(
    clippy::needless_pass_by_value,
    reason = "napi hands over owned strings as they are in JavaScript"
)]

mod found;

use extline_model::{Extractor, Offered, Provider, RawJson};
use napi::{Error, Result};
use napi_derive::napi;

use found::{ExtractedParts, PartParts, RefusalParts, RenderedParts, RepairedParts};

/// A tool that the model was offered.
#[napi(object)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// The schema of its arguments, as JSON.
    pub schema: Option<String>,
}

/// The last parts of a text, and all that was found in it.
#[napi(object)]
pub struct Finished {
    /// The parts.
    pub parts: Vec<PartParts>,
    /// All of it.
    pub found: ExtractedParts,
}

/// What was made of it: one of the two.
#[napi(object)]
pub struct RepairOutcome {
    /// The value.
    pub repaired: Option<RepairedParts>,
    /// Why there is none.
    pub refusal: Option<RefusalParts>,
}

/// What was made of it: one of the two.
#[napi(object)]
pub struct RenderOutcome {
    /// The schema.
    pub rendered: Option<RenderedParts>,
    /// Why there is none.
    pub refusal: Option<RefusalParts>,
}

/// Mends a text.
#[napi(catch_unwind)]
pub fn repair(text: String) -> RepairOutcome {
    match extline_model::repair(&text) {
        Ok(it) => RepairOutcome { repaired: Some(found::repaired(it)), refusal: None },
        Err(error) => RepairOutcome { repaired: None, refusal: Some(found::unrepaired(&error)) },
    }
}

/// Finds the calls in a text that is there as a whole.
#[napi(catch_unwind)]
pub fn extract(text: String, offered: Vec<Tool>) -> Result<ExtractedParts> {
    Ok(found::extracted(extline_model::extract(&text, &offers(offered)?)))
}

/// Renders a schema, as JSON, for a provider; where a name is given, it is checked first.
#[napi(catch_unwind)]
pub fn schema_for(provider: String, schema: String, name: Option<String>) -> Result<RenderOutcome> {
    let provider = Provider::of_id(&provider)
        .ok_or_else(|| Error::from_reason(format!("there is no provider {provider}")))?;
    let schema = json(&schema)?;
    let checked = name.map_or(Ok(()), |name| extline_model::check_name(provider, &name));
    let rendered = checked.and_then(|()| extline_model::schema_for(provider, &schema));
    Ok(match rendered {
        Ok(it) => RenderOutcome { rendered: Some(found::rendered(it)), refusal: None },
        Err(error) => RenderOutcome { rendered: None, refusal: Some(found::unrendered(&error)) },
    })
}

/// Takes those members of arguments off that are null and may be left out, both as JSON.
#[napi(catch_unwind)]
pub fn without_nulls(schema: String, args: String) -> Result<String> {
    Ok(extline_model::without_nulls(&json(&schema)?, &json(&args)?).into_string())
}

/// Finds calls in a text that comes in pieces.
#[napi]
pub struct Extracting(Option<Extractor>);

#[napi]
impl Extracting {
    /// Looks for calls of these tools.
    #[napi(constructor, catch_unwind)]
    pub fn new(offered: Vec<Tool>) -> Result<Self> {
        Ok(Self(Some(Extractor::new(offers(offered)?))))
    }

    /// Takes the next piece; nothing once the text has ended.
    #[napi(catch_unwind)]
    pub fn push(&mut self, piece: String) -> Option<Vec<PartParts>> {
        self.0.as_mut().map(|it| found::parts(it.push(&piece)))
    }

    /// The text has ended; nothing if it had before.
    #[napi(catch_unwind)]
    pub fn finish(&mut self) -> Option<Finished> {
        let (parts, found) = self.0.take()?.finish();
        Some(Finished { parts: found::parts(parts), found: found::extracted(found) })
    }
}

fn offers(offered: Vec<Tool>) -> Result<Vec<Offered>> {
    let tool = |Tool { name, schema }| match schema {
        Some(schema) => Offered::with_schema(name, &schema)
            .map_err(|error| Error::from_reason(error.to_string())),
        None => Ok(Offered::from(name)),
    };
    offered.into_iter().map(tool).collect()
}

fn json(text: &str) -> Result<RawJson> {
    RawJson::parse(text).map_err(|error| Error::from_reason(error.to_string()))
}
