//! Who may ask: the Host and Origin of a request, and its token.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};

use hyper::StatusCode;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;

use crate::http::{Answer, Refusal, is_same, refuse};
use crate::mcp::say;

/// The variable that may hold the token.
pub(crate) const TOKEN: &str = "EXTLINE_MCP_TOKEN";

/// Fewer characters than these can be guessed; more are no token but a wrong file.
const TOKEN_CHARS: std::ops::RangeInclusive<usize> = 16..=4096;

/// Characters that are shown of an origin. All are ASCII.
const SHOWN: usize = 200;

/// How long a browser may keep what a preflight was answered, in seconds.
const PREFLIGHT_AGE: &str = "600";

/// What a page of another origin may send, and read of an answer.
const REQUEST_HEADERS: &str = "Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, \
                               MCP-Protocol-Version, Mcp-Session-Id";
const ANSWER_HEADERS: &str = "Mcp-Session-Id, WWW-Authenticate";

/// Who may ask.
pub(super) struct Access {
    /// The server can be reached from this machine alone.
    is_local: bool,
    token: Option<String>,
    /// The origins of pages that may call.
    origins: Vec<String>,
    /// What was refused and told on stderr, each once, as bits.
    told: AtomicU8,
}

impl Access {
    pub(super) fn new(bound: SocketAddr, token: Option<String>, origins: Vec<String>) -> Self {
        let is_local = bound.ip().to_canonical().is_loopback();
        Self { is_local, token, origins, told: AtomicU8::new(0) }
    }

    /// Whether a request may come from where it comes; else what it is answered with.
    pub(super) fn check_source(&self, head: &Parts) -> Result<(), Refusal> {
        self.check_host(head)?;
        self.check_origin(&head.headers)
    }

    /// A page may have a name of its own resolved to this machine; then its requests have that name in
    /// `Host`. Where a token is required anyway, such a page is stopped by that.
    fn check_host(&self, head: &Parts) -> Result<(), Refusal> {
        let mut hosts = head.headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return Err(refuse(StatusCode::BAD_REQUEST, "one Host header is needed"));
        };
        let named =
            [host.to_str().ok(), head.uri.authority().map(hyper::http::uri::Authority::as_str)];
        let is_known = named[0].is_some() && named.into_iter().flatten().all(is_loopback);
        if is_known || !self.is_local {
            return Ok(());
        }
        self.tell(
            1,
            "a request for another host was refused; ask for 127.0.0.1, [::1] or localhost",
        );
        Err(refuse(StatusCode::FORBIDDEN, "Host has to be 127.0.0.1, [::1] or localhost"))
    }

    fn check_origin(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        for origin in headers.get_all(header::ORIGIN) {
            let known = origin.to_str().ok().filter(|origin| {
                let loopback = origin.strip_prefix("http://").or(origin.strip_prefix("https://"));
                self.is_allowed(origin) || loopback.is_some_and(is_loopback)
            });
            if known.is_none() {
                let shown = origin.to_str().unwrap_or("that cannot be read");
                let shown = &shown[..shown.len().min(SHOWN)];
                self.tell(
                    2,
                    &format!("the origin {shown} was refused; --allow-origin lets one call"),
                );
                return Err(refuse(StatusCode::FORBIDDEN, "this Origin is not allowed"));
            }
        }
        Ok(())
    }

    /// Whether it has the token, where there is one; else what it is answered with.
    pub(super) fn check_token(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let Some(token) = &self.token else { return Ok(()) };
        let said = headers.get(header::AUTHORIZATION);
        let bearer = said.and_then(|it| it.to_str().ok()).and_then(|it| it.split_once(' '));
        let bearer = bearer.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        if bearer.is_some_and(|(_, said)| is_same(said.trim().as_bytes(), token.as_bytes())) {
            return Ok(());
        }
        self.tell(4, "a request without the token was refused");
        let mut answer =
            refuse(StatusCode::UNAUTHORIZED, "the token is missing, or is another one");
        let challenge = match said {
            None => "Bearer realm=\"extline\"",
            Some(_) => "Bearer realm=\"extline\", error=\"invalid_token\"",
        };
        answer.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        Err(answer)
    }

    fn is_allowed(&self, origin: &str) -> bool {
        self.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin))
    }

    /// Lets the page that asks read the answer, where its origin was named on the command line.
    pub(super) fn share(&self, headers: &HeaderMap, answer: &mut Answer) {
        let origin = headers.get(header::ORIGIN);
        let allowed = origin.filter(|it| it.to_str().is_ok_and(|it| self.is_allowed(it)));
        let Some(origin) = allowed else { return };
        let told = answer.headers_mut();
        let mut tell = |name: HeaderName, value| told.insert(name, HeaderValue::from_static(value));
        tell(header::VARY, "Origin");
        tell(header::ACCESS_CONTROL_EXPOSE_HEADERS, ANSWER_HEADERS);
        tell(header::ACCESS_CONTROL_ALLOW_HEADERS, REQUEST_HEADERS);
        tell(header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE");
        tell(header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_AGE);
        told.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    }

    /// Says on stderr what was refused, the first time: whoever set up a client looks there, and nobody who
    /// asks again and again fills a log.
    fn tell(&self, kind: u8, what: &str) {
        if self.told.fetch_or(kind, Ordering::Relaxed) & kind == 0 {
            say(what);
        }
    }
}

