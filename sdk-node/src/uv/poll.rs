//! A handle that watches a descriptor.

use std::ffi::c_int;
use std::mem::transmute;
use std::os::fd::{BorrowedFd, RawFd};

use napi::sys::uv_loop_s;
use rustix::fs::{fcntl_getfl, fcntl_setfl};

use super::{Handle, Open, Uv, find};

/// `UV_POLL` of `uv_handle_type`.
const POLL: c_int = 8;
/// `UV_READABLE`, `UV_WRITABLE` and `UV_DISCONNECT` of `uv_poll_event`.
pub(crate) const READABLE: c_int = 1;
pub(crate) const WRITABLE: c_int = 2;
pub(crate) const DISCONNECT: c_int = 4;

type Callback = unsafe extern "C" fn(Handle, c_int, c_int);

/// Those of libuv's that are of a poll.
#[derive(Clone, Copy)]
pub(super) struct Functions {
    init: unsafe extern "C" fn(*mut uv_loop_s, Handle, c_int) -> c_int,
    start: unsafe extern "C" fn(Handle, c_int, Option<Callback>) -> c_int,
    stop: unsafe extern "C" fn(Handle) -> c_int,
}

impl Functions {
    pub(super) fn look_up() -> Option<Self> {
        // SAFETY: each is the function of that name, with the signature that libuv 1 keeps for it.
        unsafe {
            Some(Self {
                init: transmute::<
                    Handle,
                    unsafe extern "C" fn(*mut uv_loop_s, Handle, c_int) -> c_int,
                >(find(c"uv_poll_init")?),
                start: transmute::<
                    Handle,
                    unsafe extern "C" fn(Handle, c_int, Option<Callback>) -> c_int,
                >(find(c"uv_poll_start")?),
                stop: transmute::<Handle, unsafe extern "C" fn(Handle) -> c_int>(find(
                    c"uv_poll_stop",
                )?),
            })
        }
    }
}

/// Watches a descriptor.
#[derive(Debug)]
pub(crate) struct Poll<T> {
    open: Open<T>,
    events: c_int,
    callback: Callback,
}

impl<T> Poll<T> {
    /// The descriptor is open as long as this lives.
    pub(crate) fn new(
        event_loop: *mut uv_loop_s,
        fd: RawFd,
        callback: Callback,
        data: T,
    ) -> Option<Self> {
        // SAFETY: the caller's promise.
        let borrowed = unsafe { BorrowedFd::borrow_raw(fd) };
        let flags = fcntl_getfl(borrowed);
        // SAFETY: the loop is Node's, the memory is of the size that libuv asks for.
        let init = |uv: &Uv, handle| unsafe { (uv.bytes.init)(event_loop, handle, fd) };
        let open = Open::new(POLL, data, init)?;
        // libuv sets O_NONBLOCK, which others who share the description would feel, and which
        // nothing here needs.
        if let Ok(flags) = flags {
            let _ = fcntl_setfl(borrowed, flags);
        }
        Some(Self { open, events: 0, callback })
    }

    /// Watches for these events from now on, for none with 0. Whether it could.
    pub(crate) fn watch(&mut self, events: c_int) -> bool {
        if events == self.events {
            return true;
        }
        self.events = events;
        // SAFETY: the handle is open.
        let status = unsafe {
            if events == 0 {
                (self.open.uv.bytes.stop)(self.open.handle)
            } else {
                (self.open.uv.bytes.start)(self.open.handle, events, Some(self.callback))
            }
        };
        status == 0
    }
}
