//! Platforms where no process can be tested yet: starting one says so.

use std::io;
use std::time::Duration;

use extline_host::{Exit, Program};

use super::timeline::Timeline;
use super::{LACKING, Setting, Signal};

/// Nothing runs here.
pub fn stop_all() {}

/// Nothing runs that could be stopped.
pub(crate) fn is_stopped() -> bool {
    false
}

/// None of any size.
pub(crate) fn no_pipe_of(_: usize) -> Option<String> {
    Some(format!("{LACKING} pipes yet"))
}

/// No process: nothing makes one here.
#[derive(Debug)]
pub(crate) enum Target {}

impl Target {
    pub(crate) fn start(_: &Program, _: Setting) -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "extensions are tested on Unix only so far"))
    }

    pub(crate) fn timeline(&self) -> &Timeline {
        match *self {}
    }

    pub(crate) fn write(&mut self, _: Vec<u8>) {
        match *self {}
    }

    pub(crate) fn write_in_chunks(&mut self, _: Vec<u8>, _: usize, _: Duration) {
        match *self {}
    }

    pub(crate) fn unwritten(&self) -> usize {
        match *self {}
    }

    pub(crate) fn pump(&mut self, _: std::time::Instant) -> bool {
        match *self {}
    }

    pub(crate) fn close_stdin(&mut self) {
        match *self {}
    }

    pub(crate) fn close_stdout(&mut self) {
        match *self {}
    }

    pub(crate) fn set_reading(&mut self, _: bool) {
        match *self {}
    }

    pub(crate) fn signal(&mut self, _: Signal, _: bool) {
        match *self {}
    }

    pub(crate) fn exit(&self) -> Option<&Exit> {
        match *self {}
    }

    pub(crate) fn closed_stdout(&self) -> bool {
        match *self {}
    }

    pub(crate) fn stdout_ended(&self) -> bool {
        match *self {}
    }

    pub(crate) fn partial(&self) -> &[u8] {
        match *self {}
    }

    pub(crate) fn activity(&self) -> Option<String> {
        match *self {}
    }

    pub(crate) fn is_idle(&self) -> bool {
        match *self {}
    }

    pub(crate) fn only_waits_for_input(&self) -> bool {
        match *self {}
    }

    pub(crate) fn delayed(&self) -> Option<Duration> {
        match *self {}
    }

    pub(crate) fn memory(&self) -> Option<u64> {
        match *self {}
    }

    pub(crate) fn processor_time(&self) -> Option<Duration> {
        match *self {}
    }

    pub(crate) fn is_busy(&self) -> bool {
        match *self {}
    }

    pub(crate) fn flood(&self) -> Option<&str> {
        match *self {}
    }

    pub(crate) fn kept(&self) -> usize {
        match *self {}
    }

    pub(crate) fn stalled(&self) -> Duration {
        match *self {}
    }

    pub(crate) fn left_behind(&mut self) -> Vec<String> {
        match *self {}
    }
}
