//! Any value as a text to read.

use extline_protocol::{RawJson, labeled};
use proptest::prelude::*;

use crate::cases;
use crate::json_text::{Style, something};

proptest! {
    #![proptest_config(cases(512))]

    /// It is never much longer than the JSON: what it adds is indents, and a word for what is empty.
    #[test]
    fn it_is_bounded_and_ends_without_a_line_end(text in something(Style::Any)) {
        let value = RawJson::parse(&text).unwrap();
        let shown = labeled(&value);
        let values = text.bytes().filter(|byte| b",[{".contains(byte)).count() + 1;
        let lines = shown.split('\n').count();
        prop_assert!(shown.len() <= value.get().len() + 12 * lines + 40 * values, "{shown}");
        if !value.get().starts_with('"') {
            prop_assert!(!shown.ends_with('\n'), "{shown:?}");
        }
    }
}
