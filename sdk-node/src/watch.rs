//! What brings the loop back to the session: libuv's handles, or JavaScript's own.

use std::rc::Rc;
use std::time::Instant;

use extline_driver::Channel;
use napi::sys::uv_loop_s;

use crate::driver::Driver;
use crate::uv::Timer;

#[cfg(unix)]
pub(crate) use self::unix::Handles;
#[cfg(windows)]
pub(crate) use self::windows::Handles;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

/// What the session waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Wants {
    /// Bytes of the host's.
    pub(crate) input: bool,
    /// Their end, where so many are read ahead that it is not found by reading.
    pub(crate) hang_up: bool,
    /// The host to take bytes.
    pub(crate) room: bool,
    /// Time.
    pub(crate) due: Option<Instant>,
    /// Nothing but a further turn.
    pub(crate) turn: bool,
}

impl Wants {
    pub(crate) fn of(channel: &Channel) -> Self {
        Self {
            input: channel.may_read(),
            hang_up: channel.is_full(),
            room: channel.is_stalled(),
            due: channel.due(),
            turn: channel.can_go_on(),
        }
    }

    /// In how many milliseconds time is up, if ever.
    pub(crate) fn millis(&self) -> Option<u64> {
        if self.turn {
            return Some(0);
        }
        let left = self.due?.saturating_duration_since(Instant::now());
        // A timer that rings too early would ring again and again.
        let millis = left.as_micros().div_ceil(1000);
        Some(u64::try_from(millis).unwrap_or(u64::MAX))
    }
}

/// The time, for a session that waits for it.
struct Alarm {
    timer: Timer<Rc<Driver>>,
    set_to: Option<Instant>,
    is_set: bool,
}

impl Alarm {
    fn new(event_loop: *mut uv_loop_s, driver: &Rc<Driver>) -> Option<Self> {
        let timer = Timer::new(event_loop, callbacks::on_time, Rc::clone(driver))?;
        Some(Self { timer, set_to: None, is_set: false })
    }

    fn arm(&mut self, wants: &Wants) {
        if wants.turn || self.is_set != wants.due.is_some() || self.set_to != wants.due {
            self.timer.set(wants.millis());
            self.is_set = wants.turn || wants.due.is_some();
            self.set_to = wants.due.filter(|_| !wants.turn);
        }
    }

    fn rang(&mut self) {
        self.is_set = false;
        self.set_to = None;
    }
}

/// What libuv calls. None is called again once its handle is dropped.
#[expect(unsafe_code, reason = "libuv gives a callback its handle and no more")]
mod callbacks {
    #[cfg(unix)]
    use std::ffi::c_int;
    use std::ffi::c_void;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::rc::Rc;

    use extline_stdio::report;

    use crate::driver::{Driver, Reason};
    use crate::uv::data_of;

    fn turn(handle: *mut c_void, reason: Reason) {
        let turn = AssertUnwindSafe(|| {
            // SAFETY: these are callbacks of handles that hold a driver.
            if let Some(driver) = unsafe { data_of::<Rc<Driver>>(handle) } {
                driver.turn(reason);
            }
        });
        // No panic may pass through libuv. Its hook has said where it was.
        if catch_unwind(turn).is_err() {
            report("a mistake of this library's own; what was at work is lost");
        }
    }

    #[cfg(unix)]
    pub(super) unsafe extern "C" fn on_input(handle: *mut c_void, _status: c_int, _events: c_int) {
        turn(handle, Reason::Input);
    }

    #[cfg(unix)]
    pub(super) unsafe extern "C" fn on_bell(handle: *mut c_void, _status: c_int, _events: c_int) {
        turn(handle, Reason::Bell);
    }

    #[cfg(unix)]
    pub(super) unsafe extern "C" fn on_room(handle: *mut c_void, _status: c_int, _events: c_int) {
        turn(handle, Reason::Room);
    }

    #[cfg(windows)]
    pub(super) unsafe extern "C" fn on_wake(handle: *mut c_void) {
        turn(handle, Reason::Bell);
    }

    pub(super) unsafe extern "C" fn on_time(handle: *mut c_void) {
        turn(handle, Reason::Time);
    }
}
