//! The methods, as the host serves them.

use std::sync::Arc;

use extline_protocol::RawJson;
use extline_services::kept::{self, Answer, Refusal};
use extline_services::{Method as _, session, state};
use serde::Deserialize;

use super::rows::Work;
use super::{OwnedAsker, State, error_of};
use crate::connection::{Connection, Method, MethodCall, Methods};

/// How often the values of a slot are migrated for one request: somebody else may have another version.
const MIGRATIONS: u32 = 3;

/// The methods of `state.*` and `session.*`.
pub(crate) fn methods(kept: &Arc<State>) -> Methods {
    let method = |name: &str| {
        let kept = Arc::clone(kept);
        let serve = move |call| {
            let kept = Arc::clone(&kept);
            async move { kept.serve(call).await.map_err(error_of) }
        };
        (name.to_owned(), Method::new(serve))
    };
    kept::methods().map(method).collect()
}

/// Which scope is asked for.
#[derive(Deserialize)]
struct Scoped {
    scope: state::Scope,
}

impl State {
    async fn serve(&self, call: MethodCall) -> Result<RawJson, Refusal> {
        let gone = || Refusal::new("cancelled", "the extension has ended");
        let connection = call.connection.upgrade().ok_or_else(gone)?;
        self.refuse_while_migrating(&call)?;
        let session = connection.session_id();
        let asker = OwnedAsker { extension: call.extension.clone(), session };
        let params = call.params.as_ref().map_or("", RawJson::get).to_owned();
        for _ in 0..=MIGRATIONS {
            match self.answer(&asker, &call.method, params.clone()).await? {
                Answer::Done(result) => {
                    return RawJson::parse(&result)
                        .map_err(|error| Refusal::new("internal", error.to_string()));
                }
                Answer::Migrate { scope, to } => {
                    self.migrate(&connection, &asker, scope, to).await?;
                }
            }
        }
        let text = format!("{}: another process keeps the values in another version", call.method);
        Err(Refusal::new("conflict", text))
    }

    async fn answer(
        &self,
        asker: &OwnedAsker,
        method: &str,
        params: String,
    ) -> Result<Answer, Refusal> {
        let is_of_session = match serde_json::from_str(&params) {
            Ok(Scoped { scope }) => scope == state::Scope::Session,
            // The methods of the conversation; what is wrong is told where they are read.
            Err(_) => true,
        };
        let reads = [
            state::GetMethod::NAME,
            state::ListMethod::NAME,
            session::InfoMethod::NAME,
            session::BranchMethod::NAME,
        ];
        let kind = if reads.contains(&method) { Work::Reads } else { Work::Writes };
        let method = method.to_owned();
        self.with(asker, is_of_session, kind, move |rows, asker| {
            let unknown = || Err(Refusal::new("unsupported", format!("unknown method {method}")));
            kept::answer(rows, asker, &method, &params).unwrap_or_else(unknown)
        })
        .await
    }
}

impl Connection {
    /// The conversation that it serves now.
    fn session_id(&self) -> Option<String> {
        self.shared().emission.session().map(|session| session.id)
    }
}
