//! `Extension::run`: a program that is nothing but an extension.

use std::env;
use std::process;

use extline_driver::by_hand;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::{Error, Extension, claim, serve};

pub(crate) fn run(mut extension: Extension) -> Result<(), Error> {
    if let Some(mistake) = extension.mistake.take() {
        return Err(mistake);
    }
    let Extension { name, version, registrations, .. } = &extension;
    let program = env::args().next();
    let program = program.as_ref().unwrap_or(name);
    if by_hand::is_tried((name, version), registrations, program, claim::is_mcp) {
        return Ok(());
    }
    if Handle::try_current().is_ok() {
        return Err(Error::InsideRuntime);
    }
    let runtime = runtime()?;
    let served = runtime.block_on(serve::serve(extension, Some(runtime.metrics())));
    // What the author still has on blocking threads must not hold the end up.
    runtime.shutdown_background();
    match served? {
        0 => Ok(()),
        code => exit(code),
    }
}

/// All on the thread that blocks on it.
pub(crate) fn runtime() -> Result<Runtime, Error> {
    let mut builder = Builder::new_current_thread();
    builder.enable_io().enable_time().build().map_err(Error::system("start a tokio runtime"))
}

#[expect(
    clippy::disallowed_methods,
    reason = "`main` returns `Result<(), Error>`, which has no other status than 0 and 1; \
              everything is written and dropped by now"
)]
fn exit(code: u8) -> ! {
    process::exit(i32::from(code))
}
