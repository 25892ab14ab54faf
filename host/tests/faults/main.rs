//! Faults: what goes wrong with processes, and that each ends in a named diagnosis, concerns no
//! other extension and leaves nothing running. `misbehave.py` does one of them at a time; it needs
//! Python 3.10 or newer.

#![cfg(unix)]

mod environment;
#[cfg(target_os = "linux")]
mod killed_host;
#[cfg(target_os = "linux")]
mod processes;
#[path = "../extensions/support.rs"]
#[allow(dead_code, reason = "each test target uses a part")]
mod support;
