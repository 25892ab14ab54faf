//! Real processes over real pipes: this program starts itself in a role, and plays the host.
//!
//! It has its own `main`, because libtest would print its banner on the wire of a role. Like
//! libtest it takes a part of a test's name as an argument, and `--list`.

#[cfg(unix)]
mod forks;
#[cfg(unix)]
mod host;
#[cfg(unix)]
mod interruptions;
#[cfg(unix)]
mod roles;
#[cfg(unix)]
mod runner;
#[cfg(unix)]
mod takeover;
#[cfg(unix)]
mod writing;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    if let Ok(role) = std::env::var(host::ROLE) {
        return roles::play(&role);
    }
    let tests = [takeover::TESTS, writing::TESTS, interruptions::TESTS, forks::TESTS];
    runner::run(&tests.concat())
}

#[cfg(not(unix))]
fn main() {}
