//! The host's side of a recording through an `ExtensionSession`.

use std::collections::HashMap;
use std::time::Instant;

use extline_protocol::frame::ExtensionFrame;
use extline_protocol::{
    CallKey, CallKind, ExtensionConfig, ExtensionEvent, ExtensionSession, Incoming, PanelInput,
    decode_text,
};

use super::Replay;
use super::trace::{Side, Trace, What};

pub(crate) fn replay(trace: &Trace) -> Replay {
    let start = Instant::now();
    let mut player = Player {
        session: ExtensionSession::new(config(trace)),
        open: HashMap::new(),
        reads_a_line: false,
        replay: Replay::default(),
    };
    for record in &trace.records {
        let now = start + record.at;
        player.let_time_pass(now);
        player.reads_a_line = matches!(record.what, What::Line(Side::Host, _));
        match &record.what {
            What::Line(Side::Host, line) => {
                player.session.handle_input(format!("{line}\n").as_bytes(), now);
            }
            What::Line(Side::Extension, line) => player.answer(line),
            What::InputEnded => player.session.handle_eof(now),
            What::Sigterm => player.session.handle_sigterm(now),
            What::OutputEnded | What::Exit | What::Other => {}
        }
        player.drain();
    }
    player.replay
}

/// The extension as it was recorded: what it registered is known from its own lines.
fn config(trace: &Trace) -> ExtensionConfig {
    let mut config = ExtensionConfig::new("replay", "1.0.0");
    for frame in trace.frames(Side::Extension) {
        match frame {
            ExtensionFrame::RegisterTool(tool) => config.registrations.tool(*tool).unwrap(),
            ExtensionFrame::RegisterCommand(command) => {
                config.registrations.command(command).unwrap();
            }
            ExtensionFrame::Subscribe(subscribe) => config.registrations.subscribe = subscribe,
            _ => {}
        }
    }
    config
}

struct Player {
    session: ExtensionSession,
    /// Calls that wait for the recorded answer.
    open: HashMap<(CallKind, String), CallKey>,
    /// What comes out now is caused by a line.
    reads_a_line: bool,
    replay: Replay,
}

impl Player {
    fn let_time_pass(&mut self, now: Instant) {
        while let Some(due) = self.session.poll_timeout().filter(|due| *due <= now) {
            self.session.handle_timeout(due);
            self.drain();
        }
    }

    /// Gives the answer of the recording to the call it answers.
    fn answer(&mut self, line: &str) {
        let Incoming::Frame(frame) = decode_text(line) else { return };
        let mut call = |kind, id: &extline_protocol::Id| self.open.remove(&(kind, id.to_string()));
        let answered = match frame {
            ExtensionFrame::ToolResult(result) => {
                call(CallKind::Tool, &result.id).map(|key| self.session.reply_tool(&key, *result))
            }
            ExtensionFrame::CommandResponse(response) => call(CallKind::Command, &response.id)
                .map(|key| self.session.reply_command(&key, *response)),
            ExtensionFrame::EventInterceptResponse(response) => {
                call(CallKind::Intercept, &response.id)
                    .map(|key| self.session.reply_intercept(&key, response))
            }
            _ => None,
        };
        assert!(answered.is_none_or(|answered| answered.is_ok()), "{line}");
    }

    fn drain(&mut self) {
        while let Some(event) = self.session.poll_event() {
            if let Some(frame_type) = self.handle(event) {
                *self.replay.arrived.entry(frame_type.to_owned()).or_default() += 1;
            }
        }
    }

    /// Does what a driver would; the type of the frame that the event is.
    fn handle(&mut self, event: ExtensionEvent) -> Option<&'static str> {
        match event {
            ExtensionEvent::Accepted(_) => {
                self.session.ready();
                Some("hello_ack")
            }
            ExtensionEvent::ToolCall { key, .. } => Some(self.opened(key, "tool_call")),
            ExtensionEvent::Command { key, .. } => Some(self.opened(key, "command_invoked")),
            ExtensionEvent::Intercept { key, .. } => Some(self.opened(key, "event_intercept")),
            ExtensionEvent::Event(_) => {
                self.session.event_done();
                Some("event")
            }
            ExtensionEvent::Panel(input) => {
                self.session.panel_done(input.panel_id());
                Some(match input {
                    PanelInput::Key(_) => "panel_key",
                    PanelInput::Resize(_) => "panel_resize",
                    PanelInput::Close { .. } => "panel_close",
                })
            }
            // EOF and SIGTERM begin the end as well, without a frame.
            ExtensionEvent::ShuttingDown(_) => self.reads_a_line.then_some("shutdown"),
            ExtensionEvent::Notice(notice) => {
                self.replay.notices.push(notice.to_string());
                None
            }
            ExtensionEvent::Cancelled { .. }
            | ExtensionEvent::Finished { .. }
            | ExtensionEvent::Overdue { .. } => None,
            other => panic!("no zot of that time causes {other:?}"),
        }
    }

    fn opened(&mut self, key: CallKey, frame_type: &'static str) -> &'static str {
        self.open.insert((key.kind(), key.id().to_string()), key);
        frame_type
    }
}
