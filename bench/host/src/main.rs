//! The host under the benchmark. Prints one JSON object, as the C client does.
//!
//! ```text
//! bench-host calls PHASE... -- PROGRAM [ARGUMENT...]
//! bench-host starts EXTENSIONS -- PROGRAM [ARGUMENT...]
//! bench-host load EXTENSIONS OPEN CALLS -- PROGRAM [ARGUMENT...]
//! ```
//!
//! `calls` times the phases of the C client (`one:TEXT:WARM_UP:CALLS:SECONDS`,
//! `many:TEXT:WARM_UP:CALLS:SECONDS:OPEN`) through the host. `starts` starts many extensions at once.
//! `load` keeps OPEN calls in flight over many extensions, and looks at the host's memory on the way.
//! Where there are many extensions, each gets a name for its tool as its last argument.

mod calls;
mod echo;
mod load;
mod measure;
mod starts;

use std::env;

use serde_json::Value;
use tokio::runtime::Builder;

const USAGE: &str = "usage: bench-host calls PHASE... -- PROGRAM [ARGUMENT...]
       bench-host starts EXTENSIONS -- PROGRAM [ARGUMENT...]
       bench-host load EXTENSIONS OPEN CALLS -- PROGRAM [ARGUMENT...]";

/// Why there are no figures.
type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    // One thread, as the C client has: on another CPU a call would cost what waking that one costs.
    let runtime = Builder::new_current_thread().enable_all().build()?;
    // A task, as an agent's loop is one.
    print(&runtime.block_on(async { tokio::spawn(run(arguments)).await })??);
    Ok(())
}

async fn run(arguments: Vec<String>) -> Result<Value, Failure> {
    let behind = arguments.iter().position(|argument| argument == "--").ok_or(USAGE)?;
    let (own, program) = (&arguments[..behind], &arguments[behind + 1..]);
    let (what, numbers) = own.split_first().ok_or(USAGE)?;
    match (what.as_str(), numbers) {
        ("calls", phases) => calls::run(phases, program).await,
        ("starts", [extensions]) => starts::run(extensions.parse()?, program).await,
        ("load", [extensions, open, calls]) => {
            load::run(extensions.parse()?, open.parse()?, calls.parse()?, program).await
        }
        _ => Err(USAGE.into()),
    }
}

#[expect(clippy::print_stdout, reason = "its stdout is for the figures")]
fn print(figures: &Value) {
    println!("{figures}");
}
