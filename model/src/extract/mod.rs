//! Tool calls in the text of a model.

mod arguments;
mod body;
mod code;
mod extractor;
mod json_call;
mod marked;
mod parameters;
mod python;
mod quoted;
mod react;
mod tokens;

use extline_json::{RawJson, RawJsonError};

use crate::repair::Fix;

pub use extractor::{Extractor, Part};

/// A tool that the model was offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// Its name, as the model was told it.
    pub name: String,
    /// The JSON Schema of its arguments, where families write them without types: whether `12` is a
    /// number or a text is read from `properties.NAME.type`. Without it what is JSON, and no string, is
    /// taken as JSON.
    pub schema: Option<RawJson>,
}

impl Offered {
    /// A tool with the JSON text of the schema of its arguments.
    pub fn with_schema(name: impl Into<String>, schema: &str) -> Result<Self, RawJsonError> {
        Ok(Self { name: name.into(), schema: Some(RawJson::parse(schema)?) })
    }
}

impl<T: Into<String>> From<T> for Offered {
    fn from(name: T) -> Self {
        Self { name: name.into(), schema: None }
    }
}

/// How a call was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Envelope {
    /// `<tool_call>{"name": .., "arguments": ..}</tool_call>`: Hermes, Qwen 2.5 and 3, Granite 4.
    Hermes,
    /// `<function=NAME><parameter=KEY>..`: Qwen3-Coder.
    QwenCoder,
    /// `<|python_tag|>` of Llama 3, `<function=NAME>{..}</function>`, and `[name(key=value)]` of Llama 4.
    Llama,
    /// `[TOOL_CALLS]`.
    Mistral,
    /// `<｜tool▁call▁begin｜>`, and the tags of version 3.2.
    DeepSeek,
    /// `>>>NAME` and JSON on the next line.
    Functionary,
    /// `<|tool_call|>[..]`.
    Granite,
    /// `<|tool_call>call:NAME{..}`, `<start_function_call>`, and code fences labelled `tool_code`.
    Gemma,
    /// `<invoke name="NAME"><parameter name="KEY">..`.
    Claude,
    /// `<tool_call>NAME<arg_key>..`.
    Glm,
    /// `<|tool_call_begin|>functions.NAME:0`.
    Kimi,
    /// `to=functions.NAME` in a header of gpt-oss.
    Harmony,
    /// `Action: NAME` and `Action Input: {..}`.
    ReAct,
    /// `<tool_calls>[..]</tool_calls>`.
    Tagged,
    /// JSON in a code fence.
    Fenced,
    /// An object or array on lines of its own.
    Bare,
}

impl Envelope {
    /// Its name in JSON and in the bindings: `qwen_coder`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hermes => "hermes",
            Self::QwenCoder => "qwen_coder",
            Self::Llama => "llama",
            Self::Mistral => "mistral",
            Self::DeepSeek => "deepseek",
            Self::Functionary => "functionary",
            Self::Granite => "granite",
            Self::Gemma => "gemma",
            Self::Claude => "claude",
            Self::Glm => "glm",
            Self::Kimi => "kimi",
            Self::Harmony => "harmony",
            Self::ReAct => "react",
            Self::Tagged => "tagged",
            Self::Fenced => "fenced",
            Self::Bare => "bare",
        }
    }
}

/// A call that stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Call {
    /// The tool; one of those that were offered.
    pub name: String,
    /// Its arguments, an object.
    pub arguments: RawJson,
    /// The id that the model gave it, where it did.
    pub id: Option<String>,
    /// How it was written.
    pub envelope: Envelope,
    /// Where its envelope begins in the text, in bytes. Calls of one envelope have the same.
    pub start: usize,
    /// Where its envelope ends.
    pub end: usize,
    /// What was repaired of its JSON; places are counted from the beginning of that JSON.
    pub fixes: Vec<Fix>,
    /// Whether the text ended before its arguments did: what is there may be the half of what was
    /// meant. A caller refuses such a call of a tool that is not read-only.
    pub truncated: bool,
}

/// What looks like a call by its marks and is none. It stays in the remaining text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// How it was written.
    pub envelope: Envelope,
    /// Where it begins in the text, in bytes.
    pub start: usize,
    /// What is wrong: a sentence that can go back to the model.
    pub reason: String,
}

/// What was found in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Extracted {
    /// The calls, in the order of the text.
    pub calls: Vec<Call>,
    /// The text without them, and without white space around it.
    pub remaining: String,
    /// How the first call was written.
    pub envelope: Option<Envelope>,
    /// Whether the JSON of a call was repaired.
    pub repaired: bool,
    /// Whether a call was cut off ([`Call::truncated`]).
    pub truncated: bool,
    /// What looks like a call and is none.
    pub refused: Vec<Refused>,
}

/// Finds the calls in a text.
///
/// Only calls of offered tools are found, in the order of the text. Reasoning (`<think>`), code fences
/// of other languages and inline code are passed over: what stands there is spoken of, not called. JSON
/// without marks is a call only where it stands in a fence or on lines of its own and has a name that
/// is offered beside arguments. Where the prompt ended in `<think>`, give it with the text.
///
/// ```
/// use extline_model::{Envelope, extract};
///
/// let text = "I look.\n<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}</tool_call>";
/// let found = extract(text, &["read".into()]);
/// assert_eq!(found.calls[0].name, "read");
/// assert_eq!(found.calls[0].arguments.get(), r#"{"path":"a"}"#.replace(':', ": "));
/// assert_eq!(found.envelope, Some(Envelope::Hermes));
/// assert_eq!(found.remaining, "I look.");
/// ```
pub fn extract(text: &str, offered: &[Offered]) -> Extracted {
    let mut extractor = Extractor::new(offered.to_vec());
    extractor.push(text);
    extractor.finish().1
}

#[cfg(test)]
mod tests;
