//! A step as it stands in its file: one member is its verb, the others are its options. What an extension is
//! tested with and what a host is tested with are written in this way, each with verbs of its own.

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

/// A verb's word, and how it is read: from what stands behind the word, and from the options.
pub type Word<V> = (&'static str, fn(Value, &Members) -> Result<V, String>);

/// The members of a step.
#[derive(Debug, Deserialize)]
#[serde(from = "Table")]
pub struct Members {
    all: Table,
    /// The names of those that count.
    read: RefCell<BTreeSet<String>>,
}

impl From<Table> for Members {
    fn from(all: Table) -> Self {
        Self { all, read: RefCell::default() }
    }
}

impl Members {
    /// The one verb; what is given beside it is one of `options`.
    pub fn verb<V>(&self, words: &[Word<V>], options: &[&str]) -> Result<V, String> {
        let is_word = |name: &str| words.iter().any(|(word, _)| *word == name);
        if let Some(unknown) =
            self.all.keys().find(|name| !is_word(name) && !options.contains(&&***name))
        {
            let known: Vec<_> = options.iter().map(|option| format!("`{option}`")).collect();
            return Err(format!(
                "unknown field `{unknown}`, expected a verb or one of {}",
                known.join(", ")
            ));
        }
        let all = || words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
        let mut given = words.iter().filter_map(|(word, read)| Some((word, read, self.get(word)?)));
        match (given.next(), given.next()) {
            (Some((word, read, value)), None) => {
                read(value.clone(), self).map_err(|problem| format!("{word}: {problem}"))
            }
            (None, _) => Err(format!("a step without a verb; one of {} must be given", all())),
            (Some(_), Some(_)) => {
                Err(format!("a step with more than one verb; give one of {}", all()))
            }
        }
    }

    /// An option.
    pub fn option<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, String> {
        let value = self.get(name).cloned().map(read).transpose();
        value.map_err(|problem| format!("{name}: {problem}"))
    }

    /// An option, or what holds without it.
    pub fn option_or_default<T: DeserializeOwned + Default>(
        &self,
        name: &str,
    ) -> Result<T, String> {
        Ok(self.option(name)?.unwrap_or_default())
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.read.borrow_mut().insert(name.to_owned());
        self.all.get(name)
    }

    /// Refuses an option that nobody has asked for: it would do nothing. Call it last.
    pub fn refuse_idle(&self) -> Result<(), String> {
        let read = self.read.borrow();
        match self.all.keys().find(|name| !read.contains(*name)) {
            Some(idle) => Err(format!("`{idle}` does nothing beside this verb; leave it out")),
            None => Ok(()),
        }
    }

    /// How many times it is done.
    pub fn times(&self) -> Result<u64, String> {
        Ok(self.option("times")?.unwrap_or(1))
    }
}

/// Reads what stands behind a word.
pub fn read<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    value.try_into().map_err(|error: toml::de::Error| error.message().to_owned())
}

/// Reads a verb that says all by its word: whatever stands behind it is a boolean.
pub fn flag<V>(value: Value, verb: V) -> Result<V, String> {
    read(value).map(|_: bool| verb)
}
