//! Faults: what goes wrong with processes, and that each ends in a named diagnosis, concerns no
//! other extension and leaves nothing running. `misbehave.py` does one of them at a time; it needs
//! Python 3.10 or newer. What is left running is looked for in /proc.

#![cfg(target_os = "linux")]

mod environment;
mod floods;
mod full_pipes;
mod hangs;
mod killed_extension;
mod killed_host;
mod many;
mod pair;
mod processes;
mod restarts;
mod schemas;
#[path = "../extensions/support.rs"]
#[allow(dead_code, reason = "each test target uses a part")]
mod support;
mod switching;
