//! What every testing host demands, in the words in which it says so.

use std::time::Duration;

use extline_protocol::{Deadlines, nearest};

/// How long a step may take unless the test says otherwise: long enough for any handler that is going to
/// finish, also on a busy machine.
pub const DEADLINE: Duration = Duration::from_secs(5);

/// How long a host waits, from its greeting to the `ready` of the extension (`ready.deadline`).
pub const START_DEADLINE: Duration = Duration::from_secs(3);

/// Longer than any test: what a real host would give up, a testing host waits for until its own
/// deadline.
pub const NEVER: Duration = Duration::from_secs(24 * 60 * 60);

/// A session that gives nothing up.
pub fn deadlines() -> Deadlines {
    Deadlines {
        hello: NEVER,
        ready: NEVER,
        command: NEVER,
        tool: NEVER,
        intercept: NEVER,
        call_tool: NEVER,
        cancelled: NEVER,
        write: NEVER,
    }
}

/// What did not happen at the start.
pub const NOT_READY: &str = "the extension did not become ready";
/// What did not happen at the end.
pub const NOT_ENDED: &str = "the extension did not end";

/// Why a start that lasts fails; `longer` is what a test writes to wait longer, or nothing.
pub fn late_start(longer: &str) -> String {
    let longer = if longer.is_empty() { "" } else { &format!(", or write {longer}") };
    format!(
        "and a host goes on without what is not registered by then: let setup take less{longer}"
    )
}

/// A tool or a command (the `kind`) that the extension does not offer: no host asks for it.
pub fn not_offered(kind: &str, name: &str, offered: &[String]) -> String {
    let offers = listed(offered, "none");
    let meant = meant(name, offered);
    format!("the extension offers no {kind} {name}: it offers {offers}{meant}")
}

/// An event to which the extension does not listen: no host tells it of that.
pub fn not_heard(event: &str, heard: &[String]) -> String {
    let told = listed(heard, "nothing");
    let meant = meant(event, heard);
    format!("the extension does not listen to {event}: it listens to {told}{meant}")
}

/// A panel that is not open: no user sees it.
pub fn not_open(panel: &str, open: &[String]) -> String {
    format!("no panel {panel} is open{}", meant(panel, open))
}

/// A tool that does not declare `replay: "reconcile"`: no host asks it what became of a call.
pub fn not_reconciled(tool: &str) -> String {
    format!(
        "the tool {tool} does not declare replay \"reconcile\", so no host asks it what became of a call"
    )
}

/// A structured result that is unlike the `output_schema` of its tool.
pub fn wrong_result(tool: &str) -> String {
    format!("the structured result of the tool {tool} does not match its output schema")
}

/// What is wrong with a structured result that is not there.
pub const NO_RESULT: &str = "there is none";

fn listed(names: &[String], none: &str) -> String {
    if names.is_empty() { none.to_owned() } else { names.join(", ") }
}

fn meant(name: &str, names: &[String]) -> String {
    let nearest = nearest(name, names.iter().map(String::as_str));
    nearest.map(|name| format!("; did you mean {name}?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_was_meant_stands_behind_those_there_are() {
        let names = ["weather".to_owned(), "trip".to_owned()];
        assert_eq!(
            not_offered("tool", "wether", &names),
            "the extension offers no tool wether: it offers weather, trip; did you mean weather?"
        );
        assert_eq!(
            not_offered("command", "x", &[]),
            "the extension offers no command x: it offers none"
        );
        assert_eq!(
            not_heard("turn_ended", &["turn_end".to_owned()]),
            "the extension does not listen to turn_ended: it listens to turn_end; \
             did you mean turn_end?"
        );
        assert_eq!(not_open("p", &["q".to_owned()]), "no panel p is open");
    }
}
