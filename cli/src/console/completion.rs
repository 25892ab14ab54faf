//! What Tab offers.

use std::sync::Weak;

use extline_host::Host;
use extline_protocol::{Vocabulary, shown_json, shown_line};
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::line_buffer::LineBuffer;
use rustyline::validate::Validator;
use rustyline::{Changeset, Context, Helper};

use crate::console::json_completion::{self, Candidate};
use crate::console::line::WORDS;
use crate::console::moments;
use crate::console::panel::KEYS;

/// Completes lines from what the extensions offer at the moment. It does not keep the host alive.
pub(crate) struct Completion {
    host: Weak<Host>,
}

impl Completion {
    pub(crate) fn of(host: Weak<Host>) -> Self {
        Self { host }
    }
}

impl Completer for Completion {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let Some(host) = self.host.upgrade() else { return Ok((pos, Vec::new())) };
        let typed = &line[..pos];
        let (start, candidates) = match json_in(typed) {
            Some((Taker::Tool(tool), json)) => {
                let tool = host.tools().into_iter().find(|it| it.name() == tool);
                let schema = tool.as_ref().map(|tool| tool.definition.schema.get());
                let found = schema.map(|it| json_completion::candidates(it, json, &line[pos..]));
                let (start, candidates) = found.unwrap_or_default();
                (pos - json.len() + start, candidates)
            }
            Some((Taker::Moment, json)) => {
                let schema = moments::schema();
                let (start, found) = json_completion::candidates(&schema, json, &line[pos..]);
                (pos - json.len() + start, found)
            }
            None => match typed.rsplit_once(' ') {
                Some((before, begun)) => {
                    let known: Vec<_> = match before.split(' ').next() {
                        Some(":frames") => vec!["on", "off"],
                        Some(":panel") => KEYS.to_vec(),
                        Some(":emit") => Vocabulary::events().collect(),
                        Some(":intercept") => Vocabulary::points().collect(),
                        Some(":session") => vec!["start", "end"],
                        _ => Vec::new(),
                    };
                    let found = known.iter().filter(|it| it.starts_with(begun));
                    (pos - begun.len(), found.map(|it| Candidate::new(*it, *it)).collect())
                }
                None => (0, first_words(&host, typed)),
            },
        };
        // The editor writes both to the terminal as they are.
        let pair = |it: Candidate| Pair {
            display: shown_line(&it.shown).into_owned(),
            replacement: shown_json(&it.text).into_owned(),
        };
        Ok((start, candidates.into_iter().map(pair).collect()))
    }

    /// Puts the cursor where a skeleton is to be filled in first.
    fn update(&self, line: &mut LineBuffer, start: usize, elected: &str, changes: &mut Changeset) {
        let end = line.pos();
        line.replace(start..end, elected, changes);
        if let Some(hole) = elected.find("\"\"") {
            line.set_pos(start + hole + 1);
        }
    }
}

/// Who takes the JSON that is being typed.
enum Taker<'a> {
    Tool(&'a str),
    /// `:emit EVENT` or `:intercept POINT`.
    Moment,
}

/// The JSON that is being typed, if any is.
fn json_in(typed: &str) -> Option<(Taker<'_>, &str)> {
    if let Some(call) = typed.strip_prefix('!') {
        let (tool, json) = call.split_once(' ')?;
        return Some((Taker::Tool(tool), json));
    }
    let moment = [":emit ", ":intercept "].iter().find_map(|word| typed.strip_prefix(word))?;
    let (_, json) = moment.split_once(' ')?;
    Some((Taker::Moment, json))
}

/// Commands, tools and words that begin as the line does.
fn first_words(host: &Host, typed: &str) -> Vec<Candidate> {
    let commands = host.commands();
    let commands =
        commands.iter().map(|it| (format!("/{}", it.name()), it.description().to_owned()));
    let tools = host.tools();
    let tools = tools.iter().map(|it| (format!("!{}", it.name()), it.description().to_owned()));
    let words = WORDS.iter().map(|(word, what)| ((*word).to_owned(), (*what).to_owned()));
    let found = commands.chain(tools).chain(words).filter(|(name, _)| name.starts_with(typed));
    let candidate = |(name, what): (String, String)| {
        let blank = if name.starts_with(':') { "" } else { " " };
        let what = what.lines().next().unwrap_or_default();
        Candidate::new(format!("{name}  {what}").trim_end(), format!("{name}{blank}"))
    };
    found.map(candidate).collect()
}

impl Hinter for Completion {
    type Hint = String;
}

impl Highlighter for Completion {}
impl Validator for Completion {}
impl Helper for Completion {}
