//! What a test asks of the extension, and tells it.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use extline_protocol::frame::{Event, PanelKey, PanelResize, Replay, ShutdownReason};
use extline_protocol::{Capability, Elements, Repetition, ToolCallOptions, read_string};

use crate::demands::{NOT_ENDED, NOT_READY, not_heard, not_open, not_reconciled};
use crate::failure::Failure;
use crate::frames::{members, raw};
use crate::host::{Host, Mistake};
use crate::moment::event_payload;
use crate::offered::Named;
use crate::steps::Wait;

/// What did not happen where a step fails, and what it waits for.
type Begun = Result<(String, Wait), Failure>;

impl Host {
    /// Begins a step: an array of its name and what it is given, as JSON. The number that this returns
    /// is for [`Host::look`]. A step finds `null` unless something else is said here.
    ///
    /// - `["start"]`: until the extension is ready.
    /// - `["call", tool, args]`: until it is answered; finds an object of the `frame`, and the `updates`
    ///   that came before.
    /// - `["call_with_key", operation_key, tool, args]`: a call that may be made again, as an agent names
    ///   it that goes on after a crash. `["reconcile", operation_key, tool, args]`: asks what became of
    ///   that call, of a tool that declares it. Both find what a call does.
    /// - `["begin", tool, args]`: until it has begun; finds the number of the call. With it,
    ///   `["next_update", call]` finds a frame, `["cancel", call]` takes it back, and
    ///   `["finish", call]` finds what a call does.
    /// - `["command", name, typed]`: until it is answered; finds the frame. A panel in it is opened.
    /// - `["event", name, payload]`: until its handlers have ended.
    /// - `["change_config", config]`: until the extension has read it, and handlers of `config_changed` have
    ///   ended.
    /// - `["intercept", point, payload]`: asks interceptors and then guards; finds an object of
    ///   `blocked`, `rewritten`, `replaced`, `system_prompt`, each where the extension says so.
    /// - `["request", method]`, with params behind it or not: finds an object of the `parts`, and the
    ///   `value` or the `error`.
    /// - `["resolve", action, reason]`: applies or discards the first action that is pending; finds what a
    ///   call does. `["pending"]` finds those that are.
    /// - `["press_key", panel, key]`, by its name or one character,
    ///   `["resize_panel", panel, columns, lines]`, `["close_panel", panel]`: until it is handled.
    /// - `["settle"]`: until every event and every panel's input is handled.
    /// - `["wait_until", what]`: for what only the test can see, until it drops the step.
    /// - `["shutdown"]`: asks the extension to end; finds its exit code. `["say_farewell"]`: the same,
    ///   until it has said its last.
    /// - `["check_handlers"]`: fails at once where a handler has failed and no step has told of it.
    pub fn step(&mut self, step: &str) -> u32 {
        self.turn();
        let (what, wait) = self.begin(step).unwrap_or_else(|it| (String::new(), Wait::Failed(it)));
        self.add_step(what, wait)
    }

