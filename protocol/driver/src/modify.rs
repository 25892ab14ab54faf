//! Changing a value that others change at the same time: read, change, set with the revision that was read.

use extline_protocol::ErrorKind;

/// How often it is set at most.
const TRIES: u32 = 100;

/// Whether `modify` reads a value and changes it again, by the kind of the failure and by how often it was set by now.
/// Else it fails with what the host has answered last.
pub fn tries_again(failure: &ErrorKind, tried: u32) -> bool {
    *failure == ErrorKind::Conflict && tried < TRIES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conflict_is_tried_again_up_to_a_limit_and_nothing_else_is() {
        assert!(tries_again(&ErrorKind::Conflict, 1));
        assert!(tries_again(&ErrorKind::Conflict, 99));
        assert!(!tries_again(&ErrorKind::Conflict, 100));
        assert!(!tries_again(&ErrorKind::Budget, 1));
    }
}
