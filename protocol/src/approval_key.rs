//! Which calls one approval covers: the key that a tool's template makes of the arguments.

use std::fmt::Write;

use crate::json::{Members, RawJson, read_string};
use crate::shown::is_hidden;

/// Longest inserted value, in bytes as inserted (`tool.approval-digest`).
const VALUE: usize = 256;

/// Longest key that a template makes, in bytes.
const KEY: usize = 1024;

/// The key that a template makes of arguments (`tool.approval-key`). `None` where it cannot be relied on, so
/// that an approval covers exactly these arguments.
///
/// ```
/// use extline_protocol::{RawJson, approval_key};
///
/// let args = RawJson::parse(r#"{"path":"tmp/a b"}"#)?;
/// assert_eq!(approval_key("{path}", &args).as_deref(), Some("tmp/a%20b"));
/// assert_eq!(approval_key("{other}", &args), None);
/// # Ok::<(), extline_protocol::RawJsonError>(())
/// ```
pub fn approval_key(template: &str, args: &RawJson) -> Option<String> {
    let members = Members::of_valid(args.get())?;
    let mut key = String::new();
    let mut rest = template;
    while let Some((text, behind)) = rest.split_once('{') {
        // One that nothing closes was meant for a member.
        let (name, behind) = behind.split_once('}')?;
        key.push_str(text);
        insert(members.last(name)?.value, &mut key)?;
        rest = behind;
    }
    key.push_str(rest);
    let is_good = (1..=KEY).contains(&key.len()) && !key.contains(is_hidden);
    is_good.then_some(key)
}

/// Inserts a string or a scalar; `None` where it does not tell the calls apart.
fn insert(value: &str, key: &mut String) -> Option<()> {
    let before = key.len();
    match value.as_bytes().first()? {
        b'{' | b'[' => return None,
        b'"' => {
            let text = read_string(value)?;
            if text.len() > VALUE {
                return None;
            }
            encode(&text, key);
        }
        // Numbers, true, false and null stand as their JSON text (`tool.approval-scalars`).
        _ => key.push_str(value),
    }
    (key.len() - before <= VALUE).then_some(())
}

/// Percent-encodes what could look like the template around it, or hold a wildcard
/// (`tool.approval-strings`).
fn encode(text: &str, key: &mut String) {
    for character in text.chars() {
        if character.is_ascii_alphanumeric() || "._/@:-".contains(character) {
            key.push(character);
        } else {
            for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                // A String takes all that is written.
                let _ = write!(key, "%{byte:02X}");
            }
        }
    }
}
