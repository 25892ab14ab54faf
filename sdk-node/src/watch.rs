//! What brings the loop back to the session: libuv's handles, or JavaScript's own.

use std::rc::Rc;
use std::time::Instant;

use crate::driver::Driver;
use extline_driver::Channel;

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

/// The handles of a loop that the session is watched with.
#[cfg(unix)]
pub(crate) struct Handles {
    input: Poll,
    /// Never read: it brings the loop back as long as it is there.
    _bell: Poll,
    output: Option<Poll>,
    output_fd: std::os::fd::RawFd,
    event_loop: *mut napi::sys::uv_loop_s,
    timer: crate::uv::Timer<Rc<Driver>>,
    set_to: Option<Instant>,
    is_set: bool,
}

#[cfg(unix)]
type Poll = crate::uv::Poll<Rc<Driver>>;

#[cfg(unix)]
impl Handles {
    /// `None` where one of the descriptors cannot be watched: a file can not.
    pub(crate) fn open(driver: &Rc<Driver>) -> Option<Self> {
        let [input, bell, output_fd] = driver.core.lock().descriptors()?;
        let event_loop = driver.event_loop()?;
        let poll = |fd, callback| Poll::new(event_loop, fd, callback, Rc::clone(driver));
        let mut bell = poll(bell, callbacks::on_bell)?;
        bell.watch(crate::uv::READABLE).then_some(())?;
        Some(Self {
            input: poll(input, callbacks::on_input)?,
            _bell: bell,
            output: None,
            output_fd,
            event_loop,
            timer: crate::uv::Timer::new(event_loop, callbacks::on_time, Rc::clone(driver))?,
            set_to: None,
            is_set: false,
        })
    }

    /// Watches for what the session waits for. Whether it could.
    pub(crate) fn arm(&mut self, wants: &Wants, driver: &Rc<Driver>) -> bool {
        let room = self.arm_output(wants.room, driver);
        let input = self.input.watch(match wants {
            Wants { input: true, .. } => crate::uv::READABLE,
            Wants { hang_up: true, .. } => crate::uv::DISCONNECT,
            _ => 0,
        });
        if wants.turn || self.is_set != wants.due.is_some() || self.set_to != wants.due {
            self.timer.set(wants.millis());
            self.is_set = wants.turn || wants.due.is_some();
            self.set_to = wants.due.filter(|_| !wants.turn);
        }
        input && room
    }

    fn arm_output(&mut self, room: bool, driver: &Rc<Driver>) -> bool {
        if room && self.output.is_none() {
            let data = Rc::clone(driver);
            self.output = Poll::new(self.event_loop, self.output_fd, callbacks::on_room, data);
        }
        match &mut self.output {
            Some(output) => output.watch(if room { crate::uv::WRITABLE } else { 0 }),
            None => !room,
        }
    }

    /// The timer has rung.
    pub(crate) fn rang(&mut self) {
        self.is_set = false;
        self.set_to = None;
    }
}

/// What libuv calls. None is called again once its handle is dropped.
#[cfg(unix)]
#[expect(unsafe_code, reason = "libuv gives a callback its handle and no more")]
mod callbacks {
    use std::ffi::{c_int, c_void};
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

    pub(super) unsafe extern "C" fn on_input(handle: *mut c_void, _status: c_int, _events: c_int) {
        turn(handle, Reason::Input);
    }

    pub(super) unsafe extern "C" fn on_bell(handle: *mut c_void, _status: c_int, _events: c_int) {
        turn(handle, Reason::Bell);
    }

    pub(super) unsafe extern "C" fn on_room(handle: *mut c_void, _status: c_int, _events: c_int) {
        turn(handle, Reason::Room);
    }

    pub(super) unsafe extern "C" fn on_time(handle: *mut c_void) {
        turn(handle, Reason::Time);
    }
}
