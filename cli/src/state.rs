//! `extline state`: what an extension keeps by `state.*`, without running it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use extline_host::services::state::Scope;
use extline_host::{Host, StateFile};
use serde_json::{Value, json};

use crate::args::{self, State};
use crate::exit::Exit;
use crate::printer::Printer;

pub(crate) async fn run(state: &State, mut printer: Printer) -> Exit {
    let file = Host::builder().state_file();
    let here = state.project.clone().or_else(|| std::env::current_dir().ok());
    let kept = StateFile::new(&file, &here.unwrap_or_else(|| PathBuf::from("/")));
    let exit = match of_all(state, &kept, &mut printer).await {
        Ok(()) => Exit::Ok,
        Err(error) => {
            printer.error(error.message);
            Exit::ToolError
        }
    };
    printer.finish(exit)
}

async fn of_all(
    state: &State,
    kept: &StateFile,
    printer: &mut Printer,
) -> Result<(), extline_host::protocol::frame::RpcError> {
    let (extension, session) = (&*state.extension, state.session.as_deref());
    let mut found = BTreeMap::new();
    let mut is_empty = true;
    for scope in Scope::ALL.into_iter().filter(|scope| is_meant(state, *scope)) {
        let session = session.unwrap_or_default();
        if state.clear {
            let count = kept.clear(extension, scope, session).await?;
            if printer.json {
                printer.json(&json!({ "scope": scope, "cleared": count }));
            } else {
                printer.result(format_args!("{count} values of scope {} are gone", scope.as_str()));
            }
            continue;
        }
        let values = kept.values(extension, scope, session).await?;
        if printer.json {
            let values: BTreeMap<_, Value> = values
                .into_iter()
                .map(|(key, text)| (key, serde_json::from_str(&text).unwrap_or_default()))
                .collect();
            found.insert(scope.as_str(), values);
            continue;
        }
        for (key, value) in values {
            is_empty = false;
            printer.result(format_args!("{:8}{key} = {value}", scope.as_str()));
        }
    }
    if printer.json && !state.clear {
        printer.json(&found);
    } else if !state.clear && is_empty {
        let more = match session {
            Some(_) => "",
            None => "; --session ID shows what it keeps with a conversation",
        };
        printer.say(format_args!("nothing is kept here{more}"));
    }
    Ok(())
}

fn is_meant(state: &State, scope: Scope) -> bool {
    match state.scope {
        Some(args::StateScope::Session) => scope == Scope::Session,
        Some(args::StateScope::Project) => scope == Scope::Project,
        Some(args::StateScope::Global) => scope == Scope::Global,
        None => scope != Scope::Session || state.session.is_some(),
    }
}
