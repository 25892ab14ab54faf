//! `extline lint`: what clients of MCP make of real extensions, and the page that shows their limits.

#![cfg(unix)]

mod support;

use std::fmt::Write as _;
use std::fs;

use extline_mcp::lint::{Check, Client, Rule, Shortening, clients, every_client};
use serde_json::{Value, json};
use support::{Extline, Outcome, built, repository};
use tempfile::TempDir;

/// An extension by hand, with these tools; it answers every call with `RESULT`.
const PROGRAM: &str = r#"
import json, sys
def say(**frame): print(json.dumps(frame), flush=True)
say(type="hello", name="made", version="1.0.0")
for tool in json.load(open("tools.json")): say(type="register_tool", **tool)
say(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call":
        say(type="tool_result", id=frame["id"], **json.load(open("result.json")))
    if frame["type"] == "shutdown":
        say(type="shutdown_ack")
        break
"#;

fn folder(tools: &Value, more: &Value) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let name = more["name"].as_str().unwrap_or("made");
    let mut manifest =
        json!({"name": name, "version": "1.0.0", "exec": "python3", "args": ["-S", "main.py"]});
    manifest["samples"] = more["samples"].clone();
    fs::write(folder.path().join("extension.json"), manifest.to_string()).unwrap();
    fs::write(folder.path().join("main.py"), PROGRAM).unwrap();
    fs::write(folder.path().join("tools.json"), tools.to_string()).unwrap();
    fs::write(folder.path().join("result.json"), more["result"].to_string()).unwrap();
    folder
}

fn tool(name: &str, properties: &Value) -> Value {
    json!({"name": name, "description": "Does it.", "schema": {"type": "object", "properties": properties}})
}

fn run(folder: &TempDir, words: &[&str]) -> Outcome {
    let mut all = vec!["lint"];
    all.extend(words);
    all.push(folder.path().to_str().unwrap());
    Extline::new().run(&all)
}

#[test]
fn what_is_lost_is_told_with_who_loses_it_and_what_to_do() {
    let tools = json!([
        tool("fine", &json!({"a": {"type": "string", "description": "A."}})),
        tool("list-all", &json!({"tags": {"type": "array", "description": "Tags."}})),
        {"name": "text", "description": "Does it.", "schema": {"type": "string"}},
        tool("gone", &json!({"a": {"$ref": "#/$defs/A"}})),
    ]);
    let folder = folder(&tools, &json!({}));
    let outcome = run(&folder, &[]);
    outcome.assert_code(1);
    for line in [
        "server     made",
        "clients    Claude Code, Codex, Cursor, VS Code, Gemini CLI",
        "tools      2, about 69 tokens in all (estimate)",
        "findings   3 dropped, 1 hint",
        "  dropped  list-all: the parameter `tags`: a list of which nothing says what is in it  [array-items]",
        "    VS Code: fails in every request while the server is on: \"array type must have items\"",
        "    fix: write \"items\": {} beside \"type\": \"array\", or what they are",
        "  hint  list-all: its name has `-`  [name-characters]",
        "    Codex: calls it mcp__made__list_all",
        "  dropped  text: the root of its schema has the type \"string\", and arguments are an object  [root-type]",
        "[rejected]",
    ] {
        assert!(outcome.stdout.contains(line), "{line:?} is missing: {}", outcome.stdout);
    }
}

#[test]
fn only_some_clients_and_another_name_of_the_server() {
    let folder = folder(&json!([tool(&"x".repeat(50), &json!({}))]), &json!({}));
    run(&folder, &["--client", "cursor", "--client", "vscode"]).assert_code(0);
    let long = run(&folder, &["--client", "cursor", "--name", "a-longer-name"]);
    long.assert_code(1);
    assert!(long.stdout.contains("have 63 characters together"), "{}", long.stdout);
    assert!(!long.stdout.contains("Claude Code"), "{}", long.stdout);
    // What is changed is told, and is no failure.
    let cut = run(&folder, &["--client", "vscode", "--name", "my weather"]);
    cut.assert_code(0);
    assert!(cut.stdout.contains("cuts the name: mcp_my_weather_xxx"), "{}", cut.stdout);
}

