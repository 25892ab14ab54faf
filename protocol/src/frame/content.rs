//! What a tool answers: blocks of content, the error, the effects.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Value, json};

use super::object::{described, object};
use super::rpc::RpcError;
use crate::args::ArgsError;
use crate::base64;
use crate::error_kind::ErrorKind;
use crate::json::{Field, FieldError, Members, RawJson, read_member, read_string, write_string};
use crate::name::cut_name;
use crate::word::words;

/// One block of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Text for the model.
    Text(String),
    /// An image for the model.
    Image {
        /// The media type, as `image/png`.
        mime_type: String,
        /// The bytes in standard, padded base64.
        data: String,
    },
    /// A block of a type that this version does not know, or a text with a `format`, whole:
    /// [`Content::plain`] has the text.
    Other(RawJson),
    /// Text for the model that is a JSON string already, with its quotes and escapes: it is written as
    /// it stands. A result that is read has [`Content::Text`] in its place.
    TextJson(RawJson),
}

impl Content {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// An image block from the bytes of a file of that media type.
    pub fn image(bytes: &[u8], mime_type: impl Into<String>) -> Self {
        Self::Image { mime_type: mime_type.into(), data: base64::encode(bytes) }
    }

    /// Text for the model that a person is shown as Markdown, by a host that does that; others show it
    /// as it stands (`tool.format`).
    pub fn markdown(text: &str) -> Self {
        let mut block = b"{\"type\":\"text\",\"text\":".to_vec();
        write_string(text, &mut block);
        block.extend_from_slice(b",\"format\":\"markdown\"}");
        Self::Other(RawJson::of_repaired(&String::from_utf8_lossy(&block)))
    }

    /// Its text, where it is a block of text, whatever its format.
    pub fn plain(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::TextJson(text) => read_string(text.get()),
            Self::Other(raw) => {
                let members = Members::of(raw.get())?;
                if read_string(members.last("type")?.value)? != "text" {
                    return None;
                }
                let text = members.last("text").map_or("\"\"", |text| text.value);
                Some(Cow::Owned(read_string(text)?.into_owned()))
            }
            Self::Image { .. } => None,
        }
    }

    /// The format of a text, as `markdown`, where it has one.
    pub fn format(&self) -> Option<String> {
        let Self::Other(raw) = self else { return None };
        let members = Members::of(raw.get())?;
        self.plain()?;
        read_string(members.last("format")?.value).map(Cow::into_owned)
    }

    /// How many bytes its text or its data have, unescaped.
    pub(crate) fn plain_bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Image { mime_type, data } => mime_type.len() + data.len(),
            Self::Other(raw) | Self::TextJson(raw) => raw.get().len(),
        }
    }

    /// The text of an answer: every block of text, a line break between two.
    pub fn joined(blocks: &[Self]) -> String {
        let mut joined = String::new();
        for (position, text) in blocks.iter().filter_map(Self::plain).enumerate() {
            if position > 0 {
                joined.push('\n');
            }
            joined.push_str(&text);
        }
        joined
    }
}

impl Field for Content {
    fn read(raw: &str) -> Result<Self, FieldError> {
        let members =
            Members::of_valid(raw).ok_or_else(|| FieldError::unexpected("an object", raw))?;
        let string = |name: &str| match members.last(name) {
            Some(member) => read_member::<String>(name, member.value),
            None => Ok(None),
        };
        match string("type")?.as_deref() {
            // A zot's own SDK leaves the key of an empty text out.
            Some("text") => {
                let text = string("text")?.unwrap_or_default();
                let is_plain = members.last("format").is_none();
                Ok(if is_plain { Self::Text(text) } else { Self::Other(RawJson::of_repaired(raw)) })
            }
            Some("image") => Ok(Self::Image {
                mime_type: string("mime_type")?.unwrap_or_default(),
                data: string("data")?.unwrap_or_default(),
            }),
            _ => Ok(Self::Other(RawJson::of_repaired(raw))),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Text(text) => {
                out.extend_from_slice(b"{\"type\":\"text\",\"text\":");
                text.write(out);
                out.push(b'}');
            }
            Self::Image { mime_type, data } => {
                out.extend_from_slice(b"{\"type\":\"image\",\"mime_type\":");
                mime_type.write(out);
                out.extend_from_slice(b",\"data\":");
                data.write(out);
                out.push(b'}');
            }
            Self::Other(raw) => raw.write(out),
            Self::TextJson(string) => {
                out.extend_from_slice(b"{\"type\":\"text\",\"text\":");
                string.write(out);
                out.push(b'}');
            }
        }
    }

