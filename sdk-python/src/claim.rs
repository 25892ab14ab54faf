//! Taking stdin and stdout over, in the moment in which the package is imported.

use std::ffi::OsStr;

use extline_driver::claim;
use extline_stdio::{Error, Stdio};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Claims stdin and stdout where a host started this process: both are pipes or sockets and no test
/// runner is loaded, or `EXTLINE_STDIO` says so. Whether it did.
#[pyfunction]
pub(crate) fn claim_at_import(under_test: bool) -> PyResult<bool> {
    claim::at_load(under_test, Stdio::claim).map_err(to_python)
}

/// Whether the program is to be an MCP server, by its first argument or by the environment.
#[pyfunction]
#[pyo3(signature = (first_argument=None))]
pub(crate) fn asks_for_mcp(first_argument: Option<&str>) -> bool {
    extline_driver::mcp::is_asked_for(first_argument.map(OsStr::new))
}

/// The process's stdin and stdout, claimed at the import or now.
pub(crate) fn stdio() -> PyResult<Stdio> {
    claim::take(Stdio::claim).map_err(to_python)
}

/// What arrives on the first of two descriptors, and the way out through the second.
#[cfg(unix)]
pub(crate) fn over_descriptors((input, output): (i32, i32)) -> PyResult<Stdio> {
    use std::os::fd::{FromRawFd, OwnedFd};

    #[expect(unsafe_code, reason = "Python knows descriptors by number")]
    // SAFETY: the Python half hands over two that it has duplicated for this, and closes neither.
    let (input, output) = unsafe { (OwnedFd::from_raw_fd(input), OwnedFd::from_raw_fd(output)) };
    Stdio::from_fds(input, output).map_err(to_python)
}

/// The same for two handles, of which the session has copies. Of their numbers 32 bits count.
#[cfg(windows)]
pub(crate) fn over_descriptors((input, output): (i32, i32)) -> PyResult<Stdio> {
    use std::os::windows::io::BorrowedHandle;

    let copy = |number: i32| {
        let handle = std::ptr::without_provenance_mut(number.cast_unsigned() as usize);
        #[expect(unsafe_code, reason = "Python knows handles by number")]
        // SAFETY: the Python half has it open until this returns.
        let handle = unsafe { BorrowedHandle::borrow_raw(handle) };
        handle.try_clone_to_owned()
    };
    Ok(Stdio::from_handles(copy(input)?, copy(output)?))
}

/// Descriptors are of Unix.
#[cfg(not(any(unix, windows)))]
pub(crate) fn over_descriptors(_descriptors: (i32, i32)) -> PyResult<Stdio> {
    Err(to_python(Error::Unsupported))
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub(crate) fn to_python(error: Error) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
