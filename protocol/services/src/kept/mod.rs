//! What a host keeps for its extensions: the rules of `state.*` and `session.*`, over whatever keeps the rows.
//!
//! Values of the scopes `project` and `global` have one place each. The history of conversations is a tree of nodes,
//! and a value of the scope `session` is kept at the node that was the leaf when it was set: what is seen is the
//! nearest one on the way to the first node. So a conversation that branches off sees what was there, and what is
//! set on one branch is not seen on another. A node takes values only while it is a leaf without children.
//!
//! Time is an argument here, and each call is one transaction of the caller's.

mod given;
mod history;
mod memory;
mod migration;
mod rows;
mod slot;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub use self::given::GivenState;
pub use self::history::{Moved, fork, is_known, mark, move_to, open};
pub use self::memory::MemoryRows;
pub use self::migration::{Migration, migration, put_migrated};
pub use self::rows::{Header, Node, Page, Row, Rows, SlotHead, Stored};
pub use self::slot::{clear, values};
use crate::{Method, session, state};

/// Who asks, and when.
#[derive(Clone, Copy, Debug)]
pub struct Asker<'a> {
    /// The extension.
    pub extension: &'a str,
    /// The project's folder.
    pub project: &'a str,
    /// The id of the conversation; `None` where there is none.
    pub session: Option<&'a str>,
    /// Whether what is kept outlives the process.
    pub durable: bool,
    /// Milliseconds since 1970.
    pub now_ms: u64,
}

impl Asker<'_> {
    /// The name of the conversation among the rows. What has none is one too.
    fn session_key(&self) -> &str {
        self.session.unwrap_or_default()
    }
}

/// Why nothing was kept or found.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The code of the error, as `conflict`.
    pub code: &'static str,
    /// What is wrong, and what to do.
    pub message: String,
    /// More about it, for programs.
    pub data: Option<Value>,
}

impl Refusal {
    /// Without data.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// A limit is reached: `code` is `too_large` or `budget`.
    fn limit(code: &'static str, name: &str, max: u64, message: String) -> Self {
        Self { code, message, data: Some(json!({ "limit": name, "max": max })) }
    }
}

/// What comes of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The result, JSON text.
    Done(String),
    /// The values of that scope have another version than the extension asks for. They are to be migrated, and the
    /// request is answered after that.
    Migrate {
        /// The scope.
        scope: state::Scope,
        /// The version they are to have.
        to: u64,
    },
}

/// The methods that [`answer`] answers.
pub fn methods() -> impl Iterator<Item = &'static str> {
    state::METHODS.iter().chain(session::METHODS).map(|entry| entry.name)
}

/// Answers a request; `None` for a method that is none of [`methods`].
///
/// # Errors
///
/// What is wrong with the parameters, a limit that is reached, a revision that is another one by now, or why the
/// rows cannot be read.
pub fn answer(
    rows: &mut dyn Rows,
    asker: &Asker<'_>,
    method: &str,
    params: &str,
) -> Option<Result<Answer, Refusal>> {
    Some(match method {
        state::GetMethod::NAME => run::<state::GetMethod>(params, |it| slot::get(rows, asker, &it)),
        state::SetMethod::NAME => run::<state::SetMethod>(params, |it| slot::set(rows, asker, &it)),
        state::DeleteMethod::NAME => {
            run::<state::DeleteMethod>(params, |it| slot::delete(rows, asker, &it))
        }
        state::ListMethod::NAME => {
            run::<state::ListMethod>(params, |it| slot::list(rows, asker, &it))
        }
        session::InfoMethod::NAME => {
            run::<session::InfoMethod>(params, |_| history::info(rows, asker))
        }
        session::AppendMethod::NAME => {
            run::<session::AppendMethod>(params, |it| history::append(rows, asker, &it))
        }
        session::BranchMethod::NAME => {
            run::<session::BranchMethod>(params, |it| history::branch(rows, asker, &it))
        }
        _ => return None,
    })
}

/// What a typed method comes to: its result, or the version that the slot is to have first.
enum Outcome<R> {
    Done(R),
    Migrate(state::Scope, u64),
}

fn run<M: Method>(
    params: &str,
    work: impl FnOnce(M::Params) -> Result<Outcome<M::Result>, Refusal>,
) -> Result<Answer, Refusal> {
    match work(read::<M>(params)?)? {
        Outcome::Done(result) => Ok(Answer::Done(text_of(&result)?)),
        Outcome::Migrate(scope, to) => Ok(Answer::Migrate { scope, to }),
    }
}

/// The parameters, checked.
fn read<M: Method>(params: &str) -> Result<M::Params, Refusal>
where
    M::Params: DeserializeOwned,
{
    let wrong = |text: String| Refusal::new("validation", format!("{}: {text}", M::NAME));
    let params = if params.is_empty() || params == "null" { "{}" } else { params };
    // Serde reads an array in place of an object.
    if !params.trim_start().starts_with('{') {
        return Err(wrong("the parameters are no object".to_owned()));
    }
    let params = serde_json::from_str(params).map_err(|error| wrong(error.to_string()))?;
    M::check(&params).map_err(wrong)?;
    Ok(params)
}

fn text_of(result: &impl Serialize) -> Result<String, Refusal> {
    serde_json::to_string(result).map_err(|error| Refusal::new("internal", error.to_string()))
}
