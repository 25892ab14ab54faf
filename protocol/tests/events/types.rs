//! The events as types of Python and TypeScript, and the words for kinds of failure.

use std::fmt::Write as _;

use extline_protocol::ErrorKind;

use crate::hold;
use crate::specification::{camel, capital, pascal, quoted, read, rows, without_brackets};

const WRITTEN: &str =
    "Written from docs/protocol/specification.md by `make generate`, never by hand.";

/// What every event may have.
const EVERY: [&str; 3] = ["session_id", "cwd", "sequence"];

/// Events of Python whose class is one of another event's too, which it has all fields of: a handler of both is
/// annotated with that.
const ALSO: [(&str, &str); 6] = [
    ("post_compact", "pre_compact"),
    ("subagent_stop", "subagent_start"),
    ("session_branch", "session_switch"),
    ("agent_end", "agent_start"),
    ("message_update", "message_start"),
    ("message_end", "message_start"),
];

/// An event, or a field of one, with what it says in a sentence.
struct Told {
    name: String,
    about: String,
    /// Of a field its type, as the specification has it.
    kind: String,
    /// Of an event its fields, beside those that every one has.
    fields: Vec<String>,
}

impl Told {
    fn is_about_tool(&self) -> bool {
        self.fields.iter().any(|field| field == "tool_name")
    }
}

#[test]
fn the_events_of_python_are_up_to_date() {
    hold("sdk-python/python/extline/events.py", &python(&events(), &fields()));
    let names = events();
    let names = |which: fn(&&Told) -> bool| {
        let names = names.iter().filter(which).map(|event| format!("    \"{}\",\n", event.name));
        names.collect::<String>()
    };
    let made = format!(
        "\"\"\"The names of events, for checkers: nothing imports this when it runs.\n\n{WRITTEN}\n\"\"\"\n\n\
         from __future__ import annotations\n\n\
         from typing import Literal\n\n\
         from typing_extensions import TypeAlias\n\n\
         #: The names of events that hosts are known to have.\n\
         EventName: TypeAlias = Literal[\n{}]\n\
         #: Those that are about a tool.\n\
         ToolEventName: TypeAlias = Literal[\n{}]\n",
        names(|_| true),
        names(|event| event.is_about_tool()),
    );
    hold("sdk-python/python/extline/_event_names.py", &made);
}

#[test]
fn the_events_of_typescript_are_up_to_date() {
    hold("sdk-node/ts/events.ts", &typescript(&events(), &fields()));
}

#[test]
fn the_kinds_of_failure_of_typescript_are_up_to_date() {
    let kinds: Vec<_> = ErrorKind::KNOWN.iter().map(|kind| format!("  \"{kind}\",\n")).collect();
    let kinds = kinds.concat();
    let made = format!(
        "/**\n * The kinds of failure, of every error on the wire.\n *\n * Written from protocol/src by `make generate`, never by hand.\n */\n\n\
         export const KINDS = [\n{kinds}] as const;\n\n\
         /** Kinds of failure (`tool.error`). */\n\
         export type ErrorKind = (typeof KINDS)[number];\n"
    );
    hold("sdk-node/ts/error-kinds.ts", &made);
}

fn events() -> Vec<Told> {
    let specification = read("docs/protocol/specification.md");
    let told = rows(&specification, "| event | since | fields").into_iter().map(|row| {
        let [name, _, fields, when] = row[..] else { panic!("{row:?}") };
        let (name, kind) = (name.trim_matches('`').to_owned(), String::new());
        let fields = quoted(fields).map(str::to_owned).collect();
        Told { name, about: format!("{when}."), kind, fields }
    });
    told.collect()
}

fn fields() -> Vec<Told> {
    let specification = read("docs/protocol/specification.md");
    let (_, section) = specification.split_once("**`event`, host to extension.**").unwrap();
    let told = rows(section, "| field | type |").into_iter().map(|row| {
        let [name, kind, _, _, _, meaning] = row[..] else { panic!("{row:?}") };
        let (name, kind) = (name.trim_matches('`').to_owned(), kind.to_owned());
        let about = format!("{}.", capital(&without_brackets(meaning)));
        Told { name, about, kind, fields: Vec::new() }
    });
    told.filter(|field| field.name != "event").collect()
}

fn field<'a>(fields: &'a [Told], name: &str) -> &'a Told {
    fields.iter().find(|field| field.name == name).unwrap_or_else(|| panic!("no field {name}"))
}

