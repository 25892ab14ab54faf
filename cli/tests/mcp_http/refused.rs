//! What is refused, and how.

use std::io::Write;
use std::process::Command;

use serde_json::json;

use crate::client::{Request, Response, Server, call, folder, request, text_of};
use crate::support::{Extline, outcome};

/// The status, and the code of the error where it is one of MCP.
fn refused(mut answer: Response) -> (u16, Option<i64>) {
    if answer.header("content-type") != Some("application/json") {
        return (answer.status, None);
    }
    (answer.status, answer.json()["error"]["code"].as_i64())
}

#[test]
fn each_wrong_request_is_refused_by_its_status() {
    let server = Server::start();
    let session = server.session();
    let good = Request::modern(1, "echo", "x");
    let old = session.post(&call(1, "echo", "x"));
    let cases = [
        (
            "a page of another origin",
            good.clone().with("Origin", "https://evil.example"),
            403,
            None,
        ),
        ("no origin at all", good.clone().with("Origin", "null"), 403, None),
        ("a name that was rebound", good.clone().with("Host", "evil.example"), 403, None),
        ("no host", good.clone().with("Host", ""), 400, None),
        ("another path", good.clone().at("/"), 404, None),
        (
            "a discovery of OAuth",
            Request::new("GET").at("/.well-known/oauth-protected-resource"),
            404,
            None,
        ),
        ("another method", Request::new("PUT"), 405, None),
        ("a form", good.clone().with("Content-Type", "text/plain"), 415, None),
        ("no stream accepted", good.clone().with("Accept", "application/json"), 406, None),
        ("no session", old.clone().with("Mcp-Session-Id", ""), 400, None),
        ("an unknown session", old.clone().with("Mcp-Session-Id", "0123"), 404, Some(-32001)),
        (
            "an unknown version",
            old.clone().with("MCP-Protocol-Version", "1999-01-01"),
            400,
            Some(-32022),
        ),
        (
            "the other era's version",
            old.clone().with("MCP-Protocol-Version", "2026-07-28"),
            400,
            Some(-32020),
        ),
        ("no version", good.clone().with("MCP-Protocol-Version", ""), 400, Some(-32020)),
        (
            "another version",
            good.clone().with("MCP-Protocol-Version", "2025-11-25"),
            400,
            Some(-32020),
        ),
        ("no method", good.clone().with("Mcp-Method", ""), 400, Some(-32020)),
        ("another tool", good.clone().with("Mcp-Name", "slow"), 400, Some(-32020)),
        ("no such method", Request::modern_method("resources/list", json!({})), 404, Some(-32601)),
        ("nonsense", good.clone().body(b"{\"jsonrpc\":"), 400, Some(-32700)),
        ("no text", good.clone().body(b"{\"jsonrpc\":\"\xff\"}"), 400, Some(-32700)),
        ("nothing", good.clone().body(b""), 400, Some(-32700)),
        ("a batch", good.clone().body(b"[]"), 400, Some(-32600)),
        (
            "a broken handshake",
            Request::post(&request(1, "initialize", &json!({}))),
            400,
            Some(-32602),
        ),
        ("too long", good.clone().with("Content-Length", "67108865"), 413, None),
        ("headers without end", good.clone().with("X-Long", &"x".repeat(100_000)), 431, None),
        ("a stream of no session", Request::new("GET"), 400, None),
        ("a stream as JSON", Request::new("GET").with("Accept", "application/json"), 406, None),
        (
            "an end of no session",
            Request::new("DELETE").with("Mcp-Session-Id", "0123"),
            404,
            Some(-32001),
        ),
    ];
    for (what, request, status, code) in cases {
        assert_eq!(refused(server.ask(&request)), (status, code), "{what}");
    }
    assert_eq!(refused(server.send(b"\x16\x03\x01\x02\x00 not HTTP\r\n\r\n")).0, 400);
    assert_eq!(server.call("echo", "still here"), "still here");
}

#[test]
fn what_a_client_may_leave_open_is_taken() {
    let server = Server::start();
    let port = server.host.rsplit(':').next().unwrap().to_owned();
    let good = Request::modern(1, "echo", "x");
    for request in [
        good.clone().with("Origin", "http://localhost:3000"),
        good.clone().with("Host", "localhost"),
        good.clone().with("Host", &format!("[::1]:{port}")),
        good.clone().with("Accept", ""),
        good.clone().with("Accept", "*/*"),
        good.clone().with("Content-Type", "Application/JSON; charset=utf-8"),
        good.clone().with("Mcp-Name", "=?base64?ZWNobw==?="),
        good.clone().with("Mcp-Session-Id", "of another era"),
    ] {
        assert_eq!(server.ask(&request).status, 200);
    }
    // An answer that nobody waits for, and a notification that means nothing.
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
    assert_eq!(server.ask(&Request::post(&answer)).status, 202);
    let session = server.session();
    let other = json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"});
    assert_eq!(session.ask(&other).status, 202);
}

