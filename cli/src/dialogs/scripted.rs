//! Answers that were given before the questions, by --answer.

use std::collections::VecDeque;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use extline_host::protocol::RawJson;
use extline_host::services::GivenAnswers;
use extline_host::services::ui::METHODS;
use extline_host::{Decision, HostBuilder};
use extline_protocol::ErrorKind;
use extline_protocol::frame::RpcError;
use serde_json::Value;

/// The answer to one question, as it is written: `confirm=yes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// To a dialog; null closes it.
    Dialog { dialog: String, answer: Value },
    /// About a call that needs an approval.
    Approval(Decision),
}

impl FromStr for Given {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (dialog, answer) = text.split_once('=').map_or((text, None), |(it, to)| (it, Some(to)));
        let answer = match (dialog, answer) {
            ("approve", Some("yes")) => return Ok(Self::Approval(Decision::Once)),
            ("approve", Some("always")) => return Ok(Self::Approval(Decision::Always)),
            ("approve", Some("no")) => {
                return Ok(Self::Approval(Decision::Deny { reason: None }));
            }
            ("confirm" | "auth", Some("yes")) => Value::Bool(true),
            ("confirm" | "auth", Some("no")) => Value::Bool(false),
            ("select" | "input" | "editor", Some(text)) => text.into(),
            ("ask", Some(json)) => serde_json::from_str(json)
                .ok()
                .filter(Value::is_object)
                .ok_or("ask has an object with one answer for each id: ask={\"ID\":\"VALUE\"}")?,
            ("confirm" | "auth" | "select" | "input" | "editor" | "ask", None) => Value::Null,
            _ => {
                let wanted = "write confirm=yes, confirm=no, select=VALUE, input=TEXT, editor=TEXT, auth=yes, \
                              ask=JSON, or one of these words alone, which closes the dialog";
                return Err(wanted.to_owned());
            }
        };
        Ok(Self::Dialog { dialog: dialog.to_owned(), answer })
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_dialog_and_what_is_said_to_it() {
        let answer = |text: &str| match text.parse::<Given>().unwrap() {
            Given::Dialog { answer, .. } => answer,
            Given::Approval(_) => panic!("{text}"),
        };
        assert_eq!(answer("confirm=yes"), true);
        assert_eq!(answer("input=a=b"), "a=b");
        assert_eq!(answer("select"), Value::Null);
        assert_eq!(answer(r#"ask={"a":"b"}"#)["a"], "b");
        for wrong in ["confirm=maybe", "confrim=yes", "ask=[]"] {
            assert!(wrong.parse::<Given>().is_err(), "{wrong}");
        }
        assert!("confirm=maybe".parse::<Given>().unwrap_err().contains("confirm=yes"));
    }
}
