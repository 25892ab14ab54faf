//! The testing host, used as the author of an extension uses it.
#![cfg(unix)]

mod ends;
mod failures;
mod hosts;
mod notes;
mod questions;
mod tools;
