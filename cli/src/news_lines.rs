//! News as lines of JSON, for `extline run --json`; docs/host/news.md has the shapes.

use std::time::Duration;

use extline_host::model::Fix;
use extline_host::{News, PendingChange};
use serde::{Serialize, Serializer};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use crate::content::json_of;

/// A piece of news as one object: what happened in `news`, and more about it.
#[derive(Debug)]
pub(crate) struct NewsLine(Vec<(&'static str, Box<RawValue>)>);

impl NewsLine {
    /// The line; nothing for news that this version does not know.
    pub(crate) fn of(news: &News) -> Option<Self> {
        let line = |what: &'static str| Self(Vec::new()).with("news", &what);
        Some(match news {
            News::Bootstrap { extension, message } => {
                line("bootstrap").with("extension", extension).with("message", message)
            }
            News::Started { extension } => line("started").with("extension", extension),
            News::Failed { extension, diagnosis } => {
                line("failed").with("extension", extension).with("diagnosis", &**diagnosis)
            }
            News::Restarting { extension, attempt, after } => line("restarting")
                .with("extension", extension)
                .with("attempt", attempt)
                .with("after_ms", &millis(*after)),
            News::ReloadWaits { extension } => line("reload_waits").with("extension", extension),
            News::Reloaded { extension, difference, took } => line("reloaded")
                .with("extension", extension)
                .with("difference", difference)
                .with("took_ms", &millis(*took)),
            News::Report(report) => line("report").with("report", &**report),
            News::Ended(ending) => {
                line("ended").with("extension", &ending.extension).with("ending", ending)
            }
            News::Registered { extension, report } => {
                line("registered").with("extension", extension).with("report", &json_of(report))
            }
            News::Note { extension, level, message } => line("note")
                .with("extension", extension)
                .with("level", &level.to_string())
                .with("message", message),
            News::NotesCleared { extension } => line("notes_cleared").with("extension", extension),
            News::Log { extension, log } => {
                line("log").with("extension", extension).with("log", &json_of(log))
            }
            News::CallStarted { id, extension, tool, caller } => line("call_started")
                .with("id", id)
                .with("tool", tool)
                .with("extension", extension)
                .with("caller", caller),
            News::CallEnded { id, extension, tool, caller, status, executed, cache_hit, took } => {
                line("call_ended")
                    .with("id", id)
                    .with("tool", tool)
                    .with("extension", extension)
                    .with("caller", caller)
                    .with("status", &status.as_str())
                    .with("executed", executed)
                    .with("cache_hit", cache_hit)
                    .with("took_ms", &millis(*took))
            }
            News::ArgsRepaired { id, tool, fixes, unlisted } => {
                let line = line("args_repaired").with("id", id).with("tool", tool);
                line.with("fixes", &sentences(fixes)).with("unlisted", unlisted)
            }
            News::ToolUpdate { extension, tool, update } => line("tool_update")
                .with("extension", extension)
                .with("tool", tool)
                .with("update", &json_of(&**update)),
            News::Submit { extension, text } => {
                line("submit").with("extension", extension).with("text", text)
            }
            News::SubmitSlash { extension, text } => {
                line("submit_slash").with("extension", extension).with("text", text)
            }
            News::PanelOpened { panel } => {
                line("panel_opened").with("extension", panel.extension()).with("id", panel.id())
            }
            News::PanelClosed { extension, id } => {
                line("panel_closed").with("extension", extension).with("id", id)
            }
            News::InterceptFailed { extension, failure } => {
                line("intercept_failed").with("extension", extension).with("failure", failure)
            }
            News::Notice { extension, notice } => {
                line("notice").with("extension", extension).with("notice", notice)
            }
            News::Pending { action, change } => {
                let line = line("pending")
                    .with("extension", &action.extension)
                    .with("id", &action.id)
                    .with("label", &action.label);
                match change {
                    PendingChange::Pushed => line.with("change", "pushed"),
                    PendingChange::Applied => line.with("change", "applied"),
                    PendingChange::Discarded => line.with("change", "discarded"),
                    PendingChange::NotApplied { why } => {
                        line.with("change", "not_applied").with("why", why)
                    }
                    PendingChange::Released { why } => {
                        line.with("change", "released").with("why", why)
                    }
                    _ => line,
                }
            }
            News::AuditFailed { reason } => line("audit_failed").with("reason", reason),
            News::Missed(count) => line("missed").with("count", count),
            _ => return None,
        })
    }

    fn with<T: Serialize + ?Sized>(mut self, name: &'static str, value: &T) -> Self {
        // What these are made of can be written.
        let value = to_raw_value(value).or_else(|_| to_raw_value(&json!(null)));
        self.0.extend(value.ok().map(|value| (name, value)));
        self
    }
}

impl Serialize for NewsLine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

fn sentences(fixes: &[Fix]) -> Vec<String> {
    fixes.iter().map(ToString::to_string).collect()
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
