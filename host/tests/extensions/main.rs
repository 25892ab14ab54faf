//! The host against real processes over real pipes: a well-behaved extension (`behave.py`) and one
//! that misbehaves on purpose (`misbehave.py`). They need Python 3.10 or newer.

#![cfg(unix)]

mod calls;
mod commands;
mod death;
mod registrations;
mod shutdown;
mod start;
mod support;
