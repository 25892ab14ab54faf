//! The cases that are built in.

use std::sync::LazyLock;

use super::{Case, Cases, parse};

/// The files, each with the cases of one subject.
pub(crate) const FILES: [(&str, &str); 22] = [
    ("framing.toml", include_str!("../../cases/framing.toml")),
    ("json.toml", include_str!("../../cases/json.toml")),
    ("text.toml", include_str!("../../cases/text.toml")),
    ("handshake.toml", include_str!("../../cases/handshake.toml")),
    ("registration.toml", include_str!("../../cases/registration.toml")),
    ("tools.toml", include_str!("../../cases/tools.toml")),
    ("events.toml", include_str!("../../cases/events.toml")),
    ("output.toml", include_str!("../../cases/output.toml")),
    ("lifecycle.toml", include_str!("../../cases/lifecycle.toml")),
    ("forward.toml", include_str!("../../cases/forward.toml")),
    ("kit-surface.toml", include_str!("../../cases/kit-surface.toml")),
    ("kit-values.toml", include_str!("../../cases/kit-values.toml")),
    ("kit-results.toml", include_str!("../../cases/kit-results.toml")),
    ("kit-text.toml", include_str!("../../cases/kit-text.toml")),
    ("kit-calls.toml", include_str!("../../cases/kit-calls.toml")),
    ("kit-cancel.toml", include_str!("../../cases/kit-cancel.toml")),
    ("kit-asks.toml", include_str!("../../cases/kit-asks.toml")),
    ("kit-requests.toml", include_str!("../../cases/kit-requests.toml")),
    ("kit-errors.toml", include_str!("../../cases/kit-errors.toml")),
    ("kit-output.toml", include_str!("../../cases/kit-output.toml")),
    ("kit-moments.toml", include_str!("../../cases/kit-moments.toml")),
    ("kit-panel.toml", include_str!("../../cases/kit-panel.toml")),
];

/// Every case that is built in, by name.
pub fn builtin() -> &'static Cases {
    static CASES: LazyLock<Cases> = LazyLock::new(|| {
        let cases = FILES.iter().flat_map(|(file, text)| {
            // The files are part of this crate; a test reads each of them.
            parse(file, text).unwrap_or_else(|error| unreachable!("{error}"))
        });
        cases.map(|case: Case| (case.id.clone(), case)).collect()
    });
    &CASES
}
