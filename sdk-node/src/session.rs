//! The session as the TypeScript half of the driver sees it.

use std::rc::Rc;
use std::time::Instant;

use extline_driver::claim;
use extline_protocol::frame::{ExtensionFrame, Level, SdkInfo};
use extline_protocol::{Capability, ExtensionConfig, ExtensionSession};
use extline_stdio::Stdio;
use napi::bindgen_prelude::{Buffer, Function, Uint8Array};
use napi::{Env, Error, Result};
use napi_derive::napi;

use crate::claim::{over_descriptors, to_js};
use crate::core::Core;
use crate::driver::{Driver, Reason};
use crate::frames::{frame_of, raw};
use crate::js::Js;
use crate::tools::Registrations;
use crate::uv;

/// What an extension is, and how its bytes move.
#[napi(object)]
pub struct SessionOptions {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The methods it serves.
    pub methods: Vec<String>,
    /// The version of the values that it keeps with its host.
    pub state_version: Option<u32>,
    /// Handlers run at its end.
    pub teardown: bool,
    /// Who reads and writes stdin and stdout: `native`, or `socket` for JavaScript, by the descriptors
    /// that [`Session::take_descriptors`] gives. `bytes`: there are none, a host in the same process
    /// moves the bytes.
    pub reader: String,
    /// Nobody listens for SIGTERM in JavaScript, so that Node's own handler is of no use.
    pub forgets_sigterm: bool,
    /// The other end of stdin and stdout is an MCP client.
    pub mcp: bool,
    /// Two descriptors in place of stdin and stdout.
    pub over: Option<Vec<i32>>,
}

/// The extension's end of the connection. It lives on the thread that made it.
#[napi]
pub struct Session {
    pub(crate) driver: Rc<Driver>,
    is_native: bool,
    /// What JavaScript reads and writes copies of.
    lent: Option<Stdio>,
}

