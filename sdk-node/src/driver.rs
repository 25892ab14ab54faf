//! The session on the thread of the event loop: what comes in goes to JavaScript, what JavaScript says
//! goes out.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Instant;

use extline_driver::{BATCH, StandIn};
use extline_protocol::ExtensionEvent;
use extline_protocol::limits::LATE_TEARDOWN;
use extline_stdio::{Error, Input, report};

use crate::core::{Core, State};
use crate::deliver::{self, Kind};
use crate::js::{Js, Scope, Told};
use crate::watch::{Handles, Wants};

/// Why the loop comes back to the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Input,
    Bell,
    Room,
    Time,
    /// JavaScript has done what the others are for.
    Js,
}

pub(crate) struct Driver {
    pub(crate) core: Arc<Core>,
    js: Js,
    handles: RefCell<Option<Handles>>,
    stand_in: RefCell<Option<StandIn>>,
    /// What JavaScript was told to wait for, where it does.
    told: RefCell<Option<Wants>>,
    in_turn: Cell<bool>,
    is_over: Cell<bool>,
}

impl Driver {
    pub(crate) fn new(core: Arc<Core>, js: Js) -> Rc<Self> {
        Rc::new(Self {
            core,
            js,
            handles: RefCell::new(None),
            stand_in: RefCell::new(None),
            told: RefCell::new(None),
            in_turn: Cell::new(false),
            is_over: Cell::new(false),
        })
    }

    /// Watches the descriptors natively from now on. Whether it can.
    pub(crate) fn watch(self: &Rc<Self>) -> bool {
        let handles = Handles::open(self);
        let can = handles.is_some();
        *self.handles.borrow_mut() = handles;
        let arrivals = self.core.lock().input.as_ref().map(Input::arrivals);
        if let Some(arrivals) = arrivals.filter(|_| can) {
            *self.stand_in.borrow_mut() = StandIn::start(&self.core, arrivals);
        }
        can
    }

    pub(crate) fn event_loop(&self) -> Option<*mut napi::sys::uv_loop_s> {
        self.js.event_loop().ok()
    }

    /// Says something to the host, on behalf of JavaScript.
    pub(crate) fn tell<R>(self: &Rc<Self>, tell: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.core.lock();
        let told = tell(&mut state);
        // What is said in a turn is written at its end.
        if !self.in_turn.get() && !self.is_over.get() {
            let written = state.channel.write().map(drop);
            drop(state);
            match written {
                Ok(()) => self.arm(true),
                Err(error) => self.fail(&error),
            }
        }
        told
    }

    /// Says what the user is to see while a handler goes on: at once also in a turn, whose end comes
    /// after the answer of a handler that leaves the loop no time, and with it nothing to show.
    pub(crate) fn show(self: &Rc<Self>, tell: impl FnOnce(&mut State)) {
        self.tell(tell);
        if self.in_turn.get() && !self.is_over.get() {
            // An error comes again at the end of the turn, which can end the session.
            let mut state = self.core.lock();
            // Updates are among what is due.
            state.channel.handle_timeout();
            let _ = state.channel.write();
        }
    }

    /// Does everything that there is to do now.
    pub(crate) fn turn(self: &Rc<Self>, reason: Reason) {
        if self.is_over.get() || self.in_turn.replace(true) {
            return;
        }
        self.core.turns.fetch_add(1, SeqCst);
        if reason == Reason::Time {
            self.forget_timer();
        }
        let done = self.take_in(reason).and_then(|()| self.work());
        self.core.turns.fetch_add(1, SeqCst);
        self.in_turn.set(false);
        match done {
            Ok(Some(exit_code)) => self.finish(exit_code),
            Ok(None) => self.arm(false),
            Err(error) => self.fail(&error),
        }
    }

    fn take_in(&self, reason: Reason) -> Result<(), Error> {
        let mut state = self.core.lock();
        let is_rung = reason == Reason::Bell;
        state.take_in(is_rung, is_rung || reason == Reason::Input)?;
        if reason == Reason::Room {
            state.channel.write()?;
        }
        Ok(())
    }

    /// Until nothing is left that could be done. The exit code, at the end.
    fn work(self: &Rc<Self>) -> Result<Option<u8>, Error> {
        loop {
            while let Some(event) = self.next_event() {
                let Ok(scope) = self.js.open() else { return Ok(None) };
                self.gather(&scope, event)?;
                // Promises have their turn here.
            }
            let mut state = self.core.lock();
            // It may have come to that only just now, by what was delivered.
            let was_stalled = state.channel.is_stalled();
            state.channel.write()?;
            let goes_on = state.channel.goes_on();
            // A host that has taken what it had not lets further calls begin.
            if !goes_on && (!was_stalled || state.channel.is_stalled()) {
                let is_over = state.finished && state.channel.is_said();
                return Ok(is_over.then(|| state.channel.session.exit_code()));
            }
        }
    }

