//! What a thread is inside of, as a person reads it.

use extline_driver::running::{self, handler_name};
use extline_protocol::ExtensionEvent;

use crate::job::Job;

/// This thread is inside the handler of that job from now on, where one is called.
pub(crate) fn enter(job: &Job) {
    let name = match job {
        Job::Event(event) => name_of(event),
        Job::InterceptChain(chain, _) => Some(["intercept", chain.point()]),
    };
    if let Some(name) = name {
        running::enter(name, None, || 0);
    }
}

/// The handler or callback that an event is for.
pub(crate) fn name_of(event: &ExtensionEvent) -> Option<[&str; 2]> {
    match event {
        ExtensionEvent::Cancelled { .. } | ExtensionEvent::ShuttingDown(_) => {
            Some(["cancel callback", ""])
        }
        ExtensionEvent::CallToolDone { .. } | ExtensionEvent::Response { .. } => {
            Some(["answer callback", ""])
        }
        event => handler_name(event),
    }
}
