//! Answers that are given before the questions.

use std::str::FromStr;

use extline_host::Decision;
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