fn python(events: &[Told], fields: &[Told]) -> String {
    let mut text = format!(
        "\"\"\"What an agent tells of, a class for each event, to annotate handlers with.\n\n    \
             from extline import events\n\n    \
             @ext.on(\"turn_end\")\n    \
             def ended(event: events.TurnEnd) -> None:\n        \
                 ext.log(f\"the turn ended: {{event.stop}}\")\n\n\
         Each has the fields of its event as attributes; one that the host does not say is None. A host that\n\
         is older than an event never sends it.\n\n{WRITTEN}\n\"\"\"\n\n\
         from __future__ import annotations\n\n\
         from ._event import Event\n\n\
         TYPE_CHECKING = False\n\
         if TYPE_CHECKING:\n    from typing import Any\n\n\n\
         class _Told(Event):\n    __slots__ = ()\n\n"
    );
    for name in EVERY {
        writeln!(text, "    {name}: {} | None", python_type(field(fields, name))).unwrap();
    }
    for event in events {
        let (name, class, about) = (&event.name, pascal(&event.name), restructured(&event.about));
        let also = ALSO.iter().find(|(one, _)| one == name).map(|(_, other)| other);
        let also = also.and_then(|other| events.iter().find(|event| event.name == *other));
        let base = also.map_or_else(|| "_Told".to_owned(), |also| pascal(&also.name));
        write!(
            text,
            "\n\nclass {class}({base}):\n    \"\"\"``{name}``: {about}\"\"\"\n\n    __slots__ = ()\n"
        )
        .unwrap();
        let own =
            event.fields.iter().filter(|name| also.is_none_or(|it| !it.fields.contains(name)));
        for (at, name) in own.enumerate() {
            let of = field(fields, name);
            let (gap, about) = (if at == 0 { "\n" } else { "" }, restructured(&of.about));
            let kind = python_type(of);
            write!(text, "{gap}    {name}: {kind} | None\n    \"\"\"{about}\"\"\"\n").unwrap();
        }
    }
    let classes: Vec<_> = events.iter().map(|event| (&event.name, pascal(&event.name))).collect();
    let known = classes.iter().map(|(name, class)| format!("    \"{name}\": {class},\n"));
    let known: String = known.collect();
    let all: Vec<_> = classes.iter().map(|(_, class)| format!("    \"{class}\",\n")).collect();
    let all = all.concat();
    write!(text, "\n\nEVENTS: dict[str, type[Event]] = {{\n{known}}}\n\n__all__ = [\n{all}]\n")
        .unwrap();
    text
}

fn python_type(field: &Told) -> &'static str {
    match &*field.kind {
        "integer" => "int",
        "string" => "str",
        "boolean" | "flag" => "bool",
        "raw" | "object" => "dict[str, Any]",
        "array of object" => "list[dict[str, Any]]",
        "array of string" => "list[str]",
        other => panic!("{} is a {other}", field.name),
    }
}

/// With two back quotes around code, as docstrings have it.
fn restructured(text: &str) -> String {
    text.replace('`', "``")
}

fn typescript(events: &[Told], fields: &[Told]) -> String {
    let mut text = format!(
        "/**\n * What an agent tells of.\n *\n * {WRITTEN}\n */\n\n\
         import type {{ EventMessage, Todo }} from \"./moment.js\";\n\n\
         /** What an event may carry; which of it stands depends on the event. */\n\
         export interface EventPayload {{\n"
    );
    for field in fields {
        let (name, kind) = (camel(&field.name), typescript_type(field));
        writeln!(text, "  /** {} */\n  readonly {name}?: {kind};", field.about).unwrap();
    }
    let every = EVERY.map(|name| format!("\"{}\"", camel(name))).join(" | ");
    write!(
        text,
        "}}\n\n/** An event by its name, with the members that it carries. */\n\
         export type Told<Name extends string, Members extends keyof EventPayload = never> = {{\n  \
           readonly event: Name;\n}} & Pick<EventPayload, Members | {every}>;\n\n\
         /** What the handler of each event gets. */\n\
         export interface Events {{\n"
    )
    .unwrap();
    for event in events {
        let mut members: Vec<_> = event.fields.iter().map(|name| camel(name)).collect();
        // Any call of a tool may have another extension as its reason.
        members.extend(event.is_about_tool().then(|| camel("origin_extension")));
        let members: Vec<_> = members.iter().map(|name| format!("\"{name}\"")).collect();
        let members = match &*members.join(" | ") {
            "" => String::new(),
            members => format!(", {members}"),
        };
        let (name, about) = (&event.name, capital(&in_camel_case(&event.about)));
        writeln!(text, "  /** {about} */\n  {name}: Told<\"{name}\"{members}>;").unwrap();
    }
    let names = |which: fn(&&Told) -> bool, between: &str| {
        let names: Vec<_> =
            events.iter().filter(which).map(|event| format!("\"{}\"", event.name)).collect();
        names.join(between)
    };
    write!(
        text,
        "}}\n\n/** The name of an event. */\nexport type EventName = keyof Events;\n\n\
         /** The name of an event that is about a tool. */\n\
         export type ToolEventName = {};\n\n\
         /** The events that there are. */\nexport const EVENTS: readonly string[] = [\n  {},\n];\n",
        names(|event| event.is_about_tool(), " | "),
        names(|_| true, ",\n  "),
    )
    .unwrap();
    text
}

/// With the fields that it names, between back quotes, as JavaScript has them.
fn in_camel_case(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(at, part)| if at % 2 == 1 { camel(part) } else { part.to_owned() });
    parts.collect::<Vec<_>>().join("`")
}

fn typescript_type(field: &Told) -> &'static str {
    match &*field.kind {
        "integer" => "number",
        "string" => "string",
        "boolean" | "flag" => "boolean",
        "raw" if field.name == "config" => "Readonly<Record<string, unknown>>",
        "raw" => "unknown",
        "object" if field.name == "message" => "EventMessage",
        "object" => {
            "{ readonly content: readonly unknown[]; readonly is_error?: boolean; readonly truncated?: boolean }"
        }
        "array of object" if field.name == "todos" => "readonly Todo[]",
        "array of object" => "readonly EventMessage[]",
        "array of string" => "readonly string[]",
        other => panic!("{} is a {other}", field.name),
    }
}
