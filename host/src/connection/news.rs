//! What an embedder hears of without asking.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use extline_model::Fix;
use extline_protocol::RawJson;
use extline_protocol::frame::{Level, Log, Registered, ToolUpdate};
use extline_services::pending::PendingAction;
use tokio::sync::watch;

use super::panel::Panel;
use crate::lock::lock;
use crate::memory::Memory;
use crate::redact::Redactor;
use crate::registry::Difference;
use crate::report::{CallStatus, Diagnosis, Ending, InterceptFailure, Notice};
use crate::status::StatusReport;

/// News that wait for a slow listener; of more it misses the oldest.
const WAITING: usize = 256;

/// What they may take in memory; of more it misses the oldest too.
const BYTES: usize = 16 * 1024 * 1024;

/// Something an extension did, or something that happened to it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum News {
    /// It is not ready yet, and says what it does meanwhile, as a launcher that builds first
    /// (`hello.bootstrap`).
    Bootstrap {
        /// The extension.
        extension: String,
        /// What it does; empty where it does not say.
        message: String,
    },
    /// It is ready for use.
    Started {
        /// The extension.
        extension: String,
    },
    /// It cannot be used, or can be used no longer.
    Failed {
        /// The extension.
        extension: String,
        /// Why.
        diagnosis: Arc<Diagnosis>,
    },
    /// It failed, and is started again after a while.
    Restarting {
        /// The extension.
        extension: String,
        /// The nth time in a row, from 1.
        attempt: u32,
        /// After how long.
        after: Duration,
    },
    /// What is there now is tried out, and takes the place of what runs when the turn of the agent has ended.
    ReloadWaits {
        /// The extension.
        extension: String,
    },
    /// What is there now has taken the place of what ran before.
    Reloaded {
        /// The extension.
        extension: String,
        /// What it registers otherwise.
        difference: Difference,
        /// From the moment at which somebody wanted it.
        took: Duration,
    },
    /// Its process and all that belongs to it has ended.
    Ended(Ending),
    /// What it offers has changed: list tools and commands anew.
    Registered {
        /// The extension.
        extension: String,
        /// What the host took, and what not.
        report: Registered,
    },
    /// A note for the user.
    Note {
        /// The extension.
        extension: String,
        /// How much it matters.
        level: Level,
        /// The note.
        message: String,
    },
    /// Its notes are to go.
    NotesCleared {
        /// The extension.
        extension: String,
    },
    /// A line for the log. The host has written it to the extension's log file.
    Log {
        /// The extension.
        extension: String,
        /// The line.
        log: Log,
    },
    /// A tool call begins, whoever makes it and whosever tool it is: the agent's, or one that an
    /// extension makes in the midst of another. Nobody was asked about it yet. Each is followed by one
    /// [`News::CallEnded`] of the same id. Calls are told to those alone who listen when they begin.
    CallStarted {
        /// The host's own name for the call, which the events and intercepts have as `tool_id`.
        id: String,
        /// The extension that has the tool; `None` for one of the agent's own and an unknown one.
        extension: Option<String>,
        /// The tool.
        tool: String,
        /// The extension that calls; `None` when the agent does.
        caller: Option<String>,
    },
    /// A tool call ended, or was given up: who made it has the answer, or has dropped it.
    CallEnded {
        /// As it began.
        id: String,
        /// The extension that has the tool; `None` for one of the agent's own and an unknown one.
        extension: Option<String>,
        /// The tool.
        tool: String,
        /// The extension that called; `None` when the agent did.
        caller: Option<String>,
        /// How it ended.
        status: CallStatus,
        /// Whether the tool was entered: not where the call was blocked or its arguments are wrong.
        executed: bool,
        /// An earlier result answered it ([`HostBuilder::memo`](crate::HostBuilder::memo)).
        cache_hit: bool,
        /// From its beginning, so with what interceptors and guards took.
        took: Duration,
    },
    /// The arguments of a call were no JSON, and were repaired
    /// ([`HostBuilder::repair`](crate::HostBuilder::repair)). Told to those alone who listen.
    ArgsRepaired {
        /// The host's own name for the call.
        id: String,
        /// The tool.
        tool: String,
        /// What was changed, in the order of the text.
        fixes: Vec<Fix>,
        /// How many fixes there were beyond these.
        unlisted: usize,
    },
    /// How a tool call stands; [`Call::update`](crate::Call::update) has the same for one call.
    ToolUpdate {
        /// The extension.
        extension: String,
        /// The tool.
        tool: String,
        /// The snapshot.
        update: Arc<ToolUpdate>,
    },
    /// It asks to submit a prompt to the model.
    Submit {
        /// The extension.
        extension: String,
        /// The prompt.
        text: String,
    },
    /// It asks to run a slash command as if the user had typed it.
    SubmitSlash {
        /// The extension.
        extension: String,
        /// The line, with its slash.
        text: String,
    },
    /// It opened a panel.
    PanelOpened {
        /// The panel.
        panel: Panel,
    },
    /// A panel is closed: by the extension, by [`Panel::close`], or because the extension ended.
    PanelClosed {
        /// The extension.
        extension: String,
        /// The panel's id.
        id: String,
    },
    /// The audit cannot be written ([`HostBuilder::audit`](crate::HostBuilder::audit)). Calls go on,
    /// and this is told once.
    AuditFailed {
        /// What the system said.
        reason: String,
    },
    /// An interceptor or a guard of it was asked and did not decide.
    InterceptFailed {
        /// The extension.
        extension: String,
        /// Which one, about what, and what that meant.
        failure: InterceptFailure,
    },
    /// It has had tools offered again, or offered no more, by `tools.activate` or `tools.deactivate`, or listed by
    /// `activate_tools` of a result: ask for an offer anew.
    ToolsActivated {
        /// The extension.
        extension: String,
        /// The tools.
        names: Vec<String>,
        /// Whether they are offered now.
        active: bool,
    },
    /// The agent describes tools in other words ([`Descriptions`](crate::Descriptions)): ask for an offer anew.
    Descriptions {
        /// How often they have changed.
        revision: u64,
    },
    /// Something became of an action that an extension proposes
    /// ([`HostBuilder::pending_actions`](crate::HostBuilder::pending_actions)): list tools anew, as `resolve` comes
    /// and goes with them.
    Pending {
        /// The action.
        action: PendingAction,
        /// What became of it.
        change: PendingChange,
    },
    /// Something its author should know of: junk on stdout, a late answer, a missing `ready`.
    Notice {
        /// The extension.
        extension: String,
        /// What was found.
        notice: Notice,
    },
    /// How all extensions stand, when the host has started and after each reload: what
    /// [`Host::report`](crate::Host::report) says then.
    Report(Arc<StatusReport>),
    /// This listener was too slow: that many news are lost to it.
    Missed(u64),
}

