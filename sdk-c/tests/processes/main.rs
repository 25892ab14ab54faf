//! Extensions in C as real processes over real pipes, by `extline_run`.

#![cfg(target_os = "linux")]
#![allow(dead_code, reason = "until the rest lands")]

mod host;
mod program;
mod strays;
