//! Both sessions against each other, in virtual time: every rule of order, deadline and failure
//! that needs two ends and no process.

mod guards;
mod harness;

mod calls;
mod dialogs;
mod ending;
mod events;
mod extension_alone;
mod fork_asks;
mod forks;
mod intercepts;
mod outputs;
mod profiles;
mod requests;
mod start;
mod terva_frames;
mod views;