/// What became of an action that an extension proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PendingChange {
    /// It is pending.
    Pushed,
    /// It was done.
    Applied,
    /// It was to be done, and was not. It is still pending, unless it is released too.
    NotApplied {
        /// Why.
        why: String,
    },
    /// It was dropped.
    Discarded,
    /// It is not pending any more, as its extension or its conversation is gone.
    Released {
        /// Why.
        why: String,
    },
}

impl News {
    /// Takes secrets out of what is shown to people. A prompt and the progress of a call are for the model too, and
    /// stay as they are, as results do.
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::Bootstrap { message, .. } | Self::Note { message, .. } => {
                *message = redactor.text(message).into_owned();
            }
            Self::Log { log, .. } => {
                log.message = redactor.text(&log.message).into_owned();
                if let Some(fields) = &mut log.fields {
                    let redacted = redactor.line(fields.get().as_bytes());
                    if let Cow::Owned(redacted) = redacted {
                        let text = String::from_utf8_lossy(&redacted);
                        *fields = RawJson::parse(&text).unwrap_or_else(|_| RawJson::empty_object());
                    }
                }
            }
            Self::Notice { notice, .. } => notice.redact(redactor),
            Self::ArgsRepaired { fixes, .. } => {
                for fix in fixes {
                    fix.found = redactor.text(&fix.found).into_owned();
                }
            }
            Self::Report(report) => Arc::make_mut(report).redact(redactor),
            Self::InterceptFailed { failure, .. } => failure.redact(redactor),
            Self::Registered { report, .. } => {
                for rejection in &mut report.rejected {
                    rejection.message = redactor.text(&rejection.message).into_owned();
                }
            }
            Self::Pending { action, change } => {
                let why = match change {
                    PendingChange::NotApplied { why } | PendingChange::Released { why } => {
                        Some(why)
                    }
                    _ => None,
                };
                let shown = [Some(&mut action.label), action.summary.as_mut(), why];
                for text in shown.into_iter().flatten() {
                    *text = redactor.text(text).into_owned();
                }
            }
            // A diagnosis has none any more.
            _ => {}
        }
    }

    /// Roughly what it takes to keep it.
    fn memory(&self) -> usize {
        const EACH: usize = 512;
        EACH + match self {
            Self::Note { message, .. } | Self::Bootstrap { message, .. } => message.len(),
            Self::Log { log, .. } => log.message.len() + log.fields.memory(),
            Self::ToolUpdate { update, .. } => update.memory(),
            Self::Submit { text, .. } | Self::SubmitSlash { text, .. } => text.len(),
            // What it shows is counted where it is open, and is little when it is closed.
            Self::PanelOpened { panel } => panel.id.len(),
            Self::PanelClosed { id, .. } => id.len(),
            Self::CallStarted { tool, .. } | Self::CallEnded { tool, .. } => tool.len(),
            Self::ArgsRepaired { tool, fixes, .. } => {
                let fixes = fixes.iter().map(|fix| size_of::<Fix>() + fix.found.len());
                tool.len() + fixes.sum::<usize>()
            }
            Self::Notice { notice, .. } => notice.text.len(),
            Self::Report(report) => report.extensions.len() * EACH,
            Self::Pending { action, .. } => {
                action.label.len() + action.summary.memory() + action.details.memory()
            }
            Self::Registered { report, .. } => {
                let names = [&report.tools, &report.commands, &report.events, &report.intercept];
                let names: usize = names.into_iter().map(Memory::memory).sum();
                let rejected = report.rejected.iter();
                let rejected = rejected.map(|one| EACH + one.name.len() + one.message.len());
                names + report.guards.memory() + rejected.sum::<usize>()
            }
            _ => 0,
        }
    }
}

