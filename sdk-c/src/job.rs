//! What is to be done next.

use extline_protocol::ExtensionEvent;

use crate::intercept_chain::{Decision, InterceptChain};

pub(crate) enum Job {
    Event(ExtensionEvent),
    /// An intercept whose handler has decided after it had returned.
    InterceptChain(Box<InterceptChain>, Decision),
}

impl From<ExtensionEvent> for Job {
    fn from(event: ExtensionEvent) -> Self {
        Self::Event(event)
    }
}
