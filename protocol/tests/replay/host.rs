//! The extension's side of a recording through a `HostSession`, which makes the recorded calls.

use std::collections::HashMap;
use std::time::Instant;

use extline_protocol::frame::{EventIntercept, HostFrame};
use extline_protocol::{
    CallKey, HostConfig, HostEvent, HostSession, Id, Incoming, Intercept, Profile, ToolCallOptions,
    decode_text,
};

use super::Replay;
use super::trace::{Side, Trace, What};

pub(crate) fn replay(trace: &Trace) -> Replay {
    let start = Instant::now();
    let ack = trace.frames(Side::Host).find_map(|frame| match frame {
        HostFrame::HelloAck(ack) => Some(*ack),
        _ => None,
    });
    let config = HostConfig {
        ack: ack.expect("the first line of a host"),
        profile: Profile::zot_0_1_62(),
        ..HostConfig::default()
    };
    let mut player = Player {
        session: HostSession::new(config, start),
        ids: HashMap::new(),
        replay: Replay::default(),
    };
    for record in &trace.records {
        let now = start + record.at;
        player.let_time_pass(now);
        match &record.what {
            What::Line(Side::Extension, line) => {
                let line = player.with_our_id(line);
                player.session.handle_input(format!("{line}\n").as_bytes(), now);
            }
            What::Line(Side::Host, line) => player.call(line, now),
            What::OutputEnded => player.session.handle_eof(now),
            What::Exit => player.session.handle_gone("it exited"),
            What::InputEnded | What::Sigterm | What::Other => {}
        }
        player.drain();
    }
    assert_eq!(player.session.unanswered(), [], "{}: nothing may wait at the end", trace.name);
    player.replay
}

struct Player {
    session: HostSession,
    /// Our session counts its ids; the recorded ones are others.
    ids: HashMap<Id, CallKey>,
    replay: Replay,
}

impl Player {
    fn let_time_pass(&mut self, now: Instant) {
        while let Some(due) = self.session.poll_timeout().filter(|due| *due <= now) {
            self.session.handle_timeout(due);
            self.drain();
        }
    }

    /// Makes the call that the recorded host made.
    fn call(&mut self, line: &str, now: Instant) {
        let Incoming::Frame(frame) = decode_text(line) else { panic!("{line} is no frame") };
        let session = &mut self.session;
        let (id, key) = match frame {
            HostFrame::ToolCall(call) => {
                let options = ToolCallOptions::default();
                (call.id, session.call_tool(&call.name, call.args, options, now))
            }
            HostFrame::CommandInvoked(command) => {
                let args = command.args.unwrap_or_default();
                (command.id, session.invoke_command(&command.name, &args, now))
            }
            HostFrame::EventIntercept(asked) => {
                let EventIntercept { id, event, phase, payload, system_prompt } = *asked;
                let intercept = Intercept { event, phase, payload, system_prompt };
                (id, session.intercept(intercept, now))
            }
            HostFrame::Event(event) => return session.send_event(&event),
            HostFrame::PanelKey(key) => return session.panel_key(&key),
            HostFrame::PanelClose(close) => return session.panel_close(&close.panel_id),
            HostFrame::Shutdown(shutdown) => return session.shutdown(shutdown.reason, now),
            HostFrame::HelloAck(_) => return,
            other => panic!("no zot of that time sends {other:?}"),
        };
        self.ids.insert(id, key.unwrap());
    }

    /// Keeps what the session writes, under the ids of the recording.
    fn keep_output(&mut self) {
        let mut bytes = Vec::new();
        self.session.poll_output(&mut bytes);
        for line in String::from_utf8(bytes).unwrap().lines() {
            let is_of = |key: &CallKey| {
                let kind = format!("{{\"type\":\"{}\",\"id\":\"{}\"", key.kind(), key.id());
                line.starts_with(&kind)
            };
            let recorded = self.ids.iter().find(|(_, key)| is_of(key));
            self.replay.written.push(recorded.map_or_else(
                || line.to_owned(),
                |(id, key)| line.replacen(&id_member(key.id()), &id_member(id), 1),
            ));
        }
    }

    /// The line with the id that our session gave the same call.
    fn with_our_id(&self, line: &str) -> String {
        let recorded = self.ids.iter().find(|(id, _)| line.contains(&id_member(id)));
        recorded.map_or_else(
            || line.to_owned(),
            |(id, key)| line.replace(&id_member(id), &id_member(key.id())),
        )
    }

    fn drain(&mut self) {
        self.keep_output();
        while let Some(event) = self.session.poll_event() {
            let frame_type = match event {
                HostEvent::Hello(_) => "hello",
                HostEvent::RegisterTool(_) => "register_tool",
                HostEvent::RegisterCommand(_) => "register_command",
                HostEvent::Subscribe(_) => "subscribe",
                HostEvent::Ready => "ready",
                HostEvent::ToolResult { .. } => "tool_result",
                HostEvent::CommandResponse { .. } => "command_response",
                HostEvent::InterceptResponse { .. } => "event_intercept_response",
                HostEvent::Notify { .. } => "notify",
                HostEvent::PanelRender(_) => "panel_render",
                HostEvent::ShutdownAck => "shutdown_ack",
                HostEvent::Notice(notice) => {
                    self.replay.notices.push(notice.to_string());
                    continue;
                }
                HostEvent::CallFailed { .. }
                | HostEvent::CloseInput
                | HostEvent::SaidReady
                | HostEvent::Terminate
                | HostEvent::Kill => continue,
                other => panic!("no recorded extension causes {other:?}"),
            };
            *self.replay.arrived.entry(frame_type.to_owned()).or_default() += 1;
        }
    }
}

fn id_member(id: &Id) -> String {
    format!("\"id\":\"{id}\"")
}
