//! What the host said about itself.

use std::ffi::c_char;
use std::sync::{Mutex, PoisonError};

use extline_protocol::frame::HelloAck;
use extline_protocol::{Capability, RawJson};

use crate::extension::{Extension, extension};
use crate::failure::enter_or;
use crate::ffi::{Str, text, with_nul};
use crate::json::Json;

/// With NULs behind them; empty where the host does not say it.
#[derive(Default)]
pub(crate) struct Host {
    name: String,
    version: String,
    provider: String,
    model: String,
    cwd: String,
    extension_dir: String,
    data_dir: String,
    session_id: String,
    methods: Vec<String>,
}

impl Host {
    pub(crate) fn new(ack: &HelloAck) -> Self {
        let of = |text: &str| with_nul(text.to_owned());
        let maybe = |text: &Option<String>| of(text.as_deref().unwrap_or_default());
        Self {
            name: of(ack.host_name()),
            version: of(ack.host_version()),
            provider: of(&ack.provider),
            model: of(&ack.model),
            cwd: of(&ack.cwd),
            extension_dir: maybe(&ack.extension_dir),
            data_dir: maybe(&ack.data_dir),
            session_id: of(ack.session.as_ref().map_or("", |session| &session.id)),
            methods: ack.methods.clone().unwrap_or_default(),
        }
    }
}

unsafe fn said(ext: *const Extension, what: impl FnOnce(&Host) -> &String) -> Str {
    enter_or(Str::EMPTY, || {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        let said = ext.host().map(|host| Str::lend(what(host).as_bytes()));
        Ok(said.unwrap_or(Str::EMPTY))
    })
}

/// The configuration that the host gives, an object, to be asked by pointers: `extline_json_int(config,
/// "/timeout_ms", &timeout)`. It is empty where the host gives none, as a zot; a secret in it is a
/// reference, `{"$secret": "api_key"}`. A host sends another one while the extension runs
/// (`config_changed`): each call of this has the newest. NULL before the host has answered, and for NULL.
/// What it returned lives as long as the extension, also when there is a newer one. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_config(ext: *const Extension) -> *const Json {
    enter_or(std::ptr::null(), || {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        if ext.host().is_none() {
            return Ok(std::ptr::null());
        }
        let newest = {
            let mut state = ext.lock();
            state.live().and_then(|channel| channel.session.config().cloned())
        };
        Ok(ext.configs.newest(newest))
    })
}

/// The configurations that were handed out: C has pointers to them.
#[derive(Default)]
#[expect(clippy::vec_box, reason = "a pointer stays right when the list grows")]
pub(crate) struct Configs(Mutex<Vec<Box<Json>>>);

impl Configs {
    /// The last one, or the one before once the session is over.
    fn newest(&self, config: Option<RawJson>) -> *const Json {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = config.as_ref().map(RawJson::get);
        if kept.last().is_none_or(|last| newest.is_some_and(|it| it != last.get())) {
            kept.push(Box::new(Json::of(config.unwrap_or_else(RawJson::empty_object))));
        }
        kept.last().map_or(std::ptr::null(), |last| &raw const **last)
    }
}

/// The name of the host program; `zot` for one that does not say it. Empty before the host has answered,
/// and for NULL. It lives as long as the extension. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_host_name(ext: *const Extension) -> Str {
    // SAFETY: as the header says.
    unsafe { said(ext, |host| &host.name) }
}

/// The version of the host program. Else as `extline_host_name`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_host_version(ext: *const Extension) -> Str {
    // SAFETY: as the header says.
    unsafe { said(ext, |host| &host.version) }
}

/// The model's provider. Else as `extline_host_name`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_host_provider(ext: *const Extension) -> Str {
    // SAFETY: as the header says.
    unsafe { said(ext, |host| &host.provider) }
}

/// The model. Else as `extline_host_name`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_host_model(ext: *const Extension) -> Str {
    // SAFETY: as the header says.
    unsafe { said(ext, |host| &host.model) }
}

/// The project's directory. Else as `extline_host_name`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_host_cwd(ext: *const Extension) -> Str {
    // SAFETY: as the header says.
    unsafe { said(ext, |host| &host.cwd) }
}

/// Where the extension is; empty where the host does not say it. Else as `extline_host_name`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_extension_dir(ext: *const Extension) -> Str {
    // SAFETY: as the header says.
    unsafe { said(ext, |host| &host.extension_dir) }
}

/// Where the extension may keep data; empty where the host does not say it. Else as `extline_host_name`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_data_dir(ext: *const Extension) -> Str {
    // SAFETY: as the header says.
    unsafe { said(ext, |host| &host.data_dir) }
}

/// The id of the conversation that the extension serves; empty where the host does not say it. Else as
/// `extline_host_name`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_session_id(ext: *const Extension) -> Str {
    // SAFETY: as the header says.
    unsafe { said(ext, |host| &host.session_id) }
}

/// Whether the host understands what an extension would send under that capability (`cap.send`), as
/// `call_tool` or `tool_update`. False before it has answered, for NULL, and for a name that is none. From
/// any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_host_supports(
    ext: *const Extension,
    capability: *const c_char,
) -> bool {
    enter_or(false, || {
        // SAFETY: a handle and a text of the caller's.
        let (ext, name) = unsafe { (extension(ext)?, text(capability, "capability")?) };
        Ok(supports(&ext, Capability::of(name)))
    })
}

/// Whether the host serves a method, for `extline_request`. Else as `extline_host_supports`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_host_serves(ext: *const Extension, method: *const c_char) -> bool {
    enter_or(false, || {
        // SAFETY: a handle and a text of the caller's.
        let (ext, name) = unsafe { (extension(ext)?, text(method, "method")?) };
        Ok(serves(&ext, name))
    })
}

/// Whether the host serves a method.
pub(crate) fn serves(ext: &Extension, method: &str) -> bool {
    ext.host().is_some_and(|host| host.methods.iter().any(|known| known == method))
}

fn supports(ext: &Extension, capability: Option<Capability>) -> bool {
    let mut state = ext.lock();
    let Some(capability) = capability else { return false };
    state.live().is_some_and(|channel| channel.session.supports(capability))
}
