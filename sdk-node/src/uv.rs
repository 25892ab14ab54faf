//! libuv's poll and timer handles on Node's own loop, where the program that loads this has them.
//!
//! Node-API promises the loop itself and no more; the functions are looked up when they are needed,
//! and without them JavaScript reads and writes.

#![expect(unsafe_code, reason = "libuv is C, and its handles are freed when it says so")]

use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute;
use std::os::fd::{BorrowedFd, RawFd};
use std::sync::OnceLock;

use napi::sys::uv_loop_s;
use rustix::fs::{fcntl_getfl, fcntl_setfl};

/// `UV_POLL` and `UV_TIMER` of `uv_handle_type`.
const POLL: c_int = 8;
const TIMER: c_int = 13;
/// `UV_READABLE`, `UV_WRITABLE` and `UV_DISCONNECT` of `uv_poll_event`.
pub(crate) const READABLE: c_int = 1;
pub(crate) const WRITABLE: c_int = 2;
pub(crate) const DISCONNECT: c_int = 4;

type Handle = *mut c_void;
pub(crate) type PollCallback = unsafe extern "C" fn(Handle, c_int, c_int);
pub(crate) type TimerCallback = unsafe extern "C" fn(Handle);
type CloseCallback = unsafe extern "C" fn(Handle);

/// The functions, as `uv.h` declares them.
#[derive(Clone, Copy)]
struct Uv {
    handle_size: unsafe extern "C" fn(c_int) -> usize,
    set_data: unsafe extern "C" fn(Handle, *mut c_void),
    get_data: unsafe extern "C" fn(Handle) -> *mut c_void,
    close: unsafe extern "C" fn(Handle, Option<CloseCallback>),
    poll_init: unsafe extern "C" fn(*mut uv_loop_s, Handle, c_int) -> c_int,
    poll_start: unsafe extern "C" fn(Handle, c_int, Option<PollCallback>) -> c_int,
    poll_stop: unsafe extern "C" fn(Handle) -> c_int,
    timer_init: unsafe extern "C" fn(*mut uv_loop_s, Handle) -> c_int,
    timer_start: unsafe extern "C" fn(Handle, Option<TimerCallback>, u64, u64) -> c_int,
    timer_stop: unsafe extern "C" fn(Handle) -> c_int,
}

static UV: OnceLock<Option<Uv>> = OnceLock::new();

fn uv() -> Option<&'static Uv> {
    UV.get_or_init(look_up).as_ref()
}

/// Whether the functions are there.
pub(crate) fn is_there() -> bool {
    uv().is_some()
}

fn look_up() -> Option<Uv> {
    let find = |name: &CStr| {
        // SAFETY: looking a name up in what is loaded has no other effect.
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        (!found.is_null()).then_some(found)
    };
    // SAFETY: each is the function of that name, with the signature that libuv 1 keeps for it.
    unsafe {
        Some(Uv {
            handle_size: transmute::<Handle, unsafe extern "C" fn(c_int) -> usize>(find(
                c"uv_handle_size",
            )?),
            set_data: transmute::<Handle, unsafe extern "C" fn(Handle, *mut c_void)>(find(
                c"uv_handle_set_data",
            )?),
            get_data: transmute::<Handle, unsafe extern "C" fn(Handle) -> *mut c_void>(find(
                c"uv_handle_get_data",
            )?),
            close: transmute::<Handle, unsafe extern "C" fn(Handle, Option<CloseCallback>)>(find(
                c"uv_close",
            )?),
            poll_init: transmute::<
                Handle,
                unsafe extern "C" fn(*mut uv_loop_s, Handle, c_int) -> c_int,
            >(find(c"uv_poll_init")?),
            poll_start: transmute::<
                Handle,
                unsafe extern "C" fn(Handle, c_int, Option<PollCallback>) -> c_int,
            >(find(c"uv_poll_start")?),
            poll_stop: transmute::<Handle, unsafe extern "C" fn(Handle) -> c_int>(find(
                c"uv_poll_stop",
            )?),
            timer_init: transmute::<Handle, unsafe extern "C" fn(*mut uv_loop_s, Handle) -> c_int>(
                find(c"uv_timer_init")?,
            ),
            timer_start: transmute::<
                Handle,
                unsafe extern "C" fn(Handle, Option<TimerCallback>, u64, u64) -> c_int,
            >(find(c"uv_timer_start")?),
            timer_stop: transmute::<Handle, unsafe extern "C" fn(Handle) -> c_int>(find(
                c"uv_timer_stop",
            )?),
        })
    }
}

