//! From bytes to frames, for both sessions.

use std::collections::HashSet;
use std::marker::PhantomData;

use crate::decode::{Incoming, decode};
use crate::frame::AnyFrame;
use crate::json::excerpt;
use crate::line::Decoder;

/// Types that are remembered as reported; a peer that invents more is not worth more memory.
const REPORTED_TYPES: usize = 256;

#[derive(Debug)]
pub(super) struct Inbox<F> {
    decoder: Decoder,
    reported: HashSet<String>,
    frames: PhantomData<fn() -> F>,
}

impl<F: AnyFrame> Inbox<F> {
    pub(super) fn new(limit: usize) -> Self {
        Self { decoder: Decoder::new(limit), reported: HashSet::new(), frames: PhantomData }
    }

    pub(super) fn decoder(&mut self) -> &mut Decoder {
        &mut self.decoder
    }

    pub(super) fn next(&mut self) -> Option<Incoming<F>> {
        self.decoder.next_line().map(|line| decode(&line))
    }

    /// Bytes of a line whose end has not come.
    pub(super) fn partial_bytes(&self) -> usize {
        self.decoder.partial_bytes()
    }

    pub(super) fn finish(&mut self) -> Option<Incoming<F>> {
        self.decoder.finish().map(|line| decode(&line))
    }

    /// An unknown type that is seen for the first time (`frm.unknown-types`), shortened: a name may
    /// be as long as a frame.
    pub(super) fn new_type(&mut self, frame_type: &str) -> Option<String> {
        let name = excerpt(frame_type);
        let is_new = self.reported.len() < REPORTED_TYPES && self.reported.insert(name.clone());
        is_new.then_some(name)
    }
}
