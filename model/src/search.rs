//! Search in tools by words: BM25 over their names, what they say, and their parameters.

use std::collections::{BTreeMap, BTreeSet};

use extline_json::{Members, RawJson};

/// How often a word of a tool's name, or of its group's, counts.
const NAME_WEIGHT: u32 = 3;
/// The usual constants of BM25: how soon repetition stops to count, and how much a long text is to blame.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;

/// A tool, for the index.
#[derive(Clone, Copy, Debug)]
pub struct Indexed<'a> {
    /// Its name.
    pub name: &'a str,
    /// The group it belongs to; may be empty.
    pub namespace: &'a str,
    /// What it does; may be empty.
    pub description: &'a str,
    /// Its schema, for the names and descriptions of its parameters at the root.
    pub schema: &'a RawJson,
}

/// Tools that can be searched. It is built at once and does not change; the same tools in the same order give
/// the same answers.
///
/// ```
/// use extline_model::{Indexed, RawJson, ToolIndex};
///
/// let schema = RawJson::empty_object();
/// let tool = |name, description| Indexed { name, namespace: "", description, schema: &schema };
/// let index = ToolIndex::new([
///     tool("get_forecast", "The weather of the next days."),
///     tool("send_mail", "Sends a message to somebody."),
/// ]);
/// assert_eq!(index.search("what will the weather be?", 5), [0]);
/// assert_eq!(index.search("sendMail", 5), [1]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct ToolIndex {
    /// By word: in which tools it stands, and how often.
    words: BTreeMap<String, Vec<(usize, u32)>>,
    lengths: Vec<u32>,
    mean: f64,
}

impl ToolIndex {
    /// Indexes tools; an answer names them by their place here.
    pub fn new<'a>(tools: impl IntoIterator<Item = Indexed<'a>>) -> Self {
        let mut index = Self::default();
        for (place, tool) in tools.into_iter().enumerate() {
            let mut counts = BTreeMap::new();
            count(tool.name, NAME_WEIGHT, &mut counts);
            count(tool.namespace, NAME_WEIGHT, &mut counts);
            count(tool.description, 1, &mut counts);
            count_parameters(tool.schema, &mut counts);
            index.lengths.push(counts.values().sum());
            for (word, times) in counts {
                index.words.entry(word).or_default().push((place, times));
            }
        }
        let total: f64 = index.lengths.iter().copied().map(f64::from).sum();
        index.mean = total / count_of(index.lengths.len()).max(1.0);
        index
    }

    /// The tools that fit a query best, the best first, `at_most` of them; of equal ones the first. Empty where
    /// no word of it is known.
    pub fn search(&self, query: &str, at_most: usize) -> Vec<usize> {
        let words: BTreeSet<_> = words_of(query).collect();
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        for word in words {
            let Some(places) = self.words.get(&word) else { continue };
            let (all, with) = (count_of(self.lengths.len()), count_of(places.len()));
            let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
            for (place, times) in places {
                let times = f64::from(*times);
                let relative = f64::from(self.lengths[*place]) / self.mean.max(1.0);
                let dampened = times + SATURATION * (1.0 - LENGTH + LENGTH * relative);
                *scores.entry(*place).or_default() +=
                    rarity * times * (SATURATION + 1.0) / dampened;
            }
        }
        let mut found: Vec<_> = scores.into_iter().collect();
        found.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        found.into_iter().take(at_most).map(|(place, _)| place).collect()
    }
}

/// About how many tokens a tool costs in each request to a model: a token is four bytes of what it is told.
pub fn tokens_estimate(name: &str, description: &str, schema: &str) -> usize {
    let keys = r#"{"name":"","description":"","input_schema":}"#;
    (keys.len() + name.len() + description.len() + schema.len()).div_ceil(4)
}

#[expect(clippy::cast_precision_loss, reason = "no list of tools is that long")]
fn count_of(count: usize) -> f64 {
    count as f64
}

