//! Copies of built-in cases, for authors to change and keep beside their extension.

use extline_scenario::Case;

/// What the ids of copies begin with; ids with capitals are never an author's.
const PREFIX: &str = "my-";

/// The id of a case's copy: `my-e-frm-14` for `E-FRM-14`.
pub fn copied_id(id: &str) -> String {
    format!("{PREFIX}{}", id.to_lowercase())
}

/// The id of the case that a copy has its id from; any other id as it is.
pub(crate) fn original_id(id: &str) -> String {
    id.strip_prefix(PREFIX).map_or_else(|| id.to_owned(), str::to_uppercase)
}

/// A file that holds a copy of a built-in case. It does the same, and can be changed; what only
/// the test of the tester needs is left out.
pub fn copy_of(case: &Case) -> String {
    let own = format!("id = {:?}", copied_id(&case.id));
    let lines = case.source.lines().filter(|line| !line.starts_with("mutants = "));
    let lines: Vec<_> =
        lines.map(|line| if line.starts_with("id = ") { own.as_str() } else { line }).collect();
    format!(
        "# A copy of the case {} of extline {}; docs/tester/cases.md documents the format. Run it with\n\
         #   extline conformance --cases THIS_FILE --only {} -- YOUR_PROGRAM\n\n{}\n",
        case.id,
        env!("CARGO_PKG_VERSION"),
        copied_id(&case.id),
        lines.join("\n").trim_end()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{builtin, parse_own};

    #[test]
    fn every_built_in_case_can_be_copied_whole() {
        for case in builtin().values() {
            let text = copy_of(case);
            let copies = parse_own("copy.toml", &text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(copies.len(), 1, "{text}");
            let mut copy = copies[0].clone();
            assert_eq!(original_id(&copy.id), case.id);
            for (step, original) in copy.steps.iter_mut().zip(&case.steps) {
                step.line = original.line;
            }
            let same = Case {
                id: copy.id.clone(),
                file: copy.file.clone(),
                line: copy.line,
                source: copy.source.clone(),
                mutants: Vec::new(),
                ..case.clone()
            };
            assert_eq!(copy, same);
        }
    }
}
