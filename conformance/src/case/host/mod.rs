//! Cases for hosts: the built-in ones, and their own steps.

mod script;
mod step;

use std::collections::BTreeMap;
use std::sync::LazyLock;

pub use self::script::parse_host;
use self::script::parse_scripts;
pub(crate) use self::script::{Extension, Script};
#[cfg(unix)]
pub(crate) use self::step::{Action, Pipe, Request, Step, Verb, Wants};
use super::Cases;

/// The files, each with the cases of one subject.
const FILES: [(&str, &str); 12] = [
    ("host-frames.toml", include_str!("../../../cases/host-frames.toml")),
    ("host-start.toml", include_str!("../../../cases/host-start.toml")),
    ("host-names.toml", include_str!("../../../cases/host-names.toml")),
    ("host-calls.toml", include_str!("../../../cases/host-calls.toml")),
    ("host-nested.toml", include_str!("../../../cases/host-nested.toml")),
    ("host-requests.toml", include_str!("../../../cases/host-requests.toml")),
    ("host-person.toml", include_str!("../../../cases/host-person.toml")),
    ("host-commands.toml", include_str!("../../../cases/host-commands.toml")),
    ("host-events.toml", include_str!("../../../cases/host-events.toml")),
    ("host-panels.toml", include_str!("../../../cases/host-panels.toml")),
    ("host-faults.toml", include_str!("../../../cases/host-faults.toml")),
    ("host-end.toml", include_str!("../../../cases/host-end.toml")),
];

static SCRIPTS: LazyLock<BTreeMap<String, Script>> = LazyLock::new(|| {
    let scripts = FILES.iter().flat_map(|(file, text)| {
        // The files are part of this crate; a test reads each of them.
        parse_scripts(file, text).unwrap_or_else(|error| unreachable!("{error}"))
    });
    scripts.map(|script| (script.case.id.clone(), script)).collect()
});

/// Every case for hosts, by name. Their steps are in no [`Case`](crate::Case): what a host is
/// tested with has other verbs.
pub fn host_cases() -> &'static Cases {
    static CASES: LazyLock<Cases> = LazyLock::new(|| {
        SCRIPTS.iter().map(|(id, script)| (id.clone(), script.case.clone())).collect()
    });
    &CASES
}

/// What is done in that case.
pub(crate) fn script_of(id: &str) -> Option<&'static Script> {
    SCRIPTS.get(id)
}
