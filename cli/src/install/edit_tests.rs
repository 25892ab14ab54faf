//! Edits of files that a seed draws: whatever is written around an entry, it goes in and out.

use fastrand::Rng;

use super::edit::{insert, remove, replace};
use super::entry::Entry;
use super::hook::Hook;
use super::hook_edit::{Hooks, insert_hooks, remove_hooks};
use crate::agents::hooks::{Form, HookEvent, HookTable};
use crate::agents::{AGENTS, Agent, Syntax};

const FILES: u64 = 2000;
/// Hooks are many edits.
const FILES_OF_HOOKS: u64 = 300;

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
    syntax: Syntax,
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
            let is_lax = self.syntax != Syntax::Json;
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
        if self.syntax == Syntax::Jsonc && !members.is_empty() && self.rng.bool() {
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

    /// A file with hooks of others, or without.
    fn file_of_hooks(&mut self, table: &HookTable) -> String {
        let mut members = vec![self.member("m0", false, 1)];
        if self.rng.u8(..5) > 0 {
            let mut events = Vec::new();
            for event in ["Other", table.events[0].name] {
                if self.rng.bool() {
                    let list = self.hooks_of_others(table);
                    events.push(format!(
                        "{}\"{event}\"{}:{}{list}",
                        self.gap(),
                        self.gap(),
                        self.gap()
                    ));
                }
            }
            let events = self.listed(&events, ['{', '}']);
            members.push(format!("{}\"hooks\"{}:{events}", self.gap(), self.gap()));
        }
        if self.rng.bool() {
            members.push(self.member("m1", false, 1));
        }
        format!("{}{}{}", self.gap(), self.listed(&members, ['{', '}']), self.gap())
    }

    fn hooks_of_others(&mut self, table: &HookTable) -> String {
        let mut elements = Vec::new();
        for _ in 0..self.rng.usize(..3) {
            let command = self.one_of(&["x", "/x/extline mcp /a", "extline hook /a /b", "'/a"]);
            let hook = format!("{{\"{}\": \"{command}\"{}}}", table.members.command, self.gap());
            let gap = self.gap();
            elements.push(match table.form {
                Form::Flat | Form::Typed => format!("{gap}{hook}"),
                Form::Groups => {
                    let hooks = self.listed(&[hook], ['[', ']']);
                    format!("{gap}{{\"matcher\": \"a,]}}//\", \"hooks\":{hooks}}}")
                }
                Form::Module(_) => unreachable!("it has no lists"),
            });
        }
        self.listed(&elements, ['[', ']'])
    }

    fn listed(&mut self, items: &[String], brackets: [char; 2]) -> String {
        let comma = self.syntax == Syntax::Jsonc && !items.is_empty() && self.rng.bool();
        let end = if comma { "," } else { "" };
        let items = items.join(&format!("{},", self.gap()));
        format!("{}{items}{end}{}{}", brackets[0], self.gap(), brackets[1])
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
        let mut draw = Draw { rng, syntax: agent.syntax, end };
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

#[test]
#[cfg_attr(windows, ignore = "its folders are absolute on Unix alone")]
fn hooks_go_in_and_out_of_any_file() {
    for seed in 0..FILES_OF_HOOKS {
        let mut rng = Rng::with_seed(seed);
        let agent = agent(["claude", "gemini", "cursor", "crush", "copilot"][rng.usize(..5)]);
        let table = agent.hooks.unwrap();
        let end = if rng.bool() { "\n" } else { "\r\n" };
        let text = Draw { rng, syntax: table.syntax, end }.file_of_hooks(table);
        let told = |problem: super::problem::Problem| panic!("{seed}: {problem:?}\n{text}");
        let events: Vec<&HookEvent> = table.events.iter().collect();
        let hook = |dir| Hook::of_entry(agent, &entry(dir)).unwrap();
        let with = |text: &str, hook: &Hook| {
            insert_hooks(agent, table, text, hook, &events).unwrap_or_else(told)
        };
        let (one, two) = (hook("/a"), hook("/it's b"));
        let added = with(&text, &one);
        assert_holds_all(&added, &text);
        let both = with(&added, &two);
        let read = Hooks::of(agent, table, &both).unwrap();
        for hook in [&one, &two] {
            let found: Vec<_> = read.of_target(&hook.target).map(|it| it.event.as_str()).collect();
            assert_eq!(found.len(), events.len(), "{seed}\n{both}");
        }
        let without = |text: &str| text.replace(char::is_whitespace, "");
        let left = remove_hooks(agent, table, &both, &one.target).unwrap_or_else(told);
        let wanted = with(&text, &two);
        assert_eq!(without(&left), without(&wanted), "{seed}\n{text}\n---\n{both}");
        let removed = remove_hooks(agent, table, &added, &one.target).unwrap_or_else(told);
        // What was empty before may go.
        let is_empty = ["[]", "\"hooks\":{}"].iter().any(|it| without(&text).contains(it));
        if !is_empty && !table.has_version {
            assert_eq!(without(&removed), without(&text), "{seed}\n{text}\n---\n{added}");
        }
    }
}