/// A handle of the loop; dropping it closes it. `T` is what its callback is given.
#[derive(Debug)]
struct Open<T> {
    uv: &'static Uv,
    handle: Handle,
    data: std::marker::PhantomData<T>,
}

impl std::fmt::Debug for Uv {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Uv")
    }
}

/// What libuv keeps of a handle until it is closed: its memory, and the data of its callback.
struct Kept<T> {
    _memory: Box<[u128]>,
    data: T,
}

impl<T> Open<T> {
    fn new(kind: c_int, data: T, init: impl FnOnce(&Uv, Handle) -> c_int) -> Option<Self> {
        let uv = uv()?;
        // SAFETY: the kind is one of libuv's.
        let size = unsafe { (uv.handle_size)(kind) };
        let mut memory = vec![0_u128; size.div_ceil(size_of::<u128>())].into_boxed_slice();
        let handle = memory.as_mut_ptr().cast::<c_void>();
        if init(uv, handle) != 0 {
            return None;
        }
        let kept = Box::into_raw(Box::new(Kept { _memory: memory, data }));
        // SAFETY: the handle was initialised just now, and what it is given lives until it is closed.
        unsafe { (uv.set_data)(handle, kept.cast()) };
        Some(Self { uv, handle, data: std::marker::PhantomData })
    }
}

impl<T> Drop for Open<T> {
    fn drop(&mut self) {
        // SAFETY: the handle is initialised, and closed only here.
        unsafe { (self.uv.close)(self.handle, Some(free::<T>)) };
    }
}

unsafe extern "C" fn free<T>(handle: Handle) {
    let Some(uv) = uv() else { return };
    // SAFETY: libuv calls this once for a handle that `Open::new` made, and touches it no more.
    drop(unsafe { Box::from_raw((uv.get_data)(handle).cast::<Kept<T>>()) });
}

/// What was given to the handle that a callback is called for.
///
/// # Safety
/// The handle is of a [`Poll<T>`] or [`Timer<T>`], and not closed.
pub(crate) unsafe fn data_of<T: Clone>(handle: Handle) -> Option<T> {
    let uv = uv()?;
    // SAFETY: the caller's promise.
    Some(unsafe { (*(uv.get_data)(handle).cast::<Kept<T>>()).data.clone() })
}

/// Watches a descriptor.
#[derive(Debug)]
pub(crate) struct Poll<T> {
    open: Open<T>,
    events: c_int,
    callback: PollCallback,
}

impl<T> Poll<T> {
    /// The descriptor is open as long as this lives.
    pub(crate) fn new(
        event_loop: *mut uv_loop_s,
        fd: RawFd,
        callback: PollCallback,
        data: T,
    ) -> Option<Self> {
        // SAFETY: the caller's promise.
        let borrowed = unsafe { BorrowedFd::borrow_raw(fd) };
        let flags = fcntl_getfl(borrowed);
        // SAFETY: the loop is Node's, the memory is of the size that libuv asks for.
        let init = |uv: &Uv, handle| unsafe { (uv.poll_init)(event_loop, handle, fd) };
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
                (self.open.uv.poll_stop)(self.open.handle)
            } else {
                (self.open.uv.poll_start)(self.open.handle, events, Some(self.callback))
            }
        };
        status == 0
    }
}

/// Rings once.
#[derive(Debug)]
pub(crate) struct Timer<T> {
    open: Open<T>,
    callback: TimerCallback,
}

impl<T> Timer<T> {
    pub(crate) fn new(
        event_loop: *mut uv_loop_s,
        callback: TimerCallback,
        data: T,
    ) -> Option<Self> {
        // SAFETY: as for `Poll::new`.
        let init = |uv: &Uv, handle| unsafe { (uv.timer_init)(event_loop, handle) };
        Some(Self { open: Open::new(TIMER, data, init)?, callback })
    }

    /// Rings in so many milliseconds and at no other time, or never.
    pub(crate) fn set(&mut self, after: Option<u64>) {
        // SAFETY: the handle is open.
        unsafe {
            match after {
                Some(after) => {
                    (self.open.uv.timer_start)(self.open.handle, Some(self.callback), after, 0)
                }
                None => (self.open.uv.timer_stop)(self.open.handle),
            };
        }
    }
}
