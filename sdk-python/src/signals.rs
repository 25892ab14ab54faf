//! Signals whose handlers are written in Python: they run in the main thread alone, which may stand
//! by when one comes, or be about to wait. So Python writes a byte for each into a pipe, which the
//! session hears beside its host.

#[cfg(not(unix))]
pub(crate) use self::nowhere::Signals;
#[cfg(unix)]
pub(crate) use self::unix::Signals;

#[cfg(unix)]
mod unix {
    use std::io::{PipeWriter, pipe};
    use std::os::fd::AsRawFd;

    use extline_stdio::Input;
    use pyo3::prelude::*;
    use pyo3::types::PyDict;
    use rustix::io::ioctl_fionbio;

    pub(crate) struct Signals {
        _written_by_python: PipeWriter,
    }

    impl Signals {
        /// Has Python write to the input; `None` outside the main thread, where no signal is handled.
        pub(crate) fn of_main_thread(py: Python<'_>, input: &mut Input) -> Option<Self> {
            let (bytes, ring) = pipe().ok()?;
            ioctl_fionbio(&ring, true).ok()?;
            let quietly = PyDict::new(py);
            quietly.set_item("warn_on_full_buffer", false).ok()?;
            let signal = py.import("_signal").ok()?;
            let set = signal.getattr("set_wakeup_fd").ok()?;
            set.call((ring.as_raw_fd(),), Some(&quietly)).ok()?;
            input.hear_signals(bytes).ok()?;
            Some(Self { _written_by_python: ring })
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
mod nowhere {
    use extline_stdio::Input;
    use pyo3::prelude::*;

    /// Ctrl-C and its like come to the session first, which ends; no other signal comes from elsewhere.
    pub(crate) struct Signals;

    impl Signals {
        pub(crate) fn of_main_thread(_py: Python<'_>, _input: &mut Input) -> Option<Self> {
            None
        }

        pub(crate) fn stop(_py: Python<'_>) {}
    }
}
