//! The C library as its users meet it: installed into a folder of its own, found by pkg-config and
//! `CMake`, with the examples, the pages of the documentation and what `extline new --lang c` writes.
#![cfg(unix)]

#[path = "../support/c_library.rs"]
mod c_library;
#[path = "../support/curious.rs"]
mod curious;
mod docs;
mod examples;
mod hpp;
mod install;
mod new;
#[path = "../support/page.rs"]
mod page;
mod sandbox;
#[path = "../support/mod.rs"]
mod support;
mod troubleshooting;
