//! Secrets, taken out of what is kept or shown: logs, diagnoses, notices, the audit, traces that are to be redacted.
//!
//! Two kinds are found: values that are known, because a secret was handed out or set, in each form in which they are
//! commonly written; and what looks like a secret by itself, as `ghp_...` or the value behind `password=`. One look
//! takes time in proportion to the text.

mod known;
mod patterns;
mod stream;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use extline_protocol::trace::What;
use serde_json::Value;

pub(crate) use self::stream::Stream;
use known::Known;

/// What stands in place of a secret.
const MASK: &str = "***";

/// Takes secrets out of texts. A clone knows the same values. All methods may be called from any thread.
///
/// ```
/// let redactor = extline_host::Redactor::default();
/// assert_eq!(redactor.text("password=hunter22, user=ada"), "password=***, user=ada");
/// redactor.learn("correct horse");
/// assert_eq!(redactor.text("it is correct horse"), "it is ***");
/// ```
#[derive(Clone, Default)]
pub struct Redactor {
    known: Arc<RwLock<Known>>,
}

impl Redactor {
    /// From now on this value is taken out wherever it stands: as it is, as it stands in JSON, in a URL, and in
    /// base64. One of several lines is known by each of its lines too. A value, or a line, of less than 6 characters
    /// is not learned: it would be found in every other text.
    pub fn learn(&self, value: &str) {
        let knows = self.known.read().unwrap_or_else(PoisonError::into_inner).knows(value);
        if !knows {
            self.known.write().unwrap_or_else(PoisonError::into_inner).learn(value);
        }
    }

    /// The text, with `***` for each secret in it.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(bytes) => Cow::Owned(
                String::from_utf8(bytes)
                    .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
            ),
        }
    }

    /// The same for bytes of any encoding that has ASCII in it.
    pub fn bytes<'t>(&self, bytes: &'t [u8]) -> Cow<'t, [u8]> {
        let found = self.find(bytes);
        if found.is_empty() {
            return Cow::Borrowed(bytes);
        }
        let mut redacted = Vec::with_capacity(bytes.len());
        let mut at = 0;
        for Range { start, end } in found {
            redacted.extend_from_slice(&bytes[at..start]);
            redacted.extend_from_slice(MASK.as_bytes());
            at = end;
        }
        redacted.extend_from_slice(&bytes[at..]);
        Cow::Owned(redacted)
    }

    /// Takes secrets out of each text in a value of JSON, names of members included. A text under a name like
    /// `password` is one.
    pub fn json(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(redacted) = self.text(text) {
                    *text = redacted;
                }
            }
            Value::Array(elements) => {
                for element in elements {
                    self.json(element);
                }
            }
            Value::Object(members) => {
                if members.keys().any(|name| matches!(self.text(name), Cow::Owned(_))) {
                    let all = std::mem::take(members).into_iter();
                    *members =
                        all.map(|(name, value)| (self.text(&name).into_owned(), value)).collect();
                }
                for (name, value) in members {
                    match value {
                        Value::String(text)
                            if patterns::is_secret_name(name) && !text.is_empty() =>
                        {
                            MASK.clone_into(text);
                        }
                        value => self.json(value),
                    }
                }
            }
            _ => {}
        }
    }

    /// The same for the text of JSON, which stays one.
    pub fn json_text<'t>(&self, json: &'t str) -> Cow<'t, str> {
        match self.line(json.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(json),
            Cow::Owned(line) => Cow::Owned(String::from_utf8_lossy(&line).into_owned()),
        }
    }

    /// The same for what a trace tells, see [`protocol::trace`](extline_protocol::trace).
    pub fn record(&self, what: &mut What) {
        match what {
            What::Line { line, .. } => {
                if let Cow::Owned(redacted) = self.line(&line.bytes) {
                    line.bytes = redacted;
                }
            }
            What::Spawn { argv, .. } => {
                for word in argv {
                    *word = self.text(word).into_owned();
                }
            }
            _ => {}
        }
    }

    /// A line of JSON, which stays JSON; another is a text.
    pub(crate) fn line<'t>(&self, line: &'t [u8]) -> Cow<'t, [u8]> {
        let redacted = self.bytes(line);
        if matches!(redacted, Cow::Borrowed(_)) {
            return redacted;
        }
        let is_json = |bytes: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok();
        if is_json(&redacted) {
            return redacted;
        }
        // A secret of digits only may stand where a number does.
        match serde_json::from_slice::<Value>(line) {
            Ok(mut value) => {
                self.json(&mut value);
                self.without_numbers(&mut value);
                Cow::Owned(value.to_string().into_bytes())
            }
            Err(_) => redacted,
        }
    }

    fn without_numbers(&self, value: &mut Value) {
        match value {
            Value::Number(number) => {
                if matches!(self.text(&number.to_string()), Cow::Owned(_)) {
                    *value = Value::String(MASK.to_owned());
                }
            }
            Value::Array(elements) => {
                for element in elements {
                    self.without_numbers(element);
                }
            }
            Value::Object(members) => {
                for member in members.values_mut() {
                    self.without_numbers(member);
                }
            }
            _ => {}
        }
    }

    /// Where secrets are: in order, and apart.
    fn find(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let mut found = patterns::find(bytes);
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner).find(bytes);
        if known.is_empty() {
            return found;
        }
        found.extend(known);
        found.sort_by_key(|range| range.start);
        let mut apart: Vec<Range<usize>> = Vec::with_capacity(found.len());
        for range in found {
            match apart.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => apart.push(range),
            }
        }
        apart
    }

    /// The longest form of a value that is known, in bytes.
    fn longest(&self) -> usize {
        self.known.read().unwrap_or_else(PoisonError::into_inner).longest()
    }
}

/// No value is shown.
impl std::fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Redactor").finish_non_exhaustive()
    }
}

/// Whether a variable of that name holds a secret, as far as its name tells.
pub(crate) fn is_secret_variable(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL"]
        .iter()
        .any(|word| name.contains(word))
}

#[cfg(test)]
mod properties;
