//! What the extension says, as the client hears it.

use std::time::Instant;

use extline_protocol::frame::{
    CallToolResult, CommandResponse, Content, ErrorInfo, Hello, Level, RegisterCommand,
    RegisterTool, Registered, Rejection, Subscribe,
};
use extline_protocol::{CallKey, ErrorKind, HostEvent};

use super::gate::Stage;
use super::{Bridge, BridgeEvent};
use crate::server::ServerConfig;

impl Bridge {
    pub(super) fn handle_host_event(&mut self, event: HostEvent, now: Instant) {
        match event {
            HostEvent::Hello(hello) => self.introduce(*hello),
            HostEvent::RegisterTool(tool) => self.add_tool(*tool),
            HostEvent::UnregisterTool(name) => {
                self.tools.remove(&name);
                self.forget_approvals(&name);
                self.server.remove_tool(&name);
            }
            HostEvent::RegisterCommand(command) => self.add_command(&command),
            HostEvent::Subscribe(subscribe) => self.subscribe(subscribe),
            HostEvent::Ready => {
                self.is_ready = true;
                self.report();
                self.server.ready(now);
            }
            HostEvent::ToolResult { key, result } => {
                if let Some(stage) = self.take(&key) {
                    self.server.reply_tool(stage.key(), &result);
                }
            }
            HostEvent::ToolUpdate { key, update } => {
                if let Some(stage) = self.stages.get(&key.serial()) {
                    self.server.update(stage.key(), &update, now);
                }
            }
            HostEvent::CommandResponse { key, response } => {
                if let Some(stage) = self.take(&key) {
                    self.server.reply_prompt(stage.key(), &response);
                }
            }
            HostEvent::InterceptResponse { key, response } => self.decide(&key, response, now),
            HostEvent::CallFailed { key, error } => self.fail(&key, error, now),
            HostEvent::CallTool { key, call } => self.refuse_call(&key, &call.name, now),
            HostEvent::Request { key, request } => self.handle_request(&key, &request, now),
            HostEvent::Cancelled { key } => self.withdraw(&key, now),
            HostEvent::CloseInput => self.events.push_back(BridgeEvent::CloseInput),
            event => self.hear(event),
        }
    }

    /// What nobody waits for.
    fn hear(&mut self, event: HostEvent) {
        match event {
            HostEvent::Notify { level, message } => self.server.log(&level, &message, None),
            HostEvent::Log(log) => self.server.log(&log.level, &log.message, log.fields.as_ref()),
            HostEvent::Notice(notice) => self.say(notice.to_string()),
            HostEvent::HandshakeFailed(error) => self.say(error.to_string()),
            HostEvent::Rejected(rejection) => self.say(format!(
                "{} {} was not taken: {}",
                rejection.kind, rejection.name, rejection.message
            )),
            HostEvent::UnclearGuards { why } => {
                self.subscribed.add("guard", "tool_call");
                self.server.log(&Level::Warn, &format!("its guards cannot be read: {why}"), None);
            }
            HostEvent::Submit(_) | HostEvent::SubmitSlash(_) => {
                self.say_once("submit was ignored: a client of MCP takes no prompts from a server");
            }
            HostEvent::OpenPanel(_) | HostEvent::PanelRender(_) | HostEvent::PanelClose(_) => {
                self.say_once("a panel was ignored: clients of MCP have none");
            }
            _ => {}
        }
    }

    fn introduce(&mut self, hello: Hello) {
        let version = if hello.version.is_empty() { "0.0.0".to_owned() } else { hello.version };
        for point in hello.guards.iter().flatten() {
            self.subscribed.add("guard", point);
        }
        self.name.clone_from(&hello.name);
        self.server.introduce(ServerConfig {
            name: hello.name,
            version,
            ..ServerConfig::default()
        });
    }

    fn add_tool(&mut self, tool: RegisterTool) {
        if let Err(left_out) = self.server.add_tool(&tool) {
            self.say(format!("tool {} is left out: {}", left_out.tool, left_out.why));
        }
        if self.tools.get(&tool.name).is_some_and(|known| *known != tool) {
            self.forget_approvals(&tool.name);
        }
        self.tools.insert(tool.name.clone(), tool);
        if self.is_ready {
            self.report();
        }
    }

    fn add_command(&mut self, command: &RegisterCommand) {
        self.commands.push(command.name.clone());
        self.server.add_command(command);
        if self.is_ready {
            self.report();
        }
    }

    fn subscribe(&mut self, subscribe: Subscribe) {
        let kinds = [
            ("event", subscribe.events),
            ("intercept", subscribe.intercept),
            ("guard", subscribe.guards),
        ];
        for (kind, names) in kinds {
            names.iter().flatten().for_each(|name| self.subscribed.add(kind, name));
        }
        for (point, mode) in subscribe.on_failure.into_iter().flatten() {
            self.subscribed.set_on_failure(&point, mode.as_str());
        }
    }

    /// Says what was taken, so that an author hears of what MCP has no place for.
    fn report(&mut self) {
        let mut report = Registered {
            tools: self.server.tool_names().map(str::to_owned).collect(),
            commands: self.commands.clone(),
            ..Registered::default()
        };
        let rejected = |kind: &str, name: &String, message: String| Rejection {
            kind: kind.to_owned(),
            name: name.clone(),
            code: ErrorKind::Unsupported,
            message,
            winner: None,
        };
        for name in self.tools.keys().filter(|name| !report.tools.contains(name)) {
            let why = "no client of MCP can call it; stderr says why".to_owned();
            report.rejected.push(rejected("tool", name, why));
        }
        for name in self.subscribed.events.iter().flatten() {
            let why = "MCP has no events: a client says nothing of what happens".to_owned();
            report.rejected.push(rejected("event", name, why));
        }
        let points = [
            ("intercept", &self.subscribed.intercept, &mut report.intercept),
            ("guard", &self.subscribed.guards, &mut report.guards),
        ];
        let mut refused = Vec::new();
        for (kind, names, taken) in points {
            for name in names.iter().flatten() {
                if name == "tool_call" {
                    taken.push(name.clone());
                } else {
                    let why =
                        "MCP asks before calls of this server's own tools, and at no other point";
                    refused.push(rejected(kind, name, why.to_owned()));
                }
            }
        }
        report.rejected.append(&mut refused);
        self.host.report(&report);
    }

    fn fail(&mut self, call: &CallKey, error: ErrorInfo, now: Instant) {
        match self.take(call) {
            None => {}
            Some(Stage::Asked { key, name, args }) => {
                self.decide_unanswered(key, name, args, &error.message, now);
            }
            Some(Stage::Running { key }) => self.server.fail_tool(key, error),
            Some(Stage::Command { key }) => {
                self.server.reply_prompt(key, &CommandResponse::error("0".into(), error.message));
            }
        }
    }

    fn refuse_call(&mut self, call: &CallKey, name: &str, now: Instant) {
        let text =
            format!("unsupported: {name} cannot be called, as MCP has no calls from a server");
        let result = CallToolResult {
            id: call.id().clone(),
            name: name.to_owned(),
            content: vec![Content::text(text)],
            is_error: true,
            truncated: false,
        };
        // Nobody else answers it.
        let _ = self.host.reply_call_tool(call, result, now);
    }
}
