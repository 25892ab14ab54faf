//! What is known of each client: `clients.toml`, parsed once.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Check;

/// What is wrong for a client, by what it does about it; the worst last.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// It works; better is possible.
    Hint,
    /// It works, and costs more than it should.
    Costly,
    /// The client, or extline for its sake, shows or calls it otherwise than it was written.
    Changed,
    /// The tool, all tools of the server, whole requests, or a part of a result are lost.
    Dropped,
}

impl Severity {
    /// As it stands in the data and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hint => "hint",
            Self::Costly => "costly",
            Self::Changed => "changed",
            Self::Dropped => "dropped",
        }
    }
}

/// How well something is known of a client.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// Its source or its documentation says so.
    Certain,
    /// Several people report it, or one with a reproduction.
    Likely,
    /// Reports contradict each other, or a newer version may do otherwise.
    Disputed,
}

impl Confidence {
    /// As it stands in the data and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Likely => "likely",
            Self::Disputed => "disputed",
        }
    }
}

/// Which of a tool's schemas.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// That of its arguments.
    Input,
    /// That of its structured result.
    Output,
}

/// A client of MCP.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Client {
    /// As it is written on a command line.
    pub id: String,
    /// As its makers write it.
    pub name: String,
    /// What its model calls a tool, with `{server}` and `{tool}` in it.
    pub tool_name: String,
    /// The characters of that name that stay, as ranges; any other becomes `_`.
    pub keeps: String,
    #[serde(default)]
    lower_case_server: bool,
    server_most: Option<usize>,
    /// The longest name, if it shortens names.
    pub most: Option<usize>,
    /// What it does to longer ones.
    pub shortens: Option<Shortening>,
    /// Where the name is known from.
    pub sources: Vec<String>,
    /// What it does about what.
    #[serde(rename = "rule")]
    pub rules: Vec<Rule>,
}

/// What is done to a name that is too long.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Shortening {
    /// Its end is cut off.
    Cut,
    /// Its middle is taken out.
    Middle,
    /// It is cut, and a hash makes it unique.
    Hash,
}

/// What a client does where a check finds something.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rule {
    /// The check.
    pub check: Check,
    /// It does nothing up to so much.
    pub most: Option<usize>,
    /// Only for one of the schemas.
    #[serde(rename = "in")]
    pub place: Option<Place>,
    /// The name that is measured, where that is not [`Client::tool_name`].
    pub name: Option<String>,
    /// The characters of a tool's name that pass, where these are not [`Client::keeps`].
    pub keeps: Option<String>,
    /// How bad that is.
    pub severity: Severity,
    /// How well it is known.
    pub confidence: Confidence,
    /// What it does, with the client as its subject; `{name}`, `{measured}` and `{most}` stand for values.
    pub what: String,
    /// Where it is known from: addresses.
    pub sources: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Document {
    client: Vec<Client>,
    every: Vec<Rule>,
}

static DOCUMENT: LazyLock<Document> = LazyLock::new(|| {
    // A test parses it, so that no program meets one that does not.
    toml::from_str(include_str!("clients.toml"))
        .unwrap_or_else(|error| panic!("clients.toml: {error}"))
});

/// All clients that something is known of.
pub fn clients() -> &'static [Client] {
    &DOCUMENT.client
}

/// What holds for every client.
pub fn every_client() -> &'static [Rule] {
    &DOCUMENT.every
}

impl Client {
    /// What it calls a tool, before it shortens that.
    pub(super) fn full_name(&self, server: &str, tool: &str) -> String {
        let server = self.server(server);
        self.kept(&fill(&self.tool_name, &server, tool))
    }

    /// What its model calls a tool of a server of that name; a hash is not foreseen.
    pub fn name_of(&self, server: &str, tool: &str) -> String {
        self.shortened(self.full_name(server, tool))
    }

