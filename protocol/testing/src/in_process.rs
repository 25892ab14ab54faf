//! An extension in the same process as the stage of a case.

use std::time::{Duration, Instant};

use extline_scenario::{Failure, Handshake, Outcome, Stage, Verb};
use serde_json::Value;

/// A name that nobody registers.
pub(crate) const UNKNOWN: &str = "extline_nobody_registered_this";

/// An extension that bytes can be sent to.
pub trait Extension {
    /// Why the one or the other cannot be done: the run ends with it, as [`Trouble::Broken`].
    ///
    /// [`Trouble::Broken`]: crate::Trouble::Broken
    type Error;

    /// What is going to be sent, for a transcript: all of it, before its first piece.
    fn note(&mut self, _bytes: &[u8]) {}

    /// Sends bytes as they stand, past the host's session.
    fn send(&mut self, bytes: &[u8]) -> Result<(), Self::Error>;

    /// Waits for its output, at most until then. What came before that time is taken even when it is
    /// over.
    fn wait(&mut self, until: Instant) -> Result<Arrival, Self::Error>;

    /// Why it may be that nothing came in time, behind `nothing of the kind`; empty for no idea.
    fn hint(&mut self) -> String {
        String::new()
    }
}

/// What a wait brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Bytes of its output, whole lines or not.
    Data(Vec<u8>),
    /// Nothing in time.
    Nothing,
    /// It has ended; the text says how: `has ended with exit code 0`.
    Ended(String),
}

/// Why a step could not be played to its end.
pub(crate) enum Stop<E> {
    /// Something else happened than was expected.
    Found(Failure),
    /// It needs a process.
    Process,
    /// The extension cannot be sent to or waited for.
    Broken(E),
}

impl<E> From<Failure> for Stop<E> {
    fn from(failure: Failure) -> Self {
        Self::Found(failure)
    }
}

/// Why a frame did not come.
pub(crate) enum Missing<E> {
    Late,
    Ended(String),
    Broken(E),
}

pub(crate) struct InProcess<'a, E> {
    extension: &'a mut E,
    /// How long a step without `within_ms` may take.
    soft: Duration,
    /// What the ids of its calls begin with.
    prefix: String,
    calls: u64,
    /// The beginning of a line.
    begun: Vec<u8>,
    /// The lines of the extension; `None` for one that is no frame.
    frames: Vec<Option<Value>>,
    ended: Option<String>,
}

impl<'a, E: Extension> InProcess<'a, E> {
    pub(crate) fn new(extension: &'a mut E, soft: Duration, prefix: String) -> Self {
        let (begun, frames) = (Vec::new(), Vec::new());
        Self { extension, soft, prefix, calls: 0, begun, frames, ended: None }
    }

    /// Reads once; whether there may be more by then.
    fn read(&mut self, until: Instant) -> Result<(), Missing<E::Error>> {
        if let Some(how) = &self.ended {
            return Err(Missing::Ended(how.clone()));
        }
        match self.extension.wait(until).map_err(Missing::Broken)? {
            Arrival::Data(bytes) => self.take(&bytes),
            Arrival::Nothing if Instant::now() >= until => return Err(Missing::Late),
            Arrival::Nothing => {}
            Arrival::Ended(how) => self.ended = Some(how),
        }
        Ok(())
    }

    fn take(&mut self, bytes: &[u8]) {
        self.begun.extend_from_slice(bytes);
        while let Some(end) = self.begun.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.begun.drain(..=end).collect();
            let frame = serde_json::from_slice(&line).ok();
            self.frames.push(frame.filter(|frame: &Value| frame["type"].is_string()));
        }
    }
}

