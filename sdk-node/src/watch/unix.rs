//! libuv watches the descriptors.

use std::os::fd::RawFd;
use std::rc::Rc;

use napi::sys::uv_loop_s;

use super::{Alarm, Wants, callbacks};
use crate::driver::Driver;
use crate::uv::{DISCONNECT, READABLE, WRITABLE};

type Poll = crate::uv::Poll<Rc<Driver>>;

/// The handles of a loop that the session is watched with.
pub(crate) struct Handles {
    input: Poll,
    /// Never read: it brings the loop back as long as it is there.
    _bell: Poll,
    output: Option<Poll>,
    output_fd: RawFd,
    event_loop: *mut uv_loop_s,
    alarm: Alarm,
}

impl Handles {
    /// `None` where one of the descriptors cannot be watched: a file can not.
    pub(crate) fn open(driver: &Rc<Driver>) -> Option<Self> {
        let [input, bell, output_fd] = driver.core.lock().descriptors()?;
        let event_loop = driver.event_loop()?;
        let poll = |fd, callback| Poll::new(event_loop, fd, callback, Rc::clone(driver));
        let mut bell = poll(bell, callbacks::on_bell)?;
        bell.watch(READABLE).then_some(())?;
        Some(Self {
            input: poll(input, callbacks::on_input)?,
            _bell: bell,
            output: None,
            output_fd,
            event_loop,
            alarm: Alarm::new(event_loop, driver)?,
        })
    }

    /// Watches for what the session waits for. Whether it could.
    pub(crate) fn arm(&mut self, wants: &Wants, driver: &Rc<Driver>) -> bool {
        let room = self.arm_output(wants.room, driver);
        let input = self.input.watch(match wants {
            Wants { input: true, .. } => READABLE,
            Wants { hang_up: true, .. } => DISCONNECT,
            _ => 0,
        });
        self.alarm.arm(wants);
        input && room
    }

    fn arm_output(&mut self, room: bool, driver: &Rc<Driver>) -> bool {
        if room && self.output.is_none() {
            let data = Rc::clone(driver);
            self.output = Poll::new(self.event_loop, self.output_fd, callbacks::on_room, data);
        }
        match &mut self.output {
            Some(output) => output.watch(if room { WRITABLE } else { 0 }),
            None => !room,
        }
    }

    /// The timer has rung.
    pub(crate) fn rang(&mut self) {
        self.alarm.rang();
    }
}
