//! Files as people and agents write them.

/// Files as they are found: the agent, the file, what is in there, and what is to become of it; the
/// last is `None` where the text itself is of no interest.
pub(crate) const USER_FILES: [(&str, &str, &str, Option<&str>); 22] = [
    ("cursor", ".cursor/mcp.json", "", None),
    ("cursor", ".cursor/mcp.json", "\n\n", None),
    ("cursor", ".cursor/mcp.json", "{}", None),
    ("cursor", ".cursor/mcp.json", "{ }\n", None),
    ("cursor", ".cursor/mcp.json", "// mine\n", None),
    ("cursor", ".cursor/mcp.json", "{\n  // nothing yet\n}\n", None),
    (
        "cursor",
        ".cursor/mcp.json",
        "{\"mcpServers\":{}}",
        Some("{\"mcpServers\":{\"clock-shell\":{\"command\":@,\"args\":[\"mcp\",%]}}}"),
    ),
    (
        "cursor",
        ".cursor/mcp.json",
        "{ \"a\": 1 }\n",
        Some(
            "{ \"a\": 1, \"mcpServers\": { \"clock-shell\": { \"command\": @, \"args\": [\"mcp\", %] } } }\n",
        ),
    ),
    // Comments, also behind the last member, and an indentation of three.
    (
        "cursor",
        ".cursor/mcp.json",
        "{\n   // top\n   \"mcpServers\": {\n      \"a\": { \"url\": \"http://x\" } // last\n      // end, with a comma\n   } /* } */\n}",
        Some(
            "{\n   // top\n   \"mcpServers\": {\n      \"a\": { \"url\": \"http://x\" }, // last\n      // end, with a comma\n      \"clock-shell\": {\n         \"command\": @,\n         \"args\": [\"mcp\", %]\n      }\n   } /* } */\n}",
        ),
    ),
    // Commas at the end stay at the end.
    (
        "cursor",
        ".cursor/mcp.json",
        "{\n\t\"mcpServers\": {\n\t\t\"a\": {}, // ,\n\t},\n}\n",
        Some(
            "{\n\t\"mcpServers\": {\n\t\t\"a\": {}, // ,\n\t\t\"clock-shell\": {\n\t\t\t\"command\": @,\n\t\t\t\"args\": [\"mcp\", %]\n\t\t},\n\t},\n}\n",
        ),
    ),
    ("cursor", ".cursor/mcp.json", "{\"mcpServers\": {\"a\": {},}}", None),
    // Line ends and the byte order mark of Windows.
    (
        "vscode",
        ".vscode/mcp.json",
        "\u{feff}{\r\n    \"inputs\": []\r\n}\r\n",
        Some(
            "\u{feff}{\r\n    \"inputs\": [],\r\n    \"servers\": {\r\n        \"clock-shell\": {\r\n            \"type\": \"stdio\",\r\n            \"command\": @,\r\n            \"args\": [\"mcp\", %]\r\n        }\r\n    }\r\n}\r\n",
        ),
    ),
    (
        "claude",
        ".mcp.json",
        "{\"numbers\": [1.0, 1e400, 123456789012345678901234567890], \"mcpServers\" : { } , \"x\": \"}{\\u00e9\"}",
        None,
    ),
    (
        "claude",
        ".mcp.json",
        "{\n  \"mcpServers\": {\n  },\n  \"projects\": {\"/x\": {\"mcpServers\": {\"clock-shell\": {}}}}\n}\n",
        None,
    ),
    (
        "zed",
        ".zed/settings.json",
        "// Zed settings\n{\n  \"theme\": \"One\", // dark\n  /* none */\n}\n",
        None,
    ),
    (
        "opencode",
        "opencode.jsonc",
        "{\n  \"$schema\": \"https://opencode.ai/config.json\"\n}",
        None,
    ),
    (
        "codex",
        ".codex/config.toml",
        "# mine\nmodel = \"x\"   # fast\n",
        Some(
            "# mine\nmodel = \"x\"   # fast\n\n[mcp_servers.clock-shell]\ncommand = @\nargs = [\"mcp\", %]\n",
        ),
    ),
    (
        "codex",
        ".codex/config.toml",
        "model = 'x'",
        Some("model = 'x'\n\n[mcp_servers.clock-shell]\ncommand = @\nargs = [\"mcp\", %]"),
    ),
    (
        "codex",
        ".codex/config.toml",
        "\u{feff}model = \"x\"\r\n[mcp_servers.a]\r\ncommand = \"b\"\r\n\r\n[tui]\r\nx = [\r\n  [1],\r\n]\r\n",
        Some(
            "\u{feff}model = \"x\"\r\n[mcp_servers.a]\r\ncommand = \"b\"\r\n\r\n[tui]\r\nx = [\r\n  [1],\r\n]\r\n\r\n[mcp_servers.clock-shell]\r\ncommand = @\r\nargs = [\"mcp\", %]\r\n",
        ),
    ),
    (
        "codex",
        ".codex/config.toml",
        "text = '''\n[mcp_servers.clock-shell]\n'''\nwhen = 2026-01-02T03:04:05Z\n",
        None,
    ),
    (
        "codex",
        ".codex/config.toml",
        "[mcp_servers]\na = { command = \"b\" }\nc.command = \"d\"\n",
        None,
    ),
    ("codex", ".codex/config.toml", "\n\n", None),
];
