//! The tables that docs/*/events-and-guards.md share, with the names and types of each language.

use std::fmt::Write as _;

use extline_protocol::frame::{EventMessage, EventPayload, EventResult, Todo};
use extline_protocol::{Profile, RawJson};

use crate::hold;
use crate::specification::{camel, pascal, quoted, read, rows, without_brackets};

/// The tools of zot 0.1.62, with their arguments (internal/agent/tools in its source).
const ZOT_TOOLS: [(&str, &str); 4] = [
    ("bash", "`command`; `timeout`, in seconds, where the model gives one"),
    ("read", "`path`; `offset` and `limit`, in lines, where the model gives them"),
    ("write", "`path`, `content`"),
    ("edit", "`path`; `edits`, an array of objects with `oldText` and `newText`"),
];

/// How a language says what an event has.
struct Language {
    folder: &'static str,
    /// Its name for a field of the wire.
    field: fn(&str) -> String,
    /// Its types of an integer, a text, a truth value, any JSON value, a result, a message, several of them,
    /// texts and what is to be done.
    types: [&'static str; 9],
    /// Its class of an event, in a column of its own.
    class: Option<fn(&str) -> String>,
}

const LANGUAGES: [Language; 4] = [
    Language {
        folder: "python",
        field: str::to_owned,
        types: [
            "`int`",
            "`str`",
            "`bool`",
            "`dict[str, Any]`",
            "`dict[str, Any]`",
            "`dict[str, Any]`",
            "`list[dict[str, Any]]`",
            "`list[str]`",
            "`list[dict[str, Any]]`",
        ],
        class: Some(|event| format!("events.{}", pascal(event))),
    },
    Language {
        folder: "typescript",
        field: camel,
        types: [
            "`number`",
            "`string`",
            "`boolean`",
            "`unknown`",
            "`{ content: readonly unknown[]; is_error?: boolean; truncated?: boolean }`",
            "`EventMessage`",
            "`readonly EventMessage[]`",
            "`readonly string[]`",
            "`readonly Todo[]`",
        ],
        class: None,
    },
    Language {
        folder: "rust",
        field: str::to_owned,
        types: [
            "`u64`",
            "`String`",
            "`bool`",
            "`RawJson`",
            "`EventResult`",
            "`EventMessage`",
            "`Vec<EventMessage>`",
            "`Vec<String>`",
            "`Vec<Todo>`",
        ],
        class: None,
    },
    Language {
        folder: "c",
        field: |name| format!("/{name}"),
        types: [
            "`extline_json_int`",
            "`extline_json_string`",
            "`extline_json_bool`",
            "`extline_json_text`",
            "`extline_json_text`",
            "`extline_json_text`",
            "`extline_json_text`",
            "`extline_json_text`",
            "`extline_json_text`",
        ],
        class: None,
    },
];

#[test]
fn the_tables_of_the_pages_are_what_the_specification_says() {
    let specification = read("docs/protocol/specification.md");
    for language in LANGUAGES {
        let path = format!("docs/{}/events-and-guards.md", language.folder);
        let mut made = read(&path);
        for (name, table) in [
            ("events", events(&specification, &language)),
            ("fields", fields(&specification, &language)),
            ("hosts", hosts()),
            ("keys", keys(&specification)),
            ("tools", tools()),
        ] {
            made = with(&made, name, &table);
        }
        hold(&path, &made);
    }
}

/// The fields of `EventPayload` with their types. It does not compile where a field has another
/// type, or where one is missing here. Those behind the first `;` are no `Option`, those behind the second one are functions.
macro_rules! payload_fields {
    ($($field:ident: $kind:ty,)*; $($flag:ident: bool,)*; $($detail:ident: $of:ty,)*) => {{
        $(let _: fn(&EventPayload) -> Option<$of> = EventPayload::$detail;)*
        let _ = |EventPayload { $($field,)* $($flag,)* details: _ }: EventPayload| {
            $(let _: Option<$kind> = $field;)*
            $(let _: bool = $flag;)*
        };
        [
            $((stringify!($field), stringify!($kind)),)*
            $((stringify!($flag), "bool"),)*
            $((stringify!($detail), stringify!($of)),)*
        ]
    }};
}

#[test]
fn the_fields_on_the_page_of_rust_are_those_of_the_crate() {
    let fields = payload_fields! {
        step: u64,
        stop: String,
        error: String,
        tool_id: String,
        tool_name: String,
        tool_args: RawJson,
        text: String,
        session_id: String,
        cwd: String,
        sequence: u64,
        status: String,
        reason: String,
        source: String,
        decision: String,
        stage: String,
        result: EventResult,
        executed: bool,
        tool_args_raw: String,
        tool_preview: String,
        message_count: u64,
        token_estimate: u64,
        compaction_id: String,
        agent_id: String,
        agent_run_id: String,
        name: String,
        image_count: u64,
        origin_extension: String,
        config: RawJson,
        previous_session: String,
        old_leaf: String,
        new_leaf: String,
        provider: String,
        model: String,
        ;
        queued: bool,
        ;
        message: EventMessage,
        messages: Vec<EventMessage>,
        tool_results: Vec<EventMessage>,
        trigger: String,
        action: String,
        attempt: u64,
        max_attempts: u64,
        delay_ms: u64,
        will_retry: bool,
        rules: Vec<String>,
        todos: Vec<Todo>,
    };
    let page = read("docs/rust/events-and-guards.md");
    let rows = rows(&page, "| field | type | from |");
    let shown: Vec<_> =
        rows.iter().map(|row| (row[0].trim_matches('`'), row[1].trim_matches('`'))).collect();
    let sorted = |mut fields: Vec<_>| {
        fields.sort_unstable();
        fields
    };
    assert_eq!(sorted(shown), sorted(fields.to_vec()));
}

fn events(specification: &str, language: &Language) -> String {
    let (class, line) = language.class.map_or(("", ""), |_| (" class |", "---|"));
    let mut table =
        format!("| event |{class} from | fields | it happens when |\n|---|{line}---|---|---|\n");
    for row in rows(specification, "| event | since | fields") {
        let [event, since, fields, when] = row[..] else { panic!("{row:?}") };
        let event = event.trim_matches('`');
        let class =
            language.class.map(|class| format!(" `{}` |", class(event))).unwrap_or_default();
        let fields: Vec<String> =
            quoted(fields).map(|field| format!("`{}`", (language.field)(field))).collect();
        let fields = if fields.is_empty() { "-".to_owned() } else { fields.join(", ") };
        writeln!(table, "| `{event}` |{class} {} | {fields} | {when} |", from(since)).unwrap();
    }
    table
}

fn fields(specification: &str, language: &Language) -> String {
    let (_, section) = specification.split_once("**`event`, host to extension.**").unwrap();
    let mut table = "| field | type | from | what it says |\n|---|---|---|---|\n".to_owned();
    for row in rows(section, "| field | type |") {
        let [name, kind, _, _, since, meaning] = row[..] else { panic!("{row:?}") };
        let name = name.trim_matches('`');
        let [integer, text, truth, any, result, message, messages, texts, todos] = language.types;
        let kind = match kind {
            "integer" => integer,
            "string" => text,
            "boolean" | "flag" => truth,
            "raw" => any,
            "object" if name == "result" => result,
            "object" => message,
            "array of object" if name == "todos" => todos,
            "array of object" => messages,
            "array of string" => texts,
            other => panic!("{name} is a {other}"),
        };
        // What happened, by which the handler was found.
        if name != "event" {
            let (field, from) = ((language.field)(name), from(since));
            let meaning = without_brackets(meaning);
            writeln!(table, "| `{field}` | {kind} | {from} | {meaning} |").unwrap();
        }
    }
    table
}

/// Which hosts send what came with that vocabulary.
fn from(since: &str) -> &'static str {
    match since {
        "base" => "every host",
        "upstream" => "all but zot 0.1.62",
        "`config`" => "a host that names `config`",
        "extline" => "built with extline",
        other => panic!("{other}"),
    }
}

