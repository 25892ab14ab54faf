//! Edits of files that a seed draws: whatever is written around an entry, it goes in and out.

use fastrand::Rng;

use super::agents::{AGENTS, Agent, Syntax};
use super::edit::{insert, remove, replace};
use super::entry::Entry;

const FILES: u64 = 2000;

fn entry(dir: &str) -> Entry {
    let args = ["mcp", dir].map(str::to_owned).to_vec();
    Entry { name: "weather".to_owned(), command: "/bin/extline".to_owned(), args }
}

fn agent(id: &str) -> &'static Agent {
    AGENTS.iter().find(|agent| agent.id == id).unwrap()
}

/// Draws a piece of text.
struct Draw {
    rng: Rng,
    agent: &'static Agent,
    end: &'static str,
}

impl Draw {
    fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.rng.usize(..choices.len())]
    }

    /// Blanks, line ends and comments.
    fn gap(&mut self) -> String {
        let mut gap = String::new();
        for _ in 0..self.rng.usize(..4) {
            let is_lax = self.agent.syntax != Syntax::Json;
            gap += match self.rng.u8(..9) {
                0..3 => " ",
                3 => "\t",
                4 | 5 => self.end,
                6 if is_lax => "/* }, \" */",
                7 if is_lax => "// , \" {\n",
                _ => "",
            };
        }
        gap
    }

    fn object(&mut self, depth: usize, key: Option<&str>) -> String {
        let count = self.rng.usize(..4);
        let place = self.rng.usize(..=count);
        let mut members = Vec::new();
        for index in 0..count {
            if index == place
                && let Some(key) = key
            {
                members.push(self.member(key, true, depth));
            }
            members.push(self.member(&format!("m{index}"), false, depth));
        }
        let mut text = members.join(",");
        if self.agent.syntax == Syntax::Jsonc && !members.is_empty() && self.rng.bool() {
            text += ",";
        }
        text += &self.gap();
        format!("{{{text}}}")
    }

    fn member(&mut self, name: &str, is_table: bool, depth: usize) -> String {
        let value = if is_table || (depth > 0 && self.rng.bool()) {
            self.object(depth.saturating_sub(1), None)
        } else {
            self.one_of(&["1.50", "\"}, // \\\" é\"", "[ 1,\n {\"a\": []} ]", "null", "true"])
                .to_owned()
        };
        let gaps = [self.gap(), self.gap(), self.gap(), self.gap()];
        format!("{}\"{name}\"{}:{}{value}{}", gaps[0], gaps[1], gaps[2], gaps[3])
    }

    fn toml(&mut self) -> String {
        let mut text = String::new();
        for index in 0..self.rng.usize(..5) {
            let line = match self.rng.u8(..8) {
                0 => format!("[t{index}]\n"),
                1 => format!("[mcp_servers.s{index}]\ncommand = 'x' # c\n"),
                2 => format!("[[a{index}]]\n"),
                3 => format!("k{index} = [\n  [1],\n]\n"),
                4 => format!("k{index} = '''\n[mcp_servers.weather]\n'''\n"),
                5 => "# [mcp_servers.weather]\n".to_owned(),
                6 => "\n".to_owned(),
                _ => format!("  k{index} = 2026-01-02T03:04:05Z\n"),
            };
            text.push_str(&line);
        }
        let text = text.replace('\n', self.end);
        if self.rng.bool() { text } else { text.trim_end_matches(['\r', '\n']).to_owned() }
    }
}

fn assert_holds_all(edited: &str, text: &str) {
    // Blanks between braces that hold nothing else are written anew.
    let mut rest = edited.chars();
    let text = text.replace(char::is_whitespace, "");
    assert!(text.chars().all(|wanted| rest.any(|it| it == wanted)), "{text}\n---\n{edited}");
}

#[test]
fn an_entry_goes_in_and_out_of_any_file() {
    for seed in 0..FILES {
        let mut rng = Rng::with_seed(seed);
        let agent = agent(["claude", "gemini", "zed", "codex"][rng.usize(..4)]);
        let end = if rng.bool() { "\n" } else { "\r\n" };
        let mut draw = Draw { rng, agent, end };
        let text = match agent.syntax {
            Syntax::Toml => draw.toml(),
            _ => format!("{}{}{}", draw.gap(), draw.object(2, Some(agent.key)), draw.gap()),
        };
        let told = |problem: super::problem::Problem| panic!("{seed}: {problem:?}\n{text}");
        let added = insert(agent, &text, &entry("/a")).unwrap_or_else(told);
        assert_holds_all(&added, &text);
        let replaced = replace(agent, &added, &entry("/other")).unwrap_or_else(told);
        assert_eq!(replaced.replace("/other", "/a"), added, "{seed}");
        let removed = remove(agent, &added, "weather").unwrap_or_else(told);
        // Blanks in a table that was empty may go, and the empty table.
        let without = |text: &str| text.replace(char::is_whitespace, "");
        let empty = format!("\"{}\":{{}}", agent.key);
        if !without(&text).contains(&empty) {
            assert_eq!(without(&removed), without(&text), "{seed}\n{text}\n---\n{added}");
        }
    }
}
