//! Extensions in C as real processes over real pipes, by `extline_run`.

#![cfg(target_os = "linux")]

mod calls;
mod ends;
mod forks;
mod host;
mod intercept_chains;
mod program;
mod strays;
mod talk;
