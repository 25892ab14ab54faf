//! What may stand in an `extension.json`: one table, from which the check of a file, the JSON Schema for editors and the
//! hints for misspelt members come.

use extline_protocol::check_extension_name;
use extline_services::secret::check_name as check_variable;
use semver::VersionReq;
use serde_json::{Map, Value};

/// What a value looks like.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// Any string.
    Text,
    /// A string that keeps to a rule.
    Ruled(Rule),
    /// A string of these.
    Choice(&'static [&'static str]),
    Flag,
    /// An integer of at least 1, or a string, as some hosts write it.
    Number,
    List(&'static Self),
    /// An object with these members; others are told of.
    Object(&'static [Member]),
    /// The same, or a string, which stands for an object with its first member.
    Short(&'static [Member]),
    /// All of it, none of it, or these.
    All(&'static Self),
    /// An object whose members have names of their own.
    Map,
    /// A JSON Schema of an object.
    Schema,
    Any,
}

/// A member of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) is_required: bool,
    /// What it says, for an editor.
    pub(super) doc: &'static str,
}

/// A rule for a string.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// The name of an extension.
    Name,
    /// Names that are given by the host: of an environment variable or of a secret.
    Variable(&'static str),
    /// Versions, as `>=0.2`.
    Versions,
    Sha256,
    /// Anything but nothing.
    Filled,
}

impl Rule {
    /// Why a string does not keep to it, and what to do.
    pub(super) fn check(self, text: &str) -> Result<(), (String, String)> {
        match self {
            Self::Name if text.is_empty() => {
                Err(("required, and missing or empty".to_owned(), NAME_REMEDY.to_owned()))
            }
            Self::Name => check_extension_name(text)
                .map_err(|why| (format!("{text:?} is no name: {why}"), NAME_REMEDY.to_owned())),
            Self::Variable(what) => check_variable(text).map_err(|_| {
                let remedy = "write the name alone, as \"API_KEY\"; the value comes from the host";
                (format!("{text:?} is no name of {what}"), remedy.to_owned())
            }),
            Self::Versions => VersionReq::parse(text).map(drop).map_err(|error| {
                let remedy = "write the versions that it runs with, as \">=0.2\" or \"^0.2\"";
                (format!("{text:?} names no versions: {error}"), remedy.to_owned())
            }),
            Self::Sha256 => {
                let digits = text.strip_prefix("sha256:").unwrap_or(text);
                if digits.len() == 64 && digits.bytes().all(|it| it.is_ascii_hexdigit()) {
                    return Ok(());
                }
                let remedy = "write the 64 digits that `sha256sum FILE` prints";
                Err((format!("{text:?} is no SHA-256"), remedy.to_owned()))
            }
            Self::Filled if text.trim().is_empty() => {
                Err(("it is empty".to_owned(), "take it out, or write what it is".to_owned()))
            }
            Self::Filled => Ok(()),
        }
    }

    /// The rule as a regular expression, where one can say it.
    pub(super) fn pattern(self) -> &'static str {
        match self {
            Self::Name => r"^[^./\\][^/\\]*$",
            Self::Variable(_) => "^[^=]+$",
            Self::Versions => r"^\s*(\*|[<>=~^]*\s*[0-9])",
            Self::Sha256 => "^(sha256:)?[0-9a-fA-F]{64}$",
            Self::Filled => r"\S",
        }
    }
}

pub(super) const NAME_REMEDY: &str =
    "write \"name\": \"my-extension\" (letters, digits, `-` and `_` are always fine)";

const fn member(name: &'static str, shape: Shape, doc: &'static str) -> Member {
    Member { name, shape, is_required: false, doc }
}

const fn required(name: &'static str, shape: Shape, doc: &'static str) -> Member {
    Member { name, shape, is_required: true, doc }
}

const TEXTS: Shape = Shape::List(&Shape::Text);
const FILLED: Shape = Shape::List(&Shape::Ruled(Rule::Filled));
const OBJECTS: Shape = Shape::List(&Shape::Map);

/// The members of an `extension.json`, in the order of docs/host/manifest.md.
pub(super) const MEMBERS: &[Member] = &[
    required(
        "name",
        Shape::Ruled(Rule::Name),
        "What the extension is called, everywhere; the same as in its hello",
    ),
    member("version", Shape::Text, "The version of the extension, for people"),
    member(
        "exec",
        Shape::Text,
        "The program: absolute, relative to the folder where it holds a separator, else looked up in PATH. One program \
         and no command line",
    ),
    member("args", TEXTS, "The arguments of the program, each one as it is: no shell reads them"),
    member("language", Shape::Text, "The language it is written in"),
    member("description", Shape::Text, "What the extension does, in a line"),
    member("enabled", Shape::Flag, "false: a host does not start it"),
    member(
        "guards",
        TEXTS,
        "The points at which it guards, [\"tool_call\"]: nothing passes there while the guard cannot be asked",
    ),
    member("permissions", Shape::Object(PERMISSIONS), "What the extension asks of the host"),
    member(
        "config_schema",
        Shape::Schema,
        "What it wants to be configured with: a JSON Schema of an object",
    ),
    member("skills", Shape::Any, "Skills it brings, for hosts that know them"),
    member(
        "samples",
        Shape::Map,
        "By the name of a tool, arguments with which the tester may call it",
    ),
    member("schema_version", Shape::Number, "The version of this format that it was written for"),
    member("capabilities", FILLED, "What it offers, for people and for indexes"),
    member("providers", Shape::List(&Shape::Object(PROVIDER)), "What it provides to a host"),
    member("host", Shape::Short(HOST), "What runs it"),
    member("requires", Shape::Object(REQUIRES), "What it does not run without"),
    member("distribution", Shape::Short(DISTRIBUTION), "Where it comes from"),
    member("audit", Shape::Short(AUDIT), "Whether somebody has looked at it"),
    member("tools", OBJECTS, "Its tools as they were registered the last time, for lists"),
    member("prompts", OBJECTS, "Its prompts, for lists"),
    member("resources", OBJECTS, "Its resources, for lists"),
    member("author", Shape::Any, "Who wrote it, for packages"),
    member("homepage", Shape::Any, "Where it is described, for packages"),
    member("repository", Shape::Any, "Where its source is, for packages"),
    member("license", Shape::Any, "The licence that it is given under, for packages"),
    member("keywords", Shape::Any, "Words by which it is found, for packages"),
];

/// The names of the members, in the order of docs/host/manifest.md.
pub fn manifest_members() -> impl Iterator<Item = &'static str> {
    MEMBERS.iter().map(|member| member.name)
}