    fn begin(&mut self, step: &str) -> Begun {
        let step = raw(step).map_err(|mistake| unsent("the step was not begun", &mistake))?;
        let elements: Vec<&str> = Elements::of(step.get()).into_iter().flatten().collect();
        let word =
            |element: &&'_ str| read_string(element).unwrap_or(Cow::Borrowed("")).into_owned();
        let words: Vec<String> = elements.iter().map(word).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        // What is no string stands in `elements` only.
        let json = |at: usize| elements.get(at).copied().unwrap_or("{}");
        let number = |at: usize| json(at).parse().unwrap_or_default();
        match *words.as_slice() {
            ["start"] => Ok((NOT_READY.to_owned(), Wait::Greeting)),
            ["call", tool, _] => Ok(when_offered(Named::Tool, tool, json(2), false)),
            ["call_with_key" | "reconcile", key, tool, _] => {
                let operation_key = Some(key.to_owned());
                let repetition = Repetition { operation_key, reconcile: words[0] == "reconcile" };
                Ok(repeated(tool, json(3), repetition))
            }
            ["begin", tool, _] => Ok(when_offered(Named::Tool, tool, json(2), true)),
            ["finish", _] => Ok((self.of_tool(number(1), "did not answer"), Wait::Tool(number(1)))),
            ["next_update", _] => {
                let what = self.of_tool(number(1), "did not send an update");
                Ok((what, Wait::Update(number(1))))
            }
            ["cancel", _] => self.cancel(number(1)),
            ["command", name, typed] => Ok(when_offered(Named::Command, name, typed, false)),
            ["event", name, _] => self.tell_event(name, json(2)),
            ["change_config", _] => self.change_config(json(1)),
            ["intercept", point, _] => {
                let mut moment = self.moment(point, json(2))?;
                let asked = self.ask_next(&mut moment)?;
                let what = format!("the extension did not answer at {point}");
                Ok((what, Wait::Moment(Box::new(moment), asked)))
            }
            ["request", method] => self.send_request(method, None),
            ["request", method, _] => self.send_request(method, Some(json(2))),
            ["pending"] => Ok((String::new(), Wait::Begun(self.pending_actions()))),
            ["resolve", action, reason] => self.resolve(action, reason),
            ["press_key", panel, key] => {
                let is_character = key.chars().count() == 1;
                let key = PanelKey {
                    panel_id: panel.to_owned(),
                    key: if is_character { "rune" } else { key }.to_owned(),
                    text: is_character.then(|| key.to_owned()),
                };
                self.in_panel(panel, None, |host| host.session.panel_key(&key))
            }
            ["resize_panel", panel, _, _] => {
                let (width, height) = (number(2), number(3));
                let resize = PanelResize { panel_id: panel.to_owned(), width, height };
                self.in_panel(panel, None, |host| host.session.panel_resize(&resize))
            }
            ["close_panel", panel] => {
                let closes = Some(panel.to_owned());
                self.in_panel(panel, closes, |host| host.session.panel_close(panel))
            }
            ["settle"] => {
                Ok(("the extension did not come to rest".to_owned(), Wait::Settled(None)))
            }
            ["wait_until", what] => Ok((format!("{what} did not come"), Wait::Test)),
            ["shutdown"] => Ok(self.ask_to_end(Wait::End)),
            ["say_farewell"] => Ok(self.ask_to_end(Wait::Farewell)),
            ["check_handlers"] => Ok((String::new(), Wait::Handlers)),
            _ => Err(Failure::misuse(format!("there is no step {}", step.get()))),
        }
    }

    /// Takes a call back unless it is answered, and waits until the extension knows.
    fn cancel(&mut self, call: u64) -> Begun {
        if !self.profile.tool_cancel {
            return Err(Failure::misuse("a host like this never cancels a call"));
        }
        let what = self.of_tool(call, "was not cancelled");
        if let Some(call) = self.calls.get(call).filter(|call| !call.is_answered) {
            self.session.cancel(&call.key, "user", Instant::now());
        }
        Ok((what, Wait::Begun("null".to_owned())))
    }

    fn tell_event(&mut self, name: &str, payload: &str) -> Begun {
        let listens_to = self.offered.subscribe.events.as_deref().unwrap_or_default();
        if !listens_to.iter().any(|known| known == name) {
            return Err(Failure::misuse(not_heard(name, listens_to)));
        }
        if !self.profile.vocabulary.has_event(name) {
            return Err(Failure::misuse(format!("a host like this has no event {name}")));
        }
        let payload = members(payload).and_then(|payload| event_payload(&payload));
        let payload = payload.map_err(|mistake| unsent("the event was not sent", &mistake))?;
        self.session.send_event(&Event { event: name.to_owned(), payload });
        Ok((format!("the handlers of the event {name} did not end"), Wait::Settled(None)))
    }

