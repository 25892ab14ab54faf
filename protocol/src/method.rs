//! What the name of a method says.

/// The method by which a host asks whether a call of a tool is to be approved
/// (`tool.approval-asked`). A session serves it where a tool declares `approval: {"dynamic": true}`.
pub const APPROVAL_METHOD: &str = "tool.approval";

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
