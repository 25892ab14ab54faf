//! Answers that are there before the questions: for tests and scripts, in place of a person.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::ui::{Ask, Choice, Question, Select};

/// Answers to dialogs, by their names without `ui.`: those of a dialog in their order, the last of them again and
/// again.
///
/// An answer is what a person would say: `true` or `false` to `confirm` and `auth`, a text to `input` and `editor`,
/// the value of an option to `select` or a list of them where several can be chosen, to `ask` an object with one for
/// each `id`. `null` closes the dialog. An object `{"dismissed": WHY}` says why it was closed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GivenAnswers {
    answers: BTreeMap<String, Vec<Value>>,
    /// Nobody is there: dialogs without an answer are closed with `headless`.
    is_headless: bool,
    taken: BTreeMap<String, usize>,
}

/// Why a dialog is not answered: the kind of the error, and its text.
pub type Unanswered = (&'static str, String);

impl GivenAnswers {
    /// From JSON: `"headless"`, or an object whose members are answers to dialogs, or lists of answers in their order.
    ///
    /// # Errors
    ///
    /// What is no dialog, or an empty list.
    pub fn read(given: &Value) -> Result<Self, String> {
        let mut all = Self::default();
        let members = match given {
            Value::String(word) if word == "headless" => {
                all.is_headless = true;
                return Ok(all);
            }
            Value::Object(members) => members,
            _ => return Err("answers are \"headless\", or one or more for each dialog".to_owned()),
        };
        for (dialog, answers) in members {
            let answers = match answers {
                Value::Array(list) if list.is_empty() => {
                    return Err(format!("answers to {dialog}: there is none"));
                }
                Value::Array(list) => list.clone(),
                one => vec![one.clone()],
            };
            for answer in answers {
                all.add(dialog, answer)?;
            }
        }
        Ok(all)
    }

    /// One more answer to a dialog.
    ///
    /// # Errors
    ///
    /// It is no dialog.
    pub fn add(&mut self, dialog: &str, answer: Value) -> Result<(), String> {
        let known: Vec<_> = dialogs().collect();
        if !known.contains(&dialog) {
            let known = known.join(", ");
            return Err(format!("answers to {dialog}: there is no such dialog, but {known}"));
        }
        self.answers.entry(dialog.to_owned()).or_default().push(answer);
        Ok(())
    }

    /// Whether there is an answer to a dialog, by its name without `ui.`.
    pub fn has(&self, dialog: &str) -> bool {
        self.answers.contains_key(dialog)
    }

    /// The answer to a request: the result as it goes over the wire. `None` for a method that is no dialog and no
    /// display. What is only shown is taken.
    ///
    /// # Errors
    ///
    /// The parameters are wrong, or no answer was given that fits.
    pub fn answer(&mut self, method: &str, params: &str) -> Option<Result<Value, Unanswered>> {
        let entry = crate::ui::METHODS.iter().find(|entry| entry.name == method)?;
        Some(self.answer_to(entry, params))
    }

    fn answer_to(&mut self, entry: &crate::Entry, params: &str) -> Result<Value, Unanswered> {
        (entry.check)(params).map_err(|why| ("validation", format!("{}: {why}", entry.name)))?;
        if !entry.waits_for_person {
            return Ok(json!({}));
        }
        let dialog = entry.name.trim_start_matches("ui.");
        let Some(answer) = self.next(dialog) else {
            if self.is_headless {
                return Ok(json!({ "dismissed": "headless" }));
            }
            let text = format!(
                "{} is asked with {params}, and no answer to {dialog} was given",
                entry.name
            );
            return Err(("unsupported", text));
        };
        let said = match answer {
            Value::Null => Ok(json!({ "dismissed": "user" })),
            Value::Object(ref members) if members.contains_key("dismissed") => Ok(answer),
            answer => said(dialog, answer, params),
        };
        said.map_err(|why| ("not_found", format!("the answer that was given to {dialog}: {why}")))
    }

    fn next(&mut self, dialog: &str) -> Option<Value> {
        let answers = self.answers.get(dialog)?;
        let taken = self.taken.entry(dialog.to_owned()).or_default();
        let answer = answers.get(*taken).or_else(|| answers.last()).cloned();
        *taken += 1;
        answer
    }
}

/// The dialogs that can be answered, by their names without `ui.`.
fn dialogs() -> impl Iterator<Item = &'static str> {
    crate::ui::METHODS
        .iter()
        .filter(|entry| entry.waits_for_person)
        .map(|entry| entry.name.trim_start_matches("ui."))
}

/// What a person says, as the wire has it.
fn said(dialog: &str, answer: Value, params: &str) -> Result<Value, String> {
    match (dialog, answer) {
        ("confirm" | "auth", Value::Bool(yes)) => Ok(json!({ "confirmed": yes })),
        ("confirm" | "auth", other) => Err(format!("{other} is neither true nor false")),
        ("input" | "editor", Value::String(text)) => Ok(json!({ "value": text })),
        ("select", answer) => {
            let select: Select = serde_json::from_str(params).map_err(|why| why.to_string())?;
            let values = chosen(answer, &select.options, select.multi)?;
            Ok(if select.multi {
                json!({ "values": values })
            } else {
                json!({ "value": values[0] })
            })
        }
        ("ask", Value::Object(mut members)) => {
            let ask: Ask = serde_json::from_str(params).map_err(|why| why.to_string())?;
            let mut answers = serde_json::Map::new();
            for Question { id, options, multi, .. } in ask.questions {
                let answer =
                    members.remove(&id).ok_or_else(|| format!("there is none for {id:?}"))?;
                let values = if options.is_empty() {
                    vec![text_of(answer)?]
                } else {
                    chosen(answer, &options, multi)?
                };
                answers.insert(id, values.into());
            }
            match members.keys().next() {
                Some(id) => Err(format!("nobody asks {id:?}")),
                None => Ok(json!({ "answers": answers })),
            }
        }
        (_, other) => Err(format!("{other} is of another kind")),
    }
}

