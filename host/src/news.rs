//! What an embedder hears of without asking.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use extline_protocol::frame::{Level, Log, Registered, ToolUpdate};
use tokio::sync::broadcast::{self, error};

use crate::diagnosis::Diagnosis;
use crate::ending::Ending;
use crate::intercept_failure::InterceptFailure;
use crate::notice::Notice;
use crate::panel::Panel;

/// News that wait for a slow listener; of more it misses the oldest.
const WAITING: usize = 256;

/// Something an extension did, or something that happened to it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum News {
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
    /// An interceptor or a guard of it was asked and did not decide.
    InterceptFailed {
        /// The extension.
        extension: String,
        /// Which one, about what, and what that meant.
        failure: InterceptFailure,
    },
    /// Something its author should know of: junk on stdout, a late answer, a missing `ready`.
    Notice {
        /// The extension.
        extension: String,
        /// What was found.
        notice: Notice,
    },
    /// This listener was too slow: that many news are lost to it.
    Missed(u64),
}

/// A listener's own copy of the news, in the order in which they happened.
#[derive(Debug)]
pub struct NewsStream(broadcast::Receiver<News>);

impl NewsStream {
    /// The next news; `None` once the host is dropped and nothing is left. May be dropped and
    /// called again.
    pub async fn next(&mut self) -> Option<News> {
        match self.0.recv().await {
            Ok(news) => Some(news),
            Err(error::RecvError::Lagged(count)) => Some(News::Missed(count)),
            Err(error::RecvError::Closed) => None,
        }
    }

    /// The next news, if it is there already.
    pub fn try_next(&mut self) -> Option<News> {
        match self.0.try_recv() {
            Ok(news) => Some(news),
            Err(error::TryRecvError::Lagged(count)) => Some(News::Missed(count)),
            Err(error::TryRecvError::Empty | error::TryRecvError::Closed) => None,
        }
    }
}

/// Where news come from.
#[derive(Debug)]
pub(crate) struct Newsroom {
    sender: broadcast::Sender<News>,
    /// Keeps what happens during the start for the first listener.
    first: Mutex<Option<broadcast::Receiver<News>>>,
}

impl Newsroom {
    pub(crate) fn new() -> Self {
        let (sender, first) = broadcast::channel(WAITING);
        Self { sender, first: Mutex::new(Some(first)) }
    }

    pub(crate) fn tell(&self, news: News) {
        // Nobody listens: that is allowed.
        let _ = self.sender.send(news);
    }

    pub(crate) fn listen(&self) -> NewsStream {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        NewsStream(first.unwrap_or_else(|| self.sender.subscribe()))
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
        let newsroom = Newsroom::new();
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
        let newsroom = Newsroom::new();
        let mut listener = newsroom.listen();
        for _ in 0..WAITING + 3 {
            newsroom.tell(note("x"));
        }
        assert!(matches!(listener.try_next(), Some(News::Missed(3))));
        assert!(matches!(listener.try_next(), Some(News::Note { .. })));
    }
}
