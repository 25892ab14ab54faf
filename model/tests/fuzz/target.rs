//! What a model wrote: any text at all.

use extline_model::{Extractor, Offered, extract, repair};

/// Holds what becomes of a text to what is promised.
///
/// # Panics
/// When a promise is broken.
pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(repaired) = repair(&text) {
        let json = repaired.value.get();
        assert!(serde_json::from_str::<&serde_json::value::RawValue>(json).is_ok(), "{json}");
        let again = repair(json).expect("valid JSON");
        assert!(again.fixes.is_empty() && again.value == repaired.value, "{json}");
        let is_cut = repaired.fixes.iter().any(|fix| fix.kind.is_cut());
        assert_eq!(is_cut, repaired.truncated);
    }
    calls(&text);
}

/// The calls in a text are the same when it comes in two pieces.
fn calls(text: &str) {
    let offered: Vec<_> = ["read", "ls"].map(Offered::from).to_vec();
    let whole = extract(text, &offered);
    let mut half = text.len() / 2;
    while !text.is_char_boundary(half) {
        half -= 1;
    }
    let mut extractor = Extractor::new(offered);
    extractor.push(&text[..half]);
    extractor.push(&text[half..]);
    assert_eq!(extractor.finish().1, whole);
}
