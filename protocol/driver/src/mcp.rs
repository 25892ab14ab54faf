//! MCP in the place of the extline wire: what is read and written are the lines of a client, and a bridge
//! stands between them and the session.

use std::env;
use std::ffi::OsStr;
use std::time::Instant;

use extline_mcp::{Bridge, BridgeConfig, BridgeEvent};
use extline_protocol::ExtensionSession;
use extline_stdio::report;

/// The argument that asks for MCP.
const ARGUMENT: &str = "--mcp";

/// The variable that names the wire, `mcp` or `extline`.
const VARIABLE: &str = "EXTLINE_WIRE";

/// Whether the program is to be an MCP server: by its first argument, which is `--mcp`, or by the variable
/// `EXTLINE_WIRE`.
pub fn is_asked_for(first_argument: Option<&OsStr>) -> bool {
    if first_argument == Some(OsStr::new(ARGUMENT)) {
        return true;
    }
    let Some(wire) = env::var_os(VARIABLE) else { return false };
    match wire.to_str() {
        Some("mcp") => true,
        Some("" | "extline") => false,
        _ => {
            let wire = wire.to_string_lossy();
            report(&format!(
                "{VARIABLE} is {wire:?}, and has to be mcp or extline; it is left at extline"
            ));
            false
        }
    }
}

/// The bridge of one channel, with room for what goes through it.
#[derive(Debug)]
pub(crate) struct Mcp {
    bridge: Box<Bridge>,
    /// Frames that go through it.
    frames: Vec<u8>,
}

impl Mcp {
    pub(crate) fn new() -> Self {
        let cwd = env::current_dir().map(|cwd| cwd.to_string_lossy().into_owned());
        let config = BridgeConfig {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            cwd: cwd.unwrap_or_default(),
            ..BridgeConfig::default()
        };
        Self { bridge: Box::new(Bridge::new(config, Instant::now())), frames: Vec::new() }
    }

    /// Room for bytes of the client's.
    pub(crate) fn space(&mut self) -> &mut [u8] {
        self.bridge.client_space()
    }

    pub(crate) fn handle_read(&mut self, count: usize, now: Instant) {
        self.bridge.handle_client_read(count, now);
    }

    pub(crate) fn handle_input(&mut self, bytes: &[u8], now: Instant) {
        self.bridge.handle_client(bytes, now);
    }

    pub(crate) fn handle_eof(&mut self, now: Instant) {
        self.bridge.handle_client_eof(now);
    }

    pub(crate) fn handle_timeout(&mut self, now: Instant) {
        if self.due().is_some_and(|due| due <= now) {
            self.bridge.handle_timeout(now);
        }
    }

    pub(crate) fn due(&self) -> Option<Instant> {
        self.bridge.poll_timeout()
    }

    pub(crate) fn has_output(&self) -> bool {
        self.bridge.has_output()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.bridge.is_full()
    }

    /// Moves the lines for the client behind what `out` holds; whether there were any.
    pub(crate) fn poll_output(&mut self, out: &mut Vec<u8>) -> bool {
        self.bridge.poll_to_client(out)
    }

    /// Passes frames on between the bridge and the session, until neither has any. While the client takes
    /// nothing (`is_stalled`), what the session has to say waits in it. Whether the session was given any.
    pub(crate) fn pass(&mut self, session: &mut ExtensionSession, is_stalled: bool) -> bool {
        let now = Instant::now();
        let mut is_fed = false;
        loop {
            let mut has_passed = false;
            self.frames.clear();
            if !is_stalled && session.poll_output(now, &mut self.frames) {
                self.bridge.handle_extension(&self.frames, now);
                has_passed = true;
            }
            self.frames.clear();
            if self.bridge.poll_to_extension(&mut self.frames) {
                session.handle_input(&self.frames, now);
                (has_passed, is_fed) = (true, true);
            }
            while let Some(event) = self.bridge.poll_event() {
                match event {
                    BridgeEvent::Say(line) => report(&line),
                    BridgeEvent::CloseInput => {
                        session.handle_eof(now);
                        is_fed = true;
                    }
                    _ => {}
                }
            }
            if !has_passed {
                return is_fed;
            }
        }
    }
}
