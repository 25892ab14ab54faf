//! What a hook asks what runs the extensions, and what it is told.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What an agent may give, and what may come back.
pub(super) const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// The first line of what runs the extensions on its stdout, when it takes questions.
pub(super) const READY: &str = "ready";

/// What is asked at the socket: a line of JSON, and behind it what belongs to it.
#[derive(Debug, Deserialize, Serialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(super) enum Asked {
    /// About the event behind it.
    Decide {
        agent: String,
        event: Option<String>,
    },
    Status,
    Stop,
}

/// How it stands.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Status {
    pub(super) pid: u32,
    pub(super) project: PathBuf,
    /// Since when it runs, and since when nobody asked it.
    pub(super) seconds: u64,
    pub(super) idle_seconds: u64,
    pub(super) asked: u64,
    pub(super) extensions: Vec<ExtensionState>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct ExtensionState {
    pub(super) name: String,
    pub(super) state: String,
}
