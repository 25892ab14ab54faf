//! What a test asks of the extension, and tells it.

use std::time::Instant;

use extline_protocol::ToolCallOptions;
use extline_protocol::frame::{Event, PanelKey, PanelResize, ShutdownReason};

use crate::failure::Failure;
use crate::frames::{members, raw};
use crate::host::{Host, Mistake};
use crate::moment::event_payload;
use crate::offered::Named;
use crate::steps::Wait;

impl Host {
    /// Calls a tool, and waits for its answer: an object with the `frame`, and the `updates` that
    /// came before.
    pub fn call(&mut self, tool: &str, args: &str) -> u32 {
        self.when_offered(Named::Tool, tool, args, false)
    }

    /// Calls a tool, and waits until it has begun; finds the number of the call.
    pub fn begin(&mut self, tool: &str, args: &str) -> u32 {
        self.when_offered(Named::Tool, tool, args, true)
    }

    /// Waits for the answer to a call, as [`Host::call`].
    pub fn finish(&mut self, call: u64) -> u32 {
        self.step(self.of_tool(call, "did not answer"), Wait::Tool(call))
    }

    /// Waits for the next update of a call: its frame.
    pub fn next_update(&mut self, call: u64) -> u32 {
        self.step(self.of_tool(call, "did not send an update"), Wait::Update(call))
    }

    /// Takes a call back unless it is answered, and waits until the extension knows.
    pub fn cancel(&mut self, call: u64) -> u32 {
        let what = self.of_tool(call, "was not cancelled");
        if !self.profile.tool_cancel {
            let failure = Failure::misuse("a host like this never cancels a call");
            return self.step(what, Wait::Failed(failure));
        }
        if let Some(call) = self.calls.get(call).filter(|call| !call.is_answered) {
            self.session.cancel(&call.key, "user", Instant::now());
        }
        self.step(what, Wait::Begun("null".to_owned()))
    }

    /// Runs a command with what a user typed behind it, and waits for its answer: the frame. A panel
    /// in it is opened.
    pub fn command(&mut self, name: &str, args: &str) -> u32 {
        self.when_offered(Named::Command, name, args, false)
    }

    /// Tells of an event, and waits until its handlers have ended.
    pub fn event(&mut self, name: &str, payload: &str) -> u32 {
        let what = format!("the handlers of the event {name} did not end");
        let wait = self.tell_event(name, payload).map(|()| Wait::Settled(None));
        self.step_of(&what, wait)
    }

    /// Asks interceptors and then guards about what is about to happen: an object with `blocked`,
    /// `rewritten`, `replaced`, `system_prompt`, each where the extension says so.
    pub fn intercept(&mut self, point: &str, payload: &str) -> u32 {
        let what = format!("the extension did not answer at {point}");
        let wait = self.moment(point, payload).and_then(|mut moment| {
            let asked = self.ask_next(&mut moment)?;
            Ok(Wait::Moment(Box::new(moment), asked))
        });
        self.step_of(&what, wait)
    }

    /// Asks by method: an object with the `parts` and the `value`, or the `error`.
    pub fn request(&mut self, method: &str, params: Option<&str>) -> u32 {
        let what = format!("the method {method} did not answer");
        let wait = self.send_request(method, params).map(Wait::Method);
        self.step_of(&what, wait)
    }

    // Panels.

    /// Presses a key in a panel: its name, or one character; waits until it is handled.
    pub fn press_key(&mut self, panel: &str, key: &str) -> u32 {
        let is_character = key.chars().count() == 1;
        let key = PanelKey {
            panel_id: panel.to_owned(),
            key: if is_character { "rune" } else { key }.to_owned(),
            text: is_character.then(|| key.to_owned()),
        };
        self.in_panel(panel, None, |host| host.session.panel_key(&key))
    }

    /// Gives a panel another size, in columns and lines; waits until it is handled.
    pub fn resize_panel(&mut self, panel: &str, width: u64, height: u64) -> u32 {
        let resize = PanelResize { panel_id: panel.to_owned(), width, height };
        self.in_panel(panel, None, |host| host.session.panel_resize(&resize))
    }

    /// Closes a panel as a user does; waits until it is handled.
    pub fn close_panel(&mut self, panel: &str) -> u32 {
        self.in_panel(panel, Some(panel.to_owned()), |host| host.session.panel_close(panel))
    }

    fn in_panel(&mut self, id: &str, closes: Option<String>, tell: impl FnOnce(&mut Self)) -> u32 {
        let what = format!("the panel {id} did not handle its input");
        self.turn();
        if !self.shown.has_panel(id) {
            let failure = Failure::misuse(format!("no panel {id} is open"));
            return self.step(what, Wait::Failed(failure));
        }
        tell(self);
        self.step(what, Wait::Settled(closes))
    }

    // How.

    fn when_offered(&mut self, kind: Named, name: &str, args: &str, to_begin: bool) -> u32 {
        self.turn();
        let what = format!("the {} {name} was not offered", kind.word());
        let (name, args) = (name.to_owned(), args.to_owned());
        self.step(what, Wait::Offered { kind, name, args, to_begin })
    }

    fn of_tool(&self, call: u64, what: &str) -> String {
        let tool = self.calls.get(call).map_or("", |call| &call.name);
        format!("the tool {tool} {what}")
    }

    pub(crate) fn send_tool(&mut self, name: &str, args: &str) -> Result<u64, Failure> {
        let what = format!("the tool {name} was not called");
        let args = raw(args).map_err(|mistake| unsent(&what, &mistake))?;
        let tool = self.offered.tool(name);
        let timeout = tool.and_then(|tool| tool.timeout_ms).map(std::time::Duration::from_millis);
        let output = tool.and_then(|tool| tool.output_schema.clone());
        let options = ToolCallOptions { timeout, ..ToolCallOptions::default() };
        let sent = self.session.call_tool(name, args, options, Instant::now());
        let key = self.sent(&what, sent)?;
        Ok(self.calls.add(key, name, output))
    }

    fn send_request(&mut self, method: &str, params: Option<&str>) -> Result<u64, Failure> {
        let what = format!("the method {method} was not asked for");
        let params = params.map(raw).transpose().map_err(|mistake| unsent(&what, &mistake))?;
        let sent = self.session.request(method, params, None, Instant::now());
        let key = self.sent(&what, sent)?;
        Ok(self.calls.add(key, method, None))
    }

    fn tell_event(&mut self, name: &str, payload: &str) -> Result<(), Failure> {
        self.turn();
        let listens_to = self.offered.subscribe.events.as_deref().unwrap_or_default();
        if !listens_to.iter().any(|known| known == name) {
            let told =
                if listens_to.is_empty() { "nothing".to_owned() } else { listens_to.join(", ") };
            let text = format!("the extension does not listen to {name}: it listens to {told}");
            return Err(Failure::misuse(text));
        }
        if !self.profile.vocabulary.has_event(name) {
            return Err(Failure::misuse(format!("a host like this has no event {name}")));
        }
        let payload = raw(payload).and_then(|payload| event_payload(&members(payload.get())?));
        let payload = payload.map_err(|mistake| unsent("the event was not sent", &mistake))?;
        self.session.send_event(&Event { event: name.to_owned(), payload });
        Ok(())
    }

    pub(crate) fn ask_to_end(&mut self) {
        if self.end.is_none() && self.ending_since.is_none() {
            self.ending_since = Some(Instant::now());
            self.session.shutdown(Some(ShutdownReason::Exit), Instant::now());
        }
    }
}

fn unsent(what: &str, mistake: &Mistake) -> Failure {
    Failure::misuse(format!("{what}: {mistake}"))
}
