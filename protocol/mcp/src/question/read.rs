//! The dialogs of the extline wire, as questions to a client.

use std::borrow::Cow;
use std::time::Duration;

use extline_protocol::frame::RpcError;
use extline_protocol::{Elements, ErrorKind, Members, RawJson, read_string, shown_line};

use super::form::{Choice, Field, Kind};
use super::{Asks, Question, Shape, message};
use crate::failure::cut;

pub(super) fn dialog(
    extension: &str,
    method: &str,
    params: Option<&RawJson>,
) -> Result<Question, RpcError> {
    let wrong = |why: String| RpcError::new(ErrorKind::Validation, format!("{method}: {why}"));
    let text = params.map_or("{}", RawJson::get);
    let members = Members::of_valid(text).ok_or_else(|| wrong("params is no object".to_owned()))?;
    let params = Params { members, at: String::new() };
    let read = match method {
        "ui.confirm" => confirm(extension, &params),
        "ui.select" => select(extension, &params),
        "ui.input" if params.flag("secret").map_err(wrong)? => return Err(no_secret()),
        "ui.input" => input(extension, &params),
        "ui.editor" => editor(extension, &params),
        "ui.ask" => ask(extension, &params),
        "ui.auth" => auth(extension, &params),
        _ => {
            let why = format!("{} is not served: the host is a client of MCP", cut(method));
            return Err(RpcError::new(ErrorKind::Unsupported, why));
        }
    };
    let mut question = read.map_err(wrong)?;
    question.patience = params.patience().map_err(wrong)?;
    Ok(question)
}

fn no_secret() -> RpcError {
    let why = "no client of MCP may be asked for a secret: what is typed into its forms may reach the \
               model. Take it from the environment (env.get, a variable of the server's), or have the \
               person sign in elsewhere (ui.auth)";
    RpcError::new(ErrorKind::Unsupported, why)
}

fn confirm(extension: &str, params: &Params<'_>) -> Result<Question, String> {
    let title = params.title("title")?;
    let more = params.text("message")?;
    let message = message(extension, "asks", &title, more.as_deref());
    let field = Field::new("confirmed", &shown_line(&title), Kind::Flag);
    Ok(form(message, vec![field], Shape::Confirmed, "confirm=yes"))
}

fn select(extension: &str, params: &Params<'_>) -> Result<Question, String> {
    let title = params.title("title")?;
    let choices = params.choices("options")?;
    if choices.is_empty() {
        return Err("/options: there is nothing to choose from".to_owned());
    }
    let (name, kind, shape) = if params.flag("multi")? {
        ("values", Kind::Some(choices), Shape::Values)
    } else {
        ("value", Kind::One(choices), Shape::Value)
    };
    let message = message(extension, "asks", &title, None);
    let mut field = Field::new(name, &shown_line(&title), kind);
    field.default = params.text("initial")?.map(Cow::into_owned);
    Ok(form(message, vec![field], shape, "select=VALUE"))
}

fn input(extension: &str, params: &Params<'_>) -> Result<Question, String> {
    let title = params.title("title")?;
    let mut field = Field::new("value", &shown_line(&title), Kind::Text);
    let example = params.text("placeholder")?;
    field.description = example.map(|example| format!("for instance {}", shown_line(&example)));
    let message = message(extension, "asks", &title, None);
    Ok(form(message, vec![field], Shape::Value, "input=TEXT"))
}

/// Clients have no editor: the text is a field, and stands in the message too, as some show no defaults.
fn editor(extension: &str, params: &Params<'_>) -> Result<Question, String> {
    let title = params.title("title")?;
    let prefill = params.text("prefill")?.filter(|prefill| !prefill.is_empty());
    let more = prefill.as_deref().map(|prefill| format!("The text to begin with:\n{prefill}"));
    let message = message(extension, "asks", &title, more.as_deref());
    let mut field = Field::new("value", &shown_line(&title), Kind::Text);
    field.default = prefill.map(Cow::into_owned);
    Ok(form(message, vec![field], Shape::Value, "editor=TEXT"))
}

fn ask(extension: &str, params: &Params<'_>) -> Result<Question, String> {
    let mut fields: Vec<Field> = Vec::new();
    for question in params.objects("questions")? {
        let (id, title) = (question.title("id")?, question.title("question")?);
        if fields.iter().any(|field| field.name == id) {
            return Err(format!("{}/id: another question is {id:?} too", question.at));
        }
        let choices = question.choices("options")?;
        let kind = match (choices.is_empty(), question.flag("multi")?) {
            (true, _) => Kind::Text,
            (false, true) => Kind::Some(choices),
            (false, false) => Kind::One(choices),
        };
        let mut field = Field::new(&id, &shown_line(&title), kind);
        field.default = question.text("recommended")?.map(Cow::into_owned);
        fields.push(field);
    }
    let what = match fields.as_slice() {
        [] => return Err("/questions: there is nothing to ask".to_owned()),
        [one] => one.title.clone(),
        _ => "some questions".to_owned(),
    };
    let message = message(extension, "asks", &what, None);
    Ok(form(message, fields, Shape::Answers, "'ask={\"ID\":\"VALUE\"}'"))
}

