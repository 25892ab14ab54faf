//! What a server asks the person, as dialogs of the host, which names the server beside each.

use extline_protocol::CallKey;
use extline_services::Method;
use extline_services::ui::{
    Answer, Ask, AskMethod, Auth, AuthMethod, Choice, Confirm, ConfirmMethod, Dismissal, Input,
    InputMethod, Question, Select, SelectMethod,
};
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

use super::content::cut;
use super::task::Word;

/// How often a person who typed no number where one is wanted is asked again.
const TRIES: usize = 3;

/// The most fields of a form.
const FIELDS: usize = 32;

/// Asks what a server wants to know. Where nobody can be asked, it is told that nobody wants to answer.
pub(super) async fn elicit(
    say: &mpsc::Sender<Word>,
    parent: Option<&CallKey>,
    params: ElicitRequestParams,
) -> ElicitResult {
    match params {
        ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
            let order = requested_schema.property_order.clone();
            let schema = serde_json::to_value(requested_schema).unwrap_or_default();
            let fields = fields_of(&schema, order);
            for _ in 0..TRIES {
                match answers_to(say, parent, &message, &fields).await {
                    Ok(typed) => {
                        if let Some(content) = contents_of(&fields, &typed) {
                            return ElicitResult::new(ElicitationAction::Accept)
                                .with_content(content.into());
                        }
                    }
                    Err(action) => return ElicitResult::new(action),
                }
            }
            ElicitResult::new(ElicitationAction::Cancel)
        }
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
            let auth = Auth { url, message: Some(cut(&message)), ..Auth::default() };
            match ask::<AuthMethod, _>(say, parent, &auth).await {
                Ok(done) if done.confirmed => ElicitResult::new(ElicitationAction::Accept),
                Ok(_) => ElicitResult::new(ElicitationAction::Decline),
                Err(action) => ElicitResult::new(action),
            }
        }
        _ => ElicitResult::new(ElicitationAction::Decline),
    }
}

/// One member of what is wanted.
struct Field {
    name: String,
    title: String,
    kind: Kind,
    /// What can be chosen, with how it is shown.
    options: Vec<(String, String)>,
    is_required: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Integer,
    YesOrNo,
    Several,
}

fn fields_of(schema: &Value, order: Option<Vec<String>>) -> Vec<Field> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Vec::new();
    };
    let names = order.unwrap_or_else(|| properties.keys().cloned().collect());
    let required = schema.get("required").and_then(Value::as_array);
    let names = names.into_iter().filter(|name| !name.trim().is_empty()).take(FIELDS);
    let fields = names.filter_map(|name| {
        let property = properties.get(&name)?;
        let text = |member: &str| property.get(member).and_then(Value::as_str);
        let kind = match text("type") {
            Some("number") => Kind::Number,
            Some("integer") => Kind::Integer,
            Some("boolean") => Kind::YesOrNo,
            Some("array") => Kind::Several,
            _ => Kind::Text,
        };
        let options =
            options_of(property.get("items").filter(|_| kind == Kind::Several).unwrap_or(property));
        let title = text("title").or_else(|| text("description")).unwrap_or(&name);
        let is_required = required.is_some_and(|it| it.iter().any(|it| *it == *name));
        Some(Field { title: line(title), kind, options, is_required, name })
    });
    fields.collect()
}

fn options_of(schema: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let titled = |member| schema.get(member).and_then(Value::as_array);
    if let Some(titled) = titled("oneOf").or_else(|| titled("anyOf")) {
        let option = |it: &Value| Some((text(it.get("const")?)?, text(it.get("title")?)?));
        return titled.iter().filter_map(option).collect();
    }
    let values = schema.get("enum").and_then(Value::as_array);
    let names = schema.get("enumNames").and_then(Value::as_array);
    let option = |(at, value): (usize, &Value)| {
        let value = text(value)?;
        let name = names.and_then(|names| text(names.get(at)?));
        Some((value.clone(), name.unwrap_or(value)))
    };
    values.into_iter().flatten().enumerate().filter_map(option).collect()
}

/// What was typed or chosen, for each field.
async fn answers_to(
    say: &mpsc::Sender<Word>,
    parent: Option<&CallKey>,
    message: &str,
    fields: &[Field],
) -> Result<Vec<Vec<String>>, ElicitationAction> {
    let title = line(message.trim_end().trim_end_matches(':'));
    let words = |it: bool| if it { "true" } else { "false" }.to_owned();
    match fields {
        [] => {
            let confirm = Confirm { title, ..Confirm::default() };
            let answer = ask::<ConfirmMethod, _>(say, parent, &confirm).await?;
            if answer.confirmed { Ok(Vec::new()) } else { Err(ElicitationAction::Decline) }
        }
        [field] if field.kind == Kind::YesOrNo => {
            let message = (field.title != title).then(|| field.title.clone());
            let confirm = Confirm { title, message, ..Confirm::default() };
            let answer = ask::<ConfirmMethod, _>(say, parent, &confirm).await?;
            Ok(vec![vec![words(answer.confirmed)]])
        }
        [field] if field.options.is_empty() && field.kind != Kind::Several => {
            let placeholder = Some(field.title.clone()).filter(|it| *it != title);
            let input = Input { title, placeholder, ..Input::default() };
            Ok(vec![vec![ask::<InputMethod, _>(say, parent, &input).await?.value]])
        }
        [field] if field.kind != Kind::Several => {
            let select = Select { title, options: choices(field), ..Select::default() };
            let answer = ask::<SelectMethod, _>(say, parent, &select).await?;
            Ok(vec![serde_json::to_value(answer).ok().map(|it| texts_in(&it)).unwrap_or_default()])
        }
        fields => {
            let mut questions: Vec<_> = fields.iter().map(question_of).collect();
            questions[0].question = format!("{title}: {}", questions[0].question);
            let form = Ask { questions, ..Ask::default() };
            let mut answers = ask::<AskMethod, _>(say, parent, &form).await?.answers;
            Ok(fields.iter().map(|it| answers.remove(&it.name).unwrap_or_default()).collect())
        }
    }
}

