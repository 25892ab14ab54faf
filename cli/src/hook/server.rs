//! What runs the extensions for hooks: it answers at a socket, and ends when nobody asked for a while.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs};

use extline_host::{Diagnosis, ExtensionSource, Host};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::answer::Answer;
use super::channel::{Asker, Listener, leave_terminal};
use super::decide::Decider;
use super::dialects::Dialect;
use super::question::{Asked, MOST_BYTES, READY, Status};
use super::start::clear;
use crate::args::{Hook, Timeout};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::session::Session;
use crate::target::source_of;

/// What all questions share.
struct Serving {
    decider: Decider,
    began: Instant,
    /// When somebody asked last, in milliseconds behind the beginning.
    last: AtomicU64,
    asked: AtomicU64,
    stop: Notify,
}

pub(crate) async fn serve(hook: Hook, printer: Printer) -> Result<Exit, clap::Error> {
    leave_terminal();
    let socket = PathBuf::from(hook.serve.unwrap_or_default());
    let mut sources: Vec<_> = hook.dirs.into_iter().map(ExtensionSource::folder).collect();
    sources.extend(source_of("hook", hook.program)?);
    let none = Timeout { after: None };
    let started = Session::start(sources, &none, &hook.settings, None, printer).await;
    let mut session = match started {
        Ok(session) => session,
        Err((printer, exit)) => {
            say("the extensions could not be started");
            return Ok(printer.finish(exit));
        }
    };
    session.report_failed();
    let failed = session.failed();
    let mut listener = match Listener::bind(&socket) {
        Ok(listener) => listener,
        Err(error) => {
            say(&format!("{} cannot be listened at: {error}", socket.display()));
            return Ok(session.stop(Exit::ToolError).await);
        }
    };
    say(READY);
    let serving = Arc::new(Serving::of(Arc::clone(&session.host), failed, hook.settings.unguarded));
    let (exit, late) = match session.idle(serving.serve(&mut listener, hook.idle)).await {
        Ok(late) => (Exit::Ok, late),
        Err(exit) => (exit, None),
    };
    // From now on a hook starts another one; what came before is answered still.
    let _ = fs::remove_file(&socket);
    drop(late);
    let _ = session.idle(serving.finish(&mut listener)).await;
    let exit = session.stop(exit).await;
    if exit == Exit::Ok {
        clear(&socket);
    }
    Ok(exit)
}

/// To whoever started this.
fn say(line: &str) {
    let mut stdout = anstream::stdout().into_inner().lock();
    // If it is gone, nobody needs to know.
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}

impl Serving {
    fn of(host: Arc<Host>, failed: Vec<Diagnosis>, unguarded: Vec<String>) -> Self {
        Self {
            decider: Decider::new(host, failed, unguarded),
            began: Instant::now(),
            last: AtomicU64::new(0),
            asked: AtomicU64::new(0),
            stop: Notify::new(),
        }
    }

    /// Answers until nobody asked for so long, somebody says that it is enough, or an extension has failed.
    /// Returns the connection that came too late for that.
    async fn serve(self: &Arc<Self>, listener: &mut Listener, idle: Duration) -> Option<Asker> {
        let mut running = JoinSet::new();
        let late = loop {
            let quiet = self.quiet();
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok(asker) if self.is_over() => break Some(asker),
                    Ok(asker) => self.answer(asker, &mut running),
                    // As many files are open as may be: some will be closed.
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                },
                Some(_) = running.join_next() => if self.is_over() {
                    break None;
                },
                () = tokio::time::sleep(idle.saturating_sub(quiet)) => {
                    if running.is_empty() && self.quiet() >= idle {
                        break None;
                    }
                }
                () = self.stop.notified() => break None,
            }
        };
        while running.join_next().await.is_some() {}
        late
    }

    /// An extension that did not start, or has died, is tried again: by the next hook.
    fn is_over(&self) -> bool {
        self.asked.load(Ordering::Relaxed) > 0 && self.decider.has_failed()
    }

    /// Answers those who had connected before the socket was gone, unless another one has to: a hook whose
    /// connection is closed starts that.
    async fn finish(self: &Arc<Self>, listener: &mut Listener) {
        let mut running = JoinSet::new();
        while let Ok(Ok(asker)) = timeout(Duration::ZERO, listener.accept()).await {
            if !self.is_over() {
                self.answer(asker, &mut running);
            }
        }
        while running.join_next().await.is_some() {}
    }

    fn answer(self: &Arc<Self>, asker: Asker, running: &mut JoinSet<()>) {
        if !asker.may_ask() {
            return;
        }
        let serving = Arc::clone(self);
        running.spawn(async move {
            // Whoever asked and is gone needs no answer.
            let _ = serving.exchange(asker).await;
        });
    }

    async fn exchange(&self, mut asker: Asker) -> io::Result<()> {
        let bytes = asker.question(MOST_BYTES + 64 * 1024).await?;
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
        let (line, event) = bytes.split_at(end);
        let answer = match serde_json::from_slice(line) {
            Ok(Asked::Decide { agent, event: named }) => {
                let answer = self.decide(&agent, named.as_deref(), event).await;
                serde_json::to_vec(&answer)
            }
            Ok(Asked::Status) => serde_json::to_vec(&self.status()),
            Ok(Asked::Stop) => {
                self.stop.notify_one();
                serde_json::to_vec(&self.status())
            }
            Err(error) => {
                serde_json::to_vec(&Answer::blocked(&format!("a hook asked unreadably: {error}")))
            }
        };
        asker.answer(&answer.map_err(io::Error::other)?).await
    }

    async fn decide(&self, agent: &str, named: Option<&str>, event: &[u8]) -> Answer {
        self.touch();
        let Some(dialect) = Dialect::of(agent) else {
            return Answer::blocked(&format!("hooks of {agent} are not known"));
        };
        let answer = self.decider.decide(dialect, named, event).await;
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.touch();
        answer
    }

    fn status(&self) -> Status {
        Status {
            pid: std::process::id(),
            project: env::current_dir().unwrap_or_default(),
            seconds: self.began.elapsed().as_secs(),
            idle_seconds: self.quiet().as_secs(),
            asked: self.asked.load(Ordering::Relaxed),
            extensions: self.decider.extensions(),
        }
    }

    /// Somebody asks now.
    fn touch(&self) {
        let now = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last.store(now, Ordering::Relaxed);
    }

    /// How long nobody has asked.
    fn quiet(&self) -> Duration {
        let last = Duration::from_millis(self.last.load(Ordering::Relaxed));
        self.began.elapsed().saturating_sub(last)
    }
}