fn hosts() -> String {
    let mut table =
        "| host | events | points | a guard is asked | handlers of several extensions | \
                     no answer in time |\n|---|---|---|---|---|---|\n"
            .to_owned();
    for name in Profile::NAMES {
        let profile = Profile::named(name).unwrap();
        let lacks = |point: &&str| !profile.vocabulary.has_point(point);
        let missing: Vec<_> = ["before_agent_start", "tool_result", "user_prompt_submit"]
            .into_iter()
            .filter(lacks)
            .map(|point| format!("`{point}`"))
            .collect();
        let points = match &*missing.join(", ") {
            "" => "all".to_owned(),
            missing => format!("all but {missing}"),
        };
        let cells = [
            if name == "spec" { "built with extline" } else { name },
            if profile.events_in_order { "in their order" } else { "in any order" },
            &*points,
            if profile.vocabulary.is_extline() {
                "after every interceptor"
            } else {
                "among the interceptors"
            },
            if profile.interceptors_in_order { "in the order of loading" } else { "in any order" },
            if profile.guards_fail_closed {
                "blocks, unless the author chose `allow`"
            } else {
                "lets it happen"
            },
        ];
        writeln!(table, "| {} |", cells.join(" | ")).unwrap();
    }
    table
}

fn keys(specification: &str) -> String {
    let (_, section) = specification.split_once("**`panel_key`, host to extension.**").unwrap();
    let rows = rows(section, "| field | type |");
    let key = rows.iter().find(|row| row[0] == "`key`").unwrap();
    format!("The names of keys are {}.\n", key.last().unwrap())
}

fn tools() -> String {
    let rows = ZOT_TOOLS.map(|(tool, arguments)| format!("| `{tool}` | {arguments} |\n"));
    format!("| tool | arguments |\n|---|---|\n{}", rows.concat())
}

/// The page with another text between the marks of that name.
fn with(page: &str, name: &str, text: &str) -> String {
    let (begin, end) =
        (format!("<!-- {name}: made by make generate -->\n"), format!("<!-- end of {name} -->"));
    let (head, rest) = page.split_once(&begin).unwrap_or_else(|| panic!("a page without {begin}"));
    let (_, tail) = rest.split_once(&end).unwrap_or_else(|| panic!("a page without {end}"));
    format!("{head}{begin}\n{text}\n{end}{tail}")
}
