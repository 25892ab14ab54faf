//! From the session's events to JavaScript.

use std::sync::Arc;
use std::time::Instant;

use extline_driver::questions::{self, Answer, News, Reply};
use extline_driver::{Question, Questions, running};
use extline_protocol::frame::{ErrorInfo, Frame, Object, PanelClose, ToolCall, ToolResult};
use extline_protocol::{CallKey, ExtensionEvent, ExtensionSession, PanelInput, RawJson};

use crate::calls::Label;
use crate::core::{Core, State};
use crate::js::{Scope, Told};

/// What JavaScript is told, by number; `Kind` in native.ts is the same list.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Number of the handler, arguments, session, deadline, whether it is cancelled already.
    Tool = 0,
    /// Name, arguments.
    Command = 1,
    /// Whose turn it is, point, frame, deadline.
    Intercept = 2,
    /// Method, params, deadline.
    Request = 3,
    /// Event, frame.
    Event = 4,
    /// Panel, frame.
    Panel = 5,
    /// Reason.
    Cancelled = 6,
    /// What a question came to: a tool's frame or a method's result, or why it failed, with its flag.
    Answer = 7,
    /// A part of what a question comes to.
    Part = 8,
    /// Frame.
    Accepted = 9,
    /// Nothing.
    Teardown = 11,
    /// Reason, milliseconds until the process ends.
    ShuttingDown = 12,
    /// Exit code, what was wrong with the end.
    Finished = 13,
    /// Reason.
    Failed = 14,
    /// Whether input is wanted, and in how many milliseconds a turn is due.
    Wants = 15,
    /// Tool, arguments, deadline.
    Approval = 16,
}

/// Tells JavaScript. Whether promises are to have their turn.
pub(crate) fn deliver(core: &Core, scope: &Scope<'_>, event: ExtensionEvent) -> bool {
    if let ExtensionEvent::ToolCall { key, call, deadline } = event {
        return tool(core, scope, key, &call, deadline);
    }
    core.lock().write_before(None);
    let Some(name) = running::handler_name(&event) else {
        return answer_or_end(core, scope, event);
    };
    let label = running::label(name).into();
    match event {
        ExtensionEvent::Command { key, command } => {
            let serial = key.serial();
            core.lock().begin(key, label);
            let args = command.args.unwrap_or_default();
            let (text, more) = (Some(command.name.as_str()), Some(args.as_str()));
            scope.tell(Told { serial, text, more, ..told(Kind::Command) })
        }
        ExtensionEvent::Intercept { key, intercept, deadline } => {
            let serial = key.serial();
            let frame = intercept.frame_text();
            let point = intercept.event.clone();
            let turn = core.lock().begin_chain(key, label, *intercept);
            turn.is_some_and(|turn| {
                scope.tell(Told {
                    serial,
                    number: Some(turn.into()),
                    text: Some(&point),
                    more: Some(&frame),
                    deadline: Some(left(deadline)),
                    ..told(Kind::Intercept)
                })
            })
        }
        ExtensionEvent::Request { key, request, deadline } => {
            let (text, more) = (Some(&*request.method), request.params.as_ref().map(RawJson::get));
            asked(core, scope, key, label, deadline, Told { text, more, ..told(Kind::Request) })
        }
        ExtensionEvent::Approval { key, tool, args, deadline } => {
            let (text, more) = (Some(&*tool), Some(args.get()));
            asked(core, scope, key, label, deadline, Told { text, more, ..told(Kind::Approval) })
        }
        ExtensionEvent::Event(event) => {
            core.lock().calls.begin_other(label);
            let frame = event.frame_text();
            let (text, more) = (Some(event.event.as_str()), Some(frame.as_str()));
            scope.tell(Told { text, more, ..told(Kind::Event) })
        }
        ExtensionEvent::Panel(input) => panel(core, scope, label, input),
        ExtensionEvent::Teardown => {
            core.lock().calls.begin_other(label);
            scope.tell(told(Kind::Teardown))
        }
        event => answer_or_end(core, scope, event),
    }
}

/// The host asks for something, with a value.
fn asked(
    core: &Core,
    scope: &Scope<'_>,
    key: CallKey,
    label: Label,
    deadline: Option<Instant>,
    told: Told<'_>,
) -> bool {
    let serial = key.serial();
    let flag = core.lock().begin(key, label);
    scope.tell(Told { serial, deadline: deadline.map(left), flag, ..told })
}

