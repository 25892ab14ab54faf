//! A host with the extensions of the command line: started, listened to, stopped.

mod settings;

use std::future::Future;
use std::io::Write;
use std::sync::Arc;

use extline_host::protocol::frame::{Level, SessionInfo, ToolResult};
use extline_host::protocol::{Deadlines, RawJson};
use extline_host::view::{self, Fold};
use extline_host::{
    CallError, CallOptions, CommandOutcome, Diagnosis, Ending, ExtensionSource, ExtensionState,
    Host, HostBuilder, Manner, News, NewsStream, Notice, PendingChange, Trace,
};

use serde_json::value::RawValue;
use tokio::sync::mpsc;

use crate::args::{Settings, Timeout};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::frames::FrameView;
use crate::interrupt::Interrupts;
use crate::news_lines::NewsLine;
use crate::printer::{Printer, columns};
use crate::progress;
use crate::remarks::{of_members, of_misspelt_members};
use crate::script_hooks;
use crate::styled::{BOLD, DIM, RED, Text, YELLOW};
use crate::trace_file::TraceFile;
use crate::views;

/// Characters that are shown of a notice.
const NOTICE_CHARS: usize = 2000;

/// A running host, and those it may be interrupted by.
pub(crate) struct Session {
    pub(crate) host: Arc<Host>,
    pub(crate) printer: Printer,
    /// The conversation that a console plays.
    pub(crate) conversation: String,
    /// Each piece of news is a line of JSON on stdout too.
    writes_news: bool,
    interrupts: Interrupts,
    news: NewsStream,
    /// The lines on the wire, where somebody may want to see them.
    frames: Option<FrameView>,
    /// Where they are kept, if anywhere.
    trace_file: Option<TraceFile>,
    /// Those that did not start; the caller tells of them.
    failed: Vec<Diagnosis>,
    /// What was said about the extensions before they were started.
    remarked: Vec<Notice>,
    /// What something beside tells.
    remarks: Option<mpsc::UnboundedReceiver<Remark>>,
}

/// Something to be told as it happens: lines for a person, and one of JSON for a program, where the host does
/// not tell it.
pub(crate) struct Remark {
    pub(crate) text: Text,
    pub(crate) json: Option<Box<RawValue>>,
}

