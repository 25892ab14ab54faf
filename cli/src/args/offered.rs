//! Words that shells offer for an argument that takes others too, so that a wrong one is told of
//! where more is known about it.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};
use extline_conformance::{Clause, all_cases};

use crate::agents;
use crate::template::LANGUAGES;

/// Takes any text, and names those words to shells.
#[derive(Clone)]
pub(super) struct Offered(fn() -> Vec<&'static str>);

impl Offered {
    pub(super) const LANGUAGES: Self =
        Self(|| LANGUAGES.iter().map(|language| language.name).collect());

    /// Those in whose configuration extensions are installed.
    pub(super) const AGENTS: Self = Self(agents::names);

    /// Those whose hooks are answered.
    pub(super) const HOOKS: Self = Self(agents::names_with_hooks);

    /// Clients of MCP.
    pub(super) const CLIENTS: Self =
        Self(|| extline_mcp::lint::clients().iter().map(|client| client.id.as_str()).collect());

    /// Providers of models.
    pub(super) const PROVIDERS: Self =
        Self(|| extline_model::Provider::ALL.iter().map(|provider| provider.id()).collect());

    /// Cases, whomever they are for, and clauses.
    pub(super) const RULES: Self = Self(|| {
        let clauses = Clause::all().chain(Clause::of_mcp());
        let clauses = clauses.map(|clause| clause.id.as_str());
        all_cases().map(|case| case.id.as_str()).chain(clauses).collect()
    });
}

impl TypedValueParser for Offered {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter().map(PossibleValue::new)))
    }
}
