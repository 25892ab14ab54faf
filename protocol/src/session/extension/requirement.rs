//! The end of an extension whose host does not have what it cannot do without (`report.required`).

use std::time::Instant;

use super::ExtensionSession;
use crate::frame::{Level, Registered};
use crate::requirement::Requirement;
use crate::session::Notice;

/// The exit status where something required is missing: `EX_CONFIG` (`report.required`).
const CONFIG: u8 = 78;

impl ExtensionSession {
    /// Adds something that the extension cannot do without. What `hello_ack` tells counts where it is
    /// added before that, a registration also later.
    pub fn require(&mut self, requirement: Requirement) {
        self.registrations.requirements.push(requirement);
    }

    /// Ends the session where the host does not offer what is required. Whether it does.
    pub(super) fn gives_up_at_start(&mut self, now: Instant) -> bool {
        let is_missing = |requirement: &Requirement| match requirement {
            Requirement::Capability(capability) => !self.supports(*capability),
            Requirement::Method(name) => self.may_use_methods(name).is_err(),
            Requirement::Registration { .. } => false,
        };
        let missing = self.required(&is_missing);
        missing.is_some_and(|missing| self.give_up(&missing, "does not offer", now))
    }

    /// Ends the session where the host did not take what is required.
    pub(super) fn look_for_required(&mut self, report: &Registered, now: Instant) {
        let is_rejected = |requirement: &Requirement| {
            report.rejected.iter().any(|rejection| requirement.is_rejected_by(rejection))
        };
        if let Some(missing) = self.required(&is_rejected) {
            self.give_up(&missing, "did not take", now);
        }
    }

    fn required(&self, is_missing: &dyn Fn(&Requirement) -> bool) -> Option<String> {
        let mut requirements = self.registrations.requirements.iter();
        requirements.find(|requirement| is_missing(requirement)).map(ToString::to_string)
    }

    #[cold]
    fn give_up(&mut self, missing: &str, what: &str, now: Instant) -> bool {
        let Some(host) = &self.host else { return false };
        let (host, version, name) = (host.host_name(), host.host_version(), &self.name);
        let message = format!("the host {host} {version} {what} {missing}, which {name} requires");
        self.notice(Notice::GivesUp(message.clone()));
        self.notify(Level::Error, message);
        self.end(CONFIG, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExtensionConfig, ExtensionEvent};

    /// What happens to an extension that requires that, and what it says.
    fn met(kind: &str, name: &str, frames: &str) -> (Vec<ExtensionEvent>, String) {
        let now = Instant::now();
        let mut config = ExtensionConfig::new("w", "1.0.0");
        config.registrations.requirements.push(Requirement::of(kind, name).unwrap());
        let mut session = ExtensionSession::new(config);
        session.handle_input(frames.as_bytes(), now);
        let events = std::iter::from_fn(|| session.poll_event()).collect();
        let mut said = Vec::new();
        session.poll_output(now, &mut said);
        (events, String::from_utf8(said).unwrap())
    }

    #[test]
    fn what_is_required_and_missing_ends_the_extension_with_78() {
        let ack = r#"{"type":"hello_ack","protocol_version":1,"capabilities":["rpc"],"methods":["a.b"],"host":{"name":"h","version":"2"}}"#;
        let rejected = r#"{"type":"registered","tools":[],"commands":[],"events":[],"intercept":[],"guards":[],"rejected":[{"kind":"tool","name":"t","code":"conflict","message":"taken"}]}"#;
        let frames = format!("{ack}\n{rejected}\n");
        for (kind, name, missing) in [
            ("capability", "call_tool", "does not offer the capability call_tool"),
            ("method", "a.c", "does not offer the method a.c"),
            ("tool", "t", "did not take the tool t"),
        ] {
            let (events, said) = met(kind, name, &frames);
            let text = format!("the host h 2 {missing}, which w requires");
            assert!(events.contains(&ExtensionEvent::Notice(Notice::GivesUp(text.clone()))));
            assert!(events.contains(&ExtensionEvent::Finished { exit_code: 78 }), "{events:?}");
            assert!(said.contains(&text), "{said}");
            let is_told = |event: &ExtensionEvent| matches!(event, ExtensionEvent::Accepted(_));
            assert_eq!(events.iter().any(is_told), kind == "tool");
        }
        for (kind, name) in [("capability", "rpc"), ("method", "a.b"), ("tool", "u")] {
            let (events, _) = met(kind, name, &frames);
            let is_end = |event: &ExtensionEvent| matches!(event, ExtensionEvent::Finished { .. });
            assert!(!events.iter().any(is_end), "{kind} {name}: {events:?}");
        }
    }

    #[test]
    fn what_can_be_required_is_named() {
        assert_eq!(Requirement::of("tool", "a").unwrap().to_string(), "the tool a");
        let capability = Requirement::of("capability", "call_tool").unwrap();
        assert_eq!(capability.to_string(), "the capability call_tool");
        assert!(Requirement::of("capability", "x").unwrap_err().contains("tool_registry"));
        assert!(Requirement::of("panel", "x").unwrap_err().contains("guard"));
    }
}
