//! How extensions stand, for somebody else: without what is private, or with it where the person wants that.

use std::collections::BTreeMap;
use std::env;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Finding, Standing, StatusReport};
use crate::discovery::Found;
use crate::file::read_bytes;
use crate::home::HOME;
use crate::redact::Redactor;
use crate::sandbox::sandbox_support;
use crate::trust::text_of;

/// The end of a log that is told, in bytes and in lines.
const LOG_BYTES: u64 = 4 * 1024 * 1024;
const LOG_LINES: usize = 50;

impl StatusReport {
    /// The report for somebody who helps: what kind of machine it is, how many extensions stand how, and of each what is
    /// wrong, by the codes of the findings.
    ///
    /// In place of names, paths and messages stand digests of them, of which the same are the same in this report. With
    /// `names` they stand there themselves, and the last 50 lines of each log, without what looks like a secret and with
    /// `~` for the home of the user.
    pub fn for_support(&self, names: bool) -> Value {
        // Without it whoever reads the report could try names. Without chance there is only less of that.
        let mut salt = [0; 16];
        let _ = getrandom::fill(&mut salt);
        let teller = Teller { names, salt, redactor: Redactor::default() };
        let count = |word: fn(&Standing) -> String| {
            let mut counts = BTreeMap::new();
            for standing in &self.extensions {
                *counts.entry(word(standing)).or_insert(0_usize) += 1;
            }
            counts
        };
        let all: Vec<Value> = self.extensions.iter().map(|one| teller.standing(one)).collect();
        json!({
            "schema_version": 1,
            "extline": env!("CARGO_PKG_VERSION"),
            "os": env::consts::OS,
            "arch": env::consts::ARCH,
            "redacted": !names,
            "sandbox": sandbox_support(),
            "counts": {
                "extensions": self.extensions.len(),
                "verdicts": count(|one| of_found(one, |it| it.verdict.as_str())),
                "layers": count(|one| of_found(one, |it| it.layer.as_str())),
                "states": count(|one| one.state.unwrap_or("none").to_owned()),
                "levels": count(|one| one.level().as_str().to_owned()),
            },
            "extensions": all,
        })
    }
}

fn of_found(standing: &Standing, word: fn(&Found) -> &'static str) -> String {
    standing.found.as_ref().map_or("none", word).to_owned()
}

struct Teller {
    names: bool,
    salt: [u8; 16],
    redactor: Redactor,
}

impl Teller {
    fn standing(&self, standing: &Standing) -> Value {
        let Standing { name, path, found, state, log, findings, .. } = standing;
        let manifest = found.as_ref().and_then(|found| found.manifest.as_ref());
        let path = path.as_deref().unwrap_or(Path::new(""));
        let permissions = manifest.map(|it| &it.permissions);
        let mut told = json!({
            "name": self.text(name),
            "path": self.text(&path.to_string_lossy()),
            "layer": found.as_ref().map(|it| it.layer.as_str()),
            "verdict": found.as_ref().map(|it| it.verdict.as_str()),
            "state": state,
            "level": standing.level().as_str(),
            "version": manifest.map(|it| self.text(&it.version)),
            "language": manifest.map(|it| self.text(&it.language)),
            "guards": manifest.map(|it| it.guards.len()),
            "permissions": permissions.map(|it| json!({
                "env": it.env.len(),
                "secrets": it.secrets.len(),
                "fs.read": it.fs.read.as_ref().map(Vec::len),
                "fs.write": it.fs.write.as_ref().map(Vec::len),
                "net": it.net.as_ref().map(kind_of),
                "exec": it.exec.as_ref().map(kind_of),
            })),
            "findings": findings.iter().map(|it| self.finding(it)).collect::<Vec<_>>(),
            "log_bytes": log.as_ref().and_then(|log| log.metadata().ok()).map(|it| it.len()),
        });
        if let (true, Some(log)) = (self.names, log) {
            told["log"] = self.log(log).into();
        }
        told
    }

    fn finding(&self, finding: &Finding) -> Value {
        json!({
            "level": finding.level,
            "code": finding.code,
            "what": self.text(&finding.what),
            "mend": finding.mend.as_ref().filter(|_| self.names).map(|mend| self.text(mend)),
        })
    }

    /// The last lines of a log.
    fn log(&self, log: &Path) -> Vec<String> {
        let Ok(bytes) = read_bytes(log, LOG_BYTES) else { return Vec::new() };
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        let last = lines.len().saturating_sub(LOG_LINES);
        lines[last..].iter().map(|line| self.readable(line)).collect()
    }

    fn text(&self, text: &str) -> String {
        if self.names || text.is_empty() {
            return self.readable(text);
        }
        let digest = text_of(Sha256::new().chain_update(self.salt).chain_update(text));
        digest[..23].to_owned()
    }

    /// Without secrets, and without the name of the user.
    fn readable(&self, text: &str) -> String {
        let text = self.redactor.text(text).into_owned();
        match env::var(HOME).ok().filter(|home| home.len() > 1) {
            Some(home) => text.replace(&home, "~"),
            None => text,
        }
    }
}

/// `true`, `false` or how many are listed.
fn kind_of(value: &Value) -> Value {
    value.as_array().map_or_else(|| value.clone(), |list| list.len().into())
}
