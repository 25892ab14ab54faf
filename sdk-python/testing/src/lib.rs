//! The native half of `extline.testing`: the host's end of a connection.
//!
//! It is a module of its own so that an extension in use loads none of it. Frames and values cross
//! as JSON text, which the module `extline._native` reads and writes: one place knows Python's types.

mod host;

/// Private to the package `extline`.
#[pyo3::pymodule(name = "_native")]
mod native {
    #[pymodule_export]
    use crate::host::HostSession;
}
