//! A bell of a thread's own, which ends its wait for what comes to an input.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use super::arrivals::Arrivals;
use super::shared::Shared;

/// What [`Arrivals::wait`] waits for beside the host, until it is [silenced](Bell::silence).
#[derive(Debug)]
pub struct Bell(Arc<Ring>);

/// Who rings a [`Bell`], from any thread.
#[derive(Debug)]
pub struct Ringer(Arc<Ring>);

#[derive(Debug)]
struct Ring {
    is_rung: AtomicBool,
    /// Whose waits it ends.
    shared: Arc<Shared>,
}

impl Arrivals {
    /// A bell that ends the waits for these, and who rings it.
    ///
    /// # Errors
    ///
    /// None here.
    pub fn bell(&self) -> io::Result<(Bell, Ringer)> {
        let shared = Arc::clone(self.shared());
        let ring = Arc::new(Ring { is_rung: AtomicBool::new(false), shared });
        Ok((Bell(Arc::clone(&ring)), Ringer(ring)))
    }
}

impl Bell {
    pub(super) fn is_rung(&self) -> bool {
        self.0.is_rung.load(SeqCst)
    }

    /// Takes the rings. False where nobody is there to ring any more, which is not found out here.
    pub fn silence(&mut self) -> bool {
        self.0.is_rung.store(false, SeqCst);
        true
    }
}

impl Ringer {
    /// Ends the current wait, or the next one.
    pub fn ring(&self) {
        let Ring { is_rung, shared } = &*self.0;
        let state = shared.lock();
        // While it is locked, so that nobody has looked and does not wait yet.
        is_rung.store(true, SeqCst);
        drop(state);
        shared.tell_waiting();
    }
}

#[cfg(test)]
mod tests {
    use std::io::pipe;
    use std::thread;
    use std::time::Duration;

    use crate::{Arrived, Stdio};

    #[test]
    fn a_bell_ends_a_wait_from_another_thread_until_it_is_silenced() {
        let ((input, _host), (_reads, output)) = (pipe().unwrap(), pipe().unwrap());
        let arrivals = Stdio::from_handles(input.into(), output.into()).input.arrivals();
        let (mut bell, ringer) = arrivals.bell().unwrap();
        let ringing = thread::spawn(move || ringer.ring());
        let rung = Arrived { host: false, own: true };
        for _ in 0..2 {
            assert_eq!(arrivals.wait((true, true), Some(&bell), None).unwrap(), rung);
        }
        ringing.join().unwrap();
        assert!(bell.silence());
        let now = Some(Duration::ZERO);
        assert_eq!(arrivals.wait((true, true), Some(&bell), now).unwrap(), Arrived::default());
    }
}
