//! What is wrong and what to do about it, as the author of a tool says it.

use super::schema_facts::{Spots, cut};
use super::{Check, Place};

/// What a tool is written in, as its SDK says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// The Python SDK.
    Python,
    /// The TypeScript SDK, also from JavaScript.
    Node,
    /// The Rust SDK.
    Rust,
    /// The C library, and no SDK: schemas are written by hand.
    #[default]
    Other,
}

impl Language {
    /// By `hello.sdk.language`.
    pub fn of_sdk(language: &str) -> Self {
        match language {
            "python" => Self::Python,
            "node" => Self::Node,
            "rust" => Self::Rust,
            _ => Self::Other,
        }
    }
}

pub(super) fn what_is_wrong(check: Check, place: Option<Place>, spots: &Spots) -> String {
    let detail = spots.detail.as_deref().unwrap_or_default();
    let at = || places(place, spots);
    match check {
        Check::Rejected | Check::RootType | Check::ResultSchema => detail.to_owned(),
        Check::RootChoices => format!("its schema has {detail} at its root"),
        Check::OutputSchema => "the root of its output schema is no plain object".to_owned(),
        Check::NameLength | Check::PluginName => {
            "its name is long, with the server's before it".to_owned()
        }
        Check::NameCharacters => format!("its name has {}", odd_characters(detail)),
        Check::NameClash => format!("its name is too near to that of `{detail}`"),
        Check::ServerName => format!(
            "the server's name {detail:?} has other characters than letters, digits, _ and -"
        ),
        Check::ArrayItems => format!("{}: a list of which nothing says what is in it", at()),
        Check::PropertyName => format!("{}: not a name that a model's provider takes", at()),
        Check::DanglingReference => format!("{}: {detail}", at()),
        Check::RecursiveReference => format!("{}: the schema leads back to itself", at()),
        Check::Reference => {
            format!("{}: a reference (`$ref`) {detail}", at()).trim_end().to_owned()
        }
        Check::Choices => format!("{}: has {detail}", at()),
        Check::TypeList => format!("{}: has several types in one list", at()),
        Check::SchemaSize => "its schema is large".to_owned(),
        Check::Description => "it has no description".to_owned(),
        Check::ParameterDescription => format!("{}: no description", at()),
        Check::DescriptionLength => "its description is long".to_owned(),
        Check::ToolCount => "there are many tools".to_owned(),
        Check::ListTokens => "the tools cost many tokens in every request".to_owned(),
        Check::ResultBeside => format!("its result has {detail} beside its value"),
        Check::ResultSize => "its result is large".to_owned(),
    }
}

