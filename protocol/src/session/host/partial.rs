//! A `subscribe` or a `hello` that cannot be read as a whole: what of it counts all the same.

use super::{HostEvent, HostSession};
use crate::decode::{Problem, Unusable};
use crate::frame::Subscribe;
use crate::json::{Field, FieldError, Members, read_member};
use crate::session::Notice;

impl HostSession {
    /// Takes each member of a `subscribe` that can be read (`subscribe.in-part`). Guards that cannot
    /// be read stand at every point (`guard.unclear`); so they do where the line is no JSON, or too
    /// long or deep to look into.
    pub(super) fn handle_partial_subscribe(&mut self, text: Option<&str>, problem: Problem) {
        let Some(members) = text.and_then(Members::of) else {
            self.emit(HostEvent::UnclearGuards { why: problem.to_string() });
            self.notice(Notice::Skipped(problem));
            return;
        };
        let mut faults = Vec::new();
        let subscribe = Subscribe {
            events: member("events", &members, &mut faults),
            intercept: member("intercept", &members, &mut faults),
            guards: member("guards", &members, &mut faults),
            on_failure: member("on_failure", &members, &mut faults),
            filters: member("filters", &members, &mut faults),
        };
        self.emit(HostEvent::Subscribe(subscribe));
        if let Some(fault) = faults.iter().find(|fault| is_below(fault, "/guards")) {
            self.emit(HostEvent::UnclearGuards { why: format!("subscribe: {fault}") });
        }
        if faults.is_empty() {
            // What is wrong is its id, for which it has no use.
            self.notice(Notice::ReadInPart(problem));
        }
        for error in faults {
            let frame_type = "subscribe".to_owned();
            self.notice(Notice::ReadInPart(Problem::WrongField { frame_type, error }));
        }
    }

    /// An extension that cannot be used said that it guards.
    pub(super) fn note_guards_of_refused(&mut self, guards: Option<&[String]>, why: &str) {
        if self.profile.guards_fail_closed && guards.is_some_and(|guards| !guards.is_empty()) {
            self.emit(HostEvent::UnclearGuards { why: why.to_owned() });
        }
    }

    /// The same of one whose `hello` cannot be read: where its members can be, its `guards` say it. One
    /// that is no JSON, or too long or deep to look into, may hold anything.
    pub(super) fn note_guards_of_unusable_hello(&mut self, unusable: &Unusable) {
        let may_guard = match unusable.text.as_deref().and_then(Members::of) {
            Some(members) => last("guards", &members).is_some_and(|it| it != "null" && it != "[]"),
            None => unusable.head.frame_type.as_deref() == Some("hello"),
        };
        if self.profile.guards_fail_closed && may_guard {
            self.emit(HostEvent::UnclearGuards { why: unusable.problem.to_string() });
        }
    }
}

/// A member that can be read; why not is added to the faults.
fn member<T: Field>(name: &str, members: &Members<'_>, faults: &mut Vec<FieldError>) -> Option<T> {
    let read = last(name, members).map_or(Ok(None), |text| read_member(name, text));
    read.unwrap_or_else(|fault| {
        faults.push(fault);
        None
    })
}

/// Of several members of one name the last counts (`frm.duplicate-keys`).
fn last<'a>(name: &str, members: &Members<'a>) -> Option<&'a str> {
    members.iter().filter(|member| member.is(name)).last().map(|member| member.value)
}

fn is_below(fault: &FieldError, pointer: &str) -> bool {
    fault.pointer.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
