//! One line of a client's: a request, a notification, an answer, or what is none of these.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use extline_protocol::limits::DEPTH;
use extline_protocol::{Line, Members, RawJson, TooLong, read_string, write_string};

use crate::failure::{Code, Failure, cut};
use crate::revision::Revision;

/// The id of a request, as its client wrote it: a string with its quotes, or a whole number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RequestId(Arc<str>);

impl RequestId {
    /// The JSON text.
    pub(crate) fn json(&self) -> &str {
        &self.0
    }

    /// One that is a string.
    fn of(text: &str) -> Self {
        let mut json = Vec::new();
        write_string(text, &mut json);
        Self(String::from_utf8_lossy(&json).into())
    }

    /// What stands at `id` or `requestId`, if it can be an id.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        (is_number || text.starts_with('"')).then(|| Self(text.into()))
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// One message of a client's.
#[derive(Debug)]
pub(crate) enum Message<'a> {
    Request {
        id: RequestId,
        method: Cow<'a, str>,
        params: Params<'a>,
    },
    Notification {
        method: Cow<'a, str>,
        params: Params<'a>,
    },
    /// An answer to what this server asked: the result, or the error.
    Answer {
        id: RequestId,
        answer: Result<&'a str, &'a str>,
    },
    /// It cannot be used.
    Unusable {
        id: Option<RequestId>,
        failure: Failure,
    },
}

/// The parameters of a message.
#[derive(Debug)]
pub(crate) struct Params<'a> {
    members: Option<Members<'a>>,
    /// They are there, and are no object.
    is_no_object: bool,
}

/// What a request says of itself, beside what it asks for.
#[derive(Debug, Default)]
pub(crate) struct Meta<'a> {
    /// The JSON text of the token that its progress is told under.
    pub(crate) progress_token: Option<&'a str>,
    /// The revision that it is written in; only the modern era says so.
    pub(crate) version: Option<Cow<'a, str>>,
    /// The JSON text of what its client can do; only the modern era says so.
    pub(crate) capabilities: Option<&'a str>,
}

impl<'a> Message<'a> {
    pub(crate) fn read(line: &'a Line<'_>) -> Self {
        match line {
            Line::Text(text) => Self::of_text(text),
            Line::TooLong(TooLong { bytes, limit, head }) => Self::Unusable {
                // A head has ids that are strings.
                id: head.id.as_ref().map(|id| RequestId::of(id.as_str())),
                failure: Failure::invalid_request(format!(
                    "the message has {bytes} bytes, more than the limit of {limit}"
                )),
            },
        }
    }

    fn of_text(text: &'a str) -> Self {
        let unusable = |id, failure| Self::Unusable { id, failure };
        let Some(members) = Members::of(text) else {
            return unusable(None, why_unusable(text));
        };
        let value = |name: &str| members.last(name).map(|member| member.value);
        let id = value("id").filter(|id| *id != "null" || value("method").is_some());
        let read = id.and_then(RequestId::read);
        if id.is_some() && read.is_none() {
            let why = format!(
                "id is {}, and has to be a string or a whole number",
                cut(id.unwrap_or_default())
            );
            return unusable(None, Failure::invalid_request(why));
        }
        if value("jsonrpc") != Some("\"2.0\"") {
            return unusable(read, Failure::invalid_request("jsonrpc has to be \"2.0\""));
        }
        if members.depth > DEPTH {
            let why = format!(
                "the message nests {} levels deep; at most {DEPTH} are allowed",
                members.depth
            );
            return unusable(read, Failure::invalid_request(why));
        }
        let Some(method) = value("method") else {
            let answer = match (value("result"), value("error")) {
                (Some(result), _) => Some(Ok(result)),
                (None, Some(error)) => Some(Err(error)),
                (None, None) => None,
            };
            if let Some(answer) = answer {
                // What has no id answers nothing that was asked.
                let id = read.unwrap_or_else(|| RequestId::of(""));
                return Self::Answer { id, answer };
            }
            return unusable(read, Failure::invalid_request("method is missing"));
        };
        let Some(method) = read_string(method) else {
            return unusable(read, Failure::invalid_request("method has to be a string"));
        };
        let params = Params::of(value("params"));
        match read {
            Some(id) => Self::Request { id, method, params },
            None => Self::Notification { method, params },
        }
    }
}

fn why_unusable(text: &str) -> Failure {
    match RawJson::parse(text) {
        Err(error) => Failure::new(Code::Parse, format!("the line is {error}")),
        Ok(_) if text.trim_start().starts_with('[') => Failure::invalid_request(
            "batches are not supported: send each message on a line of its own",
        ),
        Ok(_) => Failure::invalid_request("a message has to be an object"),
    }
}

impl<'a> Params<'a> {
    fn of(value: Option<&'a str>) -> Self {
        let value = value.filter(|value| *value != "null");
        let members = value.and_then(Members::of_valid);
        Self { is_no_object: value.is_some() && members.is_none(), members }
    }

    /// Fails where parameters are no object.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.is_no_object {
            return Err(Failure::invalid_params("params has to be an object"));
        }
        Ok(())
    }

    /// A member as it stands; an absent one and `null` are the same.
    pub(crate) fn raw(&self, name: &str) -> Option<&'a str> {
        let member = self.members.as_ref()?.last(name)?;
        (member.value != "null").then_some(member.value)
    }

    /// A member that has to be a string, where it is there.
    pub(crate) fn string(&self, name: &str) -> Result<Option<Cow<'a, str>>, Failure> {
        let Some(value) = self.raw(name) else { return Ok(None) };
        let read = read_string(value).map(Some);
        read.ok_or_else(|| Failure::invalid_params(format!("params.{name} has to be a string")))
    }

    /// A member that has to be a string, and there.
    pub(crate) fn needed(&self, name: &str) -> Result<Cow<'a, str>, Failure> {
        let missing = || Failure::invalid_params(format!("params.{name} is missing"));
        self.string(name)?.ok_or_else(missing)
    }

    pub(crate) fn meta(&self) -> Meta<'a> {
        let members = self.raw("_meta").and_then(Members::of_valid);
        let Some(members) = members else { return Meta::default() };
        let mut meta = Meta::default();
        for member in members.iter() {
            match &*member.key() {
                "progressToken" if RequestId::read(member.value).is_some() => {
                    meta.progress_token = Some(member.value);
                }
                "io.modelcontextprotocol/protocolVersion" => {
                    meta.version =
                        Some(read_string(member.value).unwrap_or(Cow::Borrowed(member.value)));
                }
                "io.modelcontextprotocol/clientCapabilities" => {
                    meta.capabilities = Some(member.value).filter(|it| it.starts_with('{'));
                }
                _ => {}
            }
        }
        meta
    }
}

impl Meta<'_> {
    /// The revision that the request is written in, where it says so.
    pub(crate) fn revision(&self) -> Result<Option<Revision>, Failure> {
        let Some(version) = &self.version else { return Ok(None) };
        // A revision with a handshake has no place in `_meta`.
        let known = Revision::named(version).filter(|revision| revision.is_modern());
        let revision = known.ok_or_else(|| Failure::unsupported_version(version))?;
        if self.capabilities.is_none() {
            let name = "io.modelcontextprotocol/clientCapabilities";
            return Err(Failure::invalid_params(format!("params._meta has to name {name}")));
        }
        Ok(Some(revision))
    }
}
