//! What a thread is inside of, as a person reads it.

use extline_driver::running;
use extline_protocol::ExtensionEvent;

use crate::job::Job;

/// This thread is inside the handler of that job from now on, where one is called.
pub(crate) fn enter(job: &Job) {
    let (kind, name) = match job {
        Job::Event(event) => name_of(event),
        Job::InterceptChain(chain, _) => ("intercept", chain.point()),
    };
    if !kind.is_empty() {
        running::enter([kind, name], None, || 0);
    }
}

/// Its kind and its name; none where no author's code runs.
fn name_of(event: &ExtensionEvent) -> (&'static str, &str) {
    match event {
        ExtensionEvent::Accepted(_) => ("setup", ""),
        ExtensionEvent::ToolCall { call, .. } => ("tool", &call.name),
        ExtensionEvent::Command { command, .. } => ("command", &command.name),
        ExtensionEvent::Intercept { intercept, .. } => ("intercept", &intercept.event),
        ExtensionEvent::Request { request, .. } => ("request", &request.method),
        ExtensionEvent::Event(event) => ("event", &event.event),
        ExtensionEvent::Panel(input) => ("panel", input.panel_id()),
        ExtensionEvent::Teardown => ("teardown", ""),
        ExtensionEvent::Cancelled { .. } | ExtensionEvent::ShuttingDown(_) => {
            ("cancel callback", "")
        }
        ExtensionEvent::CallToolDone { .. } | ExtensionEvent::Response { .. } => {
            ("answer callback", "")
        }
        _ => ("", ""),
    }
}