/// The token that clients have to send, if any: that of the file, or of the environment. `Err` says what is
/// wrong with it.
pub(super) fn token(file: Option<&Path>) -> Result<Option<String>, String> {
    let (text, place) = match file {
        Some(path) => {
            let shown = path.display();
            let text = std::fs::read_to_string(path)
                .map_err(|error| format!("the token cannot be read from {shown}: {error}"))?;
            warn_if_open(path);
            (text, shown.to_string())
        }
        None => match std::env::var(TOKEN) {
            Ok(text) if !text.is_empty() => (text, TOKEN.to_owned()),
            Ok(_) | Err(std::env::VarError::NotPresent) => return Ok(None),
            Err(error) => return Err(format!("{TOKEN} cannot be read: {error}")),
        },
    };
    let token = text.trim_matches(['\n', '\r']);
    if !TOKEN_CHARS.contains(&token.len()) || !token.bytes().all(|it| it.is_ascii_graphic()) {
        return Err(format!(
            "{place} has to hold a token of {} to {} visible ASCII characters in one line, like what \
             `openssl rand -hex 32` prints",
            TOKEN_CHARS.start(),
            TOKEN_CHARS.end()
        ));
    }
    Ok(Some(token.to_owned()))
}

#[cfg(unix)]
fn warn_if_open(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).map_or(0, |it| it.permissions().mode());
    if mode & 0o077 != 0 {
        let path = path.display();
        say(&format!("others on this machine may read the token in {path}: chmod 600 {path}"));
    }
}

#[cfg(not(unix))]
fn warn_if_open(_path: &Path) {}

/// Whether `HOST` or `HOST:PORT` names this machine to itself. Any port will do: a forwarded one differs.
fn is_loopback(authority: &str) -> bool {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((host, port)) => (host, port.strip_prefix(':').or(port.is_empty().then_some("0"))),
            None => return false,
        },
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, Some("0")),
        },
    };
    if port.is_none_or(|port| port.parse::<u16>().is_err()) {
        return false;
    }
    let address = host.parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost")
        || address.is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_the_loopback_are_its_own() {
        for own in [
            "localhost",
            "LOCALHOST:8080",
            "127.0.0.1",
            "127.0.0.1:1",
            "127.1.2.3:9",
            "[::1]",
            "[::1]:8080",
            "[::ffff:127.0.0.1]:1",
        ] {
            assert!(is_loopback(own), "{own}");
        }
        for other in [
            "",
            "example.com",
            "localhost.example.com",
            "127.0.0.1.nip.io:80",
            "192.168.0.1",
            "0.0.0.0",
            "[::]",
            "[::1",
            "[::1]x",
            "localhost:",
            "localhost:x",
            "localhost:1:2",
            "user@localhost",
            "::1",
            "localhost/",
        ] {
            assert!(!is_loopback(other), "{other}");
        }
    }

    #[test]
    fn a_token_that_can_be_guessed_is_none() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let token = |text: &str| {
            std::fs::write(file.path(), text).unwrap();
            token(Some(file.path()))
        };
        assert_eq!(token("0123456789abcdef\n").unwrap().as_deref(), Some("0123456789abcdef"));
        for wrong in ["", "short", "0123456789 abcdef", "0123456789abcdef\n0123456789abcdef"] {
            assert!(token(wrong).unwrap_err().contains("visible ASCII"), "{wrong}");
        }
    }
}
