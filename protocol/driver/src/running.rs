//! Which handlers keep threads: for the last words of a process that would not end, and for who looks
//! why one goes on after its call was cancelled.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use extline_protocol::ExtensionEvent;

/// A thread and the handler that it is inside of.
#[derive(Debug, Default)]
struct Slot {
    /// As the language knows the thread; 0 where it does not say.
    thread: u64,
    is_inside: bool,
    /// As a person reads it: `tool weather`. Kept for its memory when the handler has ended.
    name: String,
    /// Of the call; none for an event or the like.
    serial: Option<u64>,
}

/// A handler that keeps a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inside {
    /// What [`enter`] was told of the thread.
    pub thread: u64,
    /// As a person reads it: `tool weather`.
    pub name: String,
}

static SLOTS: Mutex<Vec<Arc<Mutex<Slot>>>> = Mutex::new(Vec::new());

thread_local! {
    static OWN: RefCell<Option<Arc<Mutex<Slot>>>> = const { RefCell::new(None) };
}

/// The handler of the author's that an event is for: its kind and its name, which a teardown has not.
/// `None` where there is none.
pub fn handler_name(event: &ExtensionEvent) -> Option<[&str; 2]> {
    Some(match event {
        ExtensionEvent::Accepted(_) => ["setup", ""],
        ExtensionEvent::ToolCall { call, .. } => ["tool", &call.name],
        ExtensionEvent::Command { command, .. } => ["command", &command.name],
        ExtensionEvent::Intercept { intercept, .. } => ["intercept", &intercept.event],
        ExtensionEvent::Request { request, .. } => ["request", &request.method],
        ExtensionEvent::Approval { tool, .. } => ["gated", tool],
        ExtensionEvent::Event(event) => ["event", &event.event],
        ExtensionEvent::Panel(input) => ["panel", input.panel_id()],
        ExtensionEvent::Teardown => ["teardown", ""],
        _ => return None,
    })
}

/// A handler's name as a person reads it: `tool weather`.
pub fn label([kind, name]: [&str; 2]) -> String {
    if name.is_empty() { kind.to_owned() } else { format!("{kind} {name}") }
}

/// This thread is inside a handler from now on, until [`leave`]. The parts of its name are joined by a
/// blank; `serial` is that of its call. `thread` is asked once for each thread.
pub fn enter(name: [&str; 2], serial: Option<u64>, thread: impl FnOnce() -> u64) {
    OWN.with_borrow_mut(|own| {
        let slot = own.get_or_insert_with(|| {
            let slot = Arc::new(Mutex::new(Slot { thread: thread(), ..Slot::default() }));
            lock(&SLOTS).push(Arc::clone(&slot));
            slot
        });
        let mut slot = lock(slot);
        let [kind, rest] = name;
        slot.name.clear();
        slot.name.push_str(kind);
        if !rest.is_empty() {
            slot.name.push(' ');
            slot.name.push_str(rest);
        }
        (slot.is_inside, slot.serial) = (true, serial);
    });
}

/// This thread has left its handler.
pub fn leave() {
    OWN.with_borrow(|own| {
        if let Some(slot) = own {
            lock(slot).is_inside = false;
        }
    });
}

/// The handlers that threads are inside of.
pub fn names() -> Vec<String> {
    inside(|slot| Some(slot.name.clone()))
}

/// The calls that threads are inside of.
pub fn serials() -> Vec<u64> {
    inside(|slot| slot.serial)
}

/// The threads that are inside of one of those calls.
pub fn threads(of: &[u64]) -> Vec<Inside> {
    inside(|slot| {
        slot.serial.filter(|serial| of.contains(serial))?;
        Some(Inside { thread: slot.thread, name: slot.name.clone() })
    })
}

fn inside<T>(of: impl Fn(&Slot) -> Option<T>) -> Vec<T> {
    let seen = |slot: &Slot| if slot.is_inside { of(slot) } else { None };
    lock(&SLOTS).iter().filter_map(|slot| seen(&lock(slot))).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use extline_protocol::PanelInput;

    use super::*;

    #[test]
    fn a_handler_has_the_name_of_what_it_handles() {
        let panel = ExtensionEvent::Panel(PanelInput::Close { panel_id: "notes".to_owned() });
        let name = |event: &ExtensionEvent| handler_name(event).map(label);
        assert_eq!(name(&panel).as_deref(), Some("panel notes"));
        assert_eq!(name(&ExtensionEvent::Teardown).as_deref(), Some("teardown"));
        assert_eq!(name(&ExtensionEvent::Finished { exit_code: 0 }), None);
    }

    #[test]
    fn a_handler_is_known_until_its_thread_has_left_it() {
        enter(["tool", "weather"], Some(3), || 7);
        let (go, wait) = channel::<()>();
        let other = thread::spawn(move || {
            enter(["setup", ""], None, || 8);
            let _ = wait.recv();
            leave();
        });
        while names().len() < 2 {
            thread::yield_now();
        }
        assert!(names().contains(&"setup".to_owned()));
        assert_eq!(serials(), [3]);
        assert_eq!(threads(&[3, 4]), [Inside { thread: 7, name: "tool weather".to_owned() }]);
        leave();
        assert_eq!(names(), ["setup"]);
        drop(go);
        other.join().unwrap();
        assert!(names().is_empty());
    }
}