/// One value where one can be chosen; of several a text may have them with commas between.
fn chosen(answer: Value, options: &[Choice], multi: bool) -> Result<Vec<String>, String> {
    let values = match answer {
        Value::Array(values) if multi => {
            values.into_iter().map(text_of).collect::<Result<Vec<_>, _>>()?
        }
        Value::String(text) if multi && options.iter().all(|option| option.value() != text) => {
            let values = text.split(',').filter(|value| !value.is_empty());
            values.map(str::to_owned).collect()
        }
        answer => vec![text_of(answer)?],
    };
    let is_there = |value: &String| options.iter().any(|option| option.value() == value);
    match values.iter().find(|value| !is_there(value)) {
        Some(unknown) => {
            let known: Vec<_> = options.iter().map(Choice::value).collect();
            Err(format!("there is no option {unknown:?}; there are {}", known.join(", ")))
        }
        None => Ok(values),
    }
}

fn text_of(answer: Value) -> Result<String, String> {
    match answer {
        Value::String(text) => Ok(text),
        other => Err(format!("{other} is no text")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(given: &Value) -> GivenAnswers {
        GivenAnswers::read(given).unwrap()
    }

    fn ask(all: &mut GivenAnswers, method: &str, params: &Value) -> Result<Value, String> {
        all.answer(method, &params.to_string()).unwrap().map_err(|(_, text)| text)
    }

    #[test]
    fn answers_come_in_their_order_and_the_last_stays() {
        let mut all = answers(&json!({ "confirm": [true, null, false] }));
        let mut next = || ask(&mut all, "ui.confirm", &json!({ "title": "?" })).unwrap();
        assert_eq!(next(), json!({ "confirmed": true }));
        assert_eq!(next(), json!({ "dismissed": "user" }));
        assert_eq!(next(), json!({ "confirmed": false }));
        assert_eq!(next(), json!({ "confirmed": false }));
    }

    #[test]
    fn each_dialog_takes_what_a_person_says() {
        let question = json!({ "id": "a", "question": "?", "options": ["x", "y"], "multi": true });
        let asked = json!({ "questions": [question, { "id": "b", "question": "?" }] });
        let mut all = answers(&json!({
            "select": ["x", [["x", "y"]], "z"], "editor": "two\nlines", "auth": true,
            "ask": { "a": ["y"], "b": "typed" }, "input": 5,
        }));
        let select = |multi| json!({ "title": "?", "options": ["x", "y"], "multi": multi });
        assert_eq!(ask(&mut all, "ui.select", &select(false)), Ok(json!({ "value": "x" })));
        let nested = ask(&mut all, "ui.select", &select(true)).unwrap_err();
        assert!(nested.contains("is no text"), "{nested}");
        let unknown = ask(&mut all, "ui.select", &select(false)).unwrap_err();
        assert!(unknown.contains("no option \"z\"; there are x, y"), "{unknown}");
        let text = ask(&mut all, "ui.editor", &json!({ "title": "?" }));
        assert_eq!(text, Ok(json!({ "value": "two\nlines" })));
        let signed = ask(&mut all, "ui.auth", &json!({ "url": "https://a.example" }));
        assert_eq!(signed, Ok(json!({ "confirmed": true })));
        let several = ask(&mut all, "ui.ask", &asked);
        assert_eq!(several, Ok(json!({ "answers": { "a": ["y"], "b": ["typed"] } })));
        assert!(ask(&mut all, "ui.input", &json!({ "title": "?" })).is_err());
    }

    #[test]
    fn what_is_wrong_and_what_nobody_answers() {
        let mut all = answers(&json!("headless"));
        let closed = ask(&mut all, "ui.confirm", &json!({ "title": "?" }));
        assert_eq!(closed, Ok(json!({ "dismissed": "headless" })));
        let status = ask(&mut all, "ui.status", &json!({ "key": "k", "text": null }));
        assert_eq!(status, Ok(json!({})));
        let wrong = ask(&mut all, "ui.status", &json!({ "key": "k" })).unwrap_err();
        assert!(wrong.contains("missing field `text`"), "{wrong}");
        assert!(all.answer("state.get", "{}").is_none());
        let mut none = answers(&json!({}));
        let missing = ask(&mut none, "ui.confirm", &json!({ "title": "Ship it?" })).unwrap_err();
        assert!(
            missing.contains("Ship it?") && missing.contains("no answer to confirm"),
            "{missing}"
        );
        assert!(GivenAnswers::read(&json!({ "confrim": true })).unwrap_err().contains("confirm"));
        assert!(GivenAnswers::read(&json!({ "confirm": [] })).is_err());
        assert!(GivenAnswers::read(&json!(true)).is_err());
    }
}
