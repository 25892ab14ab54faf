//! Real processes over real pipes on Windows: this program starts itself in a role, and plays the host.
//!
//! It has its own `main`, because libtest would print its banner on the wire of a role.

#[cfg(windows)]
mod host;
#[cfg(windows)]
mod roles;

#[cfg(windows)]
fn main() {
    match std::env::var(host::ROLE) {
        Ok(role) => roles::play(&role),
        Err(_) => host::run(),
    }
}

#[cfg(not(windows))]
fn main() {}