fn question_of(field: &Field) -> Question {
    Question {
        id: field.name.clone(),
        question: field.title.clone(),
        options: choices(field),
        multi: field.kind == Kind::Several,
        recommended: None,
    }
}

fn choices(field: &Field) -> Vec<Choice> {
    if field.kind == Kind::YesOrNo {
        let option = |label: &str, value: &str| Choice::Labelled {
            label: label.to_owned(),
            description: None,
            value: Some(value.to_owned()),
        };
        return vec![option("yes", "true"), option("no", "false")];
    }
    let option = |(value, label): &(String, String)| Choice::Labelled {
        label: line(label),
        description: None,
        value: Some(value.clone()),
    };
    field.options.iter().map(option).collect()
}

/// The strings in an answer: that of a choice has one member.
fn texts_in(answer: &Value) -> Vec<String> {
    match answer {
        Value::String(text) => vec![text.clone()],
        Value::Array(values) => values.iter().flat_map(texts_in).collect(),
        Value::Object(members) => members.values().flat_map(texts_in).collect(),
        _ => Vec::new(),
    }
}

/// The members, as their types want them; `None` where something typed is no number.
fn contents_of(fields: &[Field], typed: &[Vec<String>]) -> Option<Map<String, Value>> {
    let mut content = Map::new();
    for (field, typed) in fields.iter().zip(typed) {
        let first = typed.first().map(|it| it.trim()).unwrap_or_default();
        if first.is_empty() && field.kind != Kind::Several && !field.is_required {
            continue;
        }
        let value = match field.kind {
            Kind::Text => typed.first().cloned().unwrap_or_default().into(),
            Kind::Number => first.parse::<f64>().ok().filter(|it| it.is_finite())?.into(),
            Kind::Integer => first.parse::<i64>().ok()?.into(),
            Kind::YesOrNo => (first == "true").into(),
            Kind::Several => typed.clone().into(),
        };
        content.insert(field.name.clone(), value);
    }
    Some(content)
}

/// Shows a dialog. `Err`: it was closed, or nobody can be asked.
async fn ask<M, T>(
    say: &mpsc::Sender<Word>,
    parent: Option<&CallKey>,
    params: &M::Params,
) -> Result<T, ElicitationAction>
where
    M: Method<Result = Answer<T>>,
    T: DeserializeOwned,
{
    let declined = ElicitationAction::Decline;
    let params = extline_protocol::RawJson::of(params).map_err(|_| declined)?;
    let (answer, answered) = oneshot::channel();
    let parent = parent.cloned();
    let word = Word::Ask { parent, method: M::NAME, params, answer };
    say.send(word).await.map_err(|_| ElicitationAction::Cancel)?;
    let result = answered.await.map_err(|_| ElicitationAction::Cancel)?;
    let result = result.map_err(|_| ElicitationAction::Decline)?;
    match result.to::<M::Result>() {
        Ok(Answer::Given(given)) => Ok(given),
        Ok(Answer::Dismissed { dismissed: Dismissal::Headless }) => Err(ElicitationAction::Decline),
        _ => Err(ElicitationAction::Cancel),
    }
}

/// In one line that says something.
fn line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() { "(no text)".to_owned() } else { cut(&line) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_typed_becomes_what_the_schema_wants() {
        let schema = json!({"properties": {
            "age": {"type": "integer", "title": "Age"}, "weight": {"type": "number"}, "sure": {"type": "boolean"},
            "colour": {"type": "string", "oneOf": [{"const": "r", "title": "Red"}]},
            "tags": {"type": "array", "items": {"enum": ["x", "y"]}}, "note": {"type": "string"},
        }, "required": ["age", "colour"]});
        let order = ["age", "weight", "sure", "colour", "tags", "note"].map(str::to_owned).to_vec();
        let fields = fields_of(&schema, Some(order));
        assert_eq!(fields[3].options, [("r".to_owned(), "Red".to_owned())]);
        let typed = ["7", "1.5", "true", "r"].map(|it| vec![it.to_owned()]).to_vec();
        let typed =
            [typed, vec![vec!["x".to_owned(), "y".to_owned()], vec![String::new()]]].concat();
        let expected =
            json!({"age": 7, "weight": 1.5, "sure": true, "colour": "r", "tags": ["x", "y"]});
        assert_eq!(Value::from(contents_of(&fields, &typed).unwrap()), expected);
        let wrong = [vec![vec!["old".to_owned()]], typed[1..].to_vec()].concat();
        assert!(contents_of(&fields, &wrong).is_none());
    }
}
