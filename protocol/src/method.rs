//! What the name of a method says.

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
