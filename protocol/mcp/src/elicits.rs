//! Whether a client can ask its user, as it says in its capabilities (`elicitation`).

use extline_protocol::Members;

use crate::revision::Revision;

/// What a client can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Elicits {
    /// Forms.
    pub(crate) form: bool,
    /// Pages to open.
    pub(crate) url: bool,
}

impl Elicits {
    /// By the JSON text of the capabilities.
    pub(crate) fn of(capabilities: Option<&str>, revision: Revision) -> Self {
        let none = Self::default();
        let Some(capabilities) = capabilities.and_then(Members::of_valid) else { return none };
        let Some(elicitation) = capabilities.last("elicitation") else { return none };
        let Some(modes) = Members::of_valid(elicitation.value) else { return none };
        let has = |mode: &str| modes.last(mode).is_some_and(|it| it.value.starts_with('{'));
        // Before 2025-06-18 there were no such questions, and only forms before 2025-11-25.
        let url = has("url") && revision >= Revision::V2025_11_25;
        let form = (has("form") || !has("url")) && revision >= Revision::V2025_06_18;
        Self { form, url }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_meant_where_no_mode_is_named() {
        let of = |text: &str| {
            let Elicits { form, url } = Elicits::of(Some(text), Revision::V2026_07_28);
            (form, url)
        };
        assert_eq!(of(r#"{"elicitation":{}}"#), (true, false));
        assert_eq!(of(r#"{"elicitation":{"form":{}}}"#), (true, false));
        assert_eq!(of(r#"{"elicitation":{"url":{}}}"#), (false, true));
        assert_eq!(of(r#"{"elicitation":{"form":{},"url":{}}}"#), (true, true));
        assert_eq!(of(r#"{"sampling":{}}"#), (false, false));
        assert_eq!(of(r#"{"elicitation":true}"#), (false, false));
        let old = Elicits::of(Some(r#"{"elicitation":{"url":{}}}"#), Revision::V2025_03_26);
        assert_eq!(old, Elicits::default());
    }
}
