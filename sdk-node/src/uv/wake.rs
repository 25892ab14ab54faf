//! A handle that any thread can ring, so that the loop calls back.

use std::ffi::c_int;
use std::mem::transmute;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task;

use napi::sys::uv_loop_s;

use super::{Handle, Open, Uv, find};

/// `UV_ASYNC` of `uv_handle_type`.
const ASYNC: c_int = 1;

type Callback = unsafe extern "C" fn(Handle);

/// Those of libuv's that are of an async handle.
#[derive(Clone, Copy)]
pub(super) struct Functions {
    init: unsafe extern "C" fn(*mut uv_loop_s, Handle, Option<Callback>) -> c_int,
    send: unsafe extern "C" fn(Handle) -> c_int,
}

impl Functions {
    pub(super) fn look_up() -> Option<Self> {
        // SAFETY: each is the function of that name, with the signature that libuv 1 keeps for it.
        unsafe {
            Some(Self {
                init: transmute::<
                    Handle,
                    unsafe extern "C" fn(*mut uv_loop_s, Handle, Option<Callback>) -> c_int,
                >(find(c"uv_async_init")?),
                send: transmute::<Handle, unsafe extern "C" fn(Handle) -> c_int>(find(
                    c"uv_async_send",
                )?),
            })
        }
    }
}

/// Has its callback called by the loop once it is rung.
#[derive(Debug)]
pub(crate) struct Wake<T> {
    ringer: Arc<Ringer>,
    _open: Open<T>,
}

/// Rings a [`Wake`], which may be gone.
#[derive(Debug)]
pub(crate) struct Ringer(Mutex<Option<Rung>>);

/// A handle that is not closed.
#[derive(Debug)]
struct Rung {
    uv: &'static Uv,
    handle: Handle,
}

// SAFETY: other threads do nothing with the handle but to ring it, which libuv lets any thread do.
unsafe impl Send for Rung {}

impl<T> Wake<T> {
    pub(crate) fn new(event_loop: *mut uv_loop_s, callback: Callback, data: T) -> Option<Self> {
        // SAFETY: the loop is Node's, the memory is of the size that libuv asks for.
        let init = |uv: &Uv, handle| unsafe { (uv.bytes.init)(event_loop, handle, Some(callback)) };
        let open = Open::new(ASYNC, data, init)?;
        let rung = Rung { uv: open.uv, handle: open.handle };
        Some(Self { ringer: Arc::new(Ringer(Mutex::new(Some(rung)))), _open: open })
    }

    pub(crate) fn ringer(&self) -> Arc<Ringer> {
        Arc::clone(&self.ringer)
    }
}

impl<T> Drop for Wake<T> {
    fn drop(&mut self) {
        // Behind this nobody rings what is closed next.
        self.ringer.lock().take();
    }
}

impl Ringer {
    pub(crate) fn ring(&self) {
        if let Some(Rung { uv, handle }) = &*self.lock() {
            // SAFETY: the handle is open as long as it stands here.
            unsafe { (uv.bytes.send)(*handle) };
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Rung>> {
        // Nothing panics while it is locked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl task::Wake for Ringer {
    fn wake(self: Arc<Self>) {
        self.ring();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.ring();
    }
}
