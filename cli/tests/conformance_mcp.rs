//! `extline conformance --protocol mcp`: any MCP server on stdio, ours among them.

#![cfg(unix)]

mod support;

use std::fs;

use serde_json::json;
use support::{Extline, repository};

/// The server of the tester's own test, right or wrong as its argument says.
fn server() -> String {
    repository().join("conformance/mutants/mcp_server.py").display().to_string()
}

#[test]
fn an_extension_behind_extline_mcp_keeps_to_every_rule_of_both_eras() {
    let extline = Extline::new();
    let program = env!("CARGO_BIN_EXE_extline");
    let command = ["--", program, "mcp", "examples/clock-shell"];
    let badge = extline.home().join("badge.json");
    let report = format!("badge-json={}", badge.display());
    let arguments = ["conformance", "--json", "--protocol", "mcp", "--call", "--report", &report];
    let outcome = extline.run(&[&arguments[..], &command].concat());
    outcome.assert_code(0);
    let badge: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(badge).unwrap()).unwrap();
    assert_eq!((&badge["label"], &badge["message"]), (&json!("MCP server"), &json!("Solid")));
    let rows = outcome.json_lines();
    let verdict = |word: &str| rows.iter().filter(|row| row["verdict"] == word).count();
    assert!(verdict("pass") > 80, "{rows:?}");
    assert_eq!(verdict("warn") + verdict("info") + verdict("flaky"), 0, "{rows:?}");
    assert!(rows.iter().any(|row| row["id"] == "M-DSC-01" && row["verdict"] == "pass"));
    assert_eq!(rows[0]["binds"], "server");
}

#[test]
fn a_server_of_an_older_revision_is_not_held_to_newer_rules() {
    let extline = Extline::new();
    let server = server();
    let command = ["--", "python3", "-S", &server, "older"];
    let arguments = ["conformance", "--json", "--protocol", "mcp", "--call"];
    let outcome = extline.run(&[&arguments[..], &command].concat());
    outcome.assert_code(0);
    let rows = outcome.json_lines();
    let broken = |row: &&serde_json::Value| row["failure"].is_object();
    assert_eq!(rows.iter().filter(broken).collect::<Vec<_>>(), [""; 0], "no case fails");
    let batch = rows.iter().find(|row| row["id"] == "M-RPC-09").unwrap();
    assert_eq!(batch["reason"], "its revision, 2025-03-26, has batches");
    assert!(rows.iter().any(|row| row["id"] == "M-INI-11" && row["verdict"] == "pass"));
}

#[test]
fn a_change_of_tools_that_is_told_passes_in_both_eras() {
    let extline = Extline::new();
    let server = server();
    let arguments = ["conformance", "--json", "--protocol", "mcp", "--call"];
    let only = ["--only", "M-TOL-14", "--only", "M-TOL-04", "--only", "M-DSC-12"];
    let command = ["--", "python3", "-S", &server, "changes"];
    let outcome = extline.run(&[&arguments[..], &only, &command].concat());
    outcome.assert_code(0);
    let rows = outcome.json_lines();
    for case in ["M-TOL-14", "M-TOL-14@2026", "M-DSC-12"] {
        let passes = |row: &serde_json::Value| row["id"] == case && row["verdict"] == "pass";
        assert!(rows.iter().any(passes), "{case} does not pass: {rows:?}");
    }
    assert!(rows.iter().all(|row| row["failure"].is_null()), "{rows:?}");
}