/// A listener's own copy of the news, in the order in which they happened.
#[derive(Debug)]
pub struct NewsStream {
    kept: Arc<Mutex<Kept>>,
    /// The number of the next.
    next: u64,
    newest: watch::Receiver<u64>,
}

impl NewsStream {
    /// The next news; `None` once the host is dropped and nothing is left. May be dropped and
    /// called again.
    pub async fn next(&mut self) -> Option<News> {
        loop {
            if let Some(news) = self.try_next() {
                return Some(news);
            }
            if self.newest.changed().await.is_err() {
                return self.try_next();
            }
        }
    }

    /// The next news, if it is there already.
    pub fn try_next(&mut self) -> Option<News> {
        self.newest.mark_unchanged();
        let kept = lock(&self.kept);
        if let Some(missed) = kept.oldest.checked_sub(self.next).filter(|missed| *missed > 0) {
            self.next = kept.oldest;
            return Some(News::Missed(missed));
        }
        let at = usize::try_from(self.next - kept.oldest).unwrap_or(usize::MAX);
        let (news, _) = kept.news.get(at)?;
        self.next += 1;
        Some(news.clone())
    }
}

/// The newest news, for listeners that are slow.
#[derive(Debug, Default)]
struct Kept {
    /// Each with what it takes in memory.
    news: VecDeque<(News, usize)>,
    memory: usize,
    /// The number of the first.
    oldest: u64,
}

/// Where news come from.
#[derive(Debug)]
pub(crate) struct Newsroom {
    kept: Arc<Mutex<Kept>>,
    /// The number behind the newest.
    newest: watch::Sender<u64>,
    /// What happens during the start waits for the first listener.
    has_listener: AtomicBool,
    redactor: Redactor,
}

impl Newsroom {
    pub(crate) fn new(redactor: Redactor) -> Self {
        Self {
            kept: Arc::default(),
            newest: watch::Sender::new(0),
            has_listener: AtomicBool::new(false),
            redactor,
        }
    }

    /// Whether anybody listens now.
    pub(crate) fn is_heard(&self) -> bool {
        self.newest.receiver_count() > 0
    }

    pub(crate) fn tell(&self, mut news: News) {
        news.redact(&self.redactor);
        let memory = news.memory();
        let next = {
            let mut kept = lock(&self.kept);
            kept.memory += memory;
            kept.news.push_back((news, memory));
            // The newest stays, however long it is.
            while kept.news.len() > WAITING || (kept.memory > BYTES && kept.news.len() > 1) {
                let forgotten = kept.news.pop_front();
                kept.memory -= forgotten.map_or(0, |(_, memory)| memory);
                kept.oldest += 1;
            }
            kept.oldest + kept.news.len() as u64
        };
        self.newest.send_replace(next);
    }

    pub(crate) fn listen(&self) -> NewsStream {
        let kept = lock(&self.kept);
        let is_first = !self.has_listener.swap(true, Ordering::Relaxed);
        // What the first one missed is what nobody could have kept for it.
        let next = if is_first { 0 } else { kept.oldest + kept.news.len() as u64 };
        drop(kept);
        NewsStream { kept: Arc::clone(&self.kept), next, newest: self.newest.subscribe() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(message: &str) -> News {
        News::Note { extension: "x".into(), level: Level::Info, message: message.into() }
    }

    #[test]
    fn the_first_listener_hears_what_happened_before_and_later_ones_do_not() {
        let newsroom = Newsroom::new(Redactor::default());
        newsroom.tell(note("early"));
        let mut first = newsroom.listen();
        let mut second = newsroom.listen();
        assert!(matches!(first.try_next(), Some(News::Note { message, .. }) if message == "early"));
        assert!(second.try_next().is_none());
        newsroom.tell(note("late"));
        assert!(matches!(second.try_next(), Some(News::Note { message, .. }) if message == "late"));
    }

    #[test]
    fn a_slow_listener_is_told_what_it_missed() {
        let newsroom = Newsroom::new(Redactor::default());
        let mut listener = newsroom.listen();
        for _ in 0..WAITING + 3 {
            newsroom.tell(note("x"));
        }
        assert!(matches!(listener.try_next(), Some(News::Missed(3))));
        assert!(matches!(listener.try_next(), Some(News::Note { .. })));
    }

    #[test]
    fn long_news_wait_for_no_slow_listener() {
        let newsroom = Newsroom::new(Redactor::default());
        let mut listener = newsroom.listen();
        for _ in 0..10 {
            newsroom.tell(note(&"x".repeat(4 << 20)));
        }
        assert!(matches!(listener.try_next(), Some(News::Missed(7))));
        assert!(matches!(listener.try_next(), Some(News::Note { .. })));
    }
}
