//! Whether somebody still waits for an answer.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// The cancel of one call: a future that is ready once the host no longer wants the answer, or the
/// extension ends.
///
/// Clones are cheap and see the same cancel, from any thread; move one into
/// [`Context::blocking`](crate::Context::blocking) and ask it now and then.
///
/// ```
/// use extline::prelude::*;
///
/// let wait = Tool::new("wait", "Waits.", async |_: NoArgs, ctx: Context| {
///     let cancellation = ctx.cancellation();
///     let rounds = ctx
///         .blocking(move || (0..1_000).take_while(|_| !cancellation.is_cancelled()).count())
///         .await;
///     ctx.cancellation().await;
///     Ok(format!("cancelled after {rounds} rounds"))
/// });
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    cancelled: AtomicBool,
    waiting: Mutex<Vec<Waker>>,
}

impl Cancellation {
    /// Whether it came.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }

    /// Whether nobody else has it and nothing was done with it, so that it may serve another call.
    pub(crate) fn is_unused(&mut self) -> bool {
        let Some(shared) = Arc::get_mut(&mut self.0) else { return false };
        let waiting = shared.waiting.get_mut().unwrap_or_else(PoisonError::into_inner);
        !*shared.cancelled.get_mut() && waiting.is_empty()
    }

    pub(crate) fn cancel(&self) {
        let waiting = {
            let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            self.0.cancelled.store(true, Ordering::Release);
            std::mem::take(&mut *waiting)
        };
        for waker in waiting {
            waker.wake();
        }
    }
}

impl Future for Cancellation {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        // The flag is set under the lock, so a cancel cannot slip in between.
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_cancelled() {
            return Poll::Ready(());
        }
        if !waiting.iter().any(|waker| waker.will_wake(context.waker())) {
            waiting.push(context.waker().clone());
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::task::Wake;

    use super::*;

    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn every_clone_is_woken_once() {
        let cancellation = Cancellation::default();
        let count = Arc::new(Count(AtomicUsize::new(0)));
        let waker = Waker::from(Arc::clone(&count));
        let mut context = Context::from_waker(&waker);
        let mut clone = cancellation.clone();
        assert!(Pin::new(&mut clone).poll(&mut context).is_pending());
        assert!(Pin::new(&mut clone).poll(&mut context).is_pending());

        cancellation.cancel();
        cancellation.cancel();
        assert_eq!(count.0.load(Ordering::Relaxed), 1);
        assert!(Pin::new(&mut clone).poll(&mut context).is_ready());
        assert!(clone.is_cancelled());
    }

    #[test]
    fn one_that_somebody_has_or_waits_for_or_that_came_is_not_unused() {
        let mut cancellation = Cancellation::default();
        assert!(cancellation.is_unused());
        let mut clone = cancellation.clone();
        assert!(!cancellation.is_unused());
        assert!(Pin::new(&mut clone).poll(&mut Context::from_waker(Waker::noop())).is_pending());
        drop(clone);
        assert!(!cancellation.is_unused(), "the one that waited may be woken yet");

        let mut cancelled = Cancellation::default();
        cancelled.cancel();
        assert!(!cancelled.is_unused());
    }
}
