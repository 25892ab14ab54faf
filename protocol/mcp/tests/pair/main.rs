//! A client on one side, an extension's session on the other, the bridge between them, one clock.

mod harness;

mod approvals;
mod calls;
mod chunks;
mod dialogs;
mod ending;
mod gate;
mod handshakes;
mod in_process;
mod lists;
mod messages;
mod rounds;
mod sessions;
