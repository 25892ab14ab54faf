//! What a client writes.

use std::io::{self, Read};
use std::thread;

use tokio::sync::mpsc::{Receiver, channel};

#[cfg(unix)]
use super::watched::Watched;

/// As much as a pipe holds.
const CHUNK: usize = 64 * 1024;
/// So many chunks a thread reads ahead: 16 MiB.
const AHEAD: usize = 256;

/// Stdin.
pub(super) enum Input {
    #[cfg(unix)]
    Watched(Watched, Vec<u8>),
    /// What no event loop can watch is read by a thread.
    Thread(Receiver<Vec<u8>>, Vec<u8>),
}

impl Input {
    pub(super) fn open() -> io::Result<Self> {
        #[cfg(unix)]
        if let Some(watched) = Watched::to_read(io::stdin()) {
            return Ok(Self::Watched(watched, vec![0; CHUNK]));
        }
        Ok(Self::Thread(chunks()?, Vec::new()))
    }

    /// Waits for bytes. `None` is their end: an input that cannot be read has ended. May be dropped and
    /// called again.
    pub(super) async fn read(&mut self) -> Option<&[u8]> {
        let bytes = match self {
            #[cfg(unix)]
            Self::Watched(watched, chunk) => {
                let count = watched.read(chunk).await.unwrap_or(0);
                &chunk[..count]
            }
            Self::Thread(chunks, chunk) => {
                *chunk = chunks.recv().await.unwrap_or_default();
                chunk.as_slice()
            }
        };
        Some(bytes).filter(|bytes| !bytes.is_empty())
    }
}

/// Chunks of stdin, until its end.
fn chunks() -> io::Result<Receiver<Vec<u8>>> {
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
                Ok(_) | Err(_) => return,
            }
        }
    };
    thread::Builder::new().name("extline stdin".to_owned()).spawn(read)?;
    Ok(receiver)
}
