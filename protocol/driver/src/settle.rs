//! What is done with an event that needs no code of the author's.

use extline_protocol::{CallKey, ExtensionEvent};

/// An extension whose handlers run.
pub trait Settling {
    /// Marks the call as cancelled, and wakes who waits outside of the author's code. Whether code of the
    /// author's is to be told.
    fn cancel(&mut self, key: &CallKey) -> bool;

    /// The same for everything that runs.
    fn cancel_all(&mut self) -> bool;

    /// The end has begun: has it watched where the process is the extension's
    /// ([`Channel::watch_end`](crate::Channel::watch_end)). It comes before [`Settling::cancel_all`].
    fn watch_end(&mut self);

    /// Everything is answered. The exit code is asked for where the process ends
    /// ([`ExtensionSession::exit_code`](extline_protocol::ExtensionSession::exit_code)): a handler may fail
    /// until then.
    fn finish(&mut self);

    /// The end has taken longer than it may.
    fn overdue(&mut self, exit_code: u8);

    /// Tells the author, on stderr.
    fn report(&self, text: &str) {
        extline_stdio::report(text);
    }
}

/// Does what needs no code of the author's; gives back what does.
pub fn settle(settling: &mut impl Settling, event: ExtensionEvent) -> Option<ExtensionEvent> {
    match event {
        ExtensionEvent::Notice(notice) => settling.report(&notice.to_string()),
        ExtensionEvent::Cancelled { ref key, .. } => return settling.cancel(key).then_some(event),
        ExtensionEvent::ShuttingDown(_) => {
            settling.watch_end();
            return settling.cancel_all().then_some(event);
        }
        ExtensionEvent::Finished { .. } => settling.finish(),
        ExtensionEvent::Overdue { exit_code, .. } => settling.overdue(exit_code),
        // What it rejects comes as a notice too.
        ExtensionEvent::Registered(_) => {}
        event => return Some(event),
    }
    None
}
