//! Servers of MCP on the command line: which, and whether they may be started.

mod config;

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use extline_host::{ExtensionSource, McpServer};

use self::config::Configured;
use crate::args::Servers;
use crate::printer::Printer;
use crate::styled::{BOLD, DIM, Text};
use crate::trust::{NotStarted, Trust};

/// Characters that are shown of a command line.
const LINE_CHARS: usize = 1000;

/// Programs that start another one, which their first argument names.
const STARTERS: [&str; 6] = ["npx", "uvx", "bunx", "pnpx", "pipx", "deno"];

/// The servers that are wanted, with what is trusted of them. `Err` where what is wanted cannot be read.
pub(crate) async fn sources(
    servers: &Servers,
    printer: &mut Printer,
) -> Result<Vec<ExtensionSource>, NotStarted> {
    let cwd = env::current_dir().map_err(|error| format!("there is no present folder: {error}"))?;
    let mut sources = Vec::new();
    for command in &servers.commands {
        let server = typed(command, &cwd).map_err(|why| format!("--mcp {command:?}: {why}"))?;
        // Who types a command wants it to be started.
        let digest = server.digest(&cwd).map_err(|error| error.to_string())?;
        show(&server, &cwd, "", printer);
        sources.push(ExtensionSource::Mcp(server.trust(digest)));
    }
    let mut trust = Trust::read("mcp", "--mcp-trust", &servers.trusted);
    for file in &servers.files {
        for found in config::servers_in(file, &cwd, servers.tools)? {
            match found {
                Ok(Configured { server, is_enabled: true }) => {
                    let server = ask(server, &cwd, &mut trust, printer).await?;
                    sources.push(ExtensionSource::Mcp(server));
                }
                Ok(Configured { server, .. }) => {
                    let server = if_trusted(server, &cwd, &mut trust);
                    sources.push(ExtensionSource::Mcp(server).on_demand());
                }
                Err(why) => printer.warn(format_args!("{}: {why}", file.display())),
            }
        }
    }
    Ok(sources)
}

/// The server of that name in a file, as who names it wants it to be started. `Err` where there is none.
pub(crate) fn named(file: &Path, name: &str, cwd: &Path) -> Result<ExtensionSource, String> {
    let found = config::named_in(file, name, cwd)?;
    if found.is_remote() {
        return Err(format!(
            "the server {name} of {} is reached by a URL; what speaks over stdio is tested",
            file.display()
        ));
    }
    let digest = found.digest(cwd).map_err(|error| error.to_string())?;
    Ok(ExtensionSource::Mcp(found.trust(digest)))
}

/// A server that is started later, if at all: nobody is asked about it now.
fn if_trusted(server: McpServer, cwd: &Path, trust: &mut Trust) -> McpServer {
    match server.digest(cwd) {
        Ok(digest) if trust.has(&digest) => server.trust(digest),
        _ => server,
    }
}

/// A server as it may be started: one that is not trusted is refused by the host, with the reason.
async fn ask(
    server: McpServer,
    cwd: &Path,
    trust: &mut Trust,
    printer: &mut Printer,
) -> Result<McpServer, NotStarted> {
    // The host says what is wrong with one that cannot be found.
    let Ok(digest) = server.digest(cwd) else { return Ok(server) };
    if trust.has(&digest) {
        show(&server, cwd, "", printer);
        return Ok(server.trust(digest));
    }
    show(&server, cwd, &format!(" ({digest})"), printer);
    let is_trusted = trust.ask(&digest, server.name(), printer).await?;
    Ok(if is_trusted { server.trust(digest) } else { server })
}

fn show(server: &McpServer, cwd: &Path, more: &str, printer: &mut Printer) {
    let line = server.command_line(cwd).unwrap_or_default();
    let line = Text::line(&line, LINE_CHARS);
    printer.say(format_args!("{BOLD}{}{BOLD:#}: {line}{DIM}{more}{DIM:#}", server.name()));
}

/// A server that was typed.
fn typed(command: &str, cwd: &Path) -> Result<McpServer, String> {
    let (name, line) = split_name(command);
    if let Some(host) = ["http://", "https://"].iter().find_map(|it| line.strip_prefix(it)) {
        let host = host.split(['/', '?', '#', ':']).next().unwrap_or_default();
        let name = name.map_or_else(|| host.chars().take(32).collect(), str::to_owned);
        return McpServer::at(&name, line).map_err(|error| error.to_string());
    }
    let words = shlex::split(line).ok_or("a quote or a \\ has no end")?;
    let mut words = words.into_iter();
    let program = words.next().ok_or("there is no command")?;
    let args: Vec<String> = words.collect();
    let name = name.map_or_else(|| name_of(&program, &args, cwd), str::to_owned);
    McpServer::new(&name, program, args).map_err(|error| error.to_string())
}

/// `NAME=` in front of a command.
fn split_name(command: &str) -> (Option<&str>, &str) {
    let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
    match command.split_once('=') {
        Some((name, line)) if !name.is_empty() && name.chars().all(is_part) => (Some(name), line),
        _ => (None, command),
    }
}

/// What it is called: as the script that is started, or the package, or the program.
fn name_of(program: &str, args: &[String], cwd: &Path) -> String {
    let stem = |path: &str| {
        let path = PathBuf::from(path);
        path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
    };
    let starter = Path::new(program).file_name().and_then(OsStr::to_str).unwrap_or_default();
    let mut plain = args.iter().filter(|arg| !arg.starts_with('-'));
    let name = if STARTERS.contains(&starter) {
        let package = plain.find(|arg| !matches!(arg.as_str(), "run" | "x")).map(String::as_str);
        // `@scope/server-files@1.2` is `files`.
        let package = package.and_then(|it| it.rsplit('/').next()).unwrap_or(program);
        let package = package.split('@').find(|it| !it.is_empty()).unwrap_or(package);
        package.trim_start_matches("server-").trim_start_matches("mcp-server-").to_owned()
    } else {
        let script = plain.find(|arg| cwd.join(arg).is_file());
        stem(script.map_or(program, String::as_str))
    };
    // The names of its tools begin with it.
    name.chars().take(32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_after_what_is_started() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("clock.py"), "").unwrap();
        let name = |command: &str| {
            let words = shlex::split(command).unwrap();
            name_of(&words[0], &words[1..], dir.path())
        };
        assert_eq!(name("python3 -S clock.py --mcp"), "clock");
        assert_eq!(name("/usr/bin/my-server x"), "my-server");
        assert_eq!(name("npx -y @modelcontextprotocol/server-everything@1.0 stdio"), "everything");
        assert_eq!(name("uvx mcp-server-git --repository ."), "git");
        assert_eq!(split_name("a-b=sh -c x=y"), (Some("a-b"), "sh -c x=y"));
        assert_eq!(split_name("sh -c x=y"), (None, "sh -c x=y"));
    }
}
