//! What an extension gets of the host's environment, and how one that misses a part of it is told.

use std::collections::BTreeMap;
use std::fs;

use extline_host::{ExtensionSource, Host, HostBuilder, Problem};

use crate::support::{Home, diagnosis, end, text};

/// Cargo sets it for every test, and no extension has any business with it.
const PRIVATE: &str = "CARGO_MANIFEST_DIR";

const ENVIRONMENT: &str = r#"
import json, os, sys
print('{"type":"hello","name":"environment"}')
print('{"type":"register_tool","name":"environment","schema":{"type":"object"}}')
print('{"type":"ready"}', flush=True)
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call":
        block = {"type": "text", "text": json.dumps(dict(os.environ))}
        print(json.dumps({"type": "tool_result", "id": frame["id"], "content": [block]}), flush=True)
"#;

async fn environment(host: &Host) -> BTreeMap<String, String> {
    serde_json::from_str(&text(&host.call("environment", "{}").await.unwrap())).unwrap()
}

fn program(builder: HostBuilder) -> HostBuilder {
    builder.command("python3", ["-c", ENVIRONMENT])
}

/// A program with a manifest that declares these names.
fn declaring(home: &Home, names: &[&str], program: &[&str]) -> ExtensionSource {
    let folder = home.folder("ext");
    let manifest = serde_json::json!({
        "name": "x",
        "exec": program[0],
        "args": program[1..],
        "permissions": { "env": names },
    });
    fs::write(folder.join("extension.json"), manifest.to_string()).unwrap();
    ExtensionSource::folder(folder)
}

#[tokio::test]
async fn a_program_without_a_manifest_gets_the_base_set_and_what_the_embedder_gives() {
    let home = Home::new();
    let builder = home.builder().env("EXTLINE_TEST", "given").env("HOME", "/elsewhere");
    let host = program(builder).start().await;
    let found = environment(&host).await;
    // A version manager's shim may put its own folders before the others.
    assert!(found["PATH"].ends_with(&std::env::var("PATH").unwrap()), "{}", found["PATH"]);
    assert_eq!((&*found["EXTLINE_TEST"], &*found["HOME"]), ("given", "/elsewhere"));
    assert_eq!(found.get(PRIVATE), None);
    end(host).await;
}

#[tokio::test]
async fn a_declared_name_and_one_the_embedder_passes_are_there() {
    let home = Home::new();
    let names = [PRIVATE, "EXTLINE_NOT_THERE"];
    let source = declaring(&home, &names, &["python3", "-c", ENVIRONMENT]);
    let builder = home.builder().pass_env(["CARGO_PKG_NAME"]).extension(source);
    let host = builder.start().await;
    let found = environment(&host).await;
    assert_eq!(found[PRIVATE], env!("CARGO_MANIFEST_DIR"));
    assert_eq!(found["CARGO_PKG_NAME"], "extline-host");
    assert_eq!(found.get("EXTLINE_NOT_THERE"), None);
    end(host).await;
}

#[tokio::test]
async fn an_embedder_may_pass_all_of_it_on() {
    let home = Home::new();
    let host = program(home.builder().inherit_env(true)).start().await;
    let found = environment(&host).await;
    for (name, value) in std::env::vars().filter(|(name, _)| name.starts_with("CARGO_")) {
        assert_eq!(found.get(&name), Some(&value), "{name}");
    }
    end(host).await;
}

#[tokio::test]
async fn one_that_misses_a_variable_is_told_which() {
    let home = Home::new();
    let script = format!("import os; os.environ[{PRIVATE:?}]");
    let host = home.builder().extension(declaring(&home, &[], &["python3", "-c", &script]));
    let host = host.start().await;
    let found = diagnosis(&host);
    assert_eq!(found.problem, Problem::ExitedBeforeHello);
    assert!(found.withheld.iter().any(|name| name == PRIVATE), "{found}");
    assert!(!found.withheld.iter().any(|name| name == "PATH" || name == "PWD"), "{found}");
    assert_eq!(
        found.suggestion,
        format!(
            "the host has {PRIVATE} and does not pass it on: write \"permissions\": {{\"env\": \
             [\"{PRIVATE}\"]}} in extension.json, or let the host pass it"
        )
    );
    let shown = found.to_string();
    assert!(shown.contains("\n  env     withheld: "), "{shown}");
    assert!(!shown.contains(env!("CARGO_MANIFEST_DIR")), "a value is shown: {shown}");
    end(host).await;
}

