//! The host against real processes over real pipes: a well-behaved extension (`behave.py`), one that
//! misbehaves on purpose (`misbehave.py`) and one that is asked before things happen
//! (`intercept.py`). They need Python 3.10 or newer.

#![cfg(unix)]

mod activity;
mod advised;
mod agent;
mod approvals;
mod audit;
mod builtins;
mod call_tool;
mod calls;
mod choosing;
mod commands;
mod configs;
mod death;
mod declared_guards;
mod dialogs;
mod effects;
mod failing;
mod framing;
mod guards;
mod hooks;
mod intercepts;
mod journal;
mod lazy;
#[cfg(feature = "mcp-client")]
mod mcp_servers;
mod memo;
mod mixed;
mod offers;
mod panels;
mod pending;
mod programs;
mod registrations;
mod reloading;
mod repair;
mod requests;
mod results;
#[cfg(target_os = "linux")]
mod sandbox;
mod secrets;
mod sequential;
mod services;
mod shutdown;
mod stage;
mod start;
mod status_tool;
mod support;
mod switching;
mod told_calls;
mod told_events;