#[test]
fn headers_have_to_mirror_the_arguments_that_a_schema_names() {
    let server = Server::start();
    let mut call = crate::client::modern(1, "mirrored", "");
    call["params"]["arguments"] = json!({"region": "eu"});
    let request = Request::modern(1, "mirrored", "").body(call.to_string().as_bytes());
    assert_eq!(server.ask(&request.clone().with("Mcp-Param-Region", "eu")).status, 200);
    assert_eq!(
        refused(server.ask(&request.clone().with("Mcp-Param-Region", "us"))).1,
        Some(-32020)
    );
    assert_eq!(refused(server.ask(&request)).1, Some(-32020));
}

#[test]
fn a_connection_that_never_ends_its_headers_is_closed() {
    let server = Server::start();
    let mut stream = server.connect();
    stream.write_all(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ").unwrap();
    // Nothing is written any more; without a bound this would be read for ever.
    let answer = Response::read(stream);
    assert!(matches!(answer.status, 0 | 408), "{answer:?}");
}

#[test]
fn a_body_that_does_not_come_is_given_up() {
    let server = Server::start();
    let request = Request::modern(1, "echo", "x").with("Content-Length", "1000");
    assert_eq!(refused(server.ask(&request)), (408, None));
}

#[test]
fn with_a_token_nobody_is_answered_without_it() {
    let token = "0123456789abcdef0123456789abcdef";
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("{token}\n")).unwrap();
    let path = file.path().to_str().unwrap();
    let by_file = Server::start_with(&["--token-file", path], |_| ());
    let by_variable =
        Server::start_with(&[], |command| _ = command.env("EXTLINE_MCP_TOKEN", token));
    for server in [by_file, by_variable] {
        let good = Request::modern(1, "echo", "x");
        let wrong =
            ["", "Bearer 0123456789abcdef0123456789abcdeF", "Bearer", "Basic 0123456789abcdef"];
        for said in wrong {
            let answer = server.ask(&good.clone().with("Authorization", said));
            let challenge = answer.header("www-authenticate").unwrap();
            assert!(answer.status == 401 && challenge.starts_with("Bearer "), "{answer:?}");
        }
        let with_token = good.with("Authorization", &format!("bearer {token}"));
        assert_eq!(server.ask(&with_token).status, 200);
    }
}

#[test]
fn an_extension_does_not_see_the_token() {
    let token = "0123456789abcdef0123456789abcdef";
    // That host passes its whole environment on.
    let set = |command: &mut Command| _ = command.env("EXTLINE_MCP_TOKEN", token);
    let server = Server::start_with(&["--profile", "zot-0.1.62"], set);
    let ask = Request::modern(1, "token", "").with("Authorization", &format!("Bearer {token}"));
    assert_eq!(text_of(&server.ask(&ask).json()), "none");
}

#[test]
fn an_address_of_others_needs_a_token() {
    let folder = folder();
    let path = folder.path().to_str().unwrap();
    let refused = Extline::new().run(&["mcp", "--http", "0.0.0.0:0", path]);
    refused.assert_code(2);
    refused.assert_says(&["--token-file", "EXTLINE_MCP_TOKEN"]);
    let extline = Extline::new();
    let mut short = extline.command(&["mcp", "--http", "0.0.0.0:0", path]);
    let ended = outcome(short.env("EXTLINE_MCP_TOKEN", "short").spawn().unwrap());
    ended.assert_code(2);
    ended.assert_says(&["EXTLINE_MCP_TOKEN has to hold a token of 16"]);
}

#[cfg(unix)]
#[test]
fn a_token_that_others_may_read_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "0123456789abcdef").unwrap();
    std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(0o644)).unwrap();
    let missing = tempfile::tempdir().unwrap();
    let missing = missing.path().to_str().unwrap();
    // It ends by itself, as there is no extension.
    let words = ["mcp", "--http", "0", missing, "--token-file", file.path().to_str().unwrap()];
    Extline::new().run(&words).assert_says(&["others on this machine", "chmod 600"]);
}

#[test]
fn a_port_that_is_taken_is_told_before_anything_starts() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let folder = folder();
    let outcome = Extline::new().run(&["mcp", "--http", &address, folder.path().to_str().unwrap()]);
    outcome.assert_code(1);
    outcome.assert_says(&[&address]);
}

#[test]
fn a_page_whose_origin_is_named_may_ask_and_read() {
    let server = Server::start_with(&["--allow-origin", "https://app.example"], |_| ());
    let preflight = Request::new("OPTIONS").with("Origin", "https://app.example");
    let answer = server.ask(&preflight.with("Access-Control-Request-Method", "POST"));
    assert_eq!(answer.status, 204);
    assert!(answer.header("access-control-allow-headers").unwrap().contains("Mcp-Session-Id"));
    let ask = |origin| server.ask(&Request::modern(1, "echo", "x").with("Origin", origin));
    let allowed = ask("https://app.example");
    assert_eq!(allowed.header("access-control-allow-origin"), Some("https://app.example"));
    assert_eq!(allowed.status, 200);
    // A page on this machine that nobody named is answered, and its browser does not show it.
    let local = ask("http://localhost:3000");
    assert_eq!((local.status, local.header("access-control-allow-origin")), (200, None));
    assert_eq!(ask("https://app.example.evil").status, 403);
}