impl<E: Extension> Stage for InProcess<'_, E> {
    type Error = Stop<E::Error>;
    type Missing = Missing<E::Error>;

    fn soft(&self) -> Duration {
        self.soft
    }

    fn fresh_id(&mut self) -> String {
        self.calls += 1;
        format!("{}{}", self.prefix, self.calls)
    }

    fn write(
        &mut self,
        bytes: Vec<u8>,
        chunk: Option<usize>,
        pause: Duration,
    ) -> Result<(), Stop<E::Error>> {
        self.extension.note(&bytes);
        for (number, piece) in bytes.chunks(chunk.unwrap_or(usize::MAX).max(1)).enumerate() {
            if number > 0 && !pause.is_zero() {
                self.listen(pause)?;
            }
            self.extension.send(piece).map_err(Stop::Broken)?;
        }
        Ok(())
    }

    fn arrived(&self) -> usize {
        self.frames.len()
    }

    fn frames(&self, from: usize) -> impl Iterator<Item = &Value> {
        self.frames[from..].iter().flatten()
    }

    fn frame_at(&self, line: usize) -> Option<&Value> {
        self.frames.get(line)?.as_ref()
    }

    /// An author's scenario is about values; bytes are for the conformance tester.
    fn canonical(&self, _: usize) -> Option<&[u8]> {
        None
    }

    fn await_frame(
        &mut self,
        from: usize,
        within: Duration,
        mut wanted: impl FnMut(&Value) -> bool,
    ) -> Result<usize, Missing<E::Error>> {
        let until = Instant::now() + within;
        let mut next = from;
        loop {
            while let Some(frame) = self.frames.get(next) {
                next += 1;
                if frame.as_ref().is_some_and(&mut wanted) {
                    return Ok(next - 1);
                }
            }
            self.read(until)?;
        }
    }

    fn failure(&mut self, missing: Missing<E::Error>, expected: String) -> Stop<E::Error> {
        let (got, outcome) = match missing {
            Missing::Late => {
                (format!("nothing of the kind{}", self.extension.hint()), Outcome::Silent)
            }
            Missing::Ended(how) => (format!("the extension {how}"), Outcome::Died),
            Missing::Broken(error) => return Stop::Broken(error),
        };
        Failure { expected, got, outcome }.into()
    }

    fn canary(&mut self, times: u64, within: Duration) -> Result<(), Stop<E::Error>> {
        let mut ids: Vec<_> = (0..times).map(|_| self.fresh_id()).collect();
        let from = self.arrived();
        let questions: String = ids.iter().map(|id| question(id) + "\n").collect();
        self.write(questions.into_bytes(), None, Duration::ZERO)?;
        let answered = self.await_frame(from, within, |frame| {
            if frame["type"] == "tool_result" {
                ids.retain(|id| frame["id"] != *id.as_str());
            }
            ids.is_empty()
        });
        answered.map(|_| ()).map_err(|missing| {
            let what = "an answer to a call of a tool that nobody registered";
            self.failure(missing, format!("{times} times {what} within {within:?}"))
        })
    }

    fn listen(&mut self, time: Duration) -> Result<(), Stop<E::Error>> {
        let until = Instant::now() + time;
        loop {
            match self.read(until) {
                Ok(()) => {}
                Err(Missing::Late | Missing::Ended(_)) => return Ok(()),
                Err(Missing::Broken(error)) => return Err(Stop::Broken(error)),
            }
        }
    }

    fn alive(&mut self) -> Result<(), Stop<E::Error>> {
        self.listen(Duration::ZERO)?;
        match self.ended.clone() {
            None => Ok(()),
            Some(how) => Err(self.failure(Missing::Ended(how), "the extension lives".to_owned())),
        }
    }

    fn handshake(&mut self, _: &Handshake) -> Result<(), Stop<E::Error>> {
        Err(Stop::Process)
    }

    fn process(&mut self, _: &Verb, _: Option<Duration>) -> Result<(), Stop<E::Error>> {
        Err(Stop::Process)
    }
}

/// A call that runs none of the author's code.
pub(crate) fn question(id: &str) -> String {
    format!(r#"{{"type":"tool_call","id":"{id}","name":"{UNKNOWN}","args":{{}}}}"#)
}
