//! The native half of `extline.testing`: the host's end of a connection, and cases that are played
//! over it.
//!
//! It is a module of its own so that an extension in use loads none of it. Frames and values cross
//! as JSON text, which the module `extline._native` reads and writes: one place knows Python's types.

mod cases;
mod host;

/// Private to the package `extline`.
#[pyo3::pymodule(name = "_native")]
mod native {
    #[pymodule_export]
    use crate::cases::{Case, play_case, read_cases};
    #[pymodule_export]
    use crate::host::HostSteps;
}