#[test]
fn json_has_the_findings_with_their_sources() {
    let tools = json!([tool("list_all", &json!({"a b": {"type": "string", "description": "A."}}))]);
    let outcome = run(&folder(&tools, &json!({})), &["--json"]);
    outcome.assert_code(1);
    let json = outcome.json();
    assert_eq!(json["server"], "made");
    assert_eq!(json["clients"], json!(["claude-code", "codex", "cursor", "vscode", "gemini"]));
    assert_eq!(json["tools"][0]["names"]["claude-code"], "mcp__made__list_all");
    assert_eq!(json["tokens_estimate"], json["tools"][0]["tokens_estimate"]);
    assert_eq!(json["called"], Value::Null);
    let finding = &json["findings"][0];
    let of = |name: &str| finding[name].as_str().unwrap();
    assert_eq!(
        [of("severity"), of("check"), of("tool"), of("in"), of("pointer")],
        ["dropped", "property-name", "list_all", "schema", "/properties/a b"]
    );
    let client = &finding["clients"][0];
    assert_eq!(client["client"], "claude-code");
    assert_eq!(client["confidence"], "certain");
    assert!(client["sources"][0].as_str().unwrap().starts_with("https://"));
    let counts = ["dropped", "changed", "costly", "hints"].map(|name| json[name].clone());
    assert_eq!(counts, [json!(1), json!(0), json!(0), json!(0)]);
}

#[test]
fn results_are_looked_at_where_calls_are_allowed() {
    let mut promised = tool("chart", &json!({}));
    promised["output_schema"] = json!({"type": "object", "properties": {"points": {"type": "integer"}}, "required": ["points"]});
    let tools = json!([promised, tool("uncalled", &json!({}))]);
    let image = json!({"type": "image", "mime_type": "image/png", "data": "eA=="});
    let more = |result: Value, samples: Value| json!({"result": result, "samples": samples});

    let result = json!({"content": [image], "structured_content": {"points": 3}});
    let with_image = folder(&tools, &more(result, json!({"chart": {}, "nope": {}})));
    let unasked = run(&with_image, &[]);
    unasked.assert_code(0);
    assert!(unasked.stdout.contains("--call calls the tools that have a sample"), "{unasked:?}");
    let outcome = run(&with_image, &["--call"]);
    outcome.assert_code(1);
    outcome.assert_says(&["the sample of nope in extension.json: there is no such tool"]);
    for line in [
        "results    of chart\n",
        "  dropped  chart: its result has an image beside its value  [result-beside]\n    Claude Code: ",
    ] {
        assert!(outcome.stdout.contains(line), "{line:?} is missing: {}", outcome.stdout);
    }

    let result = json!({"content": [{"type": "text", "text": "{\"points\":\"three\"}"}],
        "structured_content": {"points": "three"}});
    let wrong = folder(&tools, &more(result, json!({"chart": {}})));
    let outcome = run(&wrong, &["--call", "--json"]);
    outcome.assert_code(1);
    let json = outcome.json();
    assert_eq!(json["called"], json!(["chart"]));
    let what = json["findings"][0]["what"].as_str().unwrap();
    assert!(what.starts_with("its value does not match the output schema: /points: "), "{what}");
}

#[test]
fn several_extensions_are_one_server() {
    let one = folder(&json!([tool("one", &json!({}))]), &json!({}));
    let same = folder(
        &json!([tool("one", &json!({})), tool("two", &json!({}))]),
        &json!({"name": "again"}),
    );
    let outcome = run(&one, &["--json", same.path().to_str().unwrap()]);
    outcome.assert_code(1);
    let json = outcome.json();
    assert_eq!(json["server"], "extline");
    assert_eq!(json["tools"].as_array().unwrap().len(), 2);
    assert_eq!(json["findings"][0]["check"], "rejected");
}

#[test]
fn wrong_words_are_told() {
    let extline = Extline::new();
    let outcome = extline.run(&["lint", "--client", "curser", "examples/clock-shell"]);
    outcome.assert_code(2);
    outcome.assert_says(&["there is no client \"curser\" here; did you mean cursor?", "gemini"]);
    extline.run(&["lint"]).assert_code(2);
    let outcome = extline.run(&["lint", "no/such/folder"]);
    outcome.assert_code(3);
    outcome.assert_says(&["there is no such folder"]);
    // One that does not start is told, and the others are looked at.
    let outcome = extline.run(&["lint", "examples/clock-shell", "no/such/folder"]);
    outcome.assert_code(3);
    assert!(outcome.stdout.contains("clock_now"), "{outcome:?}");
}

