//! The cases of a scenario file, for JavaScript.

use extline_testing::{Case, parse_own};
use napi::{Error, Result};
use napi_derive::napi;

/// What is known of a case before it is played.
#[napi(object)]
pub struct CaseInfo {
    /// Its name.
    pub id: String,
    /// What holds when it passes.
    pub title: String,
    /// The file, as it was named.
    pub file: String,
    /// The line in the file, from 1.
    pub line: u32,
    /// Whether it may run where other cases ran before.
    pub is_shared: bool,
    /// One run for each; none: one run.
    pub values: Vec<i64>,
}

/// The cases of a file.
#[napi]
pub struct Cases(Vec<Case>);

#[napi]
impl Cases {
    /// Reads the text of a file, which `file` names in errors.
    #[napi(constructor, catch_unwind)]
    pub fn new(file: String, text: String) -> Result<Self> {
        let cases = parse_own(&file, &text);
        cases.map(Self).map_err(|error| Error::from_reason(error.to_string()))
    }

    /// What they are, in their order.
    #[napi(catch_unwind)]
    pub fn list(&self) -> Vec<CaseInfo> {
        self.0.iter().map(info).collect()
    }

    pub(crate) fn case(&self, number: u32) -> Option<&Case> {
        self.0.get(number as usize)
    }
}

fn info(case: &Case) -> CaseInfo {
    CaseInfo {
        id: case.id.clone(),
        title: case.title.clone(),
        file: case.file.clone(),
        line: case.line.try_into().unwrap_or(u32::MAX),
        is_shared: case.is_shared(),
        values: case.values.iter().map(|value| (*value).try_into().unwrap_or(i64::MAX)).collect(),
    }
}