pub(super) fn what_to_do(
    check: Check,
    place: Option<Place>,
    spots: &Spots,
    language: Language,
) -> String {
    use Language::{Node, Other, Python, Rust};
    let fix = match (check, language) {
        (Check::Rejected, _) => "correct that: no host offers it so",
        (Check::RootType, _) => "make its arguments members of one object, as {\"value\": ...}",
        (Check::RootChoices, Python) => {
            "make what may differ one parameter, or one tool for each alternative"
        }
        (Check::RootChoices, _) => "put the alternatives into one member, or make one tool of each",
        (Check::OutputSchema, Python) => "return a dataclass, a TypedDict or a dict",
        (Check::OutputSchema, _) => "return an object: put the value into a member of it",
        (Check::NameLength | Check::PluginName, Python) => {
            "give it a shorter name, @ext.tool(name=\"...\"), or the server in the client's configuration"
        }
        (Check::NameLength | Check::PluginName, _) => {
            "give it a shorter name, or the server in the client's configuration"
        }
        (Check::NameCharacters, Python) => "use letters, digits and `_`: @ext.tool(name=\"...\")",
        (Check::NameCharacters, _) => "use letters, digits and `_`",
        (Check::NameClash, _) => "rename one of the two so that they begin or end otherwise",
        (Check::ServerName, _) => {
            "give it another name in the client's configuration (--name tries one)"
        }
        (Check::ArrayItems, Python) => "say what it holds: list[str], or list for anything",
        (Check::ArrayItems, Node) => "say what it holds: z.array(z.string()), and no z.tuple",
        (Check::ArrayItems, Rust) => "use a Vec<T>, not a tuple",
        (Check::ArrayItems, Other) => {
            "write \"items\": {} beside \"type\": \"array\", or what they are"
        }
        (Check::PropertyName, Python) => "rename the parameter: 1 to 64 of A-Z a-z 0-9 _",
        (Check::PropertyName, _) => "rename it: 1 to 64 of A-Z a-z 0-9 _ . -",
        (Check::DanglingReference, _) => {
            "copy what it should lead to into $defs of the same schema"
        }
        (Check::RecursiveReference, _) if place == Some(Place::Output) => {
            "unroll it as deep as results go, or leave the output schema out"
        }
        (Check::RecursiveReference, _) => "unroll it as deep as arguments go",
        (Check::Reference, _) if spots.detail.is_some() => "unroll it as deep as arguments go",
        (Check::Reference, Rust) => "inline it: #[schemars(inline)] on the type",
        (Check::Reference, _) => "write what it leads to in its place",
        (Check::Choices, _) => "use anyOf, an enum, or one parameter for each alternative",
        (Check::TypeList, Rust) => {
            "write #[serde(default)] on a plain type, as String, in place of an Option"
        }
        (Check::TypeList, Other) => {
            "write {\"anyOf\": [{\"type\": ..}, ..]}, or make it optional and leave null out"
        }
        (Check::TypeList, _) => "make it optional and leave null out, or use alternatives (anyOf)",
        (Check::SchemaSize, _) => "shorten descriptions and enums, or make two tools of it",
        (Check::Description, Python) => "write a docstring",
        (Check::Description, Rust) => "write a doc comment or .description(\"...\")",
        (Check::Description, _) => "describe in a sentence what it does and when to use it",
        (Check::ParameterDescription, Python) => {
            "describe it in the docstring (`city: City name`), or Annotated[str, \"City name\"]"
        }
        (Check::ParameterDescription, Node) => "describe it: z.string().describe(\"City name\")",
        (Check::ParameterDescription, Rust) => "write a doc comment above the field",
        (Check::ParameterDescription, Other) => "write \"description\" beside its type",
        (Check::DescriptionLength, _) => {
            "put what matters first, and the rest into results or a second tool"
        }
        (Check::ToolCount, _) => {
            "let users choose: several servers, or fewer tools with a parameter more"
        }
        (Check::ListTokens, _) => {
            "shorten descriptions and schemas of the dearest tools, or offer fewer"
        }
        (Check::ResultSchema, Python) => "return what the return annotation says",
        (Check::ResultSchema, _) => {
            "return a value that matches the output schema, or leave that out"
        }
        (Check::ResultBeside, Python) => {
            "leave the return annotation out, or return the value alone"
        }
        (Check::ResultBeside, _) => "leave the output schema out, or return the value alone",
        (Check::ResultSize, _) => {
            "return less, or a part with a parameter for the next (page, offset)"
        }
    };
    fix.to_owned()
}

/// The characters of a name that are no letters, digits or `_`.
fn odd_characters(name: &str) -> String {
    let mut odd: Vec<char> =
        name.chars().filter(|it| !it.is_ascii_alphanumeric() && *it != '_').collect();
    odd.sort_unstable();
    odd.dedup();
    odd.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ")
}

/// The first places, as an author calls them.
fn places(place: Option<Place>, spots: &Spots) -> String {
    let names: Vec<_> = spots.pointers.iter().map(|it| member(it)).collect();
    let all_of_it = names.iter().all(String::is_empty);
    let names = names.iter().map(|it| format!("`{}`", cut(it))).collect::<Vec<_>>().join(", ");
    let names = match spots.count.saturating_sub(spots.pointers.len()) {
        0 => names,
        more => format!("{names} and {more} more"),
    };
    match place {
        Some(Place::Output) if all_of_it => "its result".to_owned(),
        Some(Place::Output) => format!("{names} of its result"),
        _ if all_of_it => "its arguments".to_owned(),
        _ if spots.pointers.len() > 1 => format!("the parameters {names}"),
        _ => format!("the parameter {names}"),
    }
}

/// A pointer into a schema as the member of a value that it describes: `address.lines[]`.
fn member(pointer: &str) -> String {
    let mut name = String::new();
    let mut tokens = pointer.split('/').skip(1);
    while let Some(token) = tokens.next() {
        match token {
            "properties" | "patternProperties" | "$defs" | "definitions" => {
                let Some(member) = tokens.next() else { break };
                if !name.is_empty() {
                    name.push('.');
                }
                name.push_str(&member.replace("~1", "/").replace("~0", "~"));
            }
            "items" | "prefixItems" => name.push_str("[]"),
            "additionalProperties" => name.push_str(".*"),
            _ => {}
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_told_as_the_author_s_member() {
        assert_eq!(member("/properties/address/properties/lines/items"), "address.lines[]");
        assert_eq!(member("/anyOf/0/properties/a~1b"), "a/b");
        assert_eq!(member("/$defs/Node/properties/next/anyOf/0"), "Node.next");
        assert_eq!(member(""), "");
    }

    #[test]
    fn places_are_counted_beyond_the_first() {
        let pointers =
            ["/properties/a", "/properties/b", "/properties/c"].map(str::to_owned).to_vec();
        let spots = Spots { pointers, count: 5, detail: None };
        let what = what_is_wrong(Check::ParameterDescription, Some(Place::Input), &spots);
        assert_eq!(what, "the parameters `a`, `b`, `c` and 2 more: no description");
    }
}
