//! Rights of an administrator, which are ways around the sandbox: reading the memory of others, mounting, loading a
//! module.

use rustix::io::Errno;
use rustix::thread::{
    CapabilitySet, capability_is_in_bounding_set, remove_capability_from_bounding_set,
};

/// What an administrator may go on with: files of others, as the extension is held to paths, and low ports.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::DAC_READ_SEARCH)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::NET_BIND_SERVICE);

/// No program that this thread starts gets the other rights, whoever starts it. Users without any have none to lose.
pub(super) fn give_up_on_thread() -> Result<(), Errno> {
    for right in CapabilitySet::all().difference(KEPT).iter() {
        // The set knows bits that no kernel has a right for yet.
        if !matches!(capability_is_in_bounding_set(right), Ok(true)) {
            continue;
        }
        match remove_capability_from_bounding_set(right) {
            // A user without the right to give up rights, who has no other either as a rule.
            Ok(()) | Err(Errno::PERM) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