#[napi]
impl Session {
    /// A session whose events go to `deliver`. stdin and stdout are claimed unless they are.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        env: Env,
        options: SessionOptions,
        registrations: &Registrations,
        deliver: Function<'_, (), ()>,
    ) -> Result<Self> {
        let stdio = match (options.reader.as_str(), options.over.as_deref()) {
            ("bytes", _) => None,
            (_, Some([input, output])) => Some(over_descriptors(*input, *output).map_err(to_js)?),
            _ => Some(claim::take(Stdio::claim).map_err(to_js)?),
        };
        let is_native = options.reader == "native" && stdio.is_some() && uv::is_there();
        let ends_process = options.over.is_none() && stdio.is_some();
        let (own, lent) = if is_native { (stdio, None) } else { (None, stdio) };
        let own = own.map(|mut own| {
            if ends_process {
                if options.forgets_sigterm {
                    forget_sigterm();
                }
                own.input.listen_for_sigterm()?;
            }
            Ok(own)
        });
        let own = own.transpose().map_err(to_js)?;
        let (frames, known) = registrations.copy();
        let config = ExtensionConfig {
            sdk: Some(SdkInfo::extline("node")),
            registrations: frames,
            methods: options.methods,
            state_version: options.state_version.map(u64::from),
            teardown: options.teardown,
            ..ExtensionConfig::new(options.name, options.version)
        };
        let core = Core::new(
            ExtensionSession::new(config),
            own,
            known,
            (ends_process, ends_process && options.mcp),
        );
        let core = core.map_err(to_js)?;
        let driver = Driver::new(core, Js::new(&env, &deliver)?);
        Ok(Self { driver, is_native, lent })
    }

    /// Whether the event loop's own handles are used; otherwise JavaScript moves the bytes.
    #[napi(getter, catch_unwind)]
    pub fn is_native(&self) -> bool {
        self.is_native
    }

    /// Says hello, and serves from now on.
    #[napi(catch_unwind)]
    pub fn begin(&self) -> Result<()> {
        if self.is_native && !self.driver.watch() {
            let advice = "the event loop cannot watch stdin and stdout, as they are neither pipes \
                          nor sockets: a host gives an extension these; try it by `extline run DIR`";
            return Err(Error::from_reason(advice));
        }
        self.driver.tell(|_| ());
        Ok(())
    }

    /// Copies of the descriptors to read and to write, for JavaScript, which closes them.
    #[napi(catch_unwind)]
    pub fn take_descriptors(&self) -> Result<Vec<i32>> {
        let Some(stdio) = &self.lent else { return Ok(Vec::new()) };
        copies(stdio)
    }

    /// JavaScript has read this.
    #[napi(catch_unwind)]
    pub fn feed(&self, bytes: Uint8Array) {
        self.driver.core.lock().channel.feed(&bytes);
        self.driver.turn(Reason::Js);
    }

    /// The host has closed its end.
    #[napi(catch_unwind)]
    pub fn end_input(&self) {
        self.driver.core.lock().channel.end_input();
        self.driver.turn(Reason::Js);
    }

    /// What JavaScript is to write now; nothing while it is at the last, for which it says
    /// [`Session::written`].
    #[napi(catch_unwind)]
    pub fn take_output(&self) -> Option<Buffer> {
        let channel = &mut self.driver.core.lock().channel;
        let mut batch = Vec::new();
        let is_some = channel.take_batch(&mut batch);
        if is_some {
            channel.batch_is_under_way();
        }
        is_some.then(|| Buffer::from(batch))
    }

    /// JavaScript has written what it took, or the host is gone.
    #[napi(catch_unwind)]
    pub fn written(&self, is_gone: bool) {
        let mut state = self.driver.core.lock();
        if is_gone {
            state.channel.lose_host();
        } else {
            state.channel.batch_is_written();
        }
        drop(state);
        self.driver.turn(Reason::Js);
    }

    /// Time is up, for JavaScript that keeps it.
    #[napi(catch_unwind)]
    pub fn turn(&self) {
        self.driver.turn(Reason::Time);
    }

    /// Somebody listens for a signal in JavaScript from now on, where a handler that keeps the loop keeps
    /// it from being heard.
    #[napi(catch_unwind)]
    pub fn listen_in_front(&self) -> Result<()> {
        let mut state = self.driver.core.lock();
        match &mut state.input {
            Some(input) if self.driver.core.ends_process => input.listen_in_front().map_err(to_js),
            _ => Ok(()),
        }
    }

    /// The host may have closed its end, where JavaScript reads and has read enough ahead.
    #[napi(catch_unwind)]
    pub fn look_for_hang_up(&self) -> Result<()> {
        let Some(lent) = &self.lent else { return Ok(()) };
        if lent.input.has_hung_up().map_err(to_js)? {
            self.driver.core.lock().channel.hang_up();
            self.driver.turn(Reason::Js);
        }
        Ok(())
    }

    /// SIGTERM came, to a program that listens itself.
    #[napi(catch_unwind)]
    pub fn sigterm(&self) {
        self.driver.core.lock().channel.session.handle_sigterm(Instant::now());
        self.driver.turn(Reason::Js);
    }

    /// The process is about to end: writes what there is, and waits for the host to take it. The
    /// handlers that were at work.
    #[napi(catch_unwind)]
    pub fn flush(&self) -> Vec<String> {
        self.driver.core.flush();
        self.driver.core.lock().calls.names()
    }

    /// Whether everything that was fed has begun, and whether all of it is done and said except the
    /// calls that still run. For hosts in the same process.
    #[napi(catch_unwind)]
    pub fn progress(&self) -> Vec<bool> {
        let channel = &self.driver.core.lock().channel;
        let is_begun = !channel.can_go_on();
        vec![is_begun, is_begun && channel.is_said() && channel.session.is_calm()]
    }

    /// Nothing brings the loop back any more. For hosts in the same process that give up.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.driver.close();
    }

    /// Everything is registered.
    #[napi(catch_unwind)]
    pub fn ready(&self) {
        self.driver.tell(|state| state.channel.session.ready());
    }

    /// The extension ends by itself, in order; whether it had not begun to.
    #[napi(catch_unwind)]
    pub fn end(&self, exit_code: u8) -> bool {
        self.driver.tell(|state| state.channel.session.end(exit_code, Instant::now()))
    }

    /// What a setup that fails ends the extension with: 0 for one that the end has cancelled.
    #[napi(catch_unwind)]
    pub fn setup_exit_code(&self, is_cancelled: bool) -> u8 {
        self.driver.core.lock().channel.session.setup_exit_code(is_cancelled)
    }

    /// Whether the host understands what the extension would send under that capability.
    #[napi(catch_unwind)]
    pub fn supports(&self, capability: String) -> bool {
        let supports = |capability| self.driver.core.lock().channel.session.supports(capability);
        Capability::of(&capability).is_some_and(supports)
    }

    /// The configuration as the host gave it last, JSON text of an object.
    #[napi(catch_unwind)]
    pub fn config(&self) -> String {
        let core = self.driver.core.lock();
        core.channel.session.config().map_or_else(|| "{}".to_owned(), |it| it.get().to_owned())
    }

    /// What the extension registers with while it runs.
    #[napi(getter, catch_unwind)]
    pub fn registrations(&self) -> Registrations {
        Registrations::of(&self.driver)
    }

    /// Shows the user a note.
    #[napi(catch_unwind)]
    pub fn notify(&self, level: String, message: String) {
        self.driver
            .tell(|state| state.channel.session.notify(Level::from(level.as_str()), message));
    }

    /// Writes a line to the host's log, or to stderr where it keeps none.
    #[napi(catch_unwind)]
    pub fn log(&self, level: String, message: String, fields: Option<String>) -> Result<()> {
        let fields = fields.as_deref().map(raw).transpose()?;
        let level = Level::from(level.as_str());
        self.driver.tell(|state| state.channel.session.log(level, message, fields));
        Ok(())
    }

    /// Queues a prompt for the model, or with a slash in front runs a command.
    #[napi(catch_unwind)]
    pub fn submit(&self, text: String) {
        self.driver.tell(|state| state.channel.session.submit_typed(text));
    }

    /// Takes the extension's notes back.
    #[napi(catch_unwind)]
    pub fn clear_notes(&self) {
        self.driver.tell(|state| state.channel.session.clear_notes());
    }

    /// Opens a panel, or draws it anew, by the frame. Whether it is open.
    #[napi(catch_unwind)]
    pub fn panel(&self, frame: String) -> Result<bool> {
        Ok(match frame_of(&frame)? {
            ExtensionFrame::OpenPanel(open) => {
                self.driver.tell(|state| state.channel.session.open_panel(open.panel));
                true
            }
            ExtensionFrame::PanelRender(render) => {
                self.driver.tell(|state| state.channel.session.render_panel(render))
            }
            _ => false,
        })
    }

    /// Closes a panel.
    #[napi(catch_unwind)]
    pub fn close_panel(&self, id: String) {
        self.driver.tell(|state| state.channel.session.close_panel(&id));
    }

    /// Whether the panel is open, as far as is known here.
    #[napi(catch_unwind)]
    pub fn panel_is_open(&self, id: String) -> bool {
        self.driver.core.lock().channel.session.panel_is_open(&id)
    }
}

/// Node has a handler of its own, which restores the terminal and sends the signal again, for the
/// default action that it expects to be back by then. Behind another handler it is not.
#[cfg(unix)]
fn forget_sigterm() {
    #[expect(unsafe_code, reason = "rustix leaves signal dispositions to libc")]
    // SAFETY: the default action needs nothing.
    unsafe {
        libc::signal(libc::SIGTERM, libc::SIG_DFL);
    }
}

#[cfg(not(unix))]
fn forget_sigterm() {}

#[cfg(unix)]
fn copies(stdio: &Stdio) -> Result<Vec<i32>> {
    use std::os::fd::{AsFd, IntoRawFd};

    let [input, output] = [stdio.input.as_fd(), stdio.output.as_fd()].map(|fd| {
        let copied = rustix::io::fcntl_dupfd_cloexec(fd, 3);
        copied.map_err(|error| Error::from_reason(format!("cannot copy a descriptor: {error}")))
    });
    Ok(vec![input?.into_raw_fd(), output?.into_raw_fd()])
}

#[cfg(not(unix))]
fn copies(_stdio: &Stdio) -> Result<Vec<i32>> {
    Err(to_js(extline_stdio::Error::Unsupported))
}
