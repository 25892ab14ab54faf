//! Extensions as processes, over the pipes a host gives them; the test plays the host, line by line.
#![cfg(any(unix, windows))]

mod asking;
mod calls;
#[cfg(windows)]
mod console;
#[cfg(target_os = "linux")]
mod cost;
mod host;
mod intercepts;
mod kept_thread;
mod lifecycle;
mod panels;
mod registry;
mod shutdown;
mod start;
mod streams;
mod troubleshooting;
mod unasked;
#[cfg(target_os = "linux")]
mod waiting_away;
