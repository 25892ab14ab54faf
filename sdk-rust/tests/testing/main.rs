//! The testing host, used as the author of an extension uses it.
#![cfg(any(unix, windows))]

mod asking;
mod configuration;
mod configuration_page;
mod decisions;
mod dialogs;
mod ends;
mod events;
mod failures;
mod hosts;
mod intercept_chains;
mod notes;
mod outputs;
mod panels;
mod questions;
#[cfg(feature = "scenario")]
mod scenarios;
mod sequences;
mod starts;
mod state;
mod strict;
mod tools;
mod views;
