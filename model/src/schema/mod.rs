//! A tool's schema as each provider takes it.

mod defaults;
mod describe;
mod google;
mod merge;
mod note;
mod nulls;
mod openai;
mod provider;
mod render;
mod tree;

use extline_json::{RawJson, depth};

use self::render::{Place, Renderer, fail};
use self::tree::Json;
use crate::repair::MAX_DEPTH;

pub use defaults::with_defaults;
pub use describe::with_descriptions;
pub use note::{Note, NoteKind, Reason, Unrenderable};
pub use nulls::without_nulls;
pub use provider::Provider;

/// A schema that a provider takes, and what was changed for that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The schema; its bytes grow with those of what was given, and are the same for the same.
    pub schema: RawJson,
    /// Every change; empty where the schema says what it said before.
    pub notes: Vec<Note>,
}

/// The schema of a tool's arguments as a provider takes it, or why it cannot be given to it.
///
/// References are written out where the provider takes none, as long as that adds no more than twice the bytes
/// of the schema. What was rendered is rendered as itself again. Checks that the model does not see any more
/// stay the host's: it holds the arguments to the schema that was registered.
///
/// ```
/// use extline_model::{Provider, RawJson, schema_for};
///
/// let schema = RawJson::parse(r#"{"type":"object","properties":{"city":{"type":"string","format":"uri"}}}"#)?;
/// let rendered = schema_for(Provider::Google, &schema)?;
/// assert_eq!(rendered.schema.get(), r#"{"type":"object","properties":{"city":{"type":"string"}}}"#);
/// assert_eq!(rendered.notes[0].pointer, "/properties/city/format");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn schema_for(provider: Provider, schema: &RawJson) -> Result<Rendered, Unrenderable> {
    if depth(schema.get()) > MAX_DEPTH {
        let text = format!("values are nested more than {MAX_DEPTH} deep; make it flatter");
        return Err(fail(Reason::TooDeep, "", text));
    }
    let root = Json::of(schema.get());
    let mut making = Renderer::new(provider, &root, schema.get().len());
    let mut made = making.root()?;
    let place = Place { pointer: "", depth: 0, level: 0 };
    match provider {
        Provider::OpenAi => made = making.openai(made, place)?,
        Provider::Google => made = making.google(made, place)?,
        // Below the root they take all: Anthropic what is valid in draft 2020-12, Mistral in draft 7.
        Provider::Anthropic | Provider::Mistral => {}
    }
    if matches!(provider, Provider::OpenAi | Provider::Google) {
        making.tell_unused();
    }
    let is_as_it_was = root.as_object() == Some(&made);
    let made =
        if is_as_it_was { schema.clone() } else { RawJson::of_part(&Json::Object(made).write()) };
    Ok(Rendered { schema: made, notes: making.notes })
}

/// Whether a provider takes a tool of that name.
pub fn check_name(provider: Provider, name: &str) -> Result<(), Unrenderable> {
    if provider.takes_name(name) {
        return Ok(());
    }
    let text = format!("{provider} takes no tool called {name:?}: a name is {}", provider.names());
    Err(fail(Reason::Name, "", text))
}

#[cfg(test)]
mod tests;