impl Remark {
    /// Tells it: as JSON where news are told so.
    pub(crate) fn show(self, is_json: bool, printer: &mut Printer) {
        match self.json.filter(|_| is_json) {
            Some(json) => printer.json(&json),
            None if is_json => {}
            None => printer.say(self.text),
        }
    }
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
        let trace_file = match settings.trace.as_deref().map(TraceFile::create).transpose() {
            Ok(file) => file,
            Err(message) => {
                printer.error(message);
                return Err((printer, Exit::ToolError));
            }
        };
        let remarked: Vec<_> = sources.iter().flat_map(of_misspelt_members).collect();
        for notice in &remarked {
            printer.warn(notice);
        }
        let builder = builder(sources, timeout).redactor(printer.redactor.clone());
        let hooks = match script_hooks::all(&settings.hooks, &mut printer).await {
            Ok(hooks) => hooks,
            Err(why) => {
                let exit = why.report(Exit::Usage, &mut printer);
                return Err((printer, exit));
            }
        };
        let traced = |trace: Trace| {
            if settings.redact { trace.redacted(&printer.redactor) } else { trace }
        };
        let builder = hooks.into_iter().fold(builder, HostBuilder::script_hooks);
        let builder = match &settings.audit {
            None => builder,
            Some(file) => match builder.audit(file) {
                Ok(builder) => builder,
                Err(error) => {
                    let file = file.display();
                    let error = format_args!(
                        "the audit cannot be written to {file}: {error}; give --audit a file in a folder that \
                         is there and can be written"
                    );
                    printer.error(error);
                    return Err((printer, Exit::ToolError));
                }
            },
        };
        // Who looks at frames is a console, and so has a conversation.
        let conversation = settings.session.clone();
        let is_named = conversation.is_some();
        let conversation = conversation.unwrap_or_else(|| format!("run-{}", std::process::id()));
        let builder = if is_named || frames.is_some() {
            builder.session(SessionInfo { id: conversation.clone(), generation: None })
        } else {
            builder
        };
        let writes_news = frames.is_some() && printer.json;
        let builder = match (&frames, trace_file.clone()) {
            (Some(frames), file) => builder.trace(traced(Trace::each_to(frames.with_file(file)))),
            (None, Some(file)) => builder.trace(traced(Trace::each_to(file))),
            (None, None) => builder,
        };
        let mut interrupts = match Interrupts::listen() {
            Ok(interrupts) => interrupts,
            Err(error) => {
                printer.error(format_args!("cannot listen for Ctrl-C: {error}"));
                return Err((printer, Exit::ToolError));
            }
        };
        let host = tokio::select! {
            host = self::settings::apply(settings, builder).start() => Arc::new(host),
            exit = interrupts.next() => return Err((printer, exit)),
        };
        let news = host.news();
        let failed = host.extensions().into_iter().filter_map(|status| match status.state {
            ExtensionState::Failed(diagnosis) => Some((*diagnosis).clone()),
            _ => None,
        });
        let failed = failed.collect();
        Ok(Self {
            host,
            printer,
            conversation,
            writes_news,
            interrupts,
            news,
            frames,
            trace_file,
            failed,
            remarked,
            remarks: None,
        })
    }

    /// What is sent to this is told as it comes.
    pub(crate) fn remarks(&mut self) -> mpsc::UnboundedSender<Remark> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.remarks = Some(receiver);
        sender
    }

    /// The diagnoses of those that did not start.
    pub(crate) fn failed(&self) -> Vec<Diagnosis> {
        self.failed.clone()
    }

    /// Tells why one did not start, and what its manifest has that nobody reads: that may be why.
    pub(crate) fn report_failed(&mut self) -> Option<Exit> {
        let statuses = self.host.extensions();
        let mut exit = None;
        for diagnosis in self.failed() {
            exit = Some(Failure::of_start(&diagnosis).report(&mut self.printer));
            let status = statuses.iter().find(|status| status.name == diagnosis.extension);
            let with_manifest = status.filter(|status| status.manifest.is_some());
            let dir = with_manifest.and_then(|status| status.dir.as_ref());
            for notice in dir.iter().flat_map(|dir| of_members(dir)) {
                if !self.remarked.contains(&notice) {
                    self.printer.warn(notice);
                }
            }
        }
        exit
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
        let writes_news = self.writes_news;
        let tell = |news: &News, printer: &mut Printer| {
            write_line(news, writes_news, printer);
            match news {
                News::Failed { diagnosis, .. } if is_worth_telling(diagnosis) => {
                    printer.error(diagnosis);
                }
                news => tell(news, printer),
            }
        };
        let mut future = std::pin::pin!(future);
        let outcome = loop {
            tokio::select! {
                outcome = &mut future => break Ok(outcome),
                exit = self.interrupts.next() => break Err(exit),
                Some(news) = self.news.next() => tell(&news, &mut self.printer),
                remark = next_remark(self.remarks.as_mut()) => remark.show(writes_news, &mut self.printer),
                why = failure_of(self.trace_file.as_ref()) => self.printer.error(why),
                () = news_of(self.frames.as_ref()) => show_frames(self.frames.as_ref(), &mut self.printer),
            }
        };
        // What was said before the outcome is told before it.
        show_frames(self.frames.as_ref(), &mut self.printer);
        while let Some(news) = self.news.try_next() {
            tell(&news, &mut self.printer);
        }
        // So that a trace that cannot be written is told now, and not when its buffer is full.
        if let Some(why) = self.trace_file.as_mut().and_then(TraceFile::write_out) {
            self.printer.error(why);
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
        self.show_call(tool, args);
        let host = Arc::clone(&self.host);
        let mut options = CallOptions::default();
        options.timeout = timeout.after;
        // What a call waits for is large, and moved wherever this future goes.
        let called =
            Box::pin(async { host.start_call(tool, args, options).await?.outcome().await });
        self.listen_to(called).await
    }

    /// Says on stderr how the author of a tool has calls of it shown.
    fn show_call(&mut self, tool: &str, args: &str) {
        let tool = self.host.tools().into_iter().find(|it| it.name() == tool);
        let view = tool
            .filter(|_| self.printer.views.is_now())
            .and_then(|tool| view::of_call(&tool.definition, &RawJson::parse(args).ok()?));
        if let Some(view) = view.filter(|_| !self.printer.json) {
            let (rows, _) = views::rows(&view, views::columns(), Fold::Folded);
            self.printer.say(Text::of_lines(&rows));
        }
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
        self.end_all().await;
        self.finish(exit)
    }

    /// The same, where something else is printed afterwards.
    pub(crate) async fn end(mut self) -> Printer {
        self.end_all().await;
        self.printer
    }

    async fn end_all(&mut self) {
        for ending in self.endings().await {
            let went_well = ending.manner == Manner::ByItself && ending.left_behind == 0;
            if !ending.gone || !(went_well || ending.manner == Manner::Failed) {
                self.printer.say(format_args!("{YELLOW}notice:{YELLOW:#} {ending}"));
            }
        }
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
        self.finish(exit)
    }

    /// Ends without waiting for the extensions, which are killed with the host.
    pub(crate) fn abandon(self, exit: Exit) -> Exit {
        self.finish(exit)
    }

    /// The exit, or another one when the trace or stdout could not be written.
    fn finish(mut self, mut exit: Exit) -> Exit {
        if let Some(trace) = &self.trace_file {
            let (is_whole, why) = trace.close();
            if let Some(why) = why {
                self.printer.error(why);
            }
            if !is_whole && exit == Exit::Ok {
                exit = Exit::ToolError;
            }
        }
        self.printer.finish(exit)
    }

    /// Stops the extensions; after a further interruption nobody waits for them, and they are
    /// killed with the host.
    async fn endings(&mut self) -> Vec<Ending> {
        let endings = tokio::select! {
            endings = self.host.shutdown() => endings,
            _ = self.interrupts.next() => Vec::new(),
        };
        // What they said on their way out.
        while let Some(news) = self.news.try_next() {
            write_line(&news, self.writes_news, &mut self.printer);
            tell(&news, &mut self.printer);
        }
        self.printer.clear_progress();
        endings
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
    let exit = match session.report_failed() {
        Some(exit) => exit,
        None => act(&mut session).await,
    };
    session.stop(exit).await
}

/// Why the trace ends; waits until there is a reason. May be dropped and called again.
async fn failure_of(trace: Option<&TraceFile>) -> String {
    match trace {
        Some(trace) => trace.failure().await,
        None => std::future::pending().await,
    }
}

async fn next_remark(remarks: Option<&mut mpsc::UnboundedReceiver<Remark>>) -> Remark {
    if let Some(remarks) = remarks
        && let Some(remark) = remarks.recv().await
    {
        return remark;
    }
    std::future::pending().await
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
    let builder = Host::builder()
        .host("extline", env!("CARGO_PKG_VERSION"))
        .deadlines(deadlines)
        .on_bootstrap(tell_of_bootstrap);
    sources.into_iter().fold(builder, HostBuilder::extension)
}

/// A start may take as long as a build, and looks like one that hangs unless it says so.
fn tell_of_bootstrap(extension: &str, message: &str) {
    let message = if message.is_empty() { "it is not ready yet" } else { message };
    let line = Text::line(message, NOTICE_CHARS);
    let _ = writeln!(anstream::stderr().lock(), "{BOLD}{extension}{BOLD:#}: {line}");
}

/// Writes a piece of news as a line of JSON, where that is wanted.
fn write_line(news: &News, is_wanted: bool, printer: &mut Printer) {
    if let Some(line) = NewsLine::of(news).filter(|_| is_wanted) {
        printer.json(&line);
    }
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
            let notice = Text::line(&notice.to_string(), NOTICE_CHARS);
            printer.say(format_args!("{YELLOW}notice:{YELLOW:#} {extension}: {notice}"));
        }
        News::ReloadWaits { extension } => {
            printer.say(format_args!("{extension} is reloaded when the turn has ended"));
        }
        News::AuditFailed { reason } => {
            let reason = Text::line(reason, NOTICE_CHARS);
            printer.say(format_args!(
                "{YELLOW}notice:{YELLOW:#} the audit cannot be written: {reason}"
            ));
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
        News::Pending { action, change } => {
            let (extension, label) = (&action.extension, &action.label);
            let became = match change {
                PendingChange::Pushed => "proposes".to_owned(),
                PendingChange::Released { why } => format!("no longer proposes ({why})"),
                // Whoever resolves it is told.
                _ => return,
            };
            let rest =
                if became == "proposes" { "; :resolve apply or :resolve discard" } else { "" };
            printer
                .say(format_args!("{BOLD}{extension}{BOLD:#} {became}: {label}{DIM}{rest}{DIM:#}"));
        }
        News::Missed(count) => {
            printer.say(format_args!("{DIM}{count} messages of extensions were missed{DIM:#}"));
        }
        _ => {}
    }
}
