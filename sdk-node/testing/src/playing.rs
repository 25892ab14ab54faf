//! One run of a case, for JavaScript.
//!
//! The steps wait for what the extension does, and the extension runs in the event loop; so they are
//! played in a thread of their own.

use std::convert::Infallible;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use extline_testing::{Arrival, Extension, Run, Trouble, play};
use napi::bindgen_prelude::{Buffer, FnArgs, Function, Uint8Array};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Error, Result, Status};
use napi_derive::napi;

use crate::cases::Cases;
use crate::host::HostSteps;

/// What JavaScript is told: bytes for the extension; or at the end the trouble there was, and whether
/// it is the test's mistake.
type Told = FnArgs<(Option<Buffer>, Option<String>, bool)>;
type Tell = ThreadsafeFunction<Said, (), Told, Status, false>;

enum Said {
    Bytes(Vec<u8>),
    End(Option<Trouble<Infallible>>),
}

/// A run that goes on until `tell` has been told its end.
#[napi]
pub struct Playing {
    arrivals: Sender<Arrival>,
}

#[napi]
impl Playing {
    /// Begins. `value` stands for `$value`; the ids of its calls begin with `prefix`.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        cases: &Cases,
        number: u32,
        value: i64,
        host: &HostSteps,
        prefix: String,
        tell: Function<'_, Told, ()>,
    ) -> Result<Self> {
        let Some(case) = cases.case(number).cloned() else {
            return Err(Error::from_reason(format!("there is no case {number}")));
        };
        let builder = tell.build_threadsafe_function::<Said>().callee_handled::<false>();
        let tell: Tell = builder.build_callback(|context| {
            Ok(FnArgs::from(match context.value {
                Said::Bytes(bytes) => (Some(bytes.into()), None, false),
                Said::End(trouble) => {
                    let is_mistake = matches!(trouble, Some(Trouble::Misuse(_)));
                    (None, trouble.map(|trouble| trouble.to_string()), is_mistake)
                }
            }))
        })?;
        let value = value.try_into().unwrap_or(0);
        let deadline = Duration::try_from_secs_f64(host.0.deadline() / 1000.0);
        let run = Run { value, deadline: deadline.unwrap_or(Duration::MAX), prefix };
        let surface = host.0.surface();
        let (arrivals, received) = channel();
        let name = "extline case".to_owned();
        let started = thread::Builder::new().name(name).spawn(move || {
            let mut line = Line { tell, received };
            let trouble = play(&case, run, &surface, &mut line).err();
            line.say(Said::End(trouble));
        });
        started.map_err(|error| Error::from_reason(format!("cannot start a thread: {error}")))?;
        Ok(Self { arrivals })
    }

    /// Bytes of the extension's.
    #[napi(catch_unwind)]
    pub fn handle_input(&self, bytes: Uint8Array) {
        // It fails when the run is over.
        let _ = self.arrivals.send(Arrival::Data(bytes.to_vec()));
    }

    /// The extension has ended.
    #[napi(catch_unwind)]
    pub fn handle_end(&self, how: String) {
        let _ = self.arrivals.send(Arrival::Ended(how));
    }
}

/// To the extension by way of JavaScript, and back.
struct Line {
    tell: Tell,
    received: Receiver<Arrival>,
}

impl Line {
    fn say(&self, said: Said) {
        // It fails when the event loop is gone, and nobody waits any more.
        self.tell.call(said, ThreadsafeFunctionCallMode::NonBlocking);
    }
}

impl Extension for Line {
    /// An event loop that is gone is an end of the extension like any other.
    type Error = Infallible;

    fn send(&mut self, bytes: &[u8]) -> std::result::Result<(), Infallible> {
        self.say(Said::Bytes(bytes.to_vec()));
        Ok(())
    }

    fn wait(&mut self, until: Instant) -> std::result::Result<Arrival, Infallible> {
        let left = until.saturating_duration_since(Instant::now());
        Ok(match self.received.recv_timeout(left) {
            Ok(arrival) => arrival,
            Err(RecvTimeoutError::Timeout) => Arrival::Nothing,
            Err(RecvTimeoutError::Disconnected) => Arrival::Ended("is gone".to_owned()),
        })
    }
}
