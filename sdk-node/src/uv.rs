//! libuv's handles on Node's own loop, where the program that loads this has them: a timer, and what tells
//! of bytes, on Unix the poll of a descriptor, on Windows an async handle that our own threads ring.
//!
//! Node-API promises the loop itself and no more; the functions are looked up when they are needed,
//! and without them JavaScript reads and writes.

#![expect(unsafe_code, reason = "libuv is C, and its handles are freed when it says so")]

use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute;
use std::sync::OnceLock;

use napi::sys::uv_loop_s;

#[cfg(unix)]
pub(crate) use self::poll::{DISCONNECT, Poll, READABLE, WRITABLE};
#[cfg(windows)]
pub(crate) use self::wake::{Ringer, Wake};

#[cfg(unix)]
use self::poll::Functions;
#[cfg(windows)]
use self::wake::Functions;

#[cfg(unix)]
mod poll;
#[cfg(windows)]
mod wake;

/// `UV_TIMER` of `uv_handle_type`.
const TIMER: c_int = 13;

type Handle = *mut c_void;
pub(crate) type TimerCallback = unsafe extern "C" fn(Handle);
type CloseCallback = unsafe extern "C" fn(Handle);

/// The functions, as `uv.h` declares them.
#[derive(Clone, Copy)]
struct Uv {
    handle_size: unsafe extern "C" fn(c_int) -> usize,
    set_data: unsafe extern "C" fn(Handle, *mut c_void),
    get_data: unsafe extern "C" fn(Handle) -> *mut c_void,
    close: unsafe extern "C" fn(Handle, Option<CloseCallback>),
    /// Of the handle that tells of bytes.
    bytes: Functions,
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
            bytes: Functions::look_up()?,
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

#[cfg(unix)]
fn find(name: &CStr) -> Option<Handle> {
    // SAFETY: looking a name up in what is loaded has no other effect.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

#[cfg(windows)]
fn find(name: &CStr) -> Option<Handle> {
    use windows_sys::Win32::System::LibraryLoader::{GetModuleHandleW, GetProcAddress};

    // SAFETY: looking a name up in the program has no other effect. The program stays loaded.
    let found = unsafe {
        let program = GetModuleHandleW(std::ptr::null());
        GetProcAddress(program, name.as_ptr().cast())
    };
    found.map(|function| function as Handle)
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
/// The handle was made here with a `T`, and is not closed.
pub(crate) unsafe fn data_of<T: Clone>(handle: Handle) -> Option<T> {
    let uv = uv()?;
    // SAFETY: the caller's promise.
    Some(unsafe { (*(uv.get_data)(handle).cast::<Kept<T>>()).data.clone() })
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
        // SAFETY: the loop is Node's, the memory is of the size that libuv asks for.
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
