//! The actions that are pending, and what whoever resolves them is told: the rules of every host.

use std::collections::VecDeque;

use super::{ACTIONS, Push, RESOLVE, Resolution};

/// Releases that nobody was told of and that are kept.
const RELEASES: usize = 16;

/// Why an action was not taken: the code of the error, and its text.
pub type Refusal = (&'static str, String);

/// An action as whoever decides about it sees it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PendingAction {
    /// What the host knows it by.
    pub id: String,
    /// The extension that proposes it.
    pub extension: String,
    /// What would be done, in a line.
    pub label: String,
    /// What would be done, for whoever decides.
    pub summary: Option<String>,
    /// The same for programs, JSON text.
    pub details: Option<String>,
}

/// An action as its host keeps it.
#[derive(Clone, Debug)]
pub struct Action<C> {
    /// What is shown of it.
    pub shown: PendingAction,
    /// What its extension knows it by.
    pub handle: String,
    /// The call that it was pushed in, until its result says so.
    call: Option<C>,
}

/// What is to be done when somebody decides.
#[derive(Clone, Debug)]
pub enum Next<C> {
    /// The extension is to be asked about this action.
    Ask(Action<C>),
    /// There is nothing to ask: this is what whoever decides is told.
    Told(Decided),
}

/// What whoever decides is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The text.
    pub text: String,
    /// Nothing was done that was wanted: the kind of the error.
    pub error: Option<&'static str>,
}

/// The actions of a host that are pending, the oldest first. `C` names calls.
#[derive(Clone, Debug)]
pub struct Queue<C> {
    actions: VecDeque<Action<C>>,
    /// Those that were released, until somebody is told.
    released: Vec<Released>,
    count: u64,
}

/// An action that is no longer pending though nobody resolved it.
#[derive(Clone, Debug)]
struct Released {
    id: String,
    label: String,
    why: String,
}

impl<C> Default for Queue<C> {
    fn default() -> Self {
        Self { actions: VecDeque::new(), released: Vec::new(), count: 0 }
    }
}

impl<C: PartialEq + Clone> Queue<C> {
    /// Adds an action behind the others.
    ///
    /// # Errors
    ///
    /// `conflict` where one with its handle is pending, `budget` where too many are.
    pub fn push(
        &mut self,
        extension: &str,
        push: Push,
        call: Option<C>,
    ) -> Result<&PendingAction, Refusal> {
        let own = || self.actions.iter().filter(|it| it.shown.extension == extension);
        if own().any(|it| it.handle == push.handle) {
            let text = format!("/handle: an action {:?} is pending already", push.handle);
            return Err(("conflict", text));
        }
        if own().count() >= ACTIONS {
            let text = format!(
                "{ACTIONS} actions are pending, which is the most; have some resolved first"
            );
            return Err(("budget", text));
        }
        self.count += 1;
        let shown = PendingAction {
            id: format!("action_{}", self.count),
            extension: extension.to_owned(),
            label: push.label,
            summary: push.summary,
            details: push.details.map(|details| details.get().to_owned()),
        };
        let at = self.actions.len();
        self.actions.push_back(Action { shown, handle: push.handle, call });
        Ok(&self.actions[at].shown)
    }

