//! Numbers of `notifications/progress`, which have to increase (progress of the MCP specification).

use extline_protocol::frame::ToolUpdate;

/// What an update says where nothing was counted since: more, and less than any count.
const STEP: f64 = 0.001;

/// How far a call is, as its client was told.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// The last number; 0 before the first.
    last: f64,
    /// The handler counts for itself.
    is_counted: bool,
}

impl Told {
    /// The number for an update: what the handler has done, where that is more than before.
    pub(crate) fn next(&mut self, update: &ToolUpdate) -> f64 {
        let done = update.progress.as_ref().and_then(|progress| progress.done);
        match done.filter(|done| done.is_finite()) {
            Some(done) => {
                self.is_counted = true;
                self.last = if done > self.last { done } else { self.last + STEP };
            }
            None => _ = self.beat(),
        }
        self.last
    }

    /// The number for a sign of life.
    pub(crate) fn beat(&mut self) -> f64 {
        self.last += if self.is_counted { STEP } else { 1.0 };
        self.last
    }
}

#[cfg(test)]
mod tests {
    use extline_protocol::frame::Progress;

    use super::*;

    fn update(done: Option<f64>) -> ToolUpdate {
        let progress = Some(Progress { done, ..Progress::default() });
        ToolUpdate { id: "1".into(), seq: 1, content: None, details: None, view: None, progress }
    }

    #[test]
    fn the_numbers_increase_whatever_the_handler_counts() {
        let mut told = Told::default();
        let counts =
            [None, Some(1.0), Some(5.0), Some(5.0), Some(2.0), None, Some(f64::NAN), Some(6.0)];
        let numbers: Vec<f64> = counts.map(|done| told.next(&update(done))).into();
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
        assert_eq!((numbers[0], numbers[2], numbers[7]), (1.0, 5.0, 6.0));
    }
}