/// Takes out the members that are `null`, which counts as absent, where the table knows the object.
pub(super) fn without_nulls(members: &mut Map<String, Value>, known: &[Member]) {
    members.retain(|_, value| !value.is_null());
    for member in known {
        if let Some(value) = members.get_mut(member.name) {
            without_nulls_in(value, member.shape);
        }
    }
}

fn without_nulls_in(value: &mut Value, shape: Shape) {
    match (shape, value) {
        (Shape::Object(known) | Shape::Short(known), Value::Object(members)) => {
            without_nulls(members, known);
        }
        (Shape::List(element), Value::Array(elements)) => {
            for value in elements {
                without_nulls_in(value, *element);
            }
        }
        _ => {}
    }
}

const PERMISSIONS: &[Member] = &[
    member(
        "env",
        Shape::List(&Shape::Ruled(Rule::Variable("an environment variable"))),
        "Environment variables that it gets where the host has them",
    ),
    member(
        "secrets",
        Shape::List(&Shape::Ruled(Rule::Variable("a secret"))),
        "Secrets that it asks the host for",
    ),
    member(
        "fs",
        Shape::Object(FILES),
        "Files that it reads and writes; it is held to them on Linux",
    ),
    member("net", Shape::All(&FILLED), "Machines that it talks to; it is held to false"),
    member("exec", Shape::All(&FILLED), "Programs that it runs; it is held to them on Linux"),
];

const FILES: &[Member] = &[
    member("read", FILLED, "Files and folders that it reads, beside what it needs to run"),
    member("write", FILLED, "Files and folders that it writes, beside its data folder"),
];

const PROVIDER: &[Member] = &[
    required(
        "type",
        Shape::Choice(&["model", "memory", "tool_executor", "storage"]),
        "What is provided",
    ),
    required("name", Shape::Ruled(Rule::Filled), "What it is called"),
];

const HOST: &[Member] = &[member(
    "type",
    Shape::Choice(&["process", "wasm", "mcp", "external"]),
    "process: a program that speaks this protocol",
)];

const REQUIRES: &[Member] = &[
    member("extline", Shape::Ruled(Rule::Versions), "Versions of extline that it runs with: >=0.2"),
    member("methods", FILLED, "Methods that the host has to serve"),
    member("capabilities", FILLED, "Capabilities that the host has to have"),
];

const DISTRIBUTION: &[Member] = &[
    member(
        "source",
        Shape::Choice(&["local", "git", "github", "registry", "archive"]),
        "The kind of place",
    ),
    member("url", Shape::Ruled(Rule::Filled), "The place"),
    member("sha256", Shape::Ruled(Rule::Sha256), "The SHA-256 of the archive"),
];

const AUDIT: &[Member] = &[member(
    "status",
    Shape::Choice(&["pending", "passed", "warn", "blocked", "unknown"]),
    "What came of it",
)];