fn count_parameters(schema: &RawJson, counts: &mut BTreeMap<String, u32>) {
    let Some(properties) = schema.at("/properties").and_then(Members::of_valid) else { return };
    for property in properties.iter() {
        count(&property.key(), 1, counts);
        let described = Members::of_valid(property.value);
        let described = described.as_ref().and_then(|it| it.last("description"));
        if let Some(text) = described.and_then(|it| extline_json::read_string(it.value)) {
            count(&text, 1, counts);
        }
    }
}

fn count(text: &str, weight: u32, counts: &mut BTreeMap<String, u32>) {
    for word in words_of(text) {
        *counts.entry(word).or_default() += weight;
    }
}

/// The words of a text in lower case: `get_HTTPStatus2` has `get`, `httpstatus2` and `http`, `status2`.
fn words_of(text: &str) -> impl Iterator<Item = String> {
    let whole = text.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
    whole.flat_map(|word| {
        let parts = parts_of(word);
        let whole = (parts.len() > 1).then(|| stem(word));
        parts.into_iter().map(|part| stem(&part)).chain(whole)
    })
}

/// A word cut where a capital follows a small letter, and before the last of several capitals.
fn parts_of(word: &str) -> Vec<String> {
    let characters: Vec<char> = word.chars().collect();
    let mut parts = vec![String::new()];
    for (at, character) in characters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| characters[before]);
        let is_next_small = characters.get(at + 1).is_some_and(|it| it.is_lowercase());
        let begins = character.is_uppercase()
            && before.is_some_and(|it| it.is_lowercase() || (it.is_uppercase() && is_next_small));
        if begins {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push(*character);
        }
    }
    parts
}

/// A word in lower case without the ending of a plural, so that `files` finds `file`.
fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 2 && !stem.ends_with('s') => stem.to_owned(),
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        words_of(text).collect()
    }

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(words("get_forecast"), ["get", "forecast"]);
        assert_eq!(
            words("readHTTPStatus files"),
            ["read", "http", "statu", "readhttpstatu", "file"]
        );
        assert_eq!(words("class, is; ÄÖ"), ["class", "is", "äö"]);
        assert_eq!(words(" - "), Vec::<String>::new());
    }

    #[test]
    fn a_rare_word_and_a_word_of_the_name_count_most() {
        let none = RawJson::empty_object();
        let with = RawJson::from(
            json!({"properties": {"path": {"description": "Which archive"}, "description": {}}}),
        );
        let tool =
            |name, description| Indexed { name, namespace: "files", description, schema: &none };
        let index = ToolIndex::new([
            tool("read_file", "Reads a file."),
            tool("write_file", "Writes a file; read it afterwards."),
            Indexed { schema: &with, ..tool("unpack", "Takes apart.") },
            tool("list", "Lists what is in a folder of files."),
        ]);
        assert_eq!(index.search("read", 9), [0, 1]);
        assert_eq!(index.search("file", 1), [0]);
        assert_eq!(index.search("archive", 9), [2]);
        assert_eq!(index.search("description", 9), [2]);
        assert_eq!(index.search("folder of a file", 2), [3, 0]);
        assert_eq!(index.search("nothing known", 9), Vec::<usize>::new());
        assert_eq!(index.search("read", 0), Vec::<usize>::new());
        assert_eq!(ToolIndex::new([]).search("read", 9), Vec::<usize>::new());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// A tool is found by its own name, before those that share no word with it.
        #[test]
        fn a_tool_is_found_by_its_name(names in prop::collection::btree_set("[a-z]{3,8}_[a-z]{3,8}", 1..30), query in ".{0,20}") {
            let schema = RawJson::empty_object();
            let names: Vec<_> = names.into_iter().collect();
            let index = ToolIndex::new(names.iter().map(|name| Indexed { name, namespace: "", description: "", schema: &schema }));
            for (place, name) in names.iter().enumerate() {
                let found = index.search(name, names.len());
                prop_assert!(found.contains(&place), "{name} {found:?}");
                let best = found.iter().position(|it| *it == place).unwrap();
                prop_assert!(found[..best].iter().all(|it| words(&names[*it]).iter().any(|word| words(name).contains(word))));
            }
            let found = index.search(&query, 3);
            prop_assert!(found.len() <= 3 && found.iter().all(|it| *it < names.len()));
        }
    }
}
