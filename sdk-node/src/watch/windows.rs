//! Threads of extline-stdio read and write, and ring the loop when something has come or gone.

use std::rc::Rc;
use std::sync::Arc;
use std::task;
use std::time::Duration;

use super::{Alarm, Wants, callbacks};
use crate::core::State;
use crate::driver::Driver;
use crate::uv::{Ringer, Wake};

/// The handles of a loop that the session is watched with.
pub(crate) struct Handles {
    ringer: Arc<Ringer>,
    task: task::Waker,
    _wake: Wake<Rc<Driver>>,
    alarm: Alarm,
}

impl Handles {
    /// `None` where the loop takes no more handles.
    pub(crate) fn open(driver: &Rc<Driver>) -> Option<Self> {
        let event_loop = driver.event_loop()?;
        let wake = Wake::new(event_loop, callbacks::on_wake, Rc::clone(driver))?;
        let ringer = wake.ringer();
        let task = task::Waker::from(Arc::clone(&ringer));
        Some(Self { ringer, task, _wake: wake, alarm: Alarm::new(event_loop, driver)? })
    }

    /// Has the loop called back for what the session waits for. Whether it could.
    pub(crate) fn arm(&mut self, wants: &Wants, driver: &Rc<Driver>) -> bool {
        self.alarm.arm(wants);
        let mut state = driver.core.lock();
        // Before the look, so that nothing comes between the two.
        let is_told = state.input.as_mut().is_none_or(|it| it.wake_when_ready(&self.task).is_ok());
        if is_there(&state, wants) {
            drop(state);
            self.ringer.ring();
        }
        is_told
    }

    /// The timer has rung.
    pub(crate) fn rang(&mut self) {
        self.alarm.rang();
    }
}

/// Whether something of that has come already, of which nobody tells.
fn is_there(State { channel, input, .. }: &State, wants: &Wants) -> bool {
    let Some(input) = input else { return false };
    let has_hung_up =
        || wants.hang_up && !channel.has_hung_up() && input.has_hung_up().is_ok_and(|it| it);
    let has_room = || wants.room && channel.output().is_some_and(|output| output.has_room());
    let arrived = input.arrivals().wait((wants.input, true), None, Some(Duration::ZERO));
    arrived.is_ok_and(|arrived| arrived.host) || has_room() || has_hung_up()
}
