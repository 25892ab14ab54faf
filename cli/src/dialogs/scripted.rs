//! Answers that were given before the questions, by --answer.

use std::collections::VecDeque;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use extline_host::services::ui::{
    Answer, Choice, ConfirmMethod, Confirmed, Entered, InputMethod, Select, SelectMethod, Selected,
};
use extline_host::{Asked, Decision, HostBuilder};
use extline_protocol::ErrorKind;
use extline_protocol::frame::RpcError;

/// The answer to one dialog, as it is written: `confirm=yes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    Confirm(bool),
    Select(String),
    Input(String),
    Approve(Decision),
}

impl FromStr for Given {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted =
            "write confirm=yes, confirm=no, select=VALUE, input=TEXT, or approve=yes, always or no";
        match text.split_once('=') {
            Some(("confirm", "yes")) => Ok(Self::Confirm(true)),
            Some(("confirm", "no")) => Ok(Self::Confirm(false)),
            Some(("select", value)) => Ok(Self::Select(value.to_owned())),
            Some(("input", value)) => Ok(Self::Input(value.to_owned())),
            Some(("approve", "yes")) => Ok(Self::Approve(Decision::Once)),
            Some(("approve", "always")) => Ok(Self::Approve(Decision::Always)),
            Some(("approve", "no")) => Ok(Self::Approve(Decision::Deny { reason: None })),
            _ => Err(wanted.to_owned()),
        }
    }
}

/// All that were given: those of a kind in their order, the last of them again and again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scripted {
    confirms: Vec<bool>,
    selects: Vec<String>,
    inputs: Vec<String>,
    approvals: Vec<Decision>,
}

impl Scripted {
    pub(crate) fn of(given: &[Given]) -> Self {
        let mut all = Self::default();
        for one in given {
            match one {
                Given::Confirm(yes) => all.confirms.push(*yes),
                Given::Select(value) => all.selects.push(value.clone()),
                Given::Input(value) => all.inputs.push(value.clone()),
                Given::Approve(decision) => all.approvals.push(decision.clone()),
            }
        }
        all
    }

    pub(super) fn serve(&self, mut builder: HostBuilder) -> HostBuilder {
        if let Some(next) = in_turn(&self.confirms) {
            builder = builder.serve::<ConfirmMethod, _, _>(move |_| {
                let confirmed = next();
                async move { Ok(Answer::Given(Confirmed { confirmed })) }
            });
        }
        if let Some(next) = in_turn(&self.selects) {
            builder = builder.serve::<SelectMethod, _, _>(move |asked: Asked<Select>| {
                let selected = selected(&asked.params, &next());
                async move { selected.map(Answer::Given) }
            });
        }
        if let Some(next) = in_turn(&self.inputs) {
            builder = builder.serve::<InputMethod, _, _>(move |_| {
                let value = next();
                async move { Ok(Answer::Given(Entered { value })) }
            });
        }
        builder
    }

    /// What is decided about the next call that needs an approval, if that was given.
    pub(super) fn approvals(&self) -> Option<impl Fn() -> Decision + Send + Sync + use<>> {
        in_turn(&self.approvals)
    }
}

/// Each in its turn, the last one for ever. `None` where there is none.
fn in_turn<T: Clone + Send + Sync + 'static>(
    all: &[T],
) -> Option<impl Fn() -> T + Send + Sync + use<T>> {
    let (last, left) = (all.last()?.clone(), Mutex::new(VecDeque::from(all.to_vec())));
    Some(move || {
        let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
        left.pop_front().unwrap_or_else(|| last.clone())
    })
}

/// Several values stand with commas between them.
fn selected(select: &Select, given: &str) -> Result<Selected, RpcError> {
    let known = |value: &str| select.options.iter().any(|option| option.value() == value);
    let values: Vec<_> = if select.multi {
        given.split(',').filter(|value| !value.is_empty()).collect()
    } else {
        vec![given]
    };
    if let Some(unknown) = values.iter().find(|value| !known(value)) {
        let known: Vec<_> = select.options.iter().map(Choice::value).collect();
        let text = format!(
            "--answer select={given}: {:?} has no option {unknown:?}; there are {}",
            select.title,
            known.join(", ")
        );
        return Err(RpcError::new(ErrorKind::NotFound, text));
    }
    Ok(if select.multi {
        Selected::Several { values: values.into_iter().map(str::to_owned).collect() }
    } else {
        Selected::One { value: given.to_owned() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_their_order_and_the_last_stays() {
        let next = in_turn(&[1, 2]).unwrap();
        assert_eq!([next(), next(), next()], [1, 2, 2]);
        assert!(in_turn::<u8>(&[]).is_none());
        assert!("confirm=maybe".parse::<Given>().unwrap_err().contains("confirm=yes"));
    }
}