    fn depth(&self) -> usize {
        match self {
            Self::Text(_) | Self::Image { .. } | Self::TextJson(_) => 1,
            Self::Other(raw) => raw.depth(),
        }
    }

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {"type": {"type": "string", "examples": ["text", "image"]}},
            "required": ["type"],
            "allOf": [
                {
                    "if": {"properties": {"type": {"const": "text"}}},
                    "then": {
                        "properties": {
                            "text": described(String::schema(), &["Text for the model."]),
                            "format": described(String::schema(), &["How a person is shown it: `markdown`, or plain."])
                        }
                    }
                },
                {
                    "if": {"properties": {"type": {"const": "image"}}},
                    "then": {
                        "properties": {
                            "mime_type": described(String::schema(), &["The media type."]),
                            "data": described(String::schema(), &["Standard base64, padded."])
                        },
                        "required": ["mime_type", "data"]
                    }
                }
            ]
        })
    }
}

object! {
    /// Why a call failed, beyond the text that every host shows (`tool.error`).
    pub struct ErrorInfo {
        /// What kind of failure it is.
        required kind: ErrorKind,
        /// What happened, for a person.
        required message: String,
        /// JSON pointer of the offending member of the args itself: a missing city is `/city`.
        optional field: String,
        /// What to do about it.
        optional hint: String,
        /// What led to it, outermost first.
        optional causes: Vec<String>,
        /// How long to wait before trying again, in milliseconds.
        optional retry_after_ms: u64,
    }
}

impl ErrorInfo {
    /// An error with a kind and a message only.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            field: None,
            hint: None,
            causes: None,
            retry_after_ms: None,
        }
    }

    /// There is no tool of that name.
    pub fn unknown_tool(name: &str) -> Self {
        Self::new(ErrorKind::NotFound, format!("unknown tool {}", cut_name(name)))
    }

    /// Arguments that are not what the tool takes: `pointer` leads to the offending member, and is
    /// empty for the arguments as a whole.
    pub fn invalid_args(pointer: &str, message: &str) -> Self {
        let place = if pointer.is_empty() { "the arguments" } else { pointer };
        let whole = format!("invalid arguments: {place}: {message}");
        Self { field: Some(pointer.to_owned()), ..Self::new(ErrorKind::Validation, whole) }
    }
}

impl From<ArgsError> for ErrorInfo {
    fn from(ArgsError { pointer, message }: ArgsError) -> Self {
        Self::invalid_args(&pointer, &message)
    }
}

/// As the author of a request sees it: what the host said with it is what led to it.
impl From<RpcError> for ErrorInfo {
    fn from(RpcError { code, message, data }: RpcError) -> Self {
        let causes = data.map(|data| vec![data.to_string()]);
        Self { causes, ..Self::new(code, message) }
    }
}

/// The text that every host shows: the message, then the hint and the causes, a line each.
impl fmt::Display for ErrorInfo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        if let Some(hint) = &self.hint {
            write!(formatter, "\nhint: {hint}")?;
        }
        let mut causes = self.causes.iter().flatten();
        causes.try_for_each(|cause| write!(formatter, "\ncaused by: {cause}"))
    }
}

words! {
    /// What an effect concerns.
    pub enum EffectKind {
        /// A file was touched.
        File = "file",
        /// A process was started.
        Process = "process",
    }
}

words! {
    /// What happened to a file.
    pub enum FileOp {
        /// It was read.
        Read = "read",
        /// It is new.
        Create = "create",
        /// It was changed.
        Modify = "modify",
        /// Something was added at its end.
        Append = "append",
        /// It is gone.
        Delete = "delete",
        /// It is elsewhere: `new_path`.
        Rename = "rename",
    }
}

object! {
    /// What a call did to the world; allowed on failures too (`tool.effects`).
    pub struct Effect {
        /// A file or a process; it decides which of the other members stand.
        required kind: EffectKind,
        /// File: what happened to it.
        optional op: FileOp,
        /// File: its path.
        optional path: String,
        /// File: its path after a rename.
        optional new_path: String,
        /// File: its size before, in bytes.
        optional bytes_before: u64,
        /// File: its size after, in bytes.
        optional bytes_after: u64,
        /// Process: the command line.
        optional command: String,
        /// Process: its id.
        optional pid: u64,
        /// Process: it goes on after the call.
        flag background: bool,
        /// Process: how it stands, in words.
        optional status: String,
        /// Process: its exit code.
        optional exit_code: i64,
    }
}

impl Effect {
    /// An effect on a file.
    pub fn file(op: FileOp, path: impl Into<String>) -> Self {
        Self { op: Some(op), path: Some(path.into()), ..Self::of_kind(EffectKind::File) }
    }

    /// A process that was started.
    pub fn process(command: impl Into<String>) -> Self {
        Self { command: Some(command.into()), ..Self::of_kind(EffectKind::Process) }
    }

    fn of_kind(kind: EffectKind) -> Self {
        Self {
            kind,
            op: None,
            path: None,
            new_path: None,
            bytes_before: None,
            bytes_after: None,
            command: None,
            pid: None,
            background: false,
            status: None,
            exit_code: None,
        }
    }
}

object! {
    /// How far a call is.
    #[derive(Default)]
    pub struct Progress {
        /// Units done so far.
        optional done: f64,
        /// Units in all, where known.
        optional total: f64,
        /// What is counted, as `files`.
        optional unit: String,
        /// What is being done.
        optional message: String,
    }
}
