//! What a host tells an extension of its registrations: what it took, and what not
//! (`report.after-ready`).

use std::path::Path;

use extline_protocol::ErrorKind;
use extline_protocol::frame::{Registered, Rejection};

use super::Registry;
use super::point::Point;
use crate::tool::HOST;

impl Registry {
    /// What was taken of an extension's registrations, and what not.
    pub(crate) fn report(&mut self, owner: usize) -> Registered {
        self.winners();
        let offer = &self.offers[owner];
        let mut report = Registered {
            events: offer.subscription.events.iter().cloned().collect(),
            rejected: offer.refused.values().cloned().collect(),
            ..Registered::default()
        };
        for name in offer.tools.keys() {
            if !offer.is_enabled(name) {
                report.rejected.push(switched_off(name, &offer.user.1));
                continue;
            }
            match self.owner_of_tool(name) {
                Ok(winner) if winner == owner => report.tools.push(name.clone()),
                winner => report.rejected.push(self.conflict("tool", name, winner)),
            }
        }
        for (key, command) in &offer.commands {
            match self.owner_of_command(key) {
                Ok(winner) if winner == owner => report.commands.push(command.name().to_owned()),
                winner => report.rejected.push(self.conflict("command", command.name(), winner)),
            }
        }
        for name in &offer.subscription.intercept {
            match Point::named(name) {
                Some(_) => report.intercept.push(name.clone()),
                None => report.rejected.push(unserved("intercept", name)),
            }
        }
        for name in &offer.subscription.guards {
            match Point::named(name).filter(|point| point.has_guards()) {
                Some(_) => report.guards.push(name.clone()),
                None => report.rejected.push(unserved("guard", name)),
            }
        }
        report
    }

    /// The same, if something has changed since it was returned here before.
    pub(crate) fn new_report(&mut self, owner: usize) -> Option<Registered> {
        let report = self.report(owner);
        let offer = &mut self.offers[owner];
        let has_changed = std::mem::take(&mut offer.has_changed);
        let is_new = has_changed || offer.reported.as_ref() != Some(&report);
        is_new.then(|| offer.reported.insert(report).clone())
    }

    /// The place of the extension that has the name, or the host's own name.
    fn owner_of_tool(&self, name: &str) -> Result<usize, &'static str> {
        let tool = self.winners.as_ref().and_then(|winners| winners.tools.get(name));
        tool.and_then(|tool| tool.owner()).ok_or(HOST)
    }

    fn owner_of_command(&self, key: &str) -> Result<usize, &'static str> {
        let command = self.winners.as_ref().and_then(|winners| winners.commands.get(key));
        command.map(|command| command.owner).ok_or(HOST)
    }

    fn conflict(&self, kind: &str, name: &str, winner: Result<usize, &str>) -> Rejection {
        let winner = winner.map_or_else(str::to_owned, |at| self.offers[at].extension.clone());
        Rejection {
            kind: kind.to_owned(),
            name: name.to_owned(),
            code: ErrorKind::Conflict,
            message: format!("{winner} has a {kind} of this name already"),
            winner: Some(winner),
        }
    }
}

/// Its author sees why nobody calls it.
fn switched_off(name: &str, file: &Path) -> Rejection {
    Rejection {
        kind: "tool".to_owned(),
        name: name.to_owned(),
        code: ErrorKind::Permission,
        message: format!("its user has disabled it, in {}", file.display()),
        winner: None,
    }
}

/// A guard must not believe that it is asked at a point where nobody is.
pub(super) fn unserved(kind: &str, point: &str) -> Rejection {
    Rejection {
        kind: kind.to_owned(),
        name: point.to_owned(),
        code: ErrorKind::Unsupported,
        message: format!("this host asks no {kind} at {point}"),
        winner: None,
    }
}
