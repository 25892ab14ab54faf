//! The thread that writes.

use std::fs::File;
use std::io::Write;
use std::sync::Arc;

use super::shared::{Failure, Shared};

/// Writes one piece after the other, until nobody has any more or the host takes none.
pub(super) fn run(shared: &Arc<Shared>, pipe: &File) {
    while let Some(piece) = next(shared) {
        let mut writing = pipe;
        let outcome = writing.write_all(&piece);
        let has_failed = outcome.is_err();
        shared.change(|state| {
            let outgoing = &mut state.outgoing;
            outgoing.spare = piece;
            match outcome {
                Ok(()) => outgoing.is_written = true,
                Err(error) => outgoing.failure = Some(Failure::of(&error)),
            }
        });
        if has_failed {
            return;
        }
    }
}

fn next(shared: &Shared) -> Option<Vec<u8>> {
    let mut state = shared.lock();
    loop {
        if state.outgoing.is_over {
            return None;
        }
        if let Some(piece) = state.outgoing.piece.take() {
            return Some(piece);
        }
        state = shared.wait_for_order(state);
    }
}