    fn server(&self, server: &str) -> String {
        let kept = self.kept(server);
        let kept = if self.lower_case_server { kept.to_lowercase() } else { kept };
        kept.chars().take(self.server_most.unwrap_or(usize::MAX)).collect()
    }

    /// With `_` for each character that it does not keep.
    fn kept(&self, name: &str) -> String {
        name.chars().map(|it| if is_among(it, &self.keeps) { it } else { '_' }).collect()
    }

    fn shortened(&self, name: String) -> String {
        let Some(most) = self.most.filter(|most| name.chars().count() > *most) else { return name };
        let characters: Vec<char> = name.chars().collect();
        let (half, from_end) = (30.min(most / 2), characters.len() - 30.min(most / 2));
        match self.shortens {
            Some(Shortening::Middle) => {
                characters[..half].iter().chain(&['.'; 3]).chain(&characters[from_end..]).collect()
            }
            _ => characters[..most].iter().collect(),
        }
    }
}

/// Whether a character is among ranges like `A-Z` and single ones.
pub(super) fn is_among(character: char, ranges: &str) -> bool {
    let ranges: Vec<char> = ranges.chars().collect();
    let mut rest = ranges.as_slice();
    while let Some((&first, after)) = rest.split_first() {
        let (last, after) = match after {
            ['-', last, after @ ..] => (*last, after),
            _ => (first, after),
        };
        if (first..=last).contains(&character) {
            return true;
        }
        rest = after;
    }
    false
}

/// A pattern with both names in it.
pub(super) fn fill(pattern: &str, server: &str, tool: &str) -> String {
    pattern.replace("{server}", server).replace("{tool}", tool)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn client(id: &str) -> &'static Client {
        clients().iter().find(|client| client.id == id).unwrap()
    }

    #[test]
    fn the_file_is_whole() {
        let ids: BTreeSet<_> = clients().iter().map(|client| client.id.as_str()).collect();
        assert_eq!(ids.len(), clients().len());
        let rules = clients().iter().flat_map(|client| &client.rules);
        for rule in rules.clone().chain(every_client()) {
            assert!(!rule.sources.is_empty() && !rule.what.is_empty(), "{rule:?}");
            let is_address =
                |source: &String| source.starts_with("https://") || source.starts_with("docs/");
            assert!(rule.sources.iter().all(is_address), "{rule:?}");
            assert!(!rule.what.contains("{most}") || rule.most.is_some(), "{rule:?}");
        }
        for client in clients() {
            assert!(client.tool_name.contains("{tool}") && !client.sources.is_empty());
            assert_eq!(client.most.is_some(), client.shortens.is_some(), "{}", client.id);
        }
        // Every check has somebody who does something.
        for check in Check::ALL {
            assert!(
                rules.clone().chain(every_client()).any(|rule| rule.check == check),
                "{check:?}"
            );
        }
    }

    #[test]
    fn a_name_is_what_each_client_makes_of_it() {
        let name = |id: &str| client(id).name_of("My Weather Server", "get-forecast");
        assert_eq!(name("claude-code"), "mcp__My_Weather_Server__get-forecast");
        assert_eq!(name("codex"), "mcp__My_Weather_Server__get_forecast");
        assert_eq!(name("vscode"), "mcp_my_weather_se_get-forecast");
        assert_eq!(name("gemini"), "mcp_My_Weather_Server_get-forecast");
    }

    #[test]
    fn a_long_name_is_shortened_as_the_client_does() {
        let tool = format!("{}{}", "a".repeat(40), "b".repeat(24));
        let gemini = client("gemini").name_of("weather", &tool);
        assert_eq!(
            gemini,
            format!("mcp_weather_{}...{}{}", "a".repeat(18), "a".repeat(6), "b".repeat(24))
        );
        let vscode = client("vscode").name_of("weather", &tool);
        assert_eq!(vscode.len(), 64);
        assert!(vscode.starts_with("mcp_weather_aaa"), "{vscode}");
    }
}
