//! Values that are there before an extension begins: for tests, in place of a host that keeps them.

use serde_json::{Map, Value, json};

use super::{Answer, Asker, MemoryRows, Migration, Refusal, migration, put_migrated, slot};
use crate::state::{FIRST_VERSION, Scope};

/// What a testing host keeps for its one extension.
#[derive(Clone, Debug, Default)]
pub struct GivenState {
    rows: MemoryRows,
}

const ASKER: Asker<'_> = Asker {
    extension: "tested",
    project: "/testing",
    session: Some("testing"),
    durable: false,
    now_ms: 0,
};

impl GivenState {
    /// From JSON: `{}`, or an object with the values of the scopes `session`, `project` and `global` by their keys, and
    /// perhaps `slot_version`, the version that they have.
    ///
    /// # Errors
    ///
    /// It is no such object, or a value is refused as any host refuses it.
    pub fn read(given: &Value) -> Result<Self, String> {
        let members = given.as_object().ok_or("the state is an object of scopes")?;
        let version = match members.get("slot_version") {
            None => FIRST_VERSION,
            Some(version) => version.as_u64().ok_or("slot_version is a whole number from 1")?,
        };
        let mut all = Self::default();
        for (scope, values) in members.iter().filter(|(name, _)| *name != "slot_version") {
            if !Scope::ALL.iter().any(|it| it.as_str() == scope) {
                return Err(format!(
                    "there is no scope {scope:?}, but session, project and global"
                ));
            }
            let values = values.as_object();
            for (key, value) in values.ok_or(format!("the values of {scope} are an object"))? {
                let params = json!({
                    "scope": scope, "key": key, "value": value, "slot_version": version,
                });
                all.answer("state.set", &params.to_string())
                    .unwrap_or_else(|| Err(Refusal::new("internal", "no state.set")))
                    .map_err(|refusal| refusal.message)?;
            }
        }
        Ok(all)
    }

    /// The values by scope and key, as they are now.
    pub fn values(&mut self) -> Value {
        let mut scopes = Map::new();
        for scope in Scope::ALL {
            let values = slot::values(&mut self.rows, &ASKER, scope).unwrap_or_default();
            let read = |text: String| serde_json::from_str(&text).unwrap_or(Value::Null);
            let values: Map<_, _> =
                values.into_iter().map(|(key, text)| (key, read(text))).collect();
            scopes.insert(scope.as_str().to_owned(), Value::Object(values));
        }
        Value::Object(scopes)
    }

    /// Answers a request, as [`answer`](super::answer) does.
    pub fn answer(&mut self, method: &str, params: &str) -> Option<Result<Answer, Refusal>> {
        super::answer(&mut self.rows, &ASKER, method, params)
    }

    /// What is to be migrated, see [`migration`].
    ///
    /// # Errors
    ///
    /// As [`migration`].
    pub fn migration(&mut self, scope: Scope, to: u64) -> Result<Option<Migration>, Refusal> {
        migration(&mut self.rows, &ASKER, scope, to)
    }

    /// Puts migrated values in their place, see [`put_migrated`]. `answers` are what was answered, JSON texts, one for
    /// each portion.
    ///
    /// # Errors
    ///
    /// As [`put_migrated`], and where an answer has no `data`.
    pub fn put_migrated(
        &mut self,
        scope: Scope,
        migration: &Migration,
        answers: &[String],
    ) -> Result<bool, Refusal> {
        let mut values = std::collections::BTreeMap::new();
        for answer in answers {
            let migrated: crate::state::Migrated = serde_json::from_str(answer)
                .map_err(|why| Refusal::new("conflict", format!("state.migrate: {why}")))?;
            values.extend(migrated.data);
        }
        put_migrated(&mut self.rows, &ASKER, scope, migration, &values)
    }
}
