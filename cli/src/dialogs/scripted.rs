//! Answers that were given before the questions, by --answer.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use extline_host::protocol::RawJson;
use extline_host::services::GivenAnswers;
use extline_host::services::ui::METHODS;
use extline_host::{Decision, HostBuilder};
use extline_protocol::ErrorKind;
use extline_protocol::frame::RpcError;
use serde_json::Value;

use crate::args::Given;

/// All that were given: those of a kind in their order, the last of them again and again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scripted {
    dialogs: GivenAnswers,
    approvals: Vec<Decision>,
}

impl Scripted {
    pub(crate) fn of(given: &[Given]) -> Self {
        let mut all = Self::default();
        for one in given {
            match one {
                Given::Dialog { dialog, answer } => {
                    // Each has been read by its name.
                    let _ = all.dialogs.add(dialog, answer.clone());
                }
                Given::Approval(decision) => all.approvals.push(decision.clone()),
            }
        }
        all
    }

    pub(super) fn serve(&self, builder: HostBuilder) -> HostBuilder {
        let answers = Arc::new(Mutex::new(self.dialogs.clone()));
        let names = METHODS.iter().map(|method| method.name);
        let given = names.filter(|name| self.dialogs.has(name.trim_start_matches("ui.")));
        given.fold(builder, |builder, name| {
            let answers = Arc::clone(&answers);
            builder.serve_method(name, move |call| {
                let params = call.params.as_ref().map_or("{}", RawJson::get);
                let answer = {
                    let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
                    answers.answer(name, params).unwrap_or(Ok(Value::Null))
                };
                async move {
                    answer
                        .map(RawJson::from)
                        .map_err(|(kind, text)| RpcError::new(ErrorKind::from(kind), text))
                }
            })
        })
    }

    /// What is decided about the next call that needs an approval, if that was given: each in its turn, the last one
    /// for ever.
    pub(super) fn approvals(&self) -> Option<impl Fn() -> Decision + Send + Sync + use<>> {
        let last = self.approvals.last()?.clone();
        let left = Mutex::new(VecDeque::from(self.approvals.clone()));
        Some(move || {
            let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
            left.pop_front().unwrap_or_else(|| last.clone())
        })
    }
}