#[tokio::test]
async fn what_was_withheld_is_told_where_the_last_words_are_of_a_variable() {
    let of = async |script: &str| {
        let home = Home::new();
        let host = home.builder().command("sh", ["-c", script]).start().await;
        let found = diagnosis(&host);
        end(host).await;
        found
    };
    let found = of("echo 'the token is not set' >&2; exit 3").await;
    assert!(found.withheld.iter().any(|name| name == PRIVATE), "{found}");
    assert_eq!(
        found.suggestion,
        "see the lines above and the log for the reason; if it misses a variable that was \
         withheld, name that in extension.json, as \"permissions\": {\"env\": [...]}"
    );
    let found = of("echo 'the disk is full' >&2; exit 3").await;
    assert_eq!(found.withheld, [""; 0]);
    assert_eq!(found.suggestion, "see the lines above and the log for the reason");
}

#[tokio::test]
async fn what_is_not_installed_is_told_with_the_line_that_installs_it() {
    let cases = [
        (
            ["python3", "-c", "import extline_no_such_module.x"],
            "bin/pip install extline_no_such_module, and",
        ),
        (["node", "-e", "require('@extline/none/x')"], "npm install @extline/none in the"),
        (["node", "-e", "require('./dist/none.js')"], "there is no file ./dist/none.js: build it"),
        (["python3", "none.py", ""], "none.py: correct \"args\" in extension.json"),
    ];
    for (program, told) in cases {
        let home = Home::new();
        let host = home.builder().command(program[0], &program[1..]).start().await;
        let found = diagnosis(&host);
        assert!(found.suggestion.contains(told), "{found}");
        assert_eq!(found.withheld, [""; 0]);
        end(host).await;
    }
}

#[tokio::test]
async fn a_command_line_as_program_is_told_to_use_args() {
    let home = Home::new();
    std::fs::write(home.path().join("run.sh"), "").unwrap();
    for (written, told) in [
        ("python3 x.py", r#"write "exec": "python3", "args": ["x.py"]"#),
        ("python3 src/x.py", r#"write "exec": "python3", "args": ["src/x.py"]"#),
        ("node dist/index.js -v", r#"write "exec": "node", "args": ["dist/index.js", "-v"]"#),
        ("./run.sh src/x.py", r#"write "exec": "./run.sh", "args": ["src/x.py"]"#),
        ("build/ext --stdio", r#"write "exec": "build/ext", "args": ["--stdio"]"#),
        ("./my programs/ext", "and that it was built"),
    ] {
        let host = home.builder().command(written, [""; 0]).start().await;
        assert!(diagnosis(&host).suggestion.ends_with(told), "{}", diagnosis(&host));
        end(host).await;
    }
}

#[tokio::test]
async fn of_a_long_traceback_the_first_lines_are_told_and_the_last() {
    let home = Home::new();
    let deep = "def a(n): return b(n - 1) if n else 1 / 0\ndef b(n): return a(n)\na(20)";
    let host = home.builder().command("python3", ["-c", deep]).start().await;
    let lines = diagnosis(&host).stderr;
    assert_eq!(lines[0], "Traceback (most recent call last):");
    assert!(lines[1].contains("line 3, in <module>"), "{lines:?}");
    assert!(lines.iter().any(|line| line.ends_with("more of the traceback")), "{lines:?}");
    assert!(lines.last().unwrap().starts_with("ZeroDivisionError"), "{lines:?}");
    end(host).await;
}

#[tokio::test]
async fn programs_are_looked_up_where_the_extension_looks_too() {
    let home = Home::new();
    let host = home.builder().env("PATH", home.path()).command("sh", ["-c", ":"]).start().await;
    assert!(matches!(diagnosis(&host).problem, Problem::NotFound { in_path: true, .. }));
    end(host).await;
}
