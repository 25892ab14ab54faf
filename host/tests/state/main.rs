//! What extensions keep with their host: it is there after kill -9, follows the conversation, and is lost to nobody.
//! `keeper.py` keeps it; it needs Python 3.10 or newer.

#![cfg(target_os = "linux")]

mod keeper;
mod limits;
mod migrations;
mod sessions;
mod two_processes;
