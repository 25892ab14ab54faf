//! What a client writes, read in a thread of its own: whoever waits to write is read from meanwhile.

use std::io::{self, Read};
use std::thread;

use tokio::sync::mpsc::{Receiver, channel};

/// As much as a pipe holds.
const CHUNK: usize = 64 * 1024;
/// So many chunks are read ahead: 16 MiB.
const AHEAD: usize = 256;

/// Chunks of stdin, until its end.
pub(super) fn chunks() -> io::Result<Receiver<Vec<u8>>> {
    let (sender, receiver) = channel(AHEAD);
    let read = move || {
        let mut stdin = io::stdin().lock();
        let mut chunk = vec![0; CHUNK];
        loop {
            match stdin.read(&mut chunk) {
                Ok(count) if count > 0 => {
                    if sender.blocking_send(chunk[..count].to_vec()).is_err() {
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // An input that cannot be read has ended.
                Ok(_) | Err(_) => return,
            }
        }
    };
    thread::Builder::new().name("extline stdin".to_owned()).spawn(read)?;
    Ok(receiver)
}
