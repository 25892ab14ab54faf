//! A host with the extensions of the command line: started, listened to, stopped.

use std::future::Future;
use std::sync::Arc;

use extline_host::protocol::Deadlines;
use extline_host::protocol::frame::{Level, ToolResult};
use extline_host::{
    CallError, CallOptions, CommandOutcome, Diagnosis, Ending, ExtensionSource, ExtensionState,
    Host, HostBuilder, Manner, News, NewsStream, Trace,
};

use crate::args::{Settings, Timeout};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::frames::FrameView;
use crate::interrupt::Interrupts;
use crate::printer::{BOLD, DIM, Printer, RED, YELLOW, columns};
use crate::progress;

/// A running host, and those it may be interrupted by.
pub(crate) struct Session {
    pub(crate) host: Arc<Host>,
    pub(crate) printer: Printer,
    interrupts: Interrupts,
    news: NewsStream,
    /// The lines on the wire, where somebody may want to see them.
    frames: Option<FrameView>,
    /// Those that did not start; the caller tells of them.
    failed: Vec<Diagnosis>,
}

impl Session {
    /// Starts the extensions; an interruption ends what has started.
    pub(crate) async fn start(
        sources: Vec<ExtensionSource>,
        timeout: &Timeout,
        settings: &Settings,
        frames: Option<FrameView>,
        mut printer: Printer,
    ) -> Result<Self, (Printer, Exit)> {
        let builder = match traced(settings, frames.clone()) {
            Ok(Some(trace)) => builder(sources, timeout).trace(trace),
            Ok(None) => builder(sources, timeout),
            Err(message) => {
                printer.error(message);
                return Err((printer, Exit::ToolError));
            }
        };
        let mut interrupts = match Interrupts::listen() {
            Ok(interrupts) => interrupts,
            Err(error) => {
                printer.error(format_args!("cannot listen for Ctrl-C: {error}"));
                return Err((printer, Exit::ToolError));
            }
        };
        let host = tokio::select! {
            host = settings.apply(builder).start() => Arc::new(host),
            exit = interrupts.next() => return Err((printer, exit)),
        };
        let news = host.news();
        let failed = host.extensions().into_iter().filter_map(|status| match status.state {
            ExtensionState::Failed(diagnosis) => Some((*diagnosis).clone()),
            _ => None,
        });
        let failed = failed.collect();
        Ok(Self { host, printer, interrupts, news, frames, failed })
    }

    /// The diagnoses of those that did not start.
    pub(crate) fn failed(&self) -> Vec<Diagnosis> {
        self.failed.clone()
    }

    /// Waits for the outcome of something, and tells meanwhile what the extensions say. An
    /// interruption drops it, which cancels a call.
    pub(crate) async fn listen_to<T>(
        &mut self,
        future: impl Future<Output = T>,
    ) -> Result<T, Exit> {
        self.listen(future, |_| false).await
    }

    /// The same while nothing is asked of the extensions: one that dies now is told of nowhere
    /// else.
    pub(crate) async fn idle<T>(&mut self, future: impl Future<Output = T>) -> Result<T, Exit> {
        let told = self.failed.clone();
        self.listen(future, |diagnosis| !told.contains(diagnosis)).await
    }

    async fn listen<T>(
        &mut self,
        future: impl Future<Output = T>,
        is_worth_telling: impl Fn(&Diagnosis) -> bool,
    ) -> Result<T, Exit> {
        let tell = |news: &News, printer: &mut Printer| match news {
            News::Failed { diagnosis, .. } if is_worth_telling(diagnosis) => {
                printer.error(diagnosis);
            }
            news => tell(news, printer),
        };
        let mut future = std::pin::pin!(future);
        let outcome = loop {
            tokio::select! {
                outcome = &mut future => break Ok(outcome),
                exit = self.interrupts.next() => break Err(exit),
                Some(news) = self.news.next() => tell(&news, &mut self.printer),
                () = news_of(self.frames.as_ref()) => show_frames(self.frames.as_ref(), &mut self.printer),
            }
        };
        // What was said before the outcome is told before it.
        show_frames(self.frames.as_ref(), &mut self.printer);
        while let Some(news) = self.news.try_next() {
            tell(&news, &mut self.printer);
        }
        self.printer.clear_progress();
        outcome
    }

    /// Calls a tool with the time that the command line gives it; `Err` when it was interrupted.
    pub(crate) async fn call(
        &mut self,
        tool: &str,
        args: &str,
        timeout: &Timeout,
    ) -> Result<Result<ToolResult, CallError>, Exit> {
        let host = Arc::clone(&self.host);
        let mut options = CallOptions::default();
        options.timeout = timeout.after;
        self.listen_to(async { host.start_call(tool, args, options).await?.outcome().await }).await
    }