#[test]
fn a_server_says_at_its_start_what_would_be_lost_and_else_nothing() {
    let tags = json!({"tags": {"type": "array"}});
    let lost = folder(&json!([tool("list_all", &tags)]), &json!({}));
    let outcome = Extline::new().run_with_input(&["mcp", lost.path().to_str().unwrap()], "");
    outcome.assert_says(&[
        "extline mcp: tool list_all: the parameter `tags`: a list of which nothing says what is in it: lost in VS Code\n",
        "extline mcp: `extline lint` says why and what to do\n",
    ]);
    let tools: Vec<_> = (0..9).map(|at| tool(&format!("list_{at}"), &tags)).collect();
    let many = folder(&json!(tools), &json!({}));
    let outcome = Extline::new().run_with_input(&["mcp", many.path().to_str().unwrap()], "");
    outcome
        .assert_says(&["extline mcp: 6 more are lost; `extline lint` says why and what to do\n"]);
    assert_eq!(outcome.stderr.matches("extline mcp: ").count(), 4, "{outcome:?}");
    let outcome = Extline::new().run_with_input(&["mcp", "examples/clock-shell"], "");
    assert_eq!(outcome.stderr, "");
}

#[test]
fn the_examples_lose_nothing() {
    for example in ["weather-rust", "todo-rust", "guard-rust"] {
        built(example);
    }
    for example in ["clock-shell", "hello-python-raw", "weather-rust", "todo-rust", "guard-rust"] {
        let outcome = Extline::new().run(&["lint", "--call", &format!("examples/{example}")]);
        outcome.assert_code(0);
        assert!(!outcome.stdout.contains("  hint  "), "{}", outcome.stdout);
    }
}

#[test]
fn the_pages_show_a_run_as_it_is() {
    let shown = [
        ("docs/mcp/lint.md", "lint examples/clock-shell"),
        ("docs/host/linting.md", "lint --provider openai --provider google examples/clock-shell"),
    ];
    for (page, words) in shown {
        let outcome = Extline::new().run(&words.split(' ').collect::<Vec<_>>());
        let page = fs::read_to_string(repository().join(page)).unwrap();
        let run = format!("$ extline {words}\n{}", outcome.stdout);
        assert!(page.contains(&run), "{run}");
    }
}

#[test]
fn each_provider_has_a_column_and_what_it_refuses_is_told() {
    let tools = json!([
        tool("short", &json!({"a": {"type": "string", "description": "A."}})),
        tool(
            "a_longer_name",
            &json!({"any": {"description": "Any."}, "b.c": {"type": "string", "description": "B."}})
        ),
    ]);
    let folder = folder(&tools, &json!({}));
    // An agent may leave such a tool out, or give it to OpenAI without strict.
    let outcome = run(&folder, &[]);
    outcome.assert_code(0);
    for line in [
        "providers        OpenAI strict  Anthropic  Google    Mistral\n",
        "  short          2 changes      as it is   as it is  as it is\n",
        "  a_longer_name  refused        as it is   refused   as it is\n",
        "  refused  OpenAI strict: a_longer_name: /properties/any: nothing says what this is, and OpenAI strict wants \
         the type of each value; say its type  [untyped]\n",
        "  refused  Google: a_longer_name: /properties/b.c: ",
    ] {
        assert!(outcome.stdout.contains(line), "{line:?} is missing: {}", outcome.stdout);
    }
    assert!(!outcome.stdout.contains("  changed  "), "{}", outcome.stdout);

    let named = run(&folder, &["--provider", "mistral", "--provider", "openai"]);
    named.assert_code(1);
    assert!(named.stdout.contains("providers        OpenAI strict  Mistral\n"), "{named:?}");
    assert!(named.stdout.contains("  changed  OpenAI strict: short: "), "{named:?}");
    run(&folder, &["--provider", "mistral"]).assert_code(0);
    let wrong = run(&folder, &["--provider", "open"]);
    wrong.assert_code(2);
    wrong.assert_says(&[
        "there is no provider \"open\" here",
        "known: openai, anthropic, google, mistral",
    ]);

    let json = run(&folder, &["--json", "--provider", "openai"]).json();
    let [provider] = json["providers"].as_array().unwrap().as_slice() else { panic!("{json}") };
    assert_eq!(provider["provider"], "openai");
    assert!(provider["sources"][0].as_str().unwrap().starts_with("https://"));
    let of = |name: &str| {
        provider["tools"].as_array().unwrap().iter().find(|it| it["tool"] == name).unwrap()
    };
    assert_eq!(of("short")["schema"]["required"], json!(["a"]));
    let kinds: Vec<_> =
        of("short")["changes"].as_array().unwrap().iter().map(|it| &it["kind"]).collect();
    assert_eq!(kinds, ["closed", "required"]);
    let refused = &of("a_longer_name")["refused"];
    assert_eq!(
        (&refused["reason"], &refused["pointer"]),
        (&json!("untyped"), &json!("/properties/any"))
    );
}