/// A client that is told its server behind `--server`, lists its tools, and ends.
const CLIENT: &str = r#"
import json, subprocess, sys
at = sys.argv.index("--server")
server = subprocess.Popen(sys.argv[at + 1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def send(message):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    server.stdin.flush()
def ask(number, method, params):
    send({"id": number, "method": method, "params": params})
    for line in server.stdout:
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if message.get("id") == number and "method" not in message:
            return message["result"]
        if "id" in message and "method" in message:
            known = message["method"] == "ping" and "no-ping" not in sys.argv
            send({"id": message["id"], **({"result": {}} if known else {"error": {"code": -32601, "message": "no"}})})
me = {"name": "lister", "version": "1.0.0"}
hello = ask(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": me})
if hello["protocolVersion"] == "2025-11-25":
    send({"method": "notifications/initialized"})
    print(ask(2, "tools/list", {}))
server.stdin.close()
server.wait()
"#;

#[test]
fn a_client_without_a_driver_is_checked_by_what_it_does_itself() {
    let extline = Extline::new();
    let client = extline.home().join("client.py");
    fs::write(&client, CLIENT).unwrap();
    let client = client.display().to_string();
    let arguments = ["conformance", "mcp-client", "--json", "--command", "python3", "-S", &client];
    let outcome = extline.run(&[&arguments[..], &["--server", "{server}"]].concat());
    outcome.assert_code(0);
    let rows = outcome.json_lines();
    let verdict = |name: &str| rows.iter().filter(|row| row["verdict"] == name).count();
    assert_eq!(verdict("pass"), 11, "{rows:?}");
    assert_eq!(verdict("pass") + verdict("not-applicable"), rows.len() - 2, "{rows:?}");
    let program = rows[0]["program"].as_str().unwrap();
    assert!(program.starts_with("python3 ") && program.ends_with("--server {server}"), "{program}");

    let only = ["conformance", "mcp-client", "--json", "--only", "C-SRV-01", "--command"];
    let words = ["python3", "-S", &client, "no-ping", "--server", "{server}"];
    let broken = extline.run(&[&only[..], &words].concat());
    broken.assert_code(1);
    assert_eq!(broken.json_lines()[1]["verdict"], "fail");

    let placeless = extline.run(&arguments);
    placeless.assert_code(3);
    assert!(
        placeless.stderr.contains("no word of it is {server} or {config}"),
        "{}",
        placeless.stderr
    );
}

#[test]
fn drawn_sessions_of_a_client_are_survived_or_written_down_to_be_played_again() {
    let extline = Extline::new();
    let server = server();
    let begin = ["conformance", "fuzz", "--protocol", "mcp", "--call", "--seed", "7"];
    let sound =
        extline.run(&[&begin[..], &["--sessions", "3", "--", "python3", "-S", &server]].concat());
    sound.assert_code(0);
    assert!(sound.stdout.contains("nothing broken: 3 sessions"), "{}", sound.stdout);

    let folder = extline.home().display().to_string();
    let one = ["--findings", "1", "--to", &folder];
    let broken = ["--", "python3", "-S", &server, "dies-without-name"];
    let found = extline.run(&[&begin[..], &one, &broken].concat());
    found.assert_code(1);
    let file = found.stdout.lines().find_map(|line| line.trim().strip_prefix("file")).unwrap();
    let again = ["conformance", "--protocol", "mcp", "--cases", file.trim(), "--only", "own"];
    extline.run(&[&again[..], &broken].concat()).assert_code(1);
    extline.run(&[&again[..], &["--", "python3", "-S", &server]].concat()).assert_code(0);
}

/// A server by hand that breaks nothing.
const CORRECT: &str = r#"
import json, sys
VERSIONS = ["2025-11-25", "2025-06-18"]
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
TOOLS = [{"name": "shout", "description": "Makes text loud", "inputSchema": SCHEMA}]
INFO = {"name": "shouter", "version": "1.0.0"}

def write(identity, **outcome):
    print(json.dumps({"jsonrpc": "2.0", "id": identity, **outcome}), flush=True)

def answer(method, params):
    if method == "initialize":
        asked = params.get("protocolVersion")
        version = asked if asked in VERSIONS else VERSIONS[0]
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": INFO}
    if method == "ping":
        return {}
    if method == "tools/list" and "cursor" not in params:
        return {"tools": TOOLS}
    if method == "tools/call" and params.get("name") == "shout":
        text = (params.get("arguments") or {}).get("text")
        wrong = not isinstance(text, str)
        said = "text: expected a string" if wrong else text.upper()
        return {"content": [{"type": "text", "text": said}], "isError": wrong}
    raise LookupError(-32602 if method.startswith("tools/") else -32601)

sys.stdin.reconfigure(errors="replace")
for line in sys.stdin:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        write(None, error={"code": -32700, "message": "Parse error"})
        continue
    if not isinstance(message, dict) or "id" not in message or not isinstance(message.get("method"), str):
        continue
    params = message.get("params") if isinstance(message.get("params"), dict) else {}
    try:
        write(message["id"], result=answer(message["method"], params))
    except LookupError as error:
        write(message["id"], error={"code": error.args[0], "message": "there is no such method, tool or page"})
"#;

#[test]
fn a_correct_server_of_forty_lines_breaks_nothing() {
    assert!(CORRECT.trim().lines().count() <= 40);
    let extline = Extline::new();
    let server = extline.home().join("correct.py");
    fs::write(&server, CORRECT).unwrap();
    let server = server.display().to_string();
    let starts = extline.home().join("starts");
    let counting = format!("echo >>{}; exec python3 -S {server}", starts.display());
    let arguments = ["conformance", "--json", "--protocol", "mcp", "--call"];
    let outcome = extline.run(&[&arguments[..], &["--", "sh", "-c", &counting]].concat());
    outcome.assert_code(0);
    let starts = fs::read_to_string(starts).unwrap().lines().count();
    assert!(starts <= 15, "{starts} starts");
    let rows = outcome.json_lines();
    assert!(rows.iter().all(|row| row["failure"].is_null()), "{rows:?}");
    assert!(rows.iter().filter(|row| row["verdict"] == "pass").count() > 60, "{rows:?}");
}

/// A server with ten faults, each with the case that names it behind it.
const FAULTS: &str = r#"
import json, sys, time
SUM = {"type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"]}
ANY = {"type": "object"}
TOOLS = [
    {"name": "my tool", "inputSchema": ANY},                            # M-TOL-02
    {"name": "later", "inputSchema": None},                             # M-TOL-01
    {"name": "sum", "inputSchema": ANY, "outputSchema": SUM},
]
print("notes server started")                                           # M-FRM-01
def say(identity, **outcome):
    print(json.dumps({"jsonrpc": "2.0", "id": identity, **outcome}), flush=True)
for line in sys.stdin:
    try:
        request = json.loads(line)
    except ValueError:
        continue
    method, params = request.get("method"), request.get("params") or {} # M-RPC-08
    if method is None:
        continue
    if "id" not in request:
        if method.startswith("notifications/extline"):
            say(None, error={"code": -32601, "message": "unknown"})     # M-RPC-05
        continue
    if method == "initialize":                                          # M-INI-04
        say(request["id"], result={"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                                   "serverInfo": {"name": "notes", "version": "1"}})
    elif method == "tools/list":
        say(request["id"], result={"tools": TOOLS})
    elif method == "tools/call" and not isinstance(params, dict):
        say(request["id"], error={"code": -32602, "message": "params"})
    elif method == "tools/call" and params.get("name") != "sum":
        say(request["id"], error={"code": "unknown", "message": "no"})  # M-RPC-16
    elif method == "tools/call":
        content = [{"type": "text", "text": "{}"}]
        say(request["id"], result={"content": content, "structuredContent": {"total": 1}}) # M-TOL-11
    # M-RPC-01: nothing else is answered.
time.sleep(60)                                                          # M-END-01
"#;

#[test]
fn each_of_ten_planted_faults_is_named() {
    let extline = Extline::new();
    let server = extline.home().join("faults.py");
    fs::write(&server, FAULTS).unwrap();
    let server = server.display().to_string();
    let planted = FAULTS.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
    let planted: Vec<_> = planted.filter(|word| word.starts_with("M-")).collect();
    assert_eq!(planted.len(), 10, "{planted:?}");
    let only = planted.iter().flat_map(|case| ["--only", case]);
    let mut arguments = vec!["conformance", "--json", "--protocol", "mcp", "--call"];
    arguments.extend(only.chain(["--", "python3", "-S", &server]));
    let outcome = extline.run(&arguments);
    outcome.assert_code(1);
    let rows = outcome.json_lines();
    let found: Vec<_> = rows.iter().filter(|row| row["failure"].is_object()).collect();
    for case in planted {
        assert!(found.iter().any(|row| row["id"] == case), "{case} is not found: {found:#?}");
    }
}

#[test]
fn what_is_wrong_is_told_with_the_sentence_and_the_command_that_repeats_it() {
    let extline = Extline::new();
    let server = server();
    let command = ["--", "python3", "-S", &server, "no-cache-hints"];
    let arguments = ["conformance", "--protocol", "mcp", "--only", "M-DSC-07", "--seed", "7"];
    let outcome = extline.run(&[&arguments[..], &command].concat());
    outcome.assert_code(1);
    for part in [
        "FAIL M-DSC-07  results that may be kept have ttlMs and cacheScope  [MUST 2026-07-28/server/utilities/caching#hints]",
        "\"Servers MUST include caching hints on results",
        "  got       a result of \"server/discover\" without ttlMs that is not negative",
        "client to server",
        "  again     extline conformance --protocol mcp --only M-DSC-07 --seed 7 -- python3 -S ",
    ] {
        assert!(outcome.stdout.contains(part), "{part:?} is missing in {}", outcome.stdout);
    }
}

#[test]
fn one_era_can_be_asked_for() {
    let extline = Extline::new();
    let server = server();
    let command = ["--only", "M-TOL-03", "--", "python3", "-S", &server];
    let run = |era: &[&str]| {
        let arguments = ["conformance", "--json", "--protocol", "mcp"];
        let outcome = extline.run(&[&arguments[..], era, &command].concat());
        outcome.assert_code(0);
        let rows = outcome.json_lines();
        let ids = rows.iter().filter_map(|row| row["id"].as_str());
        // Two eras are played side by side.
        let mut ids: Vec<_> = ids.map(str::to_owned).collect();
        ids.sort();
        ids
    };
    assert_eq!(run(&[]), ["M-TOL-03", "M-TOL-03@2026"]);
    assert_eq!(run(&["--era", "initialize"]), ["M-TOL-03"]);
    assert_eq!(run(&["--era", "discover"]), ["M-TOL-03@2026"]);
}

#[test]
fn an_extension_that_is_no_server_is_told_apart() {
    let extline = Extline::new();
    let arguments = ["conformance", "--protocol", "mcp", "--only", "M-INI-01"];
    let outcome = extline.run(&[&arguments[..], &["examples/clock-shell"]].concat());
    outcome.assert_code(1);
    let cause = "it speaks extline's protocol, not MCP: its first line is a hello";
    assert!(outcome.stdout.contains(cause), "{}", outcome.stdout);
}

#[test]
fn a_server_of_a_configuration_file_is_checked_with_its_environment() {
    let extline = Extline::new();
    let file = extline.home().join(".mcp.json");
    let script = "test \"$RIGHT\" = yes && exec python3 -S \"$0\"";
    let entry = json!({"command": "sh", "args": ["-c", script, server()], "env": {"RIGHT": "yes"}});
    let away = json!({"url": "https://example.com/mcp"});
    fs::write(&file, json!({"mcpServers": {"one": entry, "away": away}}).to_string()).unwrap();
    let file = file.display().to_string();
    let run = |name: &str| {
        extline.run(&["conformance", "--mcp-config", &file, name, "--only", "M-RPC-01"])
    };
    let outcome = run("one");
    outcome.assert_code(0);
    assert!(outcome.stdout.contains("\nconformant: "), "{}", outcome.stdout);
    for (name, why) in [
        ("two", "has no server two; there are away, one"),
        ("away", "is reached by a URL; what speaks over stdio is tested"),
    ] {
        let outcome = run(name);
        outcome.assert_code(3);
        assert!(outcome.stderr.contains(why), "{why:?} is missing in {}", outcome.stderr);
    }
}

#[test]
fn a_case_that_is_played_otherwise_is_told_how() {
    let extline = Extline::new();
    for (arguments, why) in [
        (
            &["--only", "M-RPC-01"][..],
            "the case M-RPC-01 is for MCP servers; --protocol mcp plays it",
        ),
        (&["--only", "H-TOL-01"], "the case H-TOL-01 is for hosts; `extline conformance host`"),
        (&["--protocol", "mcp", "--only", "E-FRM"], "the case E-FRM is for extensions"),
        (&["--era", "discover"], "--era is for MCP servers; give --protocol mcp as well"),
    ] {
        let outcome = extline.run(&[&["conformance"], arguments, &["--", "true"]].concat());
        outcome.assert_code(3);
        assert!(outcome.stderr.contains(why), "{why:?} is missing in {}", outcome.stderr);
    }
}

#[test]
fn a_baseline_keeps_what_was_not_run() {
    let extline = Extline::new();
    let file = extline.home().join("known.toml").display().to_string();
    let entry = |case: &str| {
        format!(
            "[[expected]]\ncase = {case:?}\nkind = \"known-failing\"\noutcome = \"wrong\"\nreason = \"r\"\n"
        )
    };
    fs::write(&file, entry("M-DSC-07") + &entry("M-DSC-08") + &entry("H-TOL-01")).unwrap();
    let (server, written) = (server(), format!("--write-baseline={file}"));
    let arguments =
        ["conformance", "--protocol", "mcp", "--only", "M-DSC-07", "--baseline", &file, &written];
    let command = ["--", "python3", "-S", &server, "no-cache-hints"];
    extline.run(&[&arguments[..], &command].concat()).assert_code(0);
    let text = fs::read_to_string(&file).unwrap();
    for case in ["M-DSC-07", "M-DSC-08", "H-TOL-01"] {
        assert!(text.contains(case), "{case} is missing in {text}");
    }
}

#[test]
fn what_is_for_extensions_alone_is_refused() {
    let extline = Extline::new();
    for option in [&["--deep"][..], &["--level", "sdk"], &["--canary", "x"]] {
        let arguments = ["conformance", "--protocol", "mcp"];
        let outcome = extline.run(&[&arguments[..], option, &["--", "true"]].concat());
        outcome.assert_code(3);
        let why = format!("{} is for extensions; leave it out with --protocol mcp", option[0]);
        assert!(outcome.stderr.contains(&why), "{}", outcome.stderr);
    }
}
