//! What is to be done next.

use extline_protocol::ExtensionEvent;

use crate::course::{Course, Decision};

pub(crate) enum Job {
    Event(ExtensionEvent),
    /// An intercept whose handler has decided after it had returned.
    Course(Box<Course>, Decision),
}

impl From<ExtensionEvent> for Job {
    fn from(event: ExtensionEvent) -> Self {
        Self::Event(event)
    }
}
