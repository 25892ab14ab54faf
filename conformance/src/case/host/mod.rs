//! Cases for hosts, and for clients of MCP, which are operated in the same way: the built-in ones, and their own
//! steps.

mod script;
mod step;

use std::collections::BTreeMap;
use std::sync::LazyLock;

#[cfg(unix)]
pub(crate) use self::script::Extension;
pub(crate) use self::script::Script;
pub use self::script::parse_host;
use self::script::parse_scripts;
#[cfg(unix)]
pub(crate) use self::step::{Action, Request, Step, Verb, Wants};
use super::Cases;
use crate::texts::packed;

/// The files, each with the cases of one subject.
const FILES: [&str; 21] = [
    "host-frames.toml",
    "host-start.toml",
    "host-names.toml",
    "host-calls.toml",
    "host-nested.toml",
    "host-requests.toml",
    "host-person.toml",
    "host-programs.toml",
    "host-services.toml",
    "host-pending.toml",
    "host-agent.toml",
    "host-results.toml",
    "host-commands.toml",
    "host-events.toml",
    "host-panels.toml",
    "host-faults.toml",
    "host-end.toml",
    "client-begin.toml",
    "client-eras.toml",
    "client-calls.toml",
    "client-end.toml",
];

static SCRIPTS: LazyLock<BTreeMap<String, Script>> = LazyLock::new(|| {
    let scripts = FILES.into_iter().flat_map(|file| {
        // The files are part of this crate; a test reads each of them.
        parse_scripts(file, packed(&format!("cases/{file}")))
            .unwrap_or_else(|error| unreachable!("{error}"))
    });
    scripts.map(|script| (script.case.id.clone(), script)).collect()
});

/// Every case for hosts, by name. Their steps are in no [`Case`](crate::Case): what a host is
/// tested with has other verbs.
pub fn host_cases() -> &'static Cases {
    static CASES: LazyLock<Cases> = LazyLock::new(|| cases_that(|script| !script.is_for_clients()));
    &CASES
}

/// Every case for clients of MCP, by name; as [`host_cases`].
pub fn client_cases() -> &'static Cases {
    static CASES: LazyLock<Cases> = LazyLock::new(|| cases_that(Script::is_for_clients));
    &CASES
}

fn cases_that(are_meant: impl Fn(&Script) -> bool) -> Cases {
    let scripts = SCRIPTS.iter().filter(|(_, script)| are_meant(script));
    scripts.map(|(id, script)| (id.clone(), script.case.clone())).collect()
}

/// What is done in that case.
pub(crate) fn script_of(id: &str) -> Option<&'static Script> {
    SCRIPTS.get(id)
}
