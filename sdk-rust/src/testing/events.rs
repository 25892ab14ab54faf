//! What the extension is told.

use std::panic::Location;

use extline_protocol::frame::{Event, HostFrame, Subscribe};
use extline_protocol::{Capability, Incoming, RawJson, decode_text};
use extline_testing::demands::not_heard;
use serde_json::{Map, Value};

use super::failure::Failure;
use super::host::Host;

/// Events.
impl Host {
    /// Tells the extension that something happened, and waits until its handlers have ended: what they
    /// did is seen from then on. `payload` is an object with what the event carries.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let mut host = Host::new(|| {
    ///     Extension::new("watch", "1.0.0").on("turn_end", async |event, ctx| {
    ///         ctx.notify_warn(format!("the turn ended: {}", event.payload.stop.unwrap_or_default()));
    ///     })
    /// });
    /// host.event("turn_end", json!({"stop": "error"}))?;
    /// assert_eq!(host.notes()[0].message, "the turn ended: error");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Failure::Misuse`] when the extension does not listen to it, or the payload cannot be that of
    /// an event; [`Failure::HandlerFailed`] when one of its handlers fails; [`Failure::TimedOut`],
    /// [`Failure::Ended`].
    #[track_caller]
    pub fn event(&mut self, name: &str, payload: impl Into<RawJson>) -> Result<(), Failure> {
        self.conversation.place = Location::caller();
        let heard = self.subscription().events.as_deref().unwrap_or_default();
        if !heard.iter().any(|event| event == name) {
            return Err(self.misuse(not_heard(name, heard)));
        }
        if !self.profile.vocabulary.has_event(name) {
            return Err(self.misuse(format!("{} has no event {name}", self.profile.name)));
        }
        let event = event_of(name, &payload.into())
            .map_err(|why| self.misuse(format!("the payload of the event {name}: {why}")))?;
        self.conversation.session.send_event(&event);
        self.conversation.settle(&format!("the handlers of the event {name} did not end"))
    }

    /// Gives the extension another configuration, an object, and waits until it has it and its handlers of
    /// `config_changed` have ended.
    ///
    /// # Errors
    ///
    /// [`Failure::Misuse`] when the host has no configurations, or it is no object;
    /// [`Failure::HandlerFailed`] when a handler fails; [`Failure::TimedOut`], [`Failure::Ended`].
    #[track_caller]
    pub fn change_config(&mut self, config: impl Into<RawJson>) -> Result<(), Failure> {
        self.conversation.place = Location::caller();
        let config = config.into();
        if !self.conversation.session.supports(Capability::Config) {
            return Err(self.misuse(format!("{} changes no configuration", self.profile.name)));
        }
        if !config.is_object() {
            return Err(self.misuse("a configuration is an object".to_owned()));
        }
        self.conversation.session.change_config(config);
        self.conversation.settle("the handlers of the event config_changed did not end")
    }

    /// What the extension asks to be told and asked about.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let host = Host::new(|| Extension::new("a", "1").on("turn_end", async |_, _| {}));
    /// assert_eq!(host.subscription().events.as_deref(), Some(&["turn_end".to_owned()][..]));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn subscription(&self) -> &Subscribe {
        &self.conversation.seen.offered.subscribe
    }
}

/// The frame of an event, as the decoder of an extension would read it.
fn event_of(name: &str, payload: &RawJson) -> Result<Event, String> {
    let mut members: Map<String, Value> = payload.to().map_err(|error| error.to_string())?;
    members.insert("type".to_owned(), "event".into());
    members.insert("event".to_owned(), name.into());
    match decode_text(&Value::Object(members).to_string()) {
        Incoming::Frame(HostFrame::Event(event)) => Ok(*event),
        Incoming::Frame(_) => Err("it is of another frame".to_owned()),
        Incoming::Unusable(unusable) => Err(unusable.to_string()),
    }
}
