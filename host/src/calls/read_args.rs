//! A model's arguments as they are read, and repaired where the embedder wants that.

use extline_model::{Fix, RepairError, RepairErrorKind, repair};
use extline_protocol::{ModelArgsError, RawJson, model_args};

use super::proposal::Proposal;
use super::telling::Telling;
use crate::connection::{News, Shared};
use crate::offers::{TOOL_INVOKE, invoked};
use crate::report::CallError;
use crate::tool::Tool;

/// A model's arguments as the host reads them, see [`Host::read_args`](crate::Host::read_args).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReadArgs {
    /// The arguments: an object. What was JSON stands as it was written.
    pub args: RawJson,
    /// What was changed to make JSON of the text, in the order of the text; empty where it was JSON.
    pub fixes: Vec<Fix>,
    /// How many fixes there were beyond those that are listed.
    pub unlisted: usize,
}

impl Shared {
    /// The arguments of a model, or of an interceptor in their place: an object, not too deep, no
    /// key twice (`host.model-args`). A zot passes on what is JSON (`zot.no-validation`).
    pub(super) fn read_args(&self, text: &str) -> Result<RawJson, ModelArgsError> {
        if self.rules.profile.validates { model_args(text) } else { Ok(RawJson::parse(text)?) }
    }

    /// The same of a model alone, repaired where it is no JSON and the embedder wants that.
    pub(crate) fn read_model_args(
        &self,
        tool: Option<&Tool>,
        name: &str,
        text: &str,
    ) -> Result<ReadArgs, CallError> {
        let bad = |error| CallError::BadArgs { tool: name.to_owned(), error };
        let as_written = |args| ReadArgs { args, fixes: Vec::new(), unlisted: 0 };
        let repairs = self.model_side.repairs && self.rules.profile.validates;
        match self.read_args(text) {
            Ok(args) => return Ok(as_written(args)),
            Err(ModelArgsError::NotJson(_)) if repairs => {}
            Err(error) => return Err(bad(error)),
        }
        let repaired = match repair(text) {
            Ok(repaired) => repaired,
            Err(RepairError { kind: RepairErrorKind::Blank, .. }) => {
                return Ok(as_written(RawJson::empty_object()));
            }
            Err(error) => return Err(CallError::Unrepairable { tool: name.to_owned(), error }),
        };
        // Half of what was to be written would be written.
        if repaired.truncated && !tool.is_some_and(|tool| tool.definition.only_looks()) {
            let (line, column) = end_of(text);
            return Err(CallError::Truncated { tool: name.to_owned(), line, column });
        }
        let args = self.read_args(repaired.value.get()).map_err(bad)?;
        Ok(ReadArgs { args, fixes: repaired.fixes, unlisted: repaired.unlisted })
    }

    /// The same for a call on its way: whoever hears of it hears what was changed.
    pub(super) fn read_told(
        &self,
        tool: Option<&Tool>,
        call: Proposal<'_>,
        text: &str,
        telling: &mut Telling,
    ) -> Result<RawJson, CallError> {
        let ReadArgs { args, fixes, unlisted } = self.read_model_args(tool, call.tool, text)?;
        if args.get() != text {
            telling.rewritten(&args);
        }
        self.tell_repaired(call.id, call.tool, fixes, unlisted);
        Ok(args)
    }

    /// The call that is written in one of `tool_invoke`, by its name and arguments; `None` where it is not: then its
    /// schema, or what is wrong with the text, says why.
    pub(super) fn read_invoked(&self, id: &str, text: &str) -> Option<(String, RawJson)> {
        let read = self.read_model_args(None, TOOL_INVOKE, text).ok()?;
        let call = invoked(read.args.get())?;
        self.tell_repaired(id, TOOL_INVOKE, read.fixes, read.unlisted);
        Some(call)
    }

    fn tell_repaired(&self, id: &str, tool: &str, fixes: Vec<Fix>, unlisted: usize) {
        if !fixes.is_empty() && self.news.is_heard() {
            let (id, tool) = (id.to_owned(), tool.to_owned());
            self.news.tell(News::ArgsRepaired { id, tool, fixes, unlisted });
        }
    }
}

/// The line and the column behind the last character that is no white space, from 1.
fn end_of(text: &str) -> (usize, usize) {
    let text = text.trim_end();
    let last = text.rsplit('\n').next().unwrap_or_default();
    (text.matches('\n').count() + 1, last.chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::end_of;

    #[test]
    fn the_end_is_behind_the_last_character() {
        assert_eq!(end_of(r#"{"a": "b"#), (1, 9));
        assert_eq!(end_of("{\n  \"gr\u{fc}n\n\n"), (2, 8));
    }
}
