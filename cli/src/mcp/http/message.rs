//! What has to be known of a message before a server reads it: where it belongs, and whether the headers
//! say the same.

use std::borrow::Cow;

use extline_mcp::Revision;
use extline_protocol::{Members, read_base64, read_string};
use hyper::header::HeaderMap;
use serde_json::Value;

const VERSION_HEADER: &str = "mcp-protocol-version";

/// The key in `_meta` by which a message is of the modern era.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// How a value stands in a header that may hold ASCII alone.
const ENCODED: (&str, &str) = ("=?base64?", "?=");

/// One message of a client's, as far as it is read here.
#[derive(Debug)]
pub(super) struct Message<'a> {
    /// The JSON text of the id; `None` for what is answered by nothing.
    pub(super) id: Option<&'a str>,
    pub(super) method: Cow<'a, str>,
    /// The revision that it says it is written in, as only the modern era does.
    pub(super) version: Option<Cow<'a, str>>,
    /// The JSON text of the token that progress is told under.
    pub(super) progress_token: Option<&'a str>,
    /// The JSON text of the id that is cancelled.
    pub(super) cancels: Option<&'a str>,
    /// By what a request is known that its client comes back to.
    pub(super) state: Option<Cow<'a, str>>,
    name: Option<Cow<'a, str>>,
    arguments: Option<&'a str>,
}

impl<'a> Message<'a> {
    /// `None` when it is neither a request nor a notification.
    pub(super) fn of(text: &'a str) -> Option<Self> {
        let members = Members::of(text)?;
        let value = |name: &str| members.last(name).map(|member| member.value);
        let id = value("id");
        if !id.is_none_or(is_id) {
            return None;
        }
        let method = read_string(value("method")?)?;
        let params = value("params").and_then(Members::of_valid);
        let param = |name: &str| Some(params.as_ref()?.last(name)?.value);
        let meta = param("_meta").and_then(Members::of_valid);
        let in_meta = |name: &str| Some(meta.as_ref()?.last(name)?.value);
        let text = |value| read_string(value).unwrap_or(Cow::Borrowed(value));
        Some(Self {
            id,
            version: in_meta(VERSION_KEY).map(text),
            progress_token: in_meta("progressToken"),
            cancels: param("requestId").filter(|_| method == "notifications/cancelled"),
            state: param("requestState").and_then(read_string),
            name: param("name").or(param("uri")).and_then(read_string),
            arguments: param("arguments"),
            method,
        })
    }

    /// Why the headers do not say what the message says, as they have to in the modern era (Server
    /// Validation in the transport of 2026-07-28). A revision that is not spoken is left to the server.
    pub(super) fn mismatch(&self, headers: &HeaderMap) -> Option<String> {
        let version = self.version.as_deref().unwrap_or_default();
        let differs = |header: &str, body: &str| match plain(headers, header) {
            Ok(Some(said)) if said == body => None,
            Ok(Some(_)) => Some(format!("{header} is not what the message says")),
            Ok(None) => Some(format!("the header {header} is missing")),
            Err(()) => Some(format!("{header} cannot be read")),
        };
        if let Some(why) = differs("MCP-Protocol-Version", version) {
            return Some(why);
        }
        let is_modern = Revision::named(version).is_some_and(Revision::is_modern);
        if !is_modern || self.id.is_none() {
            return None;
        }
        if let Some(why) = differs("Mcp-Method", &self.method) {
            return Some(why);
        }
        if !matches!(&*self.method, "tools/call" | "prompts/get" | "resources/read") {
            return None;
        }
        let name = self.name.as_deref()?;
        match decoded(headers, "Mcp-Name") {
            Ok(Some(said)) if said == name => None,
            Ok(Some(_)) => Some("Mcp-Name is not what the message says".to_owned()),
            Ok(None) => Some("the header Mcp-Name is missing".to_owned()),
            Err(()) => Some("Mcp-Name cannot be read".to_owned()),
        }
    }

    /// The tool that is called.
    pub(super) fn tool(&self) -> Option<&str> {
        self.name.as_deref().filter(|_| self.method == "tools/call")
    }

    /// Why the headers do not mirror the arguments that the tool's schema wants mirrored.
    pub(super) fn mismatch_of_arguments(
        &self,
        schema: &str,
        headers: &HeaderMap,
    ) -> Option<String> {
        if !schema.contains("x-mcp-header") {
            return None;
        }
        let schema: Value = serde_json::from_str(schema).ok()?;
        let arguments = serde_json::from_str(self.arguments.unwrap_or("{}")).ok()?;
        mirrored(&schema, &arguments, headers)
    }
}

/// Whether it answers something that a server asked.
pub(super) fn is_answer_of_client(text: &str) -> bool {
    let Some(members) = Members::of(text) else { return false };
    let has = |name: &str| members.last(name).is_some();
    has("id") && !has("method") && (has("result") || has("error"))
}

/// Goes through the properties of an object, and those of the objects in it.
fn mirrored(schema: &Value, value: &Value, headers: &HeaderMap) -> Option<String> {
    let properties = schema.get("properties")?.as_object()?;
    properties.iter().find_map(|(key, schema)| {
        let value = value.get(key).unwrap_or(&Value::Null);
        let Some(name) = schema.get("x-mcp-header").and_then(Value::as_str) else {
            return mirrored(schema, value, headers);
        };
        let header = format!("Mcp-Param-{name}");
        let expected = match value {
            Value::String(text) => Some(text.clone()),
            Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
            _ => None,
        };
        match (decoded(headers, &header), expected) {
            (Ok(None), None) => None,
            (Ok(Some(said)), Some(expected)) if is_same(&said, &expected, value) => None,
            (Ok(None), Some(_)) => Some(format!("the header {header} is missing")),
            (Ok(Some(_)), _) => Some(format!("{header} is not what the arguments say")),
            (Err(()), _) => Some(format!("{header} cannot be read")),
        }
    })
}

