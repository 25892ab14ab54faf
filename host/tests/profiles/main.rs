//! Hosts like a particular zot, and the traces they write, with real processes.
//!
//! The extensions are `ext_script.py` of the recordings, which does what a small JSON script says.

#![cfg(unix)]

mod agent;
mod forks;
mod reproduction;
mod round_trip;
mod scripted;
mod switches;
mod trace;
