//! `extline run` with servers of MCP.

#![cfg(unix)]

mod support;

use std::fs;
use std::io::{BufRead, BufReader};

use support::{Extline, built, in_terminal, repository, signal};

/// The server of the host's tests.
const SERVER: &str = "host/tests/extensions/mcp_server.py";

#[test]
fn a_server_that_is_typed_is_used_in_the_era_that_it_speaks() {
    let extline = Extline::new();
    let weather = built("weather-rust");
    let typed = format!("sky={} --mcp", weather.display());
    let words =
        ["run", "--mcp", &typed, "--mcp", &format!("python3 -S {SERVER}"), "--answer", "input=Bob"];
    let input = "!sky_weather {\"city\":\"Berlin\"}\n!mcp_server_ask {}\n/mcp_server_greet Ann\n";
    let outcome = extline.run_with_input(&words, input);
    outcome.assert_code(0);
    for part in ["Berlin: 16°C, fog", "accept: Bob", "prompt: Greet Ann plainly.", "no instruction"]
    {
        assert!(outcome.stdout.contains(part), "{part}: {outcome:#?}");
    }
    // What is started is shown by its full path.
    outcome.assert_says(&[&format!("sky: {} --mcp", weather.display())]);
    let eras = fs::read_to_string(extline.home().join("mcp-eras")).unwrap();
    let mut eras: Vec<_> = eras.lines().map(|line| line.split(' ').nth(1).unwrap()).collect();
    eras.sort_unstable();
    assert_eq!(eras, ["handshake", "modern"]);
}

#[test]
fn what_is_no_server_is_told_of_in_plain_words() {
    let extline = Extline::new();
    // A page of the web, which answers everything with 404.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = std::io::BufReader::new(stream);
            let mut line = String::new();
            while stream.read_line(&mut line).is_ok_and(|read| read > 2) {
                line.clear();
            }
            let head = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            let _ = std::io::Write::write_all(stream.get_mut(), head);
        }
    });
    for (command, says) in [
        ("sh -c 'echo hello'", "it has not answered as a server of MCP"),
        (&*url, "it cannot be reached: unexpected server response: HTTP 404 Not Found\n"),
    ] {
        let outcome = extline.run(&["run", "--mcp", command]);
        outcome.assert_code(3);
        outcome.assert_says(&[says]);
        assert!(
            !outcome.stderr.contains("hello,") && !outcome.stderr.contains("rmcp"),
            "{outcome:#?}"
        );
    }
}

#[test]
fn a_server_of_a_file_is_started_once_somebody_trusts_it() {
    let extline = Extline::new();
    let started = extline.home().join("started");
    let file = extline.home().join("mcp.json");
    let args = serde_json::json!(["-S", SERVER, format!("started={}", started.display())]);
    let servers = serde_json::json!({"mcpServers": {"hand": {"command": "python3", "args": args}}});
    fs::write(&file, servers.to_string()).unwrap();
    let words = ["run", "--mcp-config", file.to_str().unwrap()];
    let input = "!hand_echo {\"text\":\"hello\"}\n";

    let refused = extline.run_with_input(&words, input);
    refused.assert_code(3);
    refused.assert_says(&["hand is not started: nobody has trusted it yet; --mcp-trust sha256:"]);
    assert!(!started.exists(), "{refused:#?}");

    // A person is asked, and says no; then the digest is given; then it is remembered.
    let steps = [serde_json::json!({"expect": "[y/N]"}), serde_json::json!({"send": "n\r"})];
    let screen = in_terminal(&extline, true, &steps, &words);
    assert_eq!((screen.code, started.exists()), (3, false), "{screen:?}");
    let digest = refused.stderr.split("--mcp-trust ").nth(1).unwrap().split(' ').next().unwrap();
    let trusting = [words.as_slice(), &["--mcp-trust", digest]].concat();
    for words in [trusting.as_slice(), &words] {
        let outcome = extline.run_with_input(words, input);
        outcome.assert_code(0);
        assert!(outcome.stdout.contains("\nhello\n"), "{outcome:#?}");
    }
}

#[test]
fn tools_for_servers_without_any_say_what_to_write() {
    let outcome = Extline::new().run(&["run", "--mcp-tools"]);
    outcome.assert_code(2);
    let advice = "extline run --mcp-tools --mcp-config .mcp.json";
    assert!(outcome.stderr.contains(advice), "{outcome:#?}");
}

