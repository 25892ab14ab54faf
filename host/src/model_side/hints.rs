//! What a model is advised to do next, by the kind of an error.

use std::collections::BTreeMap;

use extline_protocol::ErrorKind;

/// What each kind is good for without an embedder's word.
const BY_KIND: [(ErrorKind, &str); 13] = [
    (
        ErrorKind::Validation,
        "check the tool's schema and mend what is named; the same arguments fail again",
    ),
    (ErrorKind::NotFound, "look up what there is before you name it; do not guess"),
    (
        ErrorKind::Permission,
        "do not try it again; use a tool that needs no permission, or ask the user",
    ),
    (
        ErrorKind::Transient,
        "the arguments are not at fault; try it once more, and then tell the user",
    ),
    (ErrorKind::Timeout, "it may be done or not: look first, then ask for less at once"),
    (ErrorKind::Conflict, "look at the present state, and decide anew"),
    (ErrorKind::Stale, "read the target afresh, then call again with what you read"),
    (ErrorKind::Budget, "ask for less: a smaller part, or fewer results"),
    (ErrorKind::Unsupported, "it cannot be done this way; use another tool"),
    (ErrorKind::TooLarge, "ask for a smaller part, or split the call"),
    (
        ErrorKind::Protocol,
        "the tool is at fault, not the arguments; use another one, or tell the user",
    ),
    (
        ErrorKind::Internal,
        "the tool is at fault, not the arguments; use another one, or tell the user",
    ),
    (ErrorKind::Fatal, "stop trying, and tell the user what is in the way"),
];

/// What a model is advised to do next, by the kind of an error. It stands behind the error as `hint: ...`, where its
/// author gave no hint of its own ([`Host::for_model`](crate::Host::for_model)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorHints {
    by_kind: BTreeMap<String, String>,
    repeated: String,
}

impl Default for ErrorHints {
    /// A sentence for each kind but `cancelled`.
    fn default() -> Self {
        let by_kind = BY_KIND.iter().map(|(kind, text)| (kind.to_string(), (*text).to_owned()));
        let repeated = "this same call has failed 3 times and is refused from now on: change the \
                        arguments, use another tool, or tell the user what is in the way";
        Self { by_kind: by_kind.collect(), repeated: repeated.to_owned() }
    }
}

impl ErrorHints {
    /// The same with another sentence for errors of that kind; none where it is empty.
    #[must_use]
    pub fn of_kind(mut self, kind: &ErrorKind, text: impl Into<String>) -> Self {
        self.by_kind.insert(kind.to_string(), text.into());
        self
    }

    /// The same with another sentence for a call that has failed three times
    /// ([`HostBuilder::loop_guard`](crate::HostBuilder::loop_guard)).
    #[must_use]
    pub fn of_repeated(mut self, text: impl Into<String>) -> Self {
        self.repeated = text.into();
        self
    }

    /// The sentence for errors of that kind.
    pub fn hint(&self, kind: &ErrorKind) -> Option<&str> {
        self.by_kind.get(kind.as_str()).map(String::as_str).filter(|text| !text.is_empty())
    }

    pub(crate) fn repeated(&self) -> &str {
        &self.repeated
    }
}

#[cfg(test)]
mod tests {
    use super::BY_KIND;

    #[test]
    fn the_page_has_each_hint() {
        let page = include_str!("../../../docs/host/model-side.md");
        for (kind, text) in &BY_KIND {
            assert!(page.contains(&format!("| {text} |")), "{kind}: {text}");
        }
    }
}
