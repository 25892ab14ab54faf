//! `extline discover`: which extensions, servers and hooks the agents have.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use extline_host::ExtensionSource;
use serde_json::{Value, json};

use super::discover_hooks::FoundHooks;
use super::edit::Read;
use super::entry::Entry;
use super::file::ConfigFile;
use super::paths::resolve;
use super::report::scope as word;
use super::{chosen, fail, zot};
use crate::agents::{AGENTS, Agent, Scope, ZOT};
use crate::args::{Discover, Mcp};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::session::Session;
use crate::styled::{BOLD, DIM, RED, Text, YELLOW, text};

/// Characters that are shown of a name.
const NAME_CHARS: usize = 100;

/// A server that some file has.
struct Server {
    name: String,
    /// Of the present folder alone, in a file for all.
    is_here: bool,
    /// What it starts, where it is ours.
    ours: Option<Ours>,
}

struct Ours {
    mcp: Mcp,
    /// The command, where it is no longer there.
    lost_command: Option<PathBuf>,
    started: Option<Started>,
}

struct Started {
    tools: Vec<String>,
    exit: Exit,
}

/// A file that is there.
struct Found {
    agent: &'static Agent,
    scope: Scope,
    path: PathBuf,
    /// None where the file has no servers, only hooks.
    servers: Option<Result<Vec<Server>, String>>,
    /// None where the file has no hooks, only servers.
    hooks: Result<Option<FoundHooks>, String>,
}

pub(crate) async fn run(discover: Discover, mut printer: Printer) -> Exit {
    let (zot, names): (Vec<_>, Vec<_>) =
        discover.agents.iter().cloned().partition(|name| name == ZOT);
    let agents = match chosen(&names) {
        Ok(agents) if agents.is_empty() && !zot.is_empty() => Vec::new(),
        Ok(agents) if agents.is_empty() => AGENTS.iter().collect(),
        Ok(agents) => agents,
        Err(why) => return fail(&why, &mut printer, Exit::Usage),
    };
    let cwd = env::current_dir().unwrap_or_default();
    let mut found: Vec<Found> = agents.iter().flat_map(|agent| look(agent, &cwd)).collect();
    let is_for_zot = !zot.is_empty() || discover.agents.is_empty();
    let zot = is_for_zot.then(|| zot::look(&cwd));
    let mut exit = Exit::Ok;
    if discover.start {
        let ours = found.iter_mut().filter_map(|it| it.servers.as_mut()?.as_mut().ok()).flatten();
        for ours in ours.filter_map(|server| server.ours.as_mut()) {
            let (back, started) = start(ours, printer).await;
            printer = back;
            if started.exit != Exit::Ok {
                exit = started.exit;
            }
            let is_stopped = matches!(started.exit, Exit::Interrupted | Exit::Terminated);
            ours.started = Some(started);
            if is_stopped {
                break;
            }
        }
    }
    if printer.json {
        let zot = zot.iter().flatten().map(zot::Found::json);
        let files: Vec<_> = found.iter().map(json_of).chain(zot).collect();
        printer.json(&json!({ "files": files }));
    } else {
        show(&agents, &found, zot.as_deref(), &mut printer);
    }
    printer.finish(exit)
}

/// The files of an agent that are there.
fn look(agent: &'static Agent, project: &Path) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for scope in [Scope::User, Scope::Project] {
        let (paths, hook_paths) = (agent.paths(scope), agent.hook_paths(scope));
        let own = hook_paths.iter().filter(|it| !paths.contains(it));
        for written in paths.iter().chain(own) {
            let Ok(path) = resolve(written, project) else { continue };
            // In the home folder both are the same.
            if found.iter().any(|it| it.path == path) {
                continue;
            }
            let file = match ConfigFile::read(path.clone()) {
                Ok(file) if file.text.is_none() => continue,
                Ok(file) => Ok(file),
                Err(refusal) => Err(refusal.0),
            };
            let servers = paths.contains(written).then(|| {
                let file = file.as_ref().map_err(String::clone)?;
                let read = Read::of(agent, file.text()).map_err(|it| it.of(&path).0)?;
                Ok(servers(agent, &read, project))
            });
            let hooks = match (&file, hook_paths.contains(written)) {
                (Ok(file), true) => FoundHooks::of(agent, file),
                (Err(why), true) => Err(why.clone()),
                (_, false) => Ok(None),
            };
            found.push(Found { agent, scope, path, servers, hooks });
        }
    }
    found
}

fn servers(agent: &Agent, read: &Read, project: &Path) -> Vec<Server> {
    let everywhere = read.servers(agent).map(|server| (false, server));
    let here = read.servers_of_folder(agent, project).map(|server| (true, server));
    let servers = everywhere.chain(here).map(|(is_here, (name, value))| {
        let entry = Entry::of(agent, name, value);
        let ours = entry.and_then(|entry| {
            let mcp = entry.mcp()?;
            let command = PathBuf::from(&entry.command);
            let is_lost = command.is_absolute() && !command.exists();
            Some(Ours { mcp, lost_command: is_lost.then_some(command), started: None })
        });
        Server { name: name.clone(), is_here, ours }
    });
    servers.collect()
}

