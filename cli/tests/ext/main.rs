//! `extline ext`, and `extline run` of what is installed.

#![cfg(unix)]

mod archives;
mod audit;
mod deferred;
mod environments;
mod given;
mod install;
mod logs;
mod manifests;
mod pages;
mod questions;
mod sandbox;
mod scene;
mod status;
#[path = "../support/mod.rs"]
mod support;
mod trust;
mod update;
