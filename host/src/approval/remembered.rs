//! What a person said "always" to, as long as the host runs.

use std::collections::HashSet;
use std::sync::Mutex;

use super::key::Key;
use crate::lock::lock;

/// How much is remembered; what comes after that is asked again each time.
const REMEMBERED: usize = 4096;

/// The calls that one approval covers, compared as a whole (`tool.approval-compare`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Covered {
    /// Absent for a tool of the agent's own.
    pub(crate) extension: Option<String>,
    pub(crate) tool: String,
    /// The digest of its schema, and of the template of its keys.
    pub(crate) declared: [u8; 32],
    pub(crate) key: Key,
}

impl Covered {
    /// Whether it is one call and its repetitions.
    pub(crate) fn is_exact(&self) -> bool {
        matches!(self.key, Key::Exact(_))
    }
}

#[derive(Debug, Default)]
pub(crate) struct Remembered(Mutex<HashSet<Covered>>);

impl Remembered {
    pub(crate) fn has(&self, covered: &Covered) -> bool {
        lock(&self.0).contains(covered)
    }

    pub(crate) fn add(&self, covered: Covered) {
        let mut remembered = lock(&self.0);
        if remembered.len() < REMEMBERED {
            remembered.insert(covered);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `tool.approval-compare`.
    #[test]
    fn each_part_counts_and_no_key_is_a_prefix_of_another() {
        let made = |key: &str| Key::Made(key.to_owned());
        let one = Covered {
            extension: Some("a".to_owned()),
            tool: "t".to_owned(),
            declared: [0; 32],
            key: made("rm%20a"),
        };
        let remembered = Remembered::default();
        remembered.add(one.clone());
        assert!(remembered.has(&one));
        let others = [
            Covered { extension: Some("b".to_owned()), ..one.clone() },
            Covered { extension: None, ..one.clone() },
            Covered { tool: "u".to_owned(), ..one.clone() },
            Covered { declared: [1; 32], ..one.clone() },
            Covered { key: made("rm%20a%20b"), ..one.clone() },
            Covered { key: made("rm%20"), ..one.clone() },
        ];
        assert!(others.iter().all(|other| !remembered.has(other)));
    }
}
