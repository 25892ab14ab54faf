//! The audit: a file of what was called and what was decided about it, one JSON object a line. It is
//! of bounded size, together with the one before it.
//!
//! No argument, result, message, reason or path stands in it. Arguments are there as a keyed hash: it
//! shows that two calls were the same to whoever has the key, and says nothing to anybody else.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use extline_protocol::ErrorKind;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::file;
use crate::lock::lock;
use crate::redact::Redactor;

/// A file that grew to this size is renamed to `FILE.1`, and a new one begun.
const AUDIT_BYTES: u64 = 64 * 1024 * 1024;

/// Bytes of the key, and of a block of SHA-256.
const KEY: usize = 32;
const BLOCK: usize = 64;

/// The file of an audit.
#[derive(Debug)]
pub(crate) struct Audit {
    state: Mutex<State>,
    key: [u8; KEY],
}

#[derive(Debug)]
struct State {
    file: File,
    path: PathBuf,
    most_bytes: u64,
    /// The number of the last record of this host.
    sequence: u64,
}

/// What one line is about.
#[derive(Debug, Serialize)]
pub(crate) struct Record<'a> {
    /// `call_started`, `call_passed`, `call_ended`, `decision` or `secret`.
    pub(crate) event: &'static str,
    /// The host's own name for the call; empty where it is about none.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) call: &'a str,
    /// Absent where there is no such tool: what was called then is a model's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<&'a str>,
    /// The extension that has the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) extension: Option<&'a str>,
    /// The extension that calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) caller: Option<&'a str>,
    /// Of the arguments as they stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) args_hash: Option<String>,
    #[serde(flatten)]
    pub(crate) more: More<'a>,
}

/// What one kind of record has beside the others.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum More<'a> {
    Started {},
    /// An extension asked for a secret or a variable. No value is in it.
    Secret {
        method: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        purpose: Option<&'a str>,
        status: &'static str,
    },
    Decided {
        decision: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        source: Option<&'static str>,
    },
    Ended {
        status: &'static str,
        executed: bool,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        cache_hit: bool,
        duration_us: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        error_type: Option<&'static str>,
    },
}

/// A line of the file.
#[derive(Serialize)]
struct Line<'a> {
    at_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    seq: u64,
    #[serde(flatten)]
    record: &'a Record<'a>,
}

impl Audit {
    /// Opens the file to write behind its end, and reads the key that stands in its folder, or makes
    /// one.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let key = key_in(folder.unwrap_or(Path::new(".")))?;
        let (file, path) = (file::append(path)?, std::path::absolute(path)?);
        let state = State { file, path, most_bytes: AUDIT_BYTES, sequence: 0 };
        Ok(Self { state: Mutex::new(state), key })
    }

    /// Writes a record, whole or not at all.
    pub(crate) fn write(
        &self,
        session: Option<&str>,
        record: &Record<'_>,
        redactor: &Redactor,
    ) -> io::Result<()> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut state = lock(&self.state);
        state.sequence += 1;
        let line = Line { at_ms: millis(now), session, seq: state.sequence, record };
        let mut bytes = redactor.line(&serde_json::to_vec(&line)?).into_owned();
        bytes.push(b'\n');
        if state.file.metadata()?.len() >= state.most_bytes {
            state.file = file::rotate(&state.path, &state.file)?;
        }
        state.file.write_all(&bytes)
    }

    /// The hash of arguments: HMAC-SHA256 with the key of this installation.
    pub(crate) fn hash(&self, args: &str) -> String {
        let keyed = |pad: u8, message: &[u8]| -> [u8; 32] {
            let mut block = [pad; BLOCK];
            block.iter_mut().zip(self.key).for_each(|(byte, key)| *byte ^= key);
            Sha256::new().chain_update(block).chain_update(message).finalize().into()
        };
        let hash = keyed(0x5c, &keyed(0x36, args.as_bytes()));
        let mut text = String::with_capacity(2 * hash.len());
        for byte in hash {
            // A String takes all that is written.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

/// The word for an error that the protocol has; for any other, which is an extension's text, another.
pub(crate) fn error_type(kind: &ErrorKind) -> &'static str {
    let known = ErrorKind::KNOWN.iter().find(|known| **known == kind.as_str());
    known.copied().unwrap_or("other")
}

/// The key of an installation, made once.
fn key_in(folder: &Path) -> io::Result<[u8; KEY]> {
    let path = folder.join("audit.key");
    let read = || -> io::Result<[u8; KEY]> {
        let bytes = file::read_bytes(&path, KEY as u64)?;
        <[u8; KEY]>::try_from(bytes).map_err(|bytes| {
            let text = format!("{} has {} bytes, not {KEY}", path.display(), bytes.len());
            io::Error::new(io::ErrorKind::InvalidData, text)
        })
    };
    match read() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        read => return read,
    }
    let mut key = [0; KEY];
    getrandom::fill(&mut key).map_err(|error| io::Error::other(error.to_string()))?;
    let new = folder.join(format!("audit.key.{}", std::process::id()));
    file::create(&new)?.write_all(&key)?;
    // Of several hosts that begin at once one wins, and its key is whole.
    let linked = fs::hard_link(&new, &path);
    fs::remove_file(&new)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => read(),
    }
}

pub(crate) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_made_once_for_its_owner_and_the_hash_is_hmac() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let [first, second] = [Audit::open(&path).unwrap(), Audit::open(&path).unwrap()];
        assert_eq!(first.hash("{}"), second.hash("{}"));
        assert_ne!(first.hash("{}"), first.hash("{ }"));
        let names = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(names, 2, "a key and a file");
        let elsewhere = tempfile::tempdir().unwrap();
        let other = Audit::open(&elsewhere.path().join("audit.jsonl")).unwrap();
        assert_ne!(first.hash("{}"), other.hash("{}"));
        // RFC 4231, the second case, has the key "Jefe".
        let mut key = [0; KEY];
        key[..4].copy_from_slice(b"Jefe");
        let audit = Audit { key, ..first };
        assert_eq!(
            audit.hash("what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn a_file_that_is_full_becomes_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        // As two hosts that write to one file.
        let audits = [Audit::open(&path).unwrap(), Audit::open(&path).unwrap()];
        for audit in &audits {
            lock(&audit.state).most_bytes = 400;
        }
        let (tool, extension, caller, args_hash) = (None, None, None, None);
        for call in 0..40 {
            let call = call.to_string();
            let (event, more) = ("call_started", More::Started {});
            let record = Record {
                event,
                call: &call,
                tool,
                extension,
                caller,
                args_hash: args_hash.clone(),
                more,
            };
            for audit in &audits {
                audit.write(None, &record, &Redactor::default()).unwrap();
            }
        }
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        let (before, now) = (read("audit.jsonl.1"), read("audit.jsonl"));
        for text in [&before, &now] {
            assert!(text.len() < 500 && text.ends_with('\n'), "{text}");
        }
        let calls: Vec<_> = [before, now].concat().lines().map(str::to_owned).collect();
        assert!(calls.last().unwrap().contains(r#""call":"39""#), "{calls:?}");
        assert!(calls.len() > 4, "nothing was lost between the two: {calls:?}");
    }

    #[test]
    fn a_kind_of_an_extension_s_own_is_not_written() {
        assert_eq!(error_type(&ErrorKind::Permission), "permission");
        assert_eq!(error_type(&ErrorKind::from("sk-secret")), "other");
    }
}
