//! The handlers that wait, as tasks, which are looked at only when one of them can go on: most calls
//! leave none.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Wake, Waker};

use tokio::task::{LocalEnterGuard, LocalSet};

/// Tasks that still run are dropped with it.
pub(super) struct Tasks {
    set: LocalSet,
    /// Whether one ran on when they were looked at last.
    any: bool,
    bell: Arc<Bell>,
    waker: Waker,
    /// The serving loop, as the bell knows it.
    serving: Waker,
}

/// What one that can go on rings.
struct Bell {
    has_rung: AtomicBool,
    serving: Mutex<Waker>,
}

impl Tasks {
    pub(super) fn new() -> Self {
        let serving = Waker::noop().clone();
        // Nobody has looked yet.
        let has_rung = AtomicBool::new(true);
        let bell = Arc::new(Bell { has_rung, serving: Mutex::new(serving.clone()) });
        let waker = Waker::from(Arc::clone(&bell));
        Self { set: LocalSet::new(), any: false, bell, waker, serving }
    }

    /// What is spawned until the guard is dropped becomes one of them.
    pub(super) fn enter(&self) -> LocalEnterGuard {
        self.set.enter()
    }

    /// Runs what can go on; whether any are left. If so, the context's waker is woken when one of
    /// them can.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> bool {
        if !self.serving.will_wake(context.waker()) {
            self.serving.clone_from(context.waker());
            self.bell.lock().clone_from(&self.serving);
        }
        // A load alone is cheap. The set wakes its waker whenever something is spawned into it or
        // can go on, unless it is just being polled.
        if self.bell.has_rung.load(Ordering::Acquire) {
            self.bell.has_rung.store(false, Ordering::SeqCst);
            let mut own = Context::from_waker(&self.waker);
            self.any = Pin::new(&mut self.set).poll(&mut own).is_pending();
        }
        self.any
    }
}

impl Bell {
    fn lock(&self) -> std::sync::MutexGuard<'_, Waker> {
        // Replaced as a whole.
        self.serving.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.has_rung.store(true, Ordering::SeqCst);
        let serving = self.lock().clone();
        serving.wake();
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;
    use std::sync::atomic::AtomicUsize;
    use std::thread;

    use tokio::sync::Notify;
    use tokio::task::spawn_local;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn one_that_waits_wakes_whoever_looked_last_and_is_gone_when_it_has_ended() {
        let (first, last) = (Arc::new(Count::default()), Arc::new(Count::default()));
        let (first_waker, last_waker) =
            (Waker::from(Arc::clone(&first)), Waker::from(Arc::clone(&last)));
        let mut tasks = Tasks::new();
        assert!(!tasks.poll(&mut Context::from_waker(&first_waker)));

        let go_on = Arc::new(Notify::new());
        let waited = Arc::clone(&go_on);
        {
            let _entered = tasks.enter();
            spawn_local(async move { waited.notified().await });
        }
        assert_eq!(first.0.load(Ordering::SeqCst), 1, "it was spawned");
        assert!(tasks.poll(&mut Context::from_waker(&first_waker)));
        assert!(tasks.poll(&mut Context::from_waker(&last_waker)));

        thread::spawn(move || go_on.notify_one()).join().unwrap();
        assert_eq!(first.0.load(Ordering::SeqCst), 1);
        assert_eq!(last.0.load(Ordering::SeqCst), 1);
        assert!(!tasks.poll(&mut Context::from_waker(&last_waker)));
    }

    #[test]
    fn one_that_spawns_another_and_ends_leaves_the_other() {
        let mut tasks = Tasks::new();
        let go_on = Rc::new(Notify::new());
        let waited = Rc::clone(&go_on);
        {
            let _entered = tasks.enter();
            spawn_local(async move {
                spawn_local(async move { waited.notified().await });
            });
        }
        let mut context = Context::from_waker(Waker::noop());
        assert!(tasks.poll(&mut context));
        go_on.notify_one();
        assert!(!tasks.poll(&mut context));
    }
}
