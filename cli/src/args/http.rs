//! Serving MCP over HTTP in place of stdin and stdout.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(next_help_heading = "HTTP")]
pub(crate) struct Http {
    /// Serve many clients over streamable HTTP, at `http://ADDR/mcp`, until Ctrl-C: a port of this
    /// machine alone, or an address with a port; port 0 takes a free one, which is printed
    #[arg(id = "http", long = "http", value_name = "ADDR", value_parser = address, conflicts_with = "list")]
    pub(crate) address: Option<SocketAddr>,

    /// Ask each client for the token in this file (it sends `Authorization: Bearer TOKEN`); without
    /// the option, for the one in `EXTLINE_MCP_TOKEN`, if it is set. An address that others reach
    /// needs one
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(crate) token_file: Option<PathBuf>,

    /// Let web pages of this origin call, like `https://app.example`. May be repeated
    #[arg(long = "allow-origin", value_name = "ORIGIN", requires = "http", value_parser = origin)]
    pub(crate) origins: Vec<String>,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    let text = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.to_owned(),
    };
    text.parse().map_err(|_| {
        "expected a port, or an address and a port, like 8080, 127.0.0.1:8080 or [::1]:8080"
            .to_owned()
    })
}

/// As a browser writes it: no path, no slash at the end, lower case.
fn origin(text: &str) -> Result<String, String> {
    let is_origin = text.split_once("://").is_some_and(|(scheme, host)| {
        let is_word = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_graphic());
        is_word(scheme) && is_word(host) && !host.contains(['/', '?', '#', '@', '*', ','])
    });
    if is_origin {
        Ok(text.to_ascii_lowercase())
    } else {
        Err("expected an origin, like https://app.example or http://localhost:3000".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_port_is_on_the_loopback() {
        for text in ["8080", "127.0.0.1:8080", "localhost:8080"] {
            assert_eq!(address(text).unwrap().to_string(), "127.0.0.1:8080");
        }
        assert_eq!(address("[::1]:0").unwrap().to_string(), "[::1]:0");
        for wrong in ["", "65536", "localhost", "example.com:80", "::1", "127.0.0.1"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_origin_has_no_path() {
        assert_eq!(origin("HTTPS://App.example:8443").unwrap(), "https://app.example:8443");
        for wrong in ["", "*", "null", "app.example", "https://", "https://a/", "https://*.example"]
        {
            assert!(origin(wrong).is_err(), "{wrong}");
        }
    }
}
