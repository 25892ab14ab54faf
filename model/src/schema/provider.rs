//! What each provider's interface takes of JSON Schema. Everything here was looked up in November 2026.

use std::fmt;

/// Whose interface a schema is rendered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Provider {
    /// OpenAI with `"strict": true`, in both of its interfaces.
    OpenAi,
    /// Anthropic's Messages, without `strict`.
    Anthropic,
    /// Google's function declarations, `parameters`: Gemini API and Vertex AI.
    Google,
    /// Mistral's chat.
    Mistral,
}

impl Provider {
    /// All there are.
    pub const ALL: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Google, Self::Mistral];

    /// As it is written on a command line and in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Google => "google",
            Self::Mistral => "mistral",
        }
    }

    /// The provider of that id.
    pub fn of_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.id() == id)
    }

    /// As its makers write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "OpenAI strict",
            Self::Anthropic => "Anthropic",
            Self::Google => "Google",
            Self::Mistral => "Mistral",
        }
    }

    /// Where what is done for it is known from: addresses.
    pub fn sources(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi => &[
                "https://developers.openai.com/api/docs/guides/structured-outputs",
                "https://jsonschemaprofiles.unitvectorylabs.com/schemas/openai",
                "https://github.com/openai/openai-python/blob/main/src/openai/lib/_pydantic.py",
                "https://github.com/cyanheads/git-mcp-server/issues/47",
                "https://github.com/ai-dynamo/dynamo/pull/15153",
            ],
            Self::Anthropic => &[
                "https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools",
                "https://github.com/anthropics/claude-code/issues/88049",
                "https://github.com/freee/freee-mcp/issues/15",
                "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html",
            ],
            Self::Google => &[
                "https://docs.cloud.google.com/nodejs/docs/reference/generativelanguage/latest/generativelanguage/protos.google.ai.generativelanguage.v1beta.ischema",
                "https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration",
                "https://github.com/google-gemini/gemini-cli/issues/3178",
                "https://github.com/decolua/9router/issues/359",
                "https://github.com/anomalyco/opencode/issues/14700",
                "https://github.com/taylorwilsdon/google_workspace_mcp/issues/1099",
                "https://github.com/goruck/home-generative-agent/pull/525",
                "https://github.com/UKGovernmentBEIS/inspect_ai/pull/3097",
            ],
            Self::Mistral => &[
                "https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py",
            ],
        }
    }

    /// Whether a tool's name passes, see [`Provider::names`].
    pub(super) fn takes_name(self, name: &str) -> bool {
        let is_google = self == Self::Google;
        let is_taken = |it: char| {
            it.is_ascii_alphanumeric()
                || matches!(it, '_' | '-')
                || (is_google && matches!(it, '.' | ':'))
        };
        let begins = !is_google || begins_as_a_word(name);
        (1..=64).contains(&name.len()) && name.chars().all(is_taken) && begins
    }

    /// What names of tools may be. Anthropic itself takes 128 characters, through Amazon Bedrock 64.
    pub(super) fn names(self) -> &'static str {
        match self {
            Self::Google => "1 to 64 of A-Z a-z 0-9 _ . : -, and begins with a letter or _",
            _ => "1 to 64 of A-Z a-z 0-9 _ -",
        }
    }

    /// What names of arguments may be, at the root.
    pub(super) fn properties(self) -> &'static str {
        match self {
            Self::Google => "1 to 64 of A-Z a-z 0-9 _, and begins with a letter or _",
            _ => "1 to 64 of A-Z a-z 0-9 _ . -",
        }
    }

    /// Whether the name of an argument passes.
    pub(super) fn takes_property(self, name: &str) -> bool {
        let is_short = (1..=64).contains(&name.len());
        match self {
            Self::Anthropic => {
                let is_plain =
                    |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '.' | '-');
                is_short && name.chars().all(is_plain)
            }
            Self::Google => {
                let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '_';
                is_short && name.chars().all(is_plain) && begins_as_a_word(name)
            }
            Self::OpenAi | Self::Mistral => true,
        }
    }

    /// The keywords that may stand in a schema, where not all may.
    pub(super) fn keywords(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi => &OPENAI,
            Self::Google => &GOOGLE,
            Self::Anthropic | Self::Mistral => &[],
        }
    }

    /// Whether a `format` passes for a value of that type.
    pub(super) fn takes_format(self, kind: &str, format: &str) -> bool {
        match (self, kind) {
            (Self::OpenAi, "string") => OPENAI_FORMATS.contains(&format),
            // Vertex AI takes more for strings; the Gemini API refuses the whole request.
            (Self::Google, "string") => matches!(format, "enum" | "date-time"),
            (Self::Google, "number") => matches!(format, "float" | "double"),
            (Self::Google, "integer") => matches!(format, "int32" | "int64"),
            (Self::OpenAi | Self::Google, _) => false,
            (Self::Anthropic | Self::Mistral, _) => true,
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

fn begins_as_a_word(name: &str) -> bool {
    name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
}

/// "Supported schemas" of the guide, and the keywords that its own SDK writes.
const OPENAI: [&str; 22] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "anyOf",
    "enum",
    "const",
    "$ref",
    "$defs",
    "definitions",
    "title",
    "description",
    "pattern",
    "format",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
];

const OPENAI_FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// The fields of `Schema`; any other name is refused ("Unknown name").
const GOOGLE: [&str; 22] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "default",
    "items",
    "minItems",
    "maxItems",
    "enum",
    "properties",
    "propertyOrdering",
    "required",
    "minProperties",
    "maxProperties",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "anyOf",
];

/// The limits of OpenAI's strict mode, over a whole schema.
pub(super) const OPENAI_PROPERTIES: usize = 5_000;
pub(super) const OPENAI_LEVELS: usize = 10;
/// Characters of names, enums and constants together.
pub(super) const OPENAI_CHARACTERS: usize = 120_000;
pub(super) const OPENAI_ENUM_VALUES: usize = 1_000;
/// More values than these in one enum of strings may have so many characters together.
pub(super) const OPENAI_LONG_ENUM: (usize, usize) = (250, 15_000);
