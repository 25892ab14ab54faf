//! Signals whose handlers are written in Python: they run in the main thread alone, which may stand
//! by when one comes, or be about to wait. So Python writes a byte for each into a pipe, which is
//! waited for beside the host.

#[cfg(unix)]
pub(crate) use self::unix::Signals;
#[cfg(not(unix))]
pub(crate) use self::unsupported::Signals;

#[cfg(unix)]
mod unix {
    use std::io::{PipeReader, PipeWriter, pipe};
    use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

    use pyo3::prelude::*;
    use pyo3::types::PyDict;
    use rustix::io::{ioctl_fionbio, read};

    pub(crate) struct Signals {
        bytes: PipeReader,
        _written_by_python: PipeWriter,
    }

    impl Signals {
        /// Has Python write; `None` outside the main thread, where no signal is handled.
        pub(crate) fn of_main_thread(py: Python<'_>) -> Option<Self> {
            let (bytes, ring) = pipe().ok()?;
            ioctl_fionbio(&bytes, true).ok()?;
            ioctl_fionbio(&ring, true).ok()?;
            let quietly = PyDict::new(py);
            quietly.set_item("warn_on_full_buffer", false).ok()?;
            let signal = py.import("_signal").ok()?;
            let set = signal.getattr("set_wakeup_fd").ok()?;
            set.call((ring.as_raw_fd(),), Some(&quietly)).ok()?;
            Some(Self { bytes, _written_by_python: ring })
        }

        pub(crate) fn fd(&self) -> BorrowedFd<'_> {
            self.bytes.as_fd()
        }

        /// Takes what is there; the handlers themselves are known to Python.
        pub(crate) fn take(&self) {
            let mut bytes = [0; 64];
            while let Ok(64) = read(&self.bytes, &mut bytes) {}
        }

        /// Before the pipe is closed.
        pub(crate) fn stop(py: Python<'_>) {
            let signal = py.import("_signal");
            // It fails only outside the main thread, where it was not begun.
            let _ = signal.and_then(|signal| signal.call_method1("set_wakeup_fd", (-1,)));
        }
    }
}

#[cfg(not(unix))]
mod unsupported {
    use pyo3::prelude::*;

    /// Claiming fails on such a platform, so nothing is ever waited for.
    pub(crate) struct Signals;

    impl Signals {
        pub(crate) fn of_main_thread(_py: Python<'_>) -> Option<Self> {
            None
        }

        pub(crate) fn take(&self) {}

        pub(crate) fn stop(_py: Python<'_>) {}
    }
}
