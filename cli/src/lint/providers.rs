//! What the providers of models make of the tools, for agents that give them the schemas themselves.

use extline_host::Tool;
use extline_model::{Provider, Rendered, Unrenderable, check_name, schema_for};
use serde_json::{Value, json};

use crate::printer::Printer;
use crate::styled::{BOLD, DIM, RED, Text, YELLOW, counted, text};

/// Characters that are shown of a name and of a sentence.
const NAME_CHARS: usize = 100;
const SENTENCE_CHARS: usize = 500;

/// What each provider makes of one tool.
pub(super) struct Provided {
    tool: String,
    /// In the order of the providers that were asked for.
    each: Vec<(Provider, Result<Rendered, Unrenderable>)>,
}

/// Looks at the schemas as they were registered.
pub(super) fn provided<'a>(
    tools: impl Iterator<Item = &'a Tool>,
    providers: &[Provider],
) -> Vec<Provided> {
    let of = |tool: &Tool, provider: Provider| {
        check_name(provider, tool.name())?;
        schema_for(provider, &tool.definition.schema)
    };
    let provided = tools.map(|tool| {
        let each = providers.iter().map(|provider| (*provider, of(tool, *provider)));
        Provided { tool: tool.name().to_owned(), each: each.collect() }
    });
    provided.collect()
}

/// Whether some provider cannot be given some tool.
pub(super) fn is_one_refused(provided: &[Provided]) -> bool {
    provided.iter().flat_map(|it| &it.each).any(|(_, result)| result.is_err())
}

/// A table with a column for each provider, what is refused, and on demand what is changed.
pub(super) fn show(provided: &[Provided], with_changes: bool, printer: &mut Printer) {
    let Some(first) = provided.first() else { return };
    let cells: Vec<Vec<String>> =
        provided.iter().map(|it| it.each.iter().map(cell).collect()).collect();
    let heads = first.each.iter().map(|(provider, _)| provider.name());
    let widths: Vec<_> = heads
        .clone()
        .enumerate()
        .map(|(column, head)| {
            let widest = cells.iter().map(|row| row[column].len()).max().unwrap_or_default();
            head.len().max(widest)
        })
        .collect();
    let names: Vec<_> = provided.iter().map(|it| Text::line(&it.tool, NAME_CHARS)).collect();
    let name_width = names.iter().map(|name| name.as_str().chars().count() + 2).max();
    let name_width = name_width.unwrap_or_default().max("providers".len());
    let heads = columns(heads, &widths);
    printer.result(format_args!("{:<name_width$}  {heads}", "providers"));
    for (name, row) in names.iter().zip(&cells) {
        let space = " ".repeat(name_width - 2 - name.as_str().chars().count());
        let row = columns(row.iter().map(String::as_str), &widths);
        printer.result(format_args!("  {BOLD}{name}{BOLD:#}{space}  {row}"));
    }
    for Provided { tool, each } in provided {
        for (provider, result) in each {
            tell(tool, *provider, result, with_changes, printer);
        }
    }
}

fn cell((_, result): &(Provider, Result<Rendered, Unrenderable>)) -> String {
    match result {
        Err(_) => "refused".to_owned(),
        Ok(rendered) if rendered.notes.is_empty() => "as it is".to_owned(),
        Ok(rendered) => counted(rendered.notes.len(), "change"),
    }
}

/// Words under each other; the last has no spaces behind it.
fn columns<'a>(words: impl Iterator<Item = &'a str>, widths: &[usize]) -> String {
    let padded: Vec<_> = words.zip(widths).map(|(word, width)| format!("{word:<width$}")).collect();
    padded.join("  ").trim_end().to_owned()
}

fn tell(
    tool: &str,
    provider: Provider,
    result: &Result<Rendered, Unrenderable>,
    with_changes: bool,
    printer: &mut Printer,
) {
    match result {
        Err(error) => {
            let what = Text::line(&format!("{tool}: {error}"), SENTENCE_CHARS);
            let id = text!("{DIM}[{}]{DIM:#}", error.reason.as_str());
            printer.result(format_args!("  {RED}refused{RED:#}  {provider}: {what}  {id}"));
        }
        Ok(rendered) if with_changes => {
            for note in &rendered.notes {
                let what = Text::line(&format!("{tool}: {note}"), SENTENCE_CHARS);
                printer.result(format_args!("  {YELLOW}changed{YELLOW:#}  {provider}: {what}"));
            }
        }
        Ok(_) => {}
    }
}

/// An object for each provider, with the tools in it.
pub(super) fn json(provided: &[Provided], providers: &[Provider]) -> Vec<Value> {
    let of = |(column, provider): (usize, &Provider)| {
        let tools = provided.iter().map(|it| match &it.each[column].1 {
            Err(error) => json!({"tool": it.tool, "refused": {
                "reason": error.reason.as_str(), "pointer": error.pointer, "what": error.text}}),
            Ok(rendered) => {
                let changes = rendered.notes.iter().map(|note| {
                    json!({"kind": note.kind.as_str(), "pointer": note.pointer, "what": note.text})
                });
                let schema: Value = serde_json::from_str(rendered.schema.get()).unwrap_or_default();
                json!({"tool": it.tool, "schema": schema, "changes": changes.collect::<Vec<_>>()})
            }
        });
        let tools: Vec<_> = tools.collect();
        json!({"provider": provider.id(), "tools": tools, "sources": provider.sources()})
    };
    providers.iter().enumerate().map(of).collect()
}