    /// All that are pending, the one that is resolved next first.
    pub fn pending(&self) -> impl Iterator<Item = &PendingAction> {
        self.actions.iter().map(|action| &action.shown)
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// Somebody decides: about the oldest action, unless one was released since they were last told. Then they may
    /// mean that one, and nothing is done.
    pub fn decide(&mut self, resolution: Resolution) -> Next<C> {
        if !self.released.is_empty() {
            let told = self.tell_of_released(resolution);
            return Next::Told(told);
        }
        match (self.actions.front(), resolution) {
            (Some(action), _) => Next::Ask(action.clone()),
            (None, Resolution::Discard) => Next::Told(Decided {
                text: "Nothing is pending, so nothing is discarded.".to_owned(),
                error: None,
            }),
            (None, Resolution::Apply) => {
                let text = "Nothing is pending, so nothing was applied.".to_owned();
                Next::Told(Decided { text, error: Some("not_found") })
            }
        }
    }

    fn tell_of_released(&mut self, resolution: Resolution) -> Decided {
        let lines = self
            .released
            .drain(..)
            .map(|Released { label, why, .. }| format!("\"{label}\" is no longer pending: {why}."));
        let told = lines.collect::<Vec<_>>().join("\n");
        let (text, error) = match (resolution, self.actions.front()) {
            (Resolution::Discard, None) => (told, None),
            (Resolution::Apply, None) => (format!("{told}\nNothing was applied."), Some("stale")),
            (_, Some(next)) => {
                let label = &next.shown.label;
                let rest =
                    format!("Nothing was done. Next is \"{label}\"; call {RESOLVE} again for it.");
                (format!("{told}\n{rest}"), Some("stale"))
            }
        };
        Decided { text, error }
    }

    /// The extension has done what was decided: the action is no longer pending. What is said where it said nothing.
    pub fn settle(
        &mut self,
        action: &PendingAction,
        resolution: Resolution,
        reason: &str,
    ) -> String {
        self.actions.retain(|it| it.shown.id != action.id);
        // They are told here.
        self.released.retain(|it| it.id != action.id);
        let done = match resolution {
            Resolution::Apply => "Applied",
            Resolution::Discard => "Discarded",
        };
        let reason = if reason.is_empty() { String::new() } else { format!(" Reason: {reason}") };
        format!("{done}: {}.{reason}", action.label)
    }

    /// The extension failed to apply an action: what whoever decided is told. It stays pending, unless it was released
    /// meanwhile.
    pub fn not_applied(&mut self, action: &PendingAction, why: &str) -> String {
        if self.pending().any(|it| it.id == action.id) {
            let rest = format!(
                "\"{}\" is still pending: call {RESOLVE} to try again, or to discard it.",
                action.label
            );
            return format!("Apply failed: {why}\n{rest}");
        }
        // They are told here.
        self.released.retain(|it| it.id != action.id);
        let rest =
            format!("\"{}\" is no longer pending; it may have been applied in part.", action.label);
        format!("Apply failed: {why}\n{rest}")
    }

    /// The actions of an extension, or of all, are no longer pending, for that reason. Returns them.
    pub fn release(&mut self, extension: Option<&str>, why: &str) -> Vec<Action<C>> {
        let is_released =
            |action: &Action<C>| extension.is_none_or(|name| name == action.shown.extension);
        let (released, kept): (Vec<_>, Vec<_>) = self.actions.drain(..).partition(is_released);
        self.actions = kept.into();
        self.released.extend(released.iter().map(|it| Released {
            id: it.shown.id.clone(),
            label: it.shown.label.clone(),
            why: why.to_owned(),
        }));
        let too_many = self.released.len().saturating_sub(RELEASES);
        self.released.drain(..too_many);
        released
    }

    /// What the result of a call says of the actions that were pushed in it; once.
    pub fn banner(&mut self, call: &C) -> Option<String> {
        let own = self.actions.iter_mut().filter(|action| action.call.as_ref() == Some(call));
        let mut labels = Vec::new();
        for action in own {
            action.call = None;
            labels.push(format!("\"{}\"", action.shown.label));
        }
        if labels.is_empty() {
            return None;
        }
        let all = labels.join(", ");
        Some(format!(
            "Staged as a proposal: {all}. Nothing was changed yet. Call the tool {RESOLVE} with \"action\": \"apply\" \
             to do it, or \"discard\" to drop it, and a \"reason\"."
        ))
    }

    /// What the model is to be reminded of, as a line of the system: what is pending, if anything is.
    pub fn reminder(&self) -> Option<String> {
        let next = self.actions.front()?;
        let label = &next.shown.label;
        let more = match self.actions.len() - 1 {
            0 => String::new(),
            more => format!(" {more} more behind it."),
        };
        Some(format!(
            "A proposal is pending and nothing of it was changed yet: \"{label}\".{more} Call the tool {RESOLVE} to \
             apply or discard it."
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(queue: &mut Queue<u8>, extension: &str, handle: &str, call: u8) -> Result<(), Refusal> {
        let (label, summary) = (format!("label {handle}"), None);
        queue
            .push(
                extension,
                Push { handle: handle.to_owned(), label, summary, details: None },
                Some(call),
            )
            .map(drop)
    }

    fn told(queue: &mut Queue<u8>, resolution: Resolution) -> Decided {
        match queue.decide(resolution) {
            Next::Told(told) => told,
            Next::Ask(action) => panic!("{action:?}"),
        }
    }

    fn next(queue: &mut Queue<u8>) -> String {
        match queue.decide(Resolution::Apply) {
            Next::Ask(action) => action.handle,
            Next::Told(told) => panic!("{told:?}"),
        }
    }

    #[test]
    fn the_oldest_is_resolved_first_and_a_failure_leaves_it_there() {
        let mut queue = Queue::default();
        push(&mut queue, "x", "a", 1).unwrap();
        push(&mut queue, "x", "b", 1).unwrap();
        push(&mut queue, "y", "a", 2).unwrap();
        assert_eq!(push(&mut queue, "x", "a", 1).unwrap_err().0, "conflict");
        let banner = queue.banner(&1).unwrap();
        assert!(
            banner.contains("proposal: \"label a\", \"label b\". Nothing was changed yet"),
            "{banner}"
        );
        assert_eq!(queue.banner(&1), None);
        assert!(queue.reminder().unwrap().contains("\"label a\". 2 more behind it"));
        assert_eq!(next(&mut queue), "a");
        let first = queue.pending().next().unwrap().clone();
        let failed = queue.not_applied(&first, "disk full");
        assert!(
            failed.starts_with("Apply failed: disk full\n\"label a\" is still pending"),
            "{failed}"
        );
        assert_eq!(next(&mut queue), "a");
        let done = queue.settle(&first, Resolution::Apply, "fine");
        assert_eq!(done, "Applied: label a. Reason: fine");
        assert_eq!(next(&mut queue), "b");
    }

    #[test]
    fn who_decides_is_told_once_what_was_released_and_nothing_else_is_done_then() {
        let mut queue = Queue::default();
        push(&mut queue, "x", "a", 1).unwrap();
        push(&mut queue, "y", "b", 1).unwrap();
        assert_eq!(queue.release(Some("x"), "x has ended").len(), 1);
        let stale = told(&mut queue, Resolution::Apply);
        assert_eq!(stale.error, Some("stale"));
        assert!(
            stale.text.contains("\"label a\" is no longer pending: x has ended."),
            "{}",
            stale.text
        );
        assert!(stale.text.contains("Next is \"label b\""), "{}", stale.text);
        assert_eq!(next(&mut queue), "b");
        queue.release(None, "the conversation is another one");
        assert_eq!(told(&mut queue, Resolution::Discard).error, None);
        assert_eq!(
            told(&mut queue, Resolution::Discard).text,
            "Nothing is pending, so nothing is discarded."
        );
        assert_eq!(told(&mut queue, Resolution::Apply).error, Some("not_found"));
    }

    #[test]
    fn an_extension_has_so_many_pending_and_no_more() {
        let mut queue = Queue::default();
        for handle in 0..ACTIONS {
            push(&mut queue, "x", &handle.to_string(), 1).unwrap();
        }
        assert_eq!(push(&mut queue, "x", "more", 1).unwrap_err().0, "budget");
        push(&mut queue, "y", "more", 1).unwrap();
    }
}
