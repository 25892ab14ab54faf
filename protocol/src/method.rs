//! What the name of a method says.

/// The method by which a host asks whether a call of a tool is to be approved
/// (`tool.approval-asked`). A session serves it where a tool declares `approval: {"dynamic": true}`.
pub const APPROVAL_METHOD: &str = "tool.approval";

/// The method by which an extension proposes an action. One that has asked for it serves [`PENDING_METHODS`], which
/// `hello` need not name (`pending.served`).
pub(crate) const PUSH_METHOD: &str = "pending.push";

/// The methods by which a host has an action applied, or lets go of it.
pub(crate) const PENDING_METHODS: [&str; 2] = ["pending.apply", "pending.reject"];

/// Whether a request for that method waits for a person: its name begins with `ui.`. As long as one
/// waits, the deadline of the call that it belongs to stands still (`rpc.dialog-pauses`).
///
/// ```
/// use extline_protocol::waits_for_person;
///
/// assert!(waits_for_person("ui.confirm"));
/// assert!(!waits_for_person("state.get"));
/// ```
pub fn waits_for_person(method: &str) -> bool {
    method.starts_with("ui.")
}