#[test]
fn the_model_connects_to_a_server_that_is_disabled_in_its_file() {
    let extline = Extline::new();
    let file = extline.home().join("mcp.json");
    let entry = |disabled| serde_json::json!({"command": "python3", "args": ["-S", SERVER], "disabled": disabled});
    let servers = serde_json::json!({"mcpServers": {"hand": entry(true)}});
    fs::write(&file, servers.to_string()).unwrap();
    let words =
        ["run", "--mcp-tools", "--answer", "approve=yes", "--mcp-config", file.to_str().unwrap()];
    let connect = "!mcp_connect {\"server\":\"hand\"}\n";
    let input = format!("!mcp_list {{}}\n{connect}!hand_echo {{\"text\":\"hello\"}}\n");
    let refused = extline.run_with_input(&words, &input);
    assert!(refused.stdout.contains("hand: not trusted: "), "{refused:#?}");
    let says =
        format!("hand was not started: nobody has trusted it yet; a person does by: {}", words[0]);
    let says = says.replace("run", "extline run --mcp-tools --mcp-config ");
    let all = format!("{}{}", refused.stdout, refused.stderr);
    let advice = all.split(&says).nth(1).unwrap_or_else(|| panic!("{refused:#?}"));
    let digest = advice.split("--mcp-trust ").nth(1).unwrap().split_whitespace().next().unwrap();

    // As the page shows it.
    let page = fs::read_to_string(repository().join("docs/mcp/use-servers.md")).unwrap();
    let shown = "was not started: nobody has trusted it yet; a person does by: extline run --mcp-tools --mcp-config ";
    assert!(page.contains(&format!("github {shown}")) && all.contains(&format!("hand {shown}")));
    for tool in ["mcp_list", "mcp_connect", "mcp_disconnect"] {
        assert!(page.contains(&format!("| `{tool} {{")), "{tool}");
    }

    let trusting = [words.as_slice(), &["--mcp-trust", digest]].concat();
    let input = format!("{input}!mcp_disconnect {{\"server\":\"hand\"}}\n!mcp_list {{}}\n");
    // Given once, it is remembered.
    for words in [trusting.as_slice(), &words] {
        let outcome = extline.run_with_input(words, &input);
        outcome.assert_code(0);
        for part in [
            "hand: not connected\n",
            "hand is connected. Its tools: ",
            "\nhello\n",
            "not connected any more",
        ] {
            assert!(outcome.stdout.contains(part), "{part}: {outcome:#?}");
        }
    }
    // Without the tools it is left out, as it was.
    let outcome = extline.run(&["run", "--mcp-config", file.to_str().unwrap()]);
    assert!(!outcome.stderr.contains("hand"), "{outcome:#?}");
}

#[test]
fn a_server_at_a_url_is_used_and_one_that_is_gone_is_told_of() {
    let extline = Extline::new();
    let mut server =
        extline.command(&["mcp", "--http", "0", "examples/clock-shell"]).spawn().unwrap();
    let mut url = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let typed = format!("clock={}", url.trim());
    let words = ["run", "--mcp", &typed];
    let outcome = extline.run_with_input(&words, "!clock_clock_now {\"utc\":true}\n:status\n");
    outcome.assert_code(0);
    for part in [" UTC\n", "clock ready: 1 tool, 1 command\n", "clock stopped: disconnected"] {
        assert!(outcome.stdout.contains(part), "{part}: {outcome:#?}");
    }
    signal(&server, "TERM");
    server.wait().unwrap();
    let outcome = extline.run_with_input(&words, "");
    outcome.assert_code(3);
    outcome.assert_says(&["clock: it cannot be reached: error sending request for url", "refused"]);
}

#[test]
fn what_cannot_be_read_is_told_before_anything_is_started() {
    let extline = Extline::new();
    let cases = [
        (["--mcp", "python3 'x"], "a quote or a \\ has no end"),
        (["--mcp", "extline-no-such-program x"], "is in no folder of $PATH"),
        (["--mcp-config", "absent.json"], "there is no such file"),
        (["--mcp-config", "Cargo.toml"], "has no servers"),
    ];
    for (words, why) in cases {
        let outcome = extline.run(&[&["run", "examples/clock-shell"], words.as_slice()].concat());
        outcome.assert_code(1);
        outcome.assert_says(&["error: ", why]);
        assert!(!outcome.stdout.contains("ready"), "{outcome:#?}");
    }
    assert!(repository().join(SERVER).is_file());
}