fn auth(extension: &str, params: &Params<'_>) -> Result<Question, String> {
    let url = params.title("url")?.into_owned();
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    if !is_web || url.contains(|it: char| it.is_whitespace() || it.is_control()) {
        return Err("/url: it is no URL of http or https".to_owned());
    }
    let mut more = params.text("message")?.unwrap_or_default().into_owned();
    if let Some(code) = params.text("code")? {
        more = format!("The code: {}\n\n{more}", shown_line(&code));
    }
    let message = message(extension, "asks you to sign in", &url, Some(&more));
    let done = form(
        super::message(extension, "asks", "Are you signed in?", Some(&url)),
        vec![Field::new("confirmed", "Signed in?", Kind::Flag)],
        Shape::Confirmed,
        "auth=yes",
    );
    let asks = Asks::Page { url, done: Box::new(done) };
    Ok(Question { message, asks, given: "auth=yes", patience: None, deadline: None })
}

pub(super) fn form(
    message: String,
    fields: Vec<Field>,
    shape: Shape,
    given: &'static str,
) -> Question {
    let asks = Asks::Form { fields, shape };
    Question { message, asks, given, patience: None, deadline: None }
}

/// An object of the author's.
struct Params<'a> {
    members: Members<'a>,
    /// The JSON pointer of it.
    at: String,
}

impl<'a> Params<'a> {
    fn member(&self, name: &str) -> Option<&'a str> {
        let member = self.members.last(name)?;
        (member.value != "null").then_some(member.value)
    }

    fn wrong<T>(&self, name: &str, expected: &str, found: &str) -> Result<T, String> {
        Err(format!("{}/{name}: expected {expected}, found {}", self.at, cut(found)))
    }

    fn text(&self, name: &str) -> Result<Option<Cow<'a, str>>, String> {
        let Some(value) = self.member(name) else { return Ok(None) };
        let text = read_string(value);
        text.map_or_else(|| self.wrong(name, "a string", value), |text| Ok(Some(text)))
    }

    /// A text that has to be there, and to say something.
    fn title(&self, name: &str) -> Result<Cow<'a, str>, String> {
        let text = self.text(name)?.ok_or_else(|| format!("{}/{name}: it is missing", self.at))?;
        if text.trim().is_empty() {
            Err(format!("{}/{name}: it is empty", self.at))
        } else {
            Ok(text)
        }
    }

    fn flag(&self, name: &str) -> Result<bool, String> {
        match self.member(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(other) => self.wrong(name, "true or false", other),
        }
    }

    fn patience(&self) -> Result<Option<Duration>, String> {
        let Some(value) = self.member("timeout_ms") else { return Ok(None) };
        match value.parse() {
            Ok(0) => Err("/timeout_ms: a person needs more than 0 ms".to_owned()),
            Ok(milliseconds) => Ok(Some(Duration::from_millis(milliseconds))),
            Err(_) => self.wrong("timeout_ms", "a whole number", value),
        }
    }

    fn elements(&self, name: &str) -> Result<Vec<&'a str>, String> {
        let Some(value) = self.member(name) else { return Ok(Vec::new()) };
        let elements = Elements::of(value).map(Iterator::collect);
        elements.map_or_else(|| self.wrong(name, "a list", value), Ok)
    }

    fn objects(&self, name: &str) -> Result<Vec<Self>, String> {
        let object = |(position, value): (usize, &'a str)| {
            let at = format!("{}/{name}/{position}", self.at);
            match Members::of_valid(value) {
                Some(members) => Ok(Params { members, at }),
                None => Err(format!("{at}: expected an object, found {}", cut(value))),
            }
        };
        self.elements(name)?.into_iter().enumerate().map(object).collect()
    }

    /// Options: a text each, or an object with more. Of two with one value the first counts.
    fn choices(&self, name: &str) -> Result<Vec<Choice>, String> {
        let mut choices: Vec<Choice> = Vec::new();
        for (position, value) in self.elements(name)?.into_iter().enumerate() {
            let choice = match (read_string(value), Members::of_valid(value)) {
                (Some(text), _) => {
                    Choice { label: shown_line(&text).into_owned(), value: text.into_owned() }
                }
                (None, Some(members)) => {
                    let at = format!("{}/{name}/{position}", self.at);
                    choice(&Params { members, at })?
                }
                (None, None) => {
                    return self.wrong(&format!("{name}/{position}"), "a text or an object", value);
                }
            };
            if choices.iter().all(|known| known.value != choice.value) {
                choices.push(choice);
            }
        }
        Ok(choices)
    }
}

fn choice(option: &Params<'_>) -> Result<Choice, String> {
    let label = option.title("label")?;
    let value = option.text("value")?.unwrap_or_else(|| label.clone()).into_owned();
    let mut label = shown_line(&label).into_owned();
    if let Some(description) = option.text("description")? {
        label = format!("{label}: {}", shown_line(&description));
    }
    Ok(Choice { value, label })
}