/// Numbers are compared as such: 42.0 is 42.
fn is_same(said: &str, expected: &str, value: &Value) -> bool {
    let as_number = || said.parse::<f64>().ok().zip(value.as_f64());
    said == expected || as_number().is_some_and(|(said, value)| said.total_cmp(&value).is_eq())
}

/// The revision that the headers name. `Err` when that cannot be read.
pub(super) fn version_of(headers: &HeaderMap) -> Result<Option<&str>, ()> {
    plain(headers, VERSION_HEADER)
}

/// A header that is there once at most. `Err` when it is there more often, or is no ASCII.
pub(super) fn plain<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, ()> {
    let mut all = headers.get_all(name.to_ascii_lowercase()).iter();
    let Some(first) = all.next() else { return Ok(None) };
    if all.next().is_some() {
        return Err(());
    }
    first.to_str().map(Some).map_err(|_| ())
}

/// The same for one whose value may be encoded.
fn decoded<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<Cow<'h, str>>, ()> {
    let Some(value) = plain(headers, name)? else { return Ok(None) };
    let encoded = value.strip_prefix(ENCODED.0).and_then(|it| it.strip_suffix(ENCODED.1));
    let Some(encoded) = encoded else { return Ok(Some(Cow::Borrowed(value))) };
    let text = read_base64(encoded).and_then(|bytes| String::from_utf8(bytes).ok());
    text.map(|text| Some(Cow::Owned(text))).ok_or(())
}

/// Whether a JSON text can be the id of a request: a string or a whole number.
fn is_id(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    text.starts_with('"') || (!digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use hyper::header::{HeaderName, HeaderValue};
    use serde_json::json;

    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&str, &str)| {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            (name, HeaderValue::from_bytes(value.as_bytes()).unwrap())
        };
        pairs.iter().map(pair).collect()
    }

    fn modern(method: &str, params: &Value) -> String {
        let mut params = params.clone();
        params["_meta"] = json!({VERSION_KEY: "2026-07-28"});
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
    }

    #[test]
    fn the_headers_say_what_the_message_says() {
        let text = modern("tools/call", &json!({"name": "wetter-für"}));
        let message = Message::of(&text).unwrap();
        let version = ("mcp-protocol-version", "2026-07-28");
        let method = ("MCP-Method", "tools/call");
        let name = ("mcp-name", "=?base64?d2V0dGVyLWbDvHI=?=");
        assert_eq!(message.mismatch(&headers(&[version, method, name])), None);
        let why = |pairs: &[(&str, &str)]| message.mismatch(&headers(pairs)).unwrap();
        assert_eq!(why(&[method, name]), "the header MCP-Protocol-Version is missing");
        assert_eq!(why(&[version, name]), "the header Mcp-Method is missing");
        assert_eq!(why(&[version, method]), "the header Mcp-Name is missing");
        let other = ("mcp-name", "weather");
        assert_eq!(why(&[version, method, other]), "Mcp-Name is not what the message says");
        let bad = ("mcp-name", "=?base64?d2V0?d?=");
        assert_eq!(why(&[version, method, bad]), "Mcp-Name cannot be read");
        assert_eq!(why(&[version, version, method, name]), "MCP-Protocol-Version cannot be read");
    }

    #[test]
    fn arguments_are_mirrored_where_the_schema_says_so() {
        let schema = json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "page": {"properties": {"number": {"type": "integer", "x-mcp-header": "Page"}}},
        }});
        let check = |arguments: Value, pairs: &[(&str, &str)]| {
            let text = modern("tools/call", &json!({"name": "t", "arguments": arguments}));
            let message = Message::of(&text).unwrap();
            message.mismatch_of_arguments(&schema.to_string(), &headers(pairs))
        };
        let (region, page) = (("Mcp-Param-Region", "us"), ("Mcp-Param-Page", "42.0"));
        assert_eq!(check(json!({"region": "us", "page": {"number": 42}}), &[region, page]), None);
        assert_eq!(check(json!({"region": null}), &[]), None);
        assert!(check(json!({"region": "us"}), &[]).unwrap().contains("missing"));
        assert!(check(json!({"region": "eu"}), &[region]).unwrap().contains("not what"));
        assert!(check(json!({}), &[region]).unwrap().contains("not what"));
    }

    #[test]
    fn only_requests_and_notifications_are_messages_here() {
        for other in [
            "",
            "[]",
            "{",
            "1",
            "{\"id\":1,\"result\":{}}",
            "{\"id\":1.5,\"method\":\"ping\"}",
            "{\"id\":null,\"method\":\"ping\"}",
            "{\"method\":1}",
        ] {
            assert!(Message::of(other).is_none(), "{other}");
        }
        let cancel = r#"{"method":"notifications/cancelled","params":{"requestId":"a"}}"#;
        assert_eq!(Message::of(cancel).unwrap().cancels, Some("\"a\""));
    }
}