/// Starts what an entry starts, and ends it again; the host gives it up where it takes too long.
async fn start(ours: &mut Ours, mut printer: Printer) -> (Printer, Started) {
    let mut sources: Vec<_> = ours.mcp.dirs.iter().map(ExtensionSource::folder).collect();
    let mut words = ours.mcp.program.words.iter();
    if let Some(program) = words.next() {
        sources.push(ExtensionSource::command(program, words));
    }
    // That of the agent is not to be written over.
    ours.mcp.settings.trace = None;
    printer.progress(&format!("starting {}", Entry::targets(&ours.mcp).join(" ")));
    let is_json = printer.json;
    let mcp = &ours.mcp;
    let started = Session::start(sources, &mcp.timeout, &mcp.settings, None, printer).await;
    let mut session = match started {
        Ok(session) => session,
        Err((printer, exit)) => return (printer, Started { tools: Vec::new(), exit }),
    };
    // JSON on stdout is one line, and has it.
    session.printer.json = false;
    let failed = session.report_failed();
    let host = Arc::clone(&session.host);
    let tools = host.tools().iter().map(|tool| tool.name().to_owned()).collect();
    let mut printer = session.end().await;
    printer.json = is_json;
    (printer, Started { tools, exit: failed.unwrap_or(Exit::Ok) })
}

fn show(
    agents: &[&'static Agent],
    found: &[Found],
    zot: Option<&[zot::Found]>,
    printer: &mut Printer,
) {
    let mut without = Vec::new();
    for agent in agents {
        let files: Vec<_> = found.iter().filter(|it| it.agent.id == agent.id).collect();
        if files.is_empty() {
            without.push(agent.name);
            continue;
        }
        printer.result(text!("{BOLD}{}{BOLD:#}", agent.name));
        for file in files {
            show_file(file, printer);
        }
    }
    match zot {
        None => {}
        Some([]) => without.push(ZOT),
        Some(found) => {
            printer.result(text!("{BOLD}zot{BOLD:#}"));
            for found in found {
                found.show(printer);
            }
        }
    }
    if !without.is_empty() {
        printer.result(text!("{DIM}no files of {}{DIM:#}", without.join(", ")));
    }
}

fn show_file(file: &Found, printer: &mut Printer) {
    if let Some(why) = file.error() {
        printer.result(text!("  {RED}cannot be read:{RED:#} {why}"));
        // What is wrong with its hooks does not hide its servers.
        if !matches!(file.servers, Some(Ok(_))) {
            return;
        }
    }
    let servers = file.servers.as_ref().and_then(|it| it.as_ref().ok());
    let hooks = file.hooks.as_ref().ok().and_then(Option::as_ref).map(FoundHooks::lines);
    let none = match (servers.map(Vec::as_slice), hooks.as_deref()) {
        (Some([]), None | Some([])) => ": no servers",
        (None, Some([])) => ": no hooks",
        _ => "",
    };
    printer.result(format_args!("  {} ({}){none}", file.path.display(), word(file.scope)));
    servers.into_iter().flatten().for_each(|server| printer.result(line(server)));
    hooks.into_iter().flatten().for_each(|hook| printer.result(hook));
}

fn line(server: &Server) -> Text {
    let name = Text::line(&server.name, NAME_CHARS);
    let here = if server.is_here { ", only in this folder" } else { "" };
    let Some(ours) = &server.ours else {
        return text!("    {name}  {DIM}another server{here}{DIM:#}");
    };
    let mut lines =
        vec![text!("    {BOLD}{name}{BOLD:#}  {}{here}", Entry::targets(&ours.mcp).join(" "))];
    for lost in ours.lost() {
        lines.push(text!("      {YELLOW}{} is no longer there{YELLOW:#}", lost.display()));
    }
    match &ours.started {
        Some(started) if started.tools.is_empty() && started.exit != Exit::Ok => {
            lines.push(text!("      {RED}did not start{RED:#}"));
        }
        Some(started) => lines.push(text!("      tools: {}", started.tools.join(", "))),
        None => {}
    }
    Text::of_lines(&lines)
}

impl Found {
    /// Why the file cannot be read.
    fn error(&self) -> Option<&str> {
        let servers = self.servers.as_ref().and_then(|it| it.as_ref().err());
        servers.or(self.hooks.as_ref().err()).map(String::as_str)
    }
}

impl Ours {
    /// What is no longer there.
    fn lost(&self) -> impl Iterator<Item = &Path> {
        let dirs = self.mcp.dirs.iter().map(Path::new).filter(|dir| !dir.exists());
        self.lost_command.iter().map(PathBuf::as_path).chain(dirs)
    }
}

fn json_of(found: &Found) -> Value {
    let mut json = json!({
        "agent": found.agent.id,
        "scope": word(found.scope),
        "file": found.path,
    });
    if let Some(why) = found.error() {
        json["error"] = why.into();
    }
    if let Some(Ok(servers)) = &found.servers {
        json["servers"] = servers.iter().map(json_of_server).collect();
    }
    if let Ok(Some(hooks)) = &found.hooks {
        hooks.add_to(&mut json);
    }
    json
}

fn json_of_server(server: &Server) -> Value {
    let mut json = json!({ "name": server.name, "ours": server.ours.is_some() });
    if server.is_here {
        json["only_in_this_folder"] = true.into();
    }
    if let Some(ours) = &server.ours {
        json["dirs"] = ours.mcp.dirs.iter().map(|it| it.display().to_string()).collect();
        json["missing"] = ours.lost().map(|path| json!(path)).collect();
        if let Some(program) = ours.mcp.program.words.first() {
            json["program"] = program.display().to_string().into();
        }
        if let Some(started) = &ours.started {
            json["started"] = (started.exit == Exit::Ok).into();
            json["tools"] = json!(started.tools);
        }
    }
    json
}
