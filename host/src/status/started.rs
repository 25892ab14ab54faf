//! What is to be said of an extension that a host has started.

use extline_protocol::frame::Rejection;
use serde_json::json;

use super::{ExtensionState, ExtensionStatus, Finding, Level, Standing};

impl Standing {
    /// How one stands in a host.
    pub(super) fn started(status: ExtensionStatus) -> Self {
        let findings = findings(&status);
        let ExtensionStatus { name, dir, manifest, state, hello, report, log, .. } = status;
        let version = hello.map(|it| it.version).or_else(|| manifest.map(|it| it.version));
        Self {
            name,
            version: version.filter(|version| !version.is_empty()),
            path: dir,
            state: Some(state.as_str()),
            tools: report.tools,
            commands: report.commands,
            log,
            findings,
            found: None,
        }
    }
}

/// What of its registrations is not used, what the host noticed, where nothing passes, and what came of its start.
fn findings(status: &ExtensionStatus) -> Vec<Finding> {
    let refused = status.report.rejected.iter().map(of_rejection);
    let notices = status.notices.iter().map(|notice| {
        Finding::new(Level::Warn, "notice", &*notice.text, notice.suggestion.clone())
    });
    let closed = status.closed_points.iter().map(|point| of_closed(&status.name, point));
    refused.chain(notices).chain(closed).chain(of_state(status)).collect()
}

fn of_rejection(rejection: &Rejection) -> Finding {
    let Rejection { kind, name, message, winner, .. } = rejection;
    let what = format!("the {kind} {name} is not used: {message}");
    let mend =
        winner.as_ref().map(|winner| format!("give it another name, or do without it in {winner}"));
    Finding::new(Level::Warn, "registration.refused", what, mend)
}

fn of_closed(extension: &str, point: &str) -> Finding {
    let what = format!("nothing passes at {point}: it guards there and cannot be asked");
    let mend = format!("mend what keeps it from answering, or take {extension} away");
    Finding::new(Level::Warn, "guard.closed", what, Some(mend))
}

fn of_state(status: &ExtensionStatus) -> Option<Finding> {
    match &status.state {
        ExtensionState::Ready => {
            let after = status.start_took.unwrap_or_default().as_millis();
            let what = format!("it starts, in {after} ms");
            Some(Finding::new(Level::Pass, "start.ready", what, None))
        }
        ExtensionState::Failed(diagnosis) => {
            let exit = diagnosis.exit.as_ref().map(|exit| format!(" ({exit})"));
            let exit = exit.unwrap_or_default();
            let what = format!("{}: {}{exit}", diagnosis.doing, diagnosis.problem);
            let code = json!(diagnosis.problem)["code"].as_str().unwrap_or_default().to_owned();
            let code = format!("start.failed.{code}");
            Some(Finding::new(Level::Fail, code, what, Some(diagnosis.suggestion.clone())))
        }
        _ => None,
    }
}
