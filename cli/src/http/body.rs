//! The bodies of requests, read whole within bounds.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use extline_protocol::limits::EXTENSION_ACCEPTS_BYTES;
use hyper::StatusCode;
use hyper::body::{Body, Incoming};
use tokio::time::error::Elapsed;
use tokio::time::timeout;

use super::answer::{Refusal, refuse};

/// As long as a line over stdio may be.
const MOST: usize = EXTENSION_ACCEPTS_BYTES;

/// What all bodies that are being read may have together: four of the longest. Otherwise many connections
/// could fill the memory.
const MOST_TOGETHER: usize = 4 * MOST;

/// A body that makes no progress for so long is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// So is one that takes longer than this: the longest takes as much on a line of 2 Mbit/s.
const LONGEST: Duration = Duration::from_secs(5 * 60);

/// How much is being read.
#[derive(Debug, Default)]
pub(crate) struct Reading(AtomicUsize);

/// What one body has of it.
struct Share<'r> {
    reading: &'r Reading,
    bytes: usize,
}

impl Reading {
    /// Reads a body; else what its request is answered with.
    pub(crate) async fn body(&self, body: Incoming) -> Result<Vec<u8>, Refusal> {
        timeout(LONGEST, self.whole(body)).await.map_err(late)?
    }

    async fn whole(&self, mut body: Incoming) -> Result<Vec<u8>, Refusal> {
        let too_long = || refuse(StatusCode::PAYLOAD_TOO_LARGE, "a message may have 64 MiB");
        if body.size_hint().lower() > MOST as u64 {
            return Err(too_long());
        }
        let mut share = Share { reading: self, bytes: 0 };
        let mut text = Vec::new();
        loop {
            let frame = timeout(PATIENCE, poll_fn(|cx| Pin::new(&mut body).poll_frame(cx))).await;
            let Some(frame) = frame.map_err(late)? else { return Ok(text) };
            let broken = |_| refuse(StatusCode::BAD_REQUEST, "the body cannot be read");
            let Ok(data) = frame.map_err(broken)?.into_data() else { continue };
            if text.len() + data.len() > MOST {
                return Err(too_long());
            }
            if !share.grow(data.len()) {
                let why = "too much is being sent at once; send it again later";
                return Err(refuse(StatusCode::SERVICE_UNAVAILABLE, why));
            }
            text.extend_from_slice(&data);
        }
    }
}

fn late(_: Elapsed) -> Refusal {
    refuse(StatusCode::REQUEST_TIMEOUT, "the rest of the body did not come")
}

impl Share<'_> {
    fn grow(&mut self, bytes: usize) -> bool {
        let before = self.reading.0.fetch_add(bytes, Ordering::Relaxed);
        self.bytes += bytes;
        before + bytes <= MOST_TOGETHER
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.reading.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
