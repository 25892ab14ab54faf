//! The one function of the JavaScript half through which everything is told.

#![expect(unsafe_code, reason = "calls from the event loop are made through Node-API itself")]

use std::ffi::c_char;
use std::ptr;

use napi::bindgen_prelude::{Function, JsValue, ToNapiValue};
use napi::{Env, Result, Status, sys};

/// What is told, in the order of the function's parameters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Told<'a> {
    pub(crate) kind: u32,
    /// Of the call, 0 for what is none.
    pub(crate) serial: u64,
    /// The handler's, the exit code, ...
    pub(crate) number: Option<f64>,
    pub(crate) text: Option<&'a str>,
    pub(crate) more: Option<&'a str>,
    /// In milliseconds from now.
    pub(crate) deadline: Option<f64>,
    pub(crate) flag: bool,
}

/// Lives and is used on the thread of the event loop alone.
#[derive(Debug)]
pub(crate) struct Js {
    env: sys::napi_env,
    function: sys::napi_ref,
    context: sys::napi_async_context,
}

/// While it is open, what runs in JavaScript is one callback: promises and `process.nextTick` have
/// their turn when it closes.
pub(crate) struct Scope<'a> {
    js: &'a Js,
    callback: sys::napi_callback_scope,
    handles: sys::napi_handle_scope,
}

fn check(status: sys::napi_status) -> Result<()> {
    match Status::from(status) {
        Status::Ok => Ok(()),
        status => Err(napi::Error::from_status(status)),
    }
}

impl Js {
    pub(crate) fn new(env: &Env, function: &Function<'_, (), ()>) -> Result<Self> {
        let env = env.raw();
        let mut js = Self { env, function: ptr::null_mut(), context: ptr::null_mut() };
        // SAFETY: all that is passed is of this environment and alive during the calls; the results
        // are written to places that live.
        unsafe {
            check(sys::napi_create_reference(env, function.raw(), 1, &raw mut js.function))?;
            let name = <&str>::to_napi_value(env, "extline")?;
            check(sys::napi_async_init(env, ptr::null_mut(), name, &raw mut js.context))?;
        }
        Ok(js)
    }

    /// Node's event loop.
    pub(crate) fn event_loop(&self) -> Result<*mut sys::uv_loop_s> {
        let mut event_loop = ptr::null_mut();
        // SAFETY: the environment lives as long as this value is used.
        check(unsafe { sys::napi_get_uv_event_loop(self.env, &raw mut event_loop) })?;
        Ok(event_loop)
    }

    pub(crate) fn open(&self) -> Result<Scope<'_>> {
        let (mut callback, mut handles) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: as above; the scopes are closed in the opposite order when the value is dropped.
        unsafe {
            check(sys::napi_open_handle_scope(self.env, &raw mut handles))?;
            let resource = ptr::null_mut();
            let opened =
                sys::napi_open_callback_scope(self.env, resource, self.context, &raw mut callback);
            if let Err(error) = check(opened) {
                sys::napi_close_handle_scope(self.env, handles);
                return Err(error);
            }
        }
        Ok(Scope { js: self, callback, handles })
    }
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        // SAFETY: both were opened by `Js::open`, in the opposite order.
        unsafe {
            sys::napi_close_callback_scope(self.js.env, self.callback);
            sys::napi_close_handle_scope(self.js.env, self.handles);
        }
    }
}

impl Scope<'_> {
    /// Calls the function; whether it says that promises are to have their turn. What it throws, which
    /// it never should, is an uncaught exception of the program.
    pub(crate) fn tell(&self, told: Told<'_>) -> bool {
        self.try_tell(told).unwrap_or(false)
    }

    fn try_tell(&self, told: Told<'_>) -> Result<bool> {
        let env = self.js.env;
        // SAFETY: as above; the values are of the handle scope that is open here.
        unsafe {
            let mut inner = ptr::null_mut();
            check(sys::napi_open_handle_scope(env, &raw mut inner))?;
            let outcome = self.call(told);
            sys::napi_close_handle_scope(env, inner);
            outcome
        }
    }

    /// # Safety
    /// A handle scope is open.
    unsafe fn call(&self, told: Told<'_>) -> Result<bool> {
        let env = self.js.env;
        let mut nothing = ptr::null_mut();
        // SAFETY: the caller has a handle scope open, and the environment lives.
        unsafe {
            check(sys::napi_get_undefined(env, &raw mut nothing))?;
            let text = |text: Option<&str>| text.map_or(Ok(nothing), |text| string(env, text));
            let number = |number: Option<f64>| {
                number.map_or(Ok(nothing), |number| f64::to_napi_value(env, number))
            };
            #[expect(clippy::cast_precision_loss, reason = "nobody makes 2^53 calls")]
            let args = [
                u32::to_napi_value(env, told.kind)?,
                f64::to_napi_value(env, told.serial as f64)?,
                number(told.number)?,
                text(told.text)?,
                text(told.more)?,
                number(told.deadline)?,
                bool::to_napi_value(env, told.flag)?,
            ];
            let mut function = ptr::null_mut();
            check(sys::napi_get_reference_value(env, self.js.function, &raw mut function))?;
            let mut result = ptr::null_mut();
            let status = sys::napi_call_function(
                env,
                nothing,
                function,
                args.len(),
                args.as_ptr(),
                &raw mut result,
            );
            if Status::from(status) == Status::PendingException {
                let mut exception = ptr::null_mut();
                check(sys::napi_get_and_clear_last_exception(env, &raw mut exception))?;
                check(sys::napi_fatal_exception(env, exception))?;
                return Ok(true);
            }
            check(status)?;
            let mut waits = false;
            // No boolean: nothing waits.
            sys::napi_get_value_bool(env, result, &raw mut waits);
            Ok(waits)
        }
    }
}

/// # Safety
/// The environment lives, and a handle scope is open.
unsafe fn string(env: sys::napi_env, text: &str) -> Result<sys::napi_value> {
    let (start, length) = (text.as_ptr().cast::<c_char>(), text.len().cast_signed());
    let mut value = ptr::null_mut();
    // ASCII is Latin-1 too, and needs no decoding.
    // SAFETY: the caller's promise; the bytes live during the call.
    let status = unsafe {
        if text.is_ascii() {
            sys::napi_create_string_latin1(env, start, length, &raw mut value)
        } else {
            sys::napi_create_string_utf8(env, start, length, &raw mut value)
        }
    };
    check(status).map(|()| value)
}
