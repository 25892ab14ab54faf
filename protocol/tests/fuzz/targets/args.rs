//! Arguments as a model wrote them: refused, or fit for every extension; and their validation,
//! against the schema that stands behind a line of `---`.

use extline_protocol::{ArgsValidator, RawJson, model_args};
use serde_json::Value;

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (args, schema) = text.split_once("\n---\n").unwrap_or((&text, r#"{"type":"object"}"#));
    let Some(args) = cleaned(args) else { return };
    let validator = RawJson::parse(schema).ok().map(|schema| ArgsValidator::compile(&schema));
    if let Some(Ok(validator)) = validator {
        validate(&validator, &args);
    }
}

fn cleaned(text: &str) -> Option<RawJson> {
    let Ok(raw) = RawJson::parse(text) else {
        assert!(model_args(text).is_err());
        return None;
    };
    assert!(!raw.get().contains(['\n', '\r']));
    assert_eq!(RawJson::parse(raw.get()).as_ref(), Ok(&raw));
    let args = model_args(text).ok()?;
    assert!(args.is_object() && args.get().len() <= raw.get().len());
    assert_eq!(model_args(args.get()).as_ref(), Ok(&args));
    // Both have the same value, where serde_json can hold it (a number may be too large).
    let value = |raw: &RawJson| raw.to::<Value>().ok();
    assert_eq!(value(&args), value(&raw).or_else(|| value(&args)));
    Some(args)
}

/// What is wrong is where the error says, or is missing there.
fn validate(validator: &ArgsValidator, args: &RawJson) {
    let Err(error) = validator.validate(args) else { return };
    assert!(!error.message.is_empty());
    let Ok(value) = args.to::<Value>() else { return };
    let holder = error.pointer.rsplit_once('/').map_or("", |(holder, _)| holder);
    assert!(value.pointer(holder).is_some(), "{} is not in {args}", error.pointer);
}