    /// Runs a slash command; `Err` when it was interrupted.
    pub(crate) async fn run_command(
        &mut self,
        name: &str,
        args: &str,
    ) -> Result<Result<CommandOutcome, CallError>, Exit> {
        let host = Arc::clone(&self.host);
        self.listen_to(host.command(name, args)).await
    }

    /// Stops the extensions and tells how that went where it did not go by itself.
    pub(crate) async fn stop(mut self, exit: Exit) -> Exit {
        for ending in self.endings().await {
            let went_well = ending.manner == Manner::ByItself && ending.left_behind == 0;
            if !ending.gone || !(went_well || ending.manner == Manner::Failed) {
                self.printer.say(format_args!("{YELLOW}notice:{YELLOW:#} {ending}"));
            }
        }
        self.printer.finish(exit)
    }

    /// Stops the extensions and tells of each how it ended.
    pub(crate) async fn stop_and_tell(mut self, exit: Exit) -> Exit {
        for ending in self.endings().await {
            if self.printer.json {
                self.printer.json(&serde_json::json!({ "ended": ending }));
            } else {
                self.printer.result(ending);
            }
        }
        self.printer.finish(exit)
    }

    /// Stops the extensions; after a further interruption nobody waits for them, and they are
    /// killed with the host.
    async fn endings(&mut self) -> Vec<Ending> {
        tokio::select! {
            endings = self.host.shutdown() => endings,
            _ = self.interrupts.next() => Vec::new(),
        }
    }
}

/// Starts one extension, does something with it, stops it.
pub(crate) async fn with_one(
    source: ExtensionSource,
    timeout: &Timeout,
    settings: &Settings,
    printer: Printer,
    act: impl AsyncFnOnce(&mut Session) -> Exit,
) -> Exit {
    let mut session = match Session::start(vec![source], timeout, settings, None, printer).await {
        Ok(session) => session,
        Err((printer, exit)) => return printer.finish(exit),
    };
    let exit = match session.failed().first() {
        Some(diagnosis) => Failure::of_start(diagnosis).report(&mut session.printer),
        None => act(&mut session).await,
    };
    session.stop(exit).await
}

/// The trace of the command line, and what the view of frames needs.
fn traced(settings: &Settings, frames: Option<FrameView>) -> Result<Option<Trace>, String> {
    let file =
        match &settings.trace {
            Some(path) => Some(Trace::create_file(path).map_err(|error| {
                format!("the trace {} cannot be written: {error}", path.display())
            })?),
            None => None,
        };
    Ok(match (frames, file) {
        (Some(frames), file) => Some(Trace::each_to(frames.with_file(file))),
        (None, Some(file)) => Some(Trace::to(file)),
        (None, None) => None,
    })
}

async fn news_of(frames: Option<&FrameView>) {
    match frames {
        Some(frames) => frames.changed().await,
        None => std::future::pending().await,
    }
}

fn show_frames(frames: Option<&FrameView>, printer: &mut Printer) {
    for line in frames.iter().flat_map(|frames| frames.take_live(columns())) {
        printer.say(line);
    }
}

fn builder(sources: Vec<ExtensionSource>, timeout: &Timeout) -> HostBuilder {
    let mut deadlines = Deadlines::default();
    if let Some(after) = timeout.after {
        deadlines.command = after;
        deadlines.tool = after;
    }
    let builder = Host::builder().host("extline", env!("CARGO_PKG_VERSION")).deadlines(deadlines);
    sources.into_iter().fold(builder, HostBuilder::extension)
}

/// Tells what an extension says by itself, on stderr. What is the outcome of something asked for is
/// told there.
fn tell(news: &News, printer: &mut Printer) {
    match news {
        News::Note { extension, level, message } => {
            let colour = match level {
                Level::Error => RED,
                Level::Warn => YELLOW,
                _ => BOLD,
            };
            printer.say(format_args!("{colour}{extension}{colour:#} {level}: {message}"));
        }
        News::Notice { extension, notice } => {
            printer.say(format_args!("{YELLOW}notice:{YELLOW:#} {extension}: {notice}"));
        }
        News::ToolUpdate { tool, update, .. } => {
            printer.progress(&progress::line(tool, update));
        }
        News::Submit { extension, text } => {
            printer.say(format_args!("{BOLD}{extension}{BOLD:#} asks to submit: {text}"));
        }
        News::SubmitSlash { extension, text } => {
            printer.say(format_args!("{BOLD}{extension}{BOLD:#} asks to run: {text}"));
        }
        News::PanelOpened { panel } => {
            let (extension, id) = (panel.extension(), panel.id());
            printer.say(format_args!("{BOLD}{extension}{BOLD:#} opened the panel {id}"));
        }
        News::Missed(count) => {
            printer.say(format_args!("{DIM}{count} messages of extensions were missed{DIM:#}"));
        }
        _ => {}
    }
}
