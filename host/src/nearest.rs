//! The name that was meant, where one is misspelt.

/// The one of these that is most like `name`, if any is like it.
///
/// ```
/// assert_eq!(extline_host::nearest("arg", ["args", "exec"]), Some("args"));
/// assert_eq!(extline_host::nearest("licence", ["args", "exec"]), None);
/// ```
pub fn nearest<'a, S: AsRef<str> + ?Sized + 'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a S>,
) -> Option<&'a str> {
    const SIMILAR: f64 = 0.75;
    let known = known.into_iter().map(AsRef::as_ref);
    let scored = known.map(|known| (strsim::jaro_winkler(name, known), known));
    let best = scored.max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.filter(|(score, _)| *score >= SIMILAR).map(|(_, known)| known)
}
