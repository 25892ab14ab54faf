//! Which server, how it is started, and whether somebody trusts it.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use extline_protocol::check_extension_name;
use reqwest::Url;
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::resolve;
use crate::lock::lock;
use crate::process::{Environments, Launch};
use crate::report::Problem;

/// Longest name of a server: with it begin the names of its tools, which have 64 bytes.
const NAME: usize = 32;

/// A server of MCP, for [`HostBuilder::mcp_server`](crate::HostBuilder::mcp_server): a program that speaks on its
/// stdin and stdout, or one at a URL (streamable HTTP).
///
/// Nothing of it is started or connected to unless somebody trusts just this server. The digest of a program is that
/// of its absolute path and content, the arguments, the content of those that are files, the variables and the folder;
/// that of another is of its URL and headers.
/// Whoever asks a person shows [`McpServer::command_line`] and keeps [`McpServer::digest`]; the host compares
/// what it is told by [`McpServer::trust`] with what it finds, before each start.
///
/// ```
/// use std::path::Path;
/// use extline_host::{Host, McpServer};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = McpServer::new("files", "sh", ["server.sh"])?;
/// let here = Path::new("/");
/// println!("start {}?", server.command_line(here)?);
/// let digest = server.digest(here)?;
/// let builder = Host::builder().cwd(here).mcp_server(server.trust(digest));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServer {
    name: String,
    pub(crate) way: Way,
    variables: BTreeMap<OsString, OsString>,
    dir: Option<PathBuf>,
    trusted: Option<String>,
}

/// How it is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Program { program: OsString, args: Vec<OsString> },
    Url { url: Url, headers: BTreeMap<String, String> },
}

/// A server that cannot be started as it is described.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the MCP server {name}: {message}")]
pub struct McpServerError {
    /// The server.
    pub name: String,
    /// What is wrong.
    pub message: String,
}

impl McpServer {
    /// A program and its arguments. A bare name is looked up in `$PATH`, any other begins at the server's folder. What
    /// of `name` is no letter, digit, `_` or `-` becomes `_`; its tools are called `NAME_tool`.
    pub fn new<A: Into<OsString>>(
        name: &str,
        program: impl Into<OsString>,
        args: impl IntoIterator<Item = A>,
    ) -> Result<Self, McpServerError> {
        let args = args.into_iter().map(Into::into).collect();
        Self::reached(name, Way::Program { program: program.into(), args })
    }

    /// One at a URL of http or https. A host whose name leads to a private address is not connected to, unless the
    /// URL itself has the address, or `localhost`.
    pub fn at(name: &str, url: &str) -> Result<Self, McpServerError> {
        let wrong = |message: String| McpServerError { name: name.to_owned(), message };
        let parsed = Url::parse(url).map_err(|error| wrong(format!("its URL is none: {error}")))?;
        if !matches!(parsed.scheme(), "http" | "https") || !parsed.has_host() {
            return Err(wrong("its URL is none of http or https".to_owned()));
        }
        Self::reached(name, Way::Url { url: parsed, headers: BTreeMap::new() })
    }

    fn reached(name: &str, way: Way) -> Result<Self, McpServerError> {
        let fits = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
        let plain: String = name.chars().map(|it| if fits(it) { it } else { '_' }).collect();
        let wrong = |message: String| McpServerError { name: plain.clone(), message };
        check_extension_name(&plain)
            .map_err(|why| wrong(format!("its name cannot be used: {why}")))?;
        if plain.len() > NAME {
            return Err(wrong(format!(
                "its name has more than {NAME} characters; give it a shorter one"
            )));
        }
        Ok(Self { name: plain, way, variables: BTreeMap::new(), dir: None, trusted: None })
    }

