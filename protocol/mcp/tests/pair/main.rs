//! A client on one side, an extension's session on the other, the bridge between them, one clock.

mod harness;

mod calls;
mod chunks;
mod ending;
mod gate;
mod handshakes;
mod in_process;
mod lists;
mod messages;
mod sessions;
