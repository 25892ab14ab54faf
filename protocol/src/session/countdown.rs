//! A deadline that stands still while a person is asked (`rpc.dialog-pauses`).

use std::time::Instant;

/// When a call is overdue, if ever, and whether that stands still.
#[derive(Clone, Debug, Default)]
pub(super) struct Countdown {
    until: Option<Instant>,
    /// Boxed, as most calls ask nobody.
    standstill: Option<Box<Standstill>>,
}

#[derive(Clone, Debug)]
struct Standstill {
    since: Instant,
    /// How many dialogs are open.
    dialogs: usize,
}

impl Countdown {
    pub(super) fn new(until: Option<Instant>) -> Self {
        Self { until, standstill: None }
    }

    /// When it is over; `None` also while it stands still.
    pub(super) fn due(&self) -> Option<Instant> {
        self.until.filter(|_| self.standstill.is_none())
    }

    /// When it would be over if it went on now.
    pub(super) fn end(&self, now: Instant) -> Option<Instant> {
        let stood = |standstill: &Standstill| now.saturating_duration_since(standstill.since);
        let stood = self.standstill.as_deref().map(stood).unwrap_or_default();
        self.until.map(|until| until + stood)
    }

    /// One more dialog is open; whether it stands still from now on and did not before.
    pub(super) fn pause(&mut self, now: Instant) -> bool {
        let standstill =
            self.standstill.get_or_insert_with(|| Box::new(Standstill { since: now, dialogs: 0 }));
        standstill.dialogs += 1;
        standstill.dialogs == 1
    }

    /// One of the dialogs is over; whether it goes on from now on and did not before.
    pub(super) fn resume(&mut self, now: Instant) -> bool {
        let Some(standstill) = &mut self.standstill else { return false };
        standstill.dialogs -= 1;
        if standstill.dialogs > 0 {
            return false;
        }
        self.until = self.end(now);
        self.standstill = None;
        true
    }

    /// From now on it is over at that time, whatever is asked; whether it stood still.
    pub(super) fn fix(&mut self, until: Instant) -> bool {
        self.until = Some(until);
        self.standstill.take().is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_was_left_is_left_after_the_last_dialog() {
        let began = Instant::now();
        let at = |seconds| began + Duration::from_secs(seconds);
        let mut countdown = Countdown::new(Some(at(5)));
        assert!(countdown.pause(at(2)));
        assert!(!countdown.pause(at(3)));
        assert_eq!(countdown.due(), None);
        assert_eq!(countdown.end(at(4)), Some(at(7)));
        assert!(!countdown.resume(at(10)));
        assert_eq!(countdown.due(), None);
        assert!(countdown.resume(at(20)));
        assert_eq!(countdown.due(), Some(at(23)));
        assert!(!countdown.resume(at(21)), "there is nothing to end");
        assert_eq!(countdown.end(at(22)), Some(at(23)));
    }

    #[test]
    fn one_without_an_end_can_stand_still_too() {
        let now = Instant::now();
        let mut countdown = Countdown::default();
        assert!(countdown.pause(now));
        assert_eq!(countdown.end(now), None);
        assert!(countdown.resume(now));
        assert_eq!(countdown.due(), None);
    }
}
