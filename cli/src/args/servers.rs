//! Servers of MCP, as sources of tools.

use std::path::PathBuf;

use clap::Args;

/// Which servers of MCP are used.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "MCP servers")]
pub(crate) struct Servers {
    /// Use a server of MCP: by its command line, as 'python3 server.py', or by its URL (streamable HTTP). NAME= in
    /// front of it gives it another name, with which the names of its tools begin. May be repeated
    #[arg(long = "mcp", value_name = "[NAME=]COMMAND|URL")]
    pub(crate) commands: Vec<String>,

    /// Use the servers of a file: .mcp.json, ~/.claude.json, mcp.json of an Agent Plugin or of VS Code, config.toml
    /// of Codex. Those that nobody has trusted yet are shown and asked about on a terminal, and not started elsewhere.
    /// May be repeated
    #[arg(long = "mcp-config", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Trust the server of --mcp-config that has this digest, from now on. May be repeated
    #[arg(long = "mcp-trust", value_name = "DIGEST", value_parser = digest)]
    pub(crate) trusted: Vec<String>,

    /// Offer the tools `mcp_list`, `mcp_connect` and `mcp_disconnect`: the model then connects to servers itself, where
    /// somebody allows it, also to those of --mcp-config that are disabled there. Never to one that nobody trusts
    #[arg(long = "mcp-tools")]
    pub(crate) tools: bool,
}

impl Servers {
    /// Whether none is named.
    pub(crate) fn is_empty(&self) -> bool {
        self.commands.is_empty() && self.files.is_empty()
    }

    /// The command that trusts a server of these files, without its digest.
    pub(crate) fn trusting(&self) -> String {
        let mut words = vec!["extline".to_owned(), "run".to_owned(), "--mcp-tools".to_owned()];
        for file in &self.files {
            words.extend(["--mcp-config".to_owned(), file.to_string_lossy().into_owned()]);
        }
        words.push("--mcp-trust".to_owned());
        // What cannot be typed is typed by nobody.
        shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
    }
}

pub(super) fn digest(text: &str) -> Result<String, String> {
    let digits = text.strip_prefix("sha256:").unwrap_or(text);
    if digits.len() == 64 && digits.bytes().all(|it| it.is_ascii_hexdigit()) {
        return Ok(format!("sha256:{}", digits.to_ascii_lowercase()));
    }
    Err("expected sha256: and 64 digits, as a run without it shows them".to_owned())
}
