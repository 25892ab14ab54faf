//! The turns of the agent, and the reloads that take place between two of them.

use tokio::sync::watch;

/// From `turn_start` to `turn_end` the model calls what it was offered at the start.
#[derive(Debug, Default)]
pub(crate) struct Turns(watch::Sender<State>);

#[derive(Debug, Default)]
struct State {
    /// The start of a turn was told, and not its end.
    is_within: bool,
    ended: u64,
    /// Reloads that wait for the end of this turn.
    waiting: usize,
    /// Reloads whose turn has ended.
    under_way: usize,
}

/// A reload, from the moment at which it may wait to its end.
pub(crate) struct Reload<'a> {
    turns: &'a Turns,
    /// How many turns had ended when it began to wait; `None` where it did not have to.
    waits_since: Option<u64>,
}

impl Turns {
    /// An event of the agent's.
    pub(crate) fn follow(&self, event: &str) {
        match event {
            "turn_start" => self.0.send_modify(|state| state.is_within = true),
            "turn_end" | "agent_end" | "session_start" | "session_end" => {
                self.0.send_modify(State::end);
            }
            _ => {}
        }
    }

    /// A reload that takes place when the turn has ended, or now if there is none.
    pub(crate) fn reload(&self) -> Reload<'_> {
        let mut waits_since = None;
        self.0.send_modify(|state| {
            if state.is_within {
                state.waiting += 1;
                waits_since = Some(state.ended);
            } else {
                state.under_way += 1;
            }
        });
        Reload { turns: self, waits_since }
    }

    /// Waits for the reloads whose turn has ended.
    pub(crate) async fn until_reloaded(&self) {
        // The sender is here.
        drop(self.0.subscribe().wait_for(|state| state.under_way == 0).await);
    }
}

impl State {
    fn end(&mut self) {
        self.is_within = false;
        self.ended += 1;
        self.under_way += std::mem::take(&mut self.waiting);
    }
}

impl Reload<'_> {
    /// Whether there is a turn whose end it has to wait for.
    pub(crate) fn waits(&self) -> bool {
        self.waits_since.is_some_and(|since| self.turns.0.borrow().ended == since)
    }

    /// Waits for the end of the turn in which it began. The next one may have begun meanwhile.
    pub(crate) async fn until_its_turn_has_ended(&self) {
        let Some(since) = self.waits_since else { return };
        // The sender is here.
        drop(self.turns.0.subscribe().wait_for(|state| state.ended > since).await);
    }
}

impl Drop for Reload<'_> {
    fn drop(&mut self) {
        self.turns.0.send_modify(|state| {
            if self.waits_since == Some(state.ended) {
                state.waiting -= 1;
            } else {
                state.under_way -= 1;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(turns: &Turns) -> (usize, usize) {
        let state = turns.0.borrow();
        (state.waiting, state.under_way)
    }

    #[tokio::test]
    async fn a_reload_waits_for_its_turn_alone() {
        let turns = Turns::default();
        let at_once = turns.reload();
        assert!(!at_once.waits());
        at_once.until_its_turn_has_ended().await;
        assert_eq!(counts(&turns), (0, 1));
        drop(at_once);

        turns.follow("turn_start");
        let reload = turns.reload();
        assert!(reload.waits());
        turns.follow("tool_call");
        assert_eq!(counts(&turns), (1, 0));
        // The next one begins before anybody has looked.
        turns.follow("turn_end");
        turns.follow("turn_start");
        reload.until_its_turn_has_ended().await;
        assert_eq!(counts(&turns), (0, 1));
        let given_up = turns.reload();
        assert_eq!(counts(&turns), (1, 1));
        drop(given_up);
        drop(reload);
        assert_eq!(counts(&turns), (0, 0));
        turns.until_reloaded().await;
    }
}