    /// Sends a header with each request, to one at a URL.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let Way::Url { headers, .. } = &mut self.way {
            headers.insert(name.into(), value.into());
        }
        self
    }

    /// Gives it a variable, beside those that every extension gets.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// The folder that it runs in; that of the host when absent.
    #[must_use]
    pub fn dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.dir = Some(dir.into());
        self
    }

    /// Somebody trusts the server that has this digest.
    #[must_use]
    pub fn trust(mut self, digest: impl Into<String>) -> Self {
        self.trusted = Some(digest.into());
        self
    }

    /// Whether it is reached by a URL, and not started.
    pub fn is_remote(&self) -> bool {
        matches!(self.way, Way::Url { .. })
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is started, in a host that runs in `cwd`: the absolute path of the program, and the arguments; or the URL.
    pub fn command_line(&self, cwd: &Path) -> Result<String, McpServerError> {
        let (program, args) = match &self.way {
            Way::Program { program, args } => (program, args),
            Way::Url { url, .. } => return Ok(url.to_string()),
        };
        let mut line = self.found(program, cwd)?.to_string_lossy().into_owned();
        for arg in args {
            let arg = arg.to_string_lossy();
            let is_plain = |it: char| it.is_ascii_alphanumeric() || "_-./=:,@+%".contains(it);
            if !arg.is_empty() && arg.chars().all(is_plain) {
                line.extend([" ", &arg]);
            } else {
                // A shell's own quotes, so that the line can be typed.
                line.extend([" '", &arg.replace('\'', "'\\''"), "'"]);
            }
        }
        Ok(line)
    }

    /// What it is now, in a host that runs in `cwd`; the one that is to be trusted.
    pub fn digest(&self, cwd: &Path) -> Result<String, McpServerError> {
        let dir = self.folder(cwd);
        let mut digest = Sha256::new();
        let mut add = |what: &str, value: &[u8]| {
            digest.update(what.as_bytes());
            digest.update((value.len() as u64).to_le_bytes());
            digest.update(value);
        };
        match &self.way {
            Way::Program { program, args } => {
                let content = |file: &Path| {
                    let unread = |error| format!("{} cannot be read: {error}", file.display());
                    digest_of(file).map_err(|error| self.wrong(unread(error)))
                };
                let program = self.found(program, cwd)?;
                add("program", program.as_os_str().as_encoded_bytes());
                add("content", &content(&program)?);
                for arg in args {
                    add("argument", arg.as_encoded_bytes());
                    let file = dir.join(arg);
                    if file.is_file() {
                        add("content", &content(&file)?);
                    }
                }
                for (name, value) in &self.variables {
                    add("name", name.as_encoded_bytes());
                    add("value", value.as_encoded_bytes());
                }
                add("folder", dir.as_os_str().as_encoded_bytes());
            }
            Way::Url { url, headers } => {
                add("url", url.as_str().as_bytes());
                for (name, value) in headers {
                    add("name", name.as_bytes());
                    add("value", value.as_bytes());
                }
            }
        }
        let mut text = "sha256:".to_owned();
        for byte in digest.finalize() {
            // Writing into a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        Ok(text)
    }

    /// How to start it, where it is trusted as it is now.
    pub(crate) fn launch(
        &self,
        cwd: &Path,
        environments: &Environments<'_>,
    ) -> Result<Launch, Problem> {
        self.check_trust(cwd)?;
        let mut environment = (*environments.of(&[])).clone();
        environment.variables.extend(self.variables.clone());
        let (environment, dir) = (Arc::new(environment), self.folder(cwd));
        match &self.way {
            Way::Program { program, args } => {
                let program = self.found(program, cwd).map_err(McpServerError::into_problem)?;
                Ok(Launch {
                    program,
                    args: args.clone(),
                    dir,
                    environment,
                    is_remote: false,
                    pin: None,
                    confinement: None,
                    notices: Vec::new(),
                })
            }
            Way::Url { url, .. } => {
                let program = PathBuf::from(url.as_str());
                Ok(Launch {
                    program,
                    args: Vec::new(),
                    dir,
                    environment,
                    is_remote: true,
                    pin: None,
                    confinement: None,
                    notices: Vec::new(),
                })
            }
        }
    }

    /// Whether it is what somebody trusts.
    pub(crate) fn check_trust(&self, cwd: &Path) -> Result<(), Problem> {
        let found = self.digest(cwd).map_err(McpServerError::into_problem)?;
        let line = || self.command_line(cwd).unwrap_or_default();
        match &self.trusted {
            Some(trusted) if *trusted == found => Ok(()),
            Some(trusted) => Err(Problem::McpServer {
                message: format!(
                    "it is not the one that was trusted: {} is {found}, and {trusted} was trusted",
                    line()
                ),
                remedy: "look what has changed, and trust it anew".to_owned(),
            }),
            None => Err(Problem::McpServer {
                message: format!("nobody has said that {} ({found}) may be started", line()),
                remedy: "look at what it starts, and trust its digest".to_owned(),
            }),
        }
    }

    /// Its digest, where it can be found and nobody trusts it as it is now.
    pub(crate) fn untrusted(&self, cwd: &Path) -> Option<String> {
        let found = self.digest(cwd).ok()?;
        (self.trusted.as_ref() != Some(&found)).then_some(found)
    }

    fn found(&self, program: &OsStr, cwd: &Path) -> Result<PathBuf, McpServerError> {
        let own = self.variables.get(OsStr::new("PATH")).cloned();
        let folders = own.or_else(|| env::var_os("PATH")).unwrap_or_default();
        let dir = self.folder(cwd);
        resolve(program, &dir, &folders).map_err(|problem| self.wrong(problem.to_string()))
    }

    fn folder(&self, cwd: &Path) -> PathBuf {
        self.dir.as_ref().map_or_else(|| cwd.to_owned(), |dir| cwd.join(dir))
    }

    fn wrong(&self, message: String) -> McpServerError {
        McpServerError { name: self.name.clone(), message }
    }
}

impl McpServerError {
    fn into_problem(self) -> Problem {
        let remedy = "correct the command of the server".to_owned();
        Problem::McpServer { message: self.message, remedy }
    }
}

/// The digest of a file's content. An interpreter may have a hundred megabytes, and is looked at before each start: what
/// has not changed is not read again.
fn digest_of(path: &Path) -> io::Result<[u8; 32]> {
    static KNOWN: Mutex<BTreeMap<PathBuf, (Version, [u8; 32])>> = Mutex::new(BTreeMap::new());
    let mut file = File::open(path)?;
    let version = Version::of(&file.metadata()?);
    if let Some((known, digest)) = lock(&KNOWN).get(path)
        && *known == version
    {
        return Ok(*digest);
    }
    let mut digest = Sha256::new();
    let mut bytes = vec![0; 64 * 1024];
    loop {
        match file.read(&mut bytes)? {
            0 => break,
            count => digest.update(&bytes[..count]),
        }
    }
    let digest = digest.finalize().into();
    lock(&KNOWN).insert(path.to_owned(), (version, digest));
    Ok(digest)
}

/// What changes when the content of a file does.
#[derive(PartialEq, Eq)]
struct Version {
    length: u64,
    modified: Option<SystemTime>,
    /// The file itself, and when the system last noted a change of it.
    #[cfg(unix)]
    inode: (u64, u64, i64, i64),
}

impl Version {
    fn of(found: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;
        Self {
            length: found.len(),
            modified: found.modified().ok(),
            #[cfg(unix)]
            inode: (found.dev(), found.ino(), found.ctime(), found.ctime_nsec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_digest_is_of_all_that_a_start_hangs_on() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("server.sh"), "one").unwrap();
        let server = |name: &str, arg: &str| McpServer::new(name, "sh", [arg]).unwrap();
        let digest = |server: &McpServer| server.digest(dir.path()).unwrap();
        let first = digest(&server("a", "server.sh"));
        assert_eq!(first, digest(&server("b", "server.sh")));
        assert_ne!(first, digest(&server("a", "other.sh")));
        assert_ne!(first, digest(&server("a", "server.sh").env("KEY", "value")));
        fs::write(dir.path().join("server.sh"), "two").unwrap();
        assert_ne!(first, digest(&server("a", "server.sh")));
        let old = server("a", "server.sh").trust(first);
        let problem = old.check_trust(dir.path()).unwrap_err();
        assert!(problem.to_string().contains("not the one that was trusted"), "{problem}");
        let now = digest(&old);
        assert_eq!(old.trust(now).check_trust(dir.path()), Ok(()));
    }

    #[test]
    fn a_command_line_can_be_typed_and_names_what_is_started() {
        let server = McpServer::new("my server.1", "sh", ["-c", "echo 'a b'"]).unwrap();
        assert_eq!(server.name(), "my_server_1");
        let line = server.command_line(Path::new("/")).unwrap();
        assert!(line.starts_with('/') && line.ends_with(r"/sh -c 'echo '\''a b'\'''"), "{line}");
        let unknown = McpServer::new("x", "extline-no-such-program", [""; 0]).unwrap();
        let error = unknown.digest(Path::new("/")).unwrap_err();
        assert!(error.to_string().contains("is in no folder of $PATH"), "{error}");
        assert!(McpServer::new("", "sh", [""; 0]).is_err());
        assert!(McpServer::new(&"x".repeat(33), "sh", [""; 0]).is_err());
    }
}