    /// Has JavaScript do this and what else came in, until promises are to have their turn: when that
    /// takes long, or where something but a call waits. Calls run beside each other in any case.
    fn gather(&self, scope: &Scope<'_>, first: ExtensionEvent) -> Result<(), Error> {
        let mut next = Some(first);
        let began = Instant::now();
        let mut since = began;
        while let Some(event) = next {
            let is_call = matches!(event, ExtensionEvent::ToolCall { .. });
            let waits = deliver::deliver(&self.core, scope, event);
            let now = Instant::now();
            // Answers are not gathered while a handler runs that has taken longer than this of late. Of one
            // that does so for the first time, the stand-in writes what it keeps.
            let took = now.duration_since(std::mem::replace(&mut since, now));
            if took >= BATCH {
                let mut state = self.core.lock();
                if let Some(tool) = state.last_tool.take().filter(|_| is_call) {
                    tool.pace.was_slow();
                }
                state.channel.write()?;
            }
            if waits && !is_call || now.duration_since(began) >= BATCH {
                return Ok(());
            }
            next = self.next_event();
            if let (true, Some(stand_in)) = (next.is_some(), self.stand_in.borrow().as_ref()) {
                stand_in.expect_held(now);
            }
        }
        Ok(())
    }

    /// What is to be told to JavaScript.
    fn next_event(&self) -> Option<ExtensionEvent> {
        let mut state = self.core.lock();
        loop {
            let event = state.channel.next_event(true)?;
            if let Some(event) = self.core.settle(&mut state, event) {
                return Some(event);
            }
        }
    }

    /// Comes back when there is something to do.
    fn arm(self: &Rc<Self>, may_have_events: bool) {
        if self.is_over.get() {
            return;
        }
        let state = self.core.lock();
        let mut wants = Wants::of(&state.channel);
        // What came up within what JavaScript said is not done within it.
        wants.turn &= may_have_events;
        wants.turn |= state.finished && state.channel.is_said();
        let stalled_due = state.channel.due_stalled();
        drop(state);
        if let (Some(due), Some(stand_in)) = (stalled_due, self.stand_in.borrow().as_ref()) {
            stand_in.expect(due);
        }
        if let Some(handles) = self.handles.borrow_mut().as_mut() {
            if !handles.arm(&wants, self) {
                report("the event loop cannot watch stdin and stdout any more");
            }
            return;
        }
        self.tell_wants(wants);
    }

    /// The timer has rung, and may have rung early: what is still due needs it again.
    fn forget_timer(&self) {
        *self.told.borrow_mut() = None;
        if let Some(handles) = self.handles.borrow_mut().as_mut() {
            handles.rang();
        }
    }

    /// JavaScript waits in the place of native handles.
    fn tell_wants(&self, wants: Wants) {
        if self.told.borrow().is_some_and(|told| told == wants && !wants.turn)
            && !self.core.lock().channel.has_output()
        {
            return;
        }
        *self.told.borrow_mut() = Some(wants);
        #[expect(clippy::cast_precision_loss, reason = "a time in milliseconds")]
        let due = wants.millis().map(|millis| millis as f64);
        let told =
            Told { kind: Kind::Wants as u32, flag: wants.input, deadline: due, ..Told::default() };
        self.say(told);
    }

    /// Everything is answered and written.
    fn finish(self: &Rc<Self>, exit_code: u8) {
        self.close();
        let is_late = self.core.lock().calls.is_tearing_down();
        self.say(Told {
            kind: Kind::Finished as u32,
            number: Some(exit_code.into()),
            text: is_late.then_some(LATE_TEARDOWN),
            ..Told::default()
        });
    }

    /// The descriptors cannot be used any more.
    fn fail(self: &Rc<Self>, error: &Error) {
        self.close();
        let text = error.to_string();
        self.say(Told { kind: Kind::Failed as u32, text: Some(&text), ..Told::default() });
    }

    fn say(&self, told: Told<'_>) {
        if let Ok(scope) = self.js.open() {
            scope.tell(told);
        }
    }

    /// Nothing brings the loop back any more, so it may end.
    pub(crate) fn close(&self) {
        self.is_over.set(true);
        self.core.is_over.store(true, SeqCst);
        self.stand_in.borrow_mut().take();
        self.handles.borrow_mut().take();
    }
}
