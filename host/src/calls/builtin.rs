//! Calls of the agent's own tools.

use std::sync::Arc;
use std::time::Duration;

use extline_protocol::ErrorKind;
use extline_protocol::frame::{ErrorInfo, ToolResult};
use tokio::runtime::Handle;
use tokio::sync::{Notify, OwnedSemaphorePermit, oneshot, watch};

use super::call::{Runner, Running};
use crate::connection::{Standstill, Unanswered};
use crate::handler::{self, Ended};
use crate::tool::{Builtin, BuiltinCall};

tokio::task_local! {
    /// The time of the call of a built-in that runs here: it stands still while a person is asked about
    /// what the built-in calls.
    static TIME: Standstill;
}

/// The time of the call of a built-in, within which this is called.
pub(super) fn time_above() -> Option<Standstill> {
    TIME.try_with(Standstill::clone).ok()
}

/// Ends a call of a built-in when nobody waits for it any more.
#[derive(Debug)]
pub(crate) struct Stop(Arc<Notify>);

/// Starts a call, which holds `turn` until it has ended, and ends at the next abort.
pub(crate) fn start(
    builtin: Builtin,
    runtime: &Handle,
    call: BuiltinCall,
    timeout: Option<Duration>,
    time: Standstill,
    (turn, mut aborts): (Option<OwnedSemaphorePermit>, watch::Receiver<u64>),
) -> Running {
    let stop = Arc::new(Notify::new());
    let (sender, result) = oneshot::channel();
    let (_, updates) = watch::channel(None);
    let (id, name) = (call.id.clone(), call.tool.clone());
    let runner = Runner::Agent(Stop(Arc::clone(&stop)));
    let started = Running { runner, result, updates };
    let tasks = runtime.clone();
    runtime.spawn(async move {
        let _turn = turn;
        let work = TIME.scope(time.clone(), builtin.answer(call));
        let error = |error| Ok(Box::new(ToolResult::error(id, error)));
        let stopped = async {
            tokio::select! {
                () = stop.notified() => {}
                _ = aborts.changed() => {}
            }
        };
        let run = handler::run(&tasks, work, stopped, None);
        let ended = match timeout {
            Some(mut left) => time.within(&mut left, run).await.unwrap_or(Ended::TookTooLong),
            None => run.await,
        };
        let answer = match ended {
            Ended::Answered(Ok(result)) => Ok(Box::new(result)),
            // One that fails or panics answers with an error, as an extension's does.
            Ended::Answered(Err(failure)) => error(failure),
            Ended::Panicked => {
                let text = format!("the tool {name} panicked");
                error(ErrorInfo::new(ErrorKind::Internal, text))
            }
            Ended::Stopped => Err((ErrorKind::Cancelled, "was cancelled")),
            Ended::TookTooLong => Err((ErrorKind::Timeout, "did not answer in time")),
        };
        let answer = answer.map_err(|(kind, words)| {
            Unanswered::Failed(ErrorInfo::new(kind, format!("{name} {words}")))
        });
        // Whoever asked may have gone.
        let _ = sender.send(answer);
    });
    started
}

impl Stop {
    pub(crate) fn stop(&self) {
        self.0.notify_one();
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        self.stop();
    }
}
