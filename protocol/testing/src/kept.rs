//! What the extension keeps with its host in a test, by the rules of every host.

use std::collections::HashMap;
use std::time::Instant;

use extline_protocol::RawJson;
use extline_services::Method as _;
use extline_services::kept::{Answer, GivenState, Migration, Refusal};
use extline_services::state::{MigrateMethod, Scope};

use crate::calls::Outcome;
use crate::host::Host;

/// What is kept, and who waits until it is migrated.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    state: Option<GivenState>,
    /// By the serial of the request that the extension migrates by.
    migrations: HashMap<u64, Migrating>,
}

/// Values that the extension is asked to migrate, a portion after the other.
#[derive(Debug)]
struct Migrating {
    asked: Asked,
    scope: Scope,
    migration: Migration,
    answers: Vec<String>,
}

/// What is answered after that.
#[derive(Debug)]
struct Asked {
    serial: u64,
    method: String,
    params: String,
}

impl Kept {
    pub(crate) fn new(state: Option<GivenState>) -> Self {
        Self { state, migrations: HashMap::new() }
    }

    fn state(&mut self) -> &mut GivenState {
        self.state.get_or_insert_default()
    }
}

impl Host {
    /// What the extension keeps, as JSON: values by scope and key. `null` where the host keeps nothing.
    pub fn state(&mut self) -> String {
        let state = self.kept.state.as_mut();
        state.map_or_else(|| "null".to_owned(), |state| state.values().to_string())
    }

    /// Answers a request for what is kept; false where the host keeps nothing, or it is another method.
    pub(crate) fn take_kept(&mut self, serial: u64, method: &str, params: &str) -> bool {
        let Some(state) = self.kept.state.as_mut() else { return false };
        let Some(answer) = state.answer(method, params) else { return false };
        let (method, params) = (method.to_owned(), params.to_owned());
        self.settle_kept(Asked { serial, method, params }, answer);
        true
    }

    fn settle_kept(&mut self, asked: Asked, answer: Result<Answer, Refusal>) {
        let migrate = match answer {
            // It is JSON.
            Ok(Answer::Done(result)) => return drop(self.answer_request(asked.serial, &result)),
            Ok(Answer::Migrate { scope, to }) => {
                self.kept.state().migration(scope, to).map(|migration| (scope, migration))
            }
            Err(refusal) => Err(refusal),
        };
        match migrate {
            Ok((scope, Some(migration))) => {
                let answers = Vec::new();
                self.ask_to_migrate(Migrating { asked, scope, migration, answers });
            }
            Ok((_, None)) => self.ask_again(asked),
            Err(refusal) => self.refuse_kept(asked.serial, refusal),
        }
    }

    /// Asks for the next portion.
    fn ask_to_migrate(&mut self, migrating: Migrating) {
        let portion = &migrating.migration.portions[migrating.answers.len()];
        let (from, to, scope) = (portion.from, portion.to, portion.scope.as_str());
        let sent = RawJson::of(portion).map_err(|error| error.to_string()).and_then(|params| {
            let now = Instant::now();
            let sent = self.session.request(MigrateMethod::NAME, Some(params), None, now);
            sent.map_err(|error| error.to_string())
        });
        match sent {
            Ok(key) => {
                self.kept.migrations.insert(key.serial(), migrating);
            }
            Err(why) => {
                let text = format!(
                    "the values in scope {scope} have version {from} and are asked for in version {to}: {why}"
                );
                self.refuse_kept(migrating.asked.serial, Refusal::new("conflict", text));
            }
        }
    }

    /// Takes what the extension has migrated; otherwise `outcome` comes back.
    pub(crate) fn take_migrated(&mut self, serial: u64, outcome: Outcome) -> Option<Outcome> {
        let Some(mut migrating) = self.kept.migrations.remove(&serial) else {
            return Some(outcome);
        };
        let answer = match outcome {
            Outcome::Method(Ok(answer)) => answer,
            Outcome::Method(Err(error)) => {
                let refusal = Refusal::new("conflict", error.message);
                self.refuse_kept(migrating.asked.serial, refusal);
                return None;
            }
            Outcome::Failed(error) => {
                let refusal = Refusal::new("conflict", error.message);
                self.refuse_kept(migrating.asked.serial, refusal);
                return None;
            }
            // A key names a call of one kind.
            _ => return None,
        };
        migrating.answers.push(answer.into_string());
        if migrating.answers.len() < migrating.migration.portions.len() {
            self.ask_to_migrate(migrating);
            return None;
        }
        let Migrating { asked, scope, migration, answers } = migrating;
        match self.kept.state().put_migrated(scope, &migration, &answers) {
            Ok(_) => self.ask_again(asked),
            Err(refusal) => self.refuse_kept(asked.serial, refusal),
        }
        None
    }

    fn ask_again(&mut self, asked: Asked) {
        if let Some(answer) = self.kept.state().answer(&asked.method, &asked.params) {
            self.settle_kept(asked, answer);
        }
    }

    fn refuse_kept(&mut self, serial: u64, refusal: Refusal) {
        let data = refusal.data.and_then(|data| RawJson::of(&data).ok());
        self.refuse_request_with(serial, refusal.code, &refusal.message, data);
    }
}
