//! The thread that reads.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::pipe;
use super::shared::{Failure, Shared};
use crate::HANG_UP_LOOK;

/// One read takes so much at most.
const CHUNK: usize = 64 * 1024;
/// While so much is not taken, nothing is read. A host that is read no further notices it soon.
const ENOUGH: usize = 64 * 1024;

/// Reads until nobody takes what comes, or nothing comes any more.
pub(super) fn run(shared: &Arc<Shared>, pipe: &File) {
    let mut chunk = vec![0; CHUNK];
    while wait_for_space(shared, pipe) {
        let mut reading = pipe;
        let failure = match reading.read(&mut chunk) {
            Ok(0) if pipe::is_open(pipe) => {
                // No host writes nothing on purpose again and again.
                thread::sleep(Duration::from_millis(1));
                continue;
            }
            Ok(0) => Failure::Closed,
            Ok(count) => {
                shared.change(|state| state.incoming.add(&chunk[..count]));
                continue;
            }
            Err(error) => Failure::of(&error),
        };
        shared.change(|state| state.incoming.end = Some(failure));
        return;
    }
}

/// Whether to read on. Meanwhile the end is looked for behind what is not read.
fn wait_for_space(shared: &Shared, pipe: &File) -> bool {
    let mut state = shared.lock();
    loop {
        if state.incoming.is_over {
            return false;
        }
        if state.incoming.waiting() < ENOUGH {
            return true;
        }
        let has_hung_up = state.incoming.has_hung_up;
        let look_at = (!has_hung_up).then(|| Instant::now() + HANG_UP_LOOK);
        state = shared.wait_for_space(state, look_at);
        if !has_hung_up && look_at.is_some_and(|at| at <= Instant::now()) {
            drop(state);
            if pipe::is_closing(pipe) {
                shared.change(|state| state.incoming.has_hung_up = true);
            }
            state = shared.lock();
        }
    }
}
