//! The bridge of a channel.

use std::env;
use std::time::Instant;

use extline_mcp::{Bridge, BridgeConfig, BridgeEvent};
use extline_protocol::ExtensionSession;
use extline_stdio::{Error, report};

/// The variable that says who decides about calls that need an approval, `ask` or `yolo`.
const APPROVE: &str = "EXTLINE_APPROVE";

/// The bridge of one channel, with room for what goes through it.
#[derive(Debug)]
pub(crate) struct Mcp {
    bridge: Box<Bridge>,
    /// Frames that go through it.
    frames: Vec<u8>,
}

impl Mcp {
    pub(crate) fn new() -> Result<Self, Error> {
        let cwd = env::current_dir().map(|cwd| cwd.to_string_lossy().into_owned());
        let config = BridgeConfig {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            cwd: cwd.unwrap_or_default(),
            asks_nobody: asks_nobody(),
            ..BridgeConfig::default()
        };
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|error| Error::Io {
            doing: "get random bytes to sign with",
            source: std::io::Error::other(error.to_string()),
        })?;
        let now = Instant::now();
        let mut bridge = Box::new(Bridge::new(config, now));
        bridge.sign_with(secret, now);
        Ok(Self { bridge, frames: Vec::new() })
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

    /// Passes on what the bridge and the session have for each other, until neither has any. While the client
    /// takes nothing (`is_stalled`), what the session has to say waits in it. Whether the session was given
    /// any.
    pub(crate) fn pass(&mut self, session: &mut ExtensionSession, is_stalled: bool) -> bool {
        let now = Instant::now();
        let mut is_fed = false;
        loop {
            let is_heard = !is_stalled && self.hear(session, now);
            let is_told = self.tell(session, now);
            is_fed |= is_told;
            if !is_heard && !is_told {
                return is_fed;
            }
        }
    }

    /// What the session says goes to the bridge; whether it said anything.
    fn hear(&mut self, session: &mut ExtensionSession, now: Instant) -> bool {
        self.frames.clear();
        let mut is_heard = session.poll_output(now, &mut self.frames);
        if is_heard {
            self.bridge.handle_extension(&self.frames, now);
        }
        while let Some(result) = session.poll_result() {
            self.bridge.handle_result(result, now);
            is_heard = true;
        }
        is_heard
    }

    /// What the bridge says goes to the session; whether it said anything.
    fn tell(&mut self, session: &mut ExtensionSession, now: Instant) -> bool {
        let mut is_told = false;
        while let Some(call) = self.bridge.poll_call() {
            session.handle_call(call, now);
            is_told = true;
        }
        self.frames.clear();
        if self.bridge.poll_to_extension(&mut self.frames) {
            session.handle_input(&self.frames, now);
            is_told = true;
        }
        while let Some(event) = self.bridge.poll_event() {
            match event {
                BridgeEvent::Say(line) => report(&line),
                BridgeEvent::CloseInput => {
                    session.handle_eof(now);
                    is_told = true;
                }
                _ => {}
            }
        }
        is_told
    }
}

/// Whether calls that need an approval run without. What is said wrongly is no permission.
fn asks_nobody() -> bool {
    let Some(mode) = env::var_os(APPROVE) else { return false };
    match mode.to_str() {
        Some("yolo") => true,
        Some("" | "ask") => false,
        _ => {
            let mode = mode.to_string_lossy();
            report(&format!("{APPROVE} is {mode:?}, and has to be ask or yolo; it is left at ask"));
            false
        }
    }
}