#[test]
fn clients_are_completed_in_a_shell() {
    let script = Extline::new().run(&["completions", "bash"]).stdout;
    assert!(script.contains("claude-code codex cursor vscode gemini"));
    // The help names them too; the list is not shown twice.
    let help = Extline::new().run(&["lint", "--help"]).stdout;
    for client in clients() {
        assert!(help.contains(&client.id) && help.contains(&client.name), "{}", client.id);
    }
}

/// docs/mcp/lint.md has a section for each check, with a table that is made of `clients.toml`.
#[test]
fn the_page_shows_what_the_data_says() {
    let file = repository().join("docs/mcp/lint.md");
    let written = fs::read_to_string(&file).unwrap();
    let mut page = with_block(&written, "names", &names());
    for check in Check::ALL {
        assert!(page.contains(&format!("\n### {}\n", check.id())), "{} has no section", check.id());
        page = with_block(&page, check.id(), &rules(check));
    }
    if std::env::var_os("EXTLINE_GENERATE").is_some() {
        fs::write(&file, &page).unwrap();
        return;
    }
    assert!(written == page, "docs/mcp/lint.md has drifted from clients.toml: run `make generate`");
}

/// The page with a table in its place.
fn with_block(page: &str, name: &str, table: &str) -> String {
    let (first, last) =
        (format!("<!-- {name}: made by make generate -->\n"), format!("<!-- end of {name} -->"));
    let (before, rest) = page.split_once(&first).unwrap_or_else(|| panic!("{first} is missing"));
    let (_, after) = rest.split_once(&last).unwrap_or_else(|| panic!("{last} is missing"));
    format!("{before}{first}{table}{last}{after}")
}

fn names() -> String {
    let mut table =
        "| client | `--client` | a tool is called | other characters than | longer ones |\n|---|---|---|---|---|\n"
            .to_owned();
    for Client { id, name, tool_name, keeps, most, shortens, sources, .. } in clients() {
        let longer = match (most, shortens) {
            (Some(most), Some(Shortening::Cut)) => format!("are cut after {most}"),
            (Some(most), Some(Shortening::Middle)) => format!("lose their middle, over {most}"),
            (Some(most), Some(Shortening::Hash)) => format!("are cut, with a hash, over {most}"),
            _ => "stay".to_owned(),
        };
        let sources = links(sources);
        writeln!(
            table,
            "| {name} ({sources}) | `{id}` | `{tool_name}` | `{keeps}` become `_` | {longer} |"
        )
        .unwrap();
    }
    table
}

fn rules(check: Check) -> String {
    let mut table =
        "| client | | what it does | how sure | said by |\n|---|---|---|---|---|\n".to_owned();
    let everybody = every_client().iter().map(|rule| ("every", rule));
    let some = clients().iter().flat_map(|it| it.rules.iter().map(|rule| (it.name.as_str(), rule)));
    for (name, rule) in everybody.chain(some).filter(|(_, rule)| rule.check == check) {
        let Rule { severity, confidence, sources, .. } = rule;
        let most = rule.most.map(|most| most.to_string()).unwrap_or_default();
        let what = rule.what.replace("{most}", &most).replace("{measured}", "N");
        let what = what.replace("{name}", "NAME");
        let (severity, sure) = (severity.as_str(), confidence.as_str());
        writeln!(table, "| {name} | {severity} | {what} | {sure} | {} |", links(sources)).unwrap();
    }
    table
}

fn links(sources: &[String]) -> String {
    let link = |(position, source): (usize, &String)| {
        let address = match source.strip_prefix("docs/") {
            Some(page) => format!("../{page}"),
            None => source.clone(),
        };
        format!("[{}]({address})", position + 1)
    };
    sources.iter().enumerate().map(link).collect::<Vec<_>>().join(" ")
}
