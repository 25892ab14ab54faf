//! What a model wrote: any text at all.

use extline_model::repair;

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
}
