//! The corpus of broken JSON: each case has the value that was meant, or is to be refused.

use extline_model::repair;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Case {
    category: String,
    text: String,
    #[serde(default)]
    value: Value,
    #[serde(default)]
    refused: bool,
}

impl Case {
    /// What is wrong with what became of it.
    fn wrong(&self) -> Option<String> {
        let Self { category, text, value, refused } = self;
        let wrong = match repair(text) {
            Ok(repaired) => {
                let is: Value = serde_json::from_str(repaired.value.get()).expect("valid JSON");
                (*refused || is != *value).then(|| is.to_string())
            }
            Err(error) => (!refused).then(|| error.to_string()),
        };
        wrong.map(|wrong| format!("{category}: {text}\n    {wrong}, not {value}"))
    }
}

fn wrong(corpus: &str) -> (usize, Vec<String>) {
    let cases: Vec<Case> =
        corpus.lines().map(|line| serde_json::from_str(line).expect("a case")).collect();
    (cases.len(), cases.iter().filter_map(Case::wrong).collect())
}

#[test]
fn each_case_is_repaired_or_refused_as_it_says() {
    let (count, wrong) = wrong(include_str!("../corpus/broken.jsonl"));
    assert!(count >= 300, "{count}");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}