fn answer_or_end(core: &Core, scope: &Scope<'_>, event: ExtensionEvent) -> bool {
    match event {
        ExtensionEvent::Cancelled { key, reason } => {
            interrupt(core, scope, |questions, session| questions.interrupt(session, &key));
            let text = Some(reason.as_str());
            scope.tell(Told { serial: key.serial(), text, ..told(Kind::Cancelled) })
        }
        ExtensionEvent::Accepted(ack) => {
            let frame = ack.frame_text();
            scope.tell(Told { text: Some(&frame), ..told(Kind::Accepted) })
        }
        ExtensionEvent::ShuttingDown(reason) => {
            interrupt(core, scope, Questions::interrupt_all);
            let reason = reason.map(|reason| reason.as_str().to_owned());
            let end = core.ends_process.then_some(extline_protocol::limits::SHUTDOWN_END);
            let number = end.map(|end| end.as_secs_f64() * 1000.0);
            scope.tell(Told { number, text: reason.as_deref(), ..told(Kind::ShuttingDown) })
        }
        event => {
            let taken = core.lock().questions.take_in(event);
            taken.ok().flatten().is_some_and(|question| answer(scope, &question))
        }
    }
}

/// Handlers are cancelled, and what they asked is not wanted any more.
fn interrupt(
    core: &Core,
    scope: &Scope<'_>,
    which: impl FnOnce(&mut Questions<()>, &mut ExtensionSession) -> Vec<Arc<Question<()>>>,
) {
    let interrupted = {
        let State { questions, channel, .. } = &mut *core.lock();
        which(questions, &mut channel.session)
    };
    for question in interrupted {
        answer(scope, &question);
    }
}

fn answer(scope: &Scope<'_>, question: &Question<()>) -> bool {
    let serial = question.serial();
    let (text, flag) = match question.take() {
        Some(News::Answer(Answer { error: Some(error), .. })) => (error.object_text(), true),
        Some(News::Answer(Answer { reply: Reply::Tool(result), .. })) => {
            (result.frame_text(), false)
        }
        Some(News::Answer(Answer { reply: Reply::Method(result), .. })) => {
            (result.unwrap_or_default().to_string(), false)
        }
        Some(News::Interrupted) => (questions::cancelled().object_text(), true),
        Some(News::Part(part)) => {
            let text = Some(part.get());
            return scope.tell(Told { serial, text, ..told(Kind::Part) });
        }
        None => return false,
    };
    scope.tell(Told { serial, text: Some(&text), flag, ..told(Kind::Answer) })
}

fn tool(
    core: &Core,
    scope: &Scope<'_>,
    key: CallKey,
    call: &ToolCall,
    deadline: Option<Instant>,
) -> bool {
    let mut state = core.lock();
    let Some(tool) = state.tools.get(&call.name).cloned() else {
        // Registered when it came, and taken back while it waited.
        let error = ErrorInfo::unknown_tool(&call.name);
        refuse(&mut state, &key, error);
        return false;
    };
    if let Some(Err(error)) =
        tool.validator.as_ref().map(|validator| validator.validate(&call.args))
    {
        refuse(&mut state, &key, error.into());
        return false;
    }
    let serial = key.serial();
    let index = tool.index;
    let flag = state.begin(key, tool.label.clone());
    state.write_before(Some(&tool));
    state.last_tool = Some(tool);
    drop(state);
    let session = call.session.as_ref().map(Object::object_text);
    scope.tell(Told {
        serial,
        number: Some(index.into()),
        text: Some(call.args.get()),
        more: session.as_deref(),
        deadline: deadline.map(left),
        flag,
        ..told(Kind::Tool)
    })
}

/// It fails for a call that the session has answered in the handler's place, at shutdown.
fn refuse(state: &mut State, key: &CallKey, error: ErrorInfo) {
    state.last_tool = None;
    let _ = state.channel.session.reply_tool(key, ToolResult::error(key.id().clone(), error));
}

fn panel(core: &Core, scope: &Scope<'_>, label: Label, input: PanelInput) -> bool {
    let id = input.panel_id().to_owned();
    core.lock().calls.begin_other(label);
    let frame = match input {
        PanelInput::Key(key) => key.frame_text(),
        PanelInput::Resize(resize) => resize.frame_text(),
        PanelInput::Close { panel_id } => PanelClose { panel_id }.frame_text(),
    };
    scope.tell(Told { text: Some(&id), more: Some(&frame), ..told(Kind::Panel) })
}

fn told<'a>(kind: Kind) -> Told<'a> {
    Told { kind: kind as u32, ..Told::default() }
}

/// In milliseconds from now.
fn left(deadline: Instant) -> f64 {
    deadline.saturating_duration_since(Instant::now()).as_secs_f64() * 1000.0
}