    fn change_config(&mut self, config: &str) -> Begun {
        if !self.session.supports(Capability::Config) {
            return Err(Failure::misuse("a host like this changes no configuration"));
        }
        let what = "the configuration was not changed";
        let config = raw(config).map_err(|mistake| unsent(what, &mistake))?;
        if !config.is_object() {
            return Err(Failure::misuse(format!("{what}: it must be an object")));
        }
        self.session.change_config(config);
        let what = "the handlers of the event config_changed did not end".to_owned();
        Ok((what, Wait::Settled(None)))
    }

    fn send_request(&mut self, method: &str, params: Option<&str>) -> Begun {
        let what = format!("the method {method} was not asked for");
        let params = params.map(raw).transpose().map_err(|mistake| unsent(&what, &mistake))?;
        let sent = self.session.request(method, params, None, Instant::now());
        let key = self.sent(&what, sent)?;
        let serial = self.calls.add(key, method, None);
        Ok((format!("the method {method} did not answer"), Wait::Method(serial)))
    }

    fn in_panel(
        &mut self,
        id: &str,
        closes: Option<String>,
        tell: impl FnOnce(&mut Self),
    ) -> Begun {
        if !self.shown.has_panel(id) {
            return Err(Failure::misuse(not_open(id, &self.shown.open_panels())));
        }
        tell(self);
        Ok((format!("the panel {id} did not handle its input"), Wait::Settled(closes)))
    }

    fn ask_to_end(&mut self, wait: Wait) -> (String, Wait) {
        if self.end.is_none() && self.ending_since.is_none() {
            self.ending_since = Some(Instant::now());
            self.session.shutdown(Some(ShutdownReason::Exit), Instant::now());
        }
        (NOT_ENDED.to_owned(), wait)
    }

    fn of_tool(&self, call: u64, what: &str) -> String {
        let tool = self.calls.get(call).map_or("", |call| &call.name);
        format!("the tool {tool} {what}")
    }

    /// Calls a tool that is offered; the serial of the call.
    pub(crate) fn send_tool(
        &mut self,
        name: &str,
        args: &str,
        repetition: Repetition,
    ) -> Result<u64, Failure> {
        let what = format!("the tool {name} was not called");
        let args = raw(args).map_err(|mistake| unsent(&what, &mistake))?;
        let Repetition { operation_key, reconcile } = repetition;
        let tool = self.offered.tool(name);
        if reconcile && tool.is_some_and(|tool| tool.replay != Some(Replay::Reconcile)) {
            return Err(Failure::misuse(not_reconciled(name)));
        }
        let timeout = tool.and_then(|tool| tool.timeout_ms).map(Duration::from_millis);
        // What became of a call is no result of the tool's own.
        let output = tool.filter(|_| !reconcile).and_then(|tool| tool.output_schema.clone());
        let options =
            ToolCallOptions { timeout, operation_key, reconcile, ..ToolCallOptions::default() };
        let sent = self.session.call_tool(name, args, options, Instant::now());
        let key = self.sent(&what, sent)?;
        Ok(self.calls.add(key, name, output))
    }
}

fn when_offered(kind: Named, name: &str, args: &str, to_begin: bool) -> (String, Wait) {
    let what = format!("the {} {name} was not offered", kind.word());
    let (name, args, repetition) = (name.to_owned(), args.to_owned(), Repetition::default());
    (what, Wait::Offered { kind, name, args, to_begin, repetition })
}

fn repeated(tool: &str, args: &str, repetition: Repetition) -> (String, Wait) {
    let (name, args) = (tool.to_owned(), args.to_owned());
    let wait = Wait::Offered { kind: Named::Tool, name, args, to_begin: false, repetition };
    (format!("the tool {tool} was not offered"), wait)
}

fn unsent(what: &str, mistake: &Mistake) -> Failure {
    Failure::misuse(format!("{what}: {mistake}"))
}
