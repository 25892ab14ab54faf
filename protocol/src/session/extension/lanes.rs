//! Which frame may be handled next (`order.lanes`).
//!
//! Events are handled one at a time in wire order, so are the inputs of each panel; calls run
//! concurrently with each other and with both. Among what may run, wire order holds.

use std::collections::{HashMap, VecDeque};

use super::{ExtensionEvent, PanelInput};
use crate::frame::Event;
use crate::limits::WAITING_EVENTS;
use crate::profile::MESSAGE_UPDATE;
use crate::session::Notice;

#[derive(Debug, Default)]
pub(super) struct Lanes {
    /// Cancels, answers and notices: never held up.
    control: VecDeque<ExtensionEvent>,
    calls: VecDeque<(u64, ExtensionEvent)>,
    events: Lane<Box<Event>>,
    events_dropped: u64,
    panels: HashMap<String, Lane<PanelInput>>,
    serial: u64,
}

#[derive(Debug)]
struct Lane<T> {
    waiting: VecDeque<(u64, T)>,
    busy: bool,
}

impl<T> Default for Lane<T> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), busy: false }
    }
}

impl<T> Lane<T> {
    fn front(&self) -> Option<u64> {
        if self.busy { None } else { self.waiting.front().map(|(serial, _)| *serial) }
    }

    fn take(&mut self) -> Option<T> {
        self.busy = true;
        self.waiting.pop_front().map(|(_, item)| item)
    }
}

impl Lanes {
    pub(super) fn control(&mut self, event: ExtensionEvent) {
        self.control.push_back(event);
    }

    /// Before everything else.
    pub(super) fn first(&mut self, event: ExtensionEvent) {
        self.control.push_front(event);
    }

    /// The end has another exit code, if it waits to be taken.
    pub(super) fn finish_with(&mut self, code: u8) {
        for event in &mut self.control {
            if let ExtensionEvent::Finished { exit_code } = event {
                *exit_code = code;
            }
        }
    }

    pub(super) fn call(&mut self, event: ExtensionEvent) {
        let serial = self.next_serial();
        self.calls.push_back((serial, event));
    }

    pub(super) fn event(&mut self, event: Box<Event>) {
        // The newest update says all that the one before did (`event.newest-sdk`).
        let newest =
            self.events.waiting.back_mut().filter(|(_, before)| {
                before.event == MESSAGE_UPDATE && event.event == MESSAGE_UPDATE
            });
        if let Some((_, before)) = newest {
            *before = event;
            return;
        }
        if self.events.waiting.len() >= WAITING_EVENTS {
            self.events.waiting.pop_front();
            self.events_dropped += 1;
        }
        let serial = self.next_serial();
        self.events.waiting.push_back((serial, event));
    }

    pub(super) fn panel(&mut self, input: PanelInput) {
        let serial = self.next_serial();
        let lane = self.panels.entry(input.panel_id().to_owned()).or_default();
        lane.waiting.push_back((serial, input));
    }

    pub(super) fn event_done(&mut self) {
        self.events.busy = false;
        let dropped = std::mem::take(&mut self.events_dropped);
        if dropped > 0 {
            self.control(ExtensionEvent::Notice(Notice::EventsDropped(dropped)));
        }
    }

    pub(super) fn panel_done(&mut self, panel_id: &str) {
        let Some(lane) = self.panels.get_mut(panel_id) else { return };
        lane.busy = false;
        if lane.waiting.is_empty() {
            self.panels.remove(panel_id);
        }
    }

    /// Drops what waits for a panel; its handler may still run.
    pub(super) fn forget_panel(&mut self, panel_id: &str) {
        self.panels.retain(|id, lane| {
            if id == panel_id {
                lane.waiting.clear();
            }
            lane.busy || !lane.waiting.is_empty()
        });
    }

    pub(super) fn pop_control(&mut self) -> Option<ExtensionEvent> {
        self.control.pop_front()
    }

    pub(super) fn pop(&mut self) -> Option<ExtensionEvent> {
        if let Some(event) = self.pop_control() {
            return Some(event);
        }
        let call = self.calls.front().map_or(u64::MAX, |(serial, _)| *serial);
        let event = self.events.front().unwrap_or(u64::MAX);
        let panel = self.next_panel().unwrap_or(u64::MAX);
        let next = call.min(event).min(panel);
        if next == u64::MAX {
            None
        } else if next == call {
            self.calls.pop_front().map(|(_, event)| event)
        } else if next == event {
            self.events.take().map(ExtensionEvent::Event)
        } else {
            let lane = self.panels.values_mut().find(|lane| lane.front() == Some(panel))?;
            lane.take().map(ExtensionEvent::Panel)
        }
    }

    /// The extension is ending: what no handler has seen is not wanted any more.
    pub(super) fn forget_waiting(&mut self) {
        self.calls.clear();
        self.events.waiting.clear();
        for lane in self.panels.values_mut() {
            lane.waiting.clear();
        }
    }

    /// Whether no handler of an event or of a panel's input runs.
    pub(super) fn is_idle(&self) -> bool {
        !self.events.busy && self.panels.values().all(|lane| !lane.busy)
    }

    pub(super) fn len(&self) -> usize {
        let panels: usize = self.panels.values().map(|lane| lane.waiting.len()).sum();
        self.control.len() + self.calls.len() + self.events.waiting.len() + panels
    }

    fn next_panel(&self) -> Option<u64> {
        self.panels.values().filter_map(Lane::front).min()
    }

    fn next_serial(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }
}
