//! The one list of error codes, for every error on the wire and in every SDK.

use crate::word::words;

words! {
    /// What kind of failure an error is (`err.codes`). The first four are the caller's fault and
    /// the text tells how to correct the call; the next three are the world's.
    pub enum ErrorKind {
        /// The arguments are wrong; `field` points at the offending member.
        Validation = "validation",
        /// What the call names does not exist.
        NotFound = "not_found",
        /// The call is not allowed.
        Permission = "permission",
        /// It may work when tried again.
        Transient = "transient",
        /// It took longer than allowed.
        Timeout = "timeout",
        /// The caller gave up.
        Cancelled = "cancelled",
        /// It contradicts the present state.
        Conflict = "conflict",
        /// What the call refers to has changed since.
        Stale = "stale",
        /// A quota or allowance is used up.
        Budget = "budget",
        /// The peer does not offer it.
        Unsupported = "unsupported",
        /// A frame or value is over a size limit.
        TooLarge = "too_large",
        /// A frame broke the protocol.
        Protocol = "protocol",
        /// The handler failed in a way that is nobody's fault outside it.
        Internal = "internal",
        /// It will never work; the extension cannot go on.
        Fatal = "fatal",
    }
}
