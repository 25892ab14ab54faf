//! Secrets and variables that a test gives before.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{Method, Unanswered, env, secret};

/// The methods that [`GivenSecrets`] answer.
pub const SECRET_METHODS: [&str; 3] =
    [secret::GetMethod::NAME, secret::ExistsMethod::NAME, env::GetMethod::NAME];

/// Values by their names: of secrets, and of variables too. What is given is what a manifest would declare; `null` is
/// declared and not set.
#[derive(Clone, Default)]
pub struct GivenSecrets {
    values: BTreeMap<String, Option<String>>,
}

impl GivenSecrets {
    /// Reads an object of texts and nulls.
    ///
    /// # Errors
    ///
    /// It is something else; the text says what and where.
    pub fn read(given: &Value) -> Result<Self, String> {
        let Value::Object(members) = given else {
            return Err("secrets are an object of names and texts".to_owned());
        };
        let values = members.iter().map(|(name, value)| match value {
            Value::String(text) => Ok((name.clone(), Some(text.clone()))),
            Value::Null => Ok((name.clone(), None)),
            _ => Err(format!("/{name}: a secret is a text, or null where it is not set")),
        });
        Ok(Self { values: values.collect::<Result<_, _>>()? })
    }

    /// The answer to a request: the result as it goes over the wire. `None` for another method than
    /// [`SECRET_METHODS`].
    ///
    /// # Errors
    ///
    /// The parameters are wrong, or there is no such secret.
    pub fn answer(&self, method: &str, params: &str) -> Option<Result<Value, Unanswered>> {
        let entry = crate::METHODS.iter().find(|entry| entry.name == method)?;
        if !SECRET_METHODS.contains(&method) {
            return None;
        }
        Some(self.answer_to(entry, params))
    }

    fn answer_to(&self, entry: &crate::Entry, params: &str) -> Result<Value, Unanswered> {
        let wrong = |text| ("validation", format!("{}: {text}", entry.name));
        (entry.check)(params).map_err(wrong)?;
        let params: Value = serde_json::from_str(params).unwrap_or_default();
        let name = params["name"].as_str().unwrap_or_default();
        let given = self.values.get(name).ok_or_else(|| {
            let text = format!("{name} is none of the secrets that this test gives");
            ("permission", text)
        })?;
        if entry.name == secret::ExistsMethod::NAME {
            let source = given.as_ref().map(|_| secret::Source::Agent);
            let existence = secret::Existence { exists: given.is_some(), source };
            return Ok(serde_json::to_value(existence).unwrap_or_default());
        }
        match given {
            Some(value) => Ok(json!({ "value": value })),
            None => Err(("not_found", format!("{name} is not set in this test"))),
        }
    }
}

/// No value is shown.
impl std::fmt::Debug for GivenSecrets {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_set().entries(self.values.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_is_declared() {
        let given = GivenSecrets::read(&json!({"KEY": "v", "NONE": null})).unwrap();
        let answer = |method: &str, params: &str| given.answer(method, params).unwrap();
        for method in ["secret.get", "env.get"] {
            assert_eq!(answer(method, r#"{"name":"KEY"}"#).unwrap(), json!({"value": "v"}));
            let kind = |params| answer(method, params).unwrap_err().0;
            assert_eq!(kind(r#"{"name":"NONE"}"#), "not_found");
            assert_eq!(kind(r#"{"name":"OTHER"}"#), "permission");
            assert_eq!(kind(r#"{"name":""}"#), "validation");
            assert_eq!(kind("{}"), "validation");
        }
        let exists = answer("secret.exists", r#"{"name":"KEY"}"#).unwrap();
        assert_eq!(exists, json!({"exists": true, "source": "agent"}));
        let none = answer("secret.exists", r#"{"name":"NONE"}"#).unwrap();
        assert_eq!(none, json!({"exists": false}));
        assert!(given.answer("ui.confirm", "{}").is_none());
        assert_eq!(format!("{given:?}"), r#"{"KEY", "NONE"}"#);
        assert!(GivenSecrets::read(&json!({"KEY": 1})).unwrap_err().starts_with("/KEY"));
    }
}
