//! All that takes part in one case: the driver, the puppets, the folders.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::driver::Driver;
use super::log::Log;
use super::options::HostOptions;
use super::outgoing::Outgoing;
use super::puppet::{Caller, Puppet};
use crate::case::host::{Extension, Script};
use crate::conversation::{Era, Protocol, Worker};
use crate::target::{Stalls, is_stopped};

/// The end of a process has no descriptor to wait for, so it is asked for this often.
const TICK: Duration = Duration::from_millis(20);
/// A host that never stops writing is not listened to for longer than this.
const LATE: Duration = Duration::from_secs(10);

/// All that takes part in one case. What is dropped first ends first: without its puppets a host
/// has nobody to wait for.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) puppets: Vec<Puppet>,
    pub(super) driver: Driver,
    pub(super) log: Log,
    listener: UnixListener,
    /// The client is told its server on its command line, and nothing else.
    pub(super) by_command: bool,
    start: Value,
    stalls: Stalls,
    _folder: TempDir,
}

/// What became ready in one wait.
#[derive(Clone, Copy)]
enum Source {
    Listener,
    Driver,
    Requests,
    Stdin(usize),
    Stdout(usize),
    Control(usize),
    Child(usize),
}

impl Stage {
    /// Makes the folders and starts the driver; the host is not started yet.
    pub(super) fn set(options: &HostOptions, script: &Script) -> io::Result<Self> {
        // Not behind a link: a host may tell paths as the system has them.
        let root = env::temp_dir().canonicalize()?;
        let folder = tempfile::Builder::new().prefix("extline-host-").tempdir_in(root)?;
        let path = folder.path();
        let socket = path.join("s");
        let listener = UnixListener::bind(&socket)?;
        listener.set_nonblocking(true)?;
        let (home, cwd) = (path.join("home"), path.join("project"));
        fs::create_dir_all(&home)?;
        fs::create_dir_all(&cwd)?;
        let mut start: Value = serde_json::from_str(&script.start)?;
        start["op"] = json!("start");
        start["home"] = json!(home);
        start["cwd"] = json!(cwd);
        let extensions = script.extensions.iter();
        let protocol = if script.is_for_clients() {
            let servers = extensions.clone().map(|server| {
                let (command, args) = command_of(&socket, server, options);
                json!({"name": server.name, "command": command, "args": args})
            });
            start["servers"] = servers.collect();
            Protocol::Mcp(Era::Initialize)
        } else {
            let folders = extensions.clone().map(|one| write_down(path, &socket, one, options));
            start["extensions"] = json!(folders.collect::<io::Result<Vec<PathBuf>>>()?);
            Protocol::Extension
        };
        let driver = Driver::start(&options.driver)?;
        let puppet = |one: &Extension| {
            let mut puppet = Puppet::new(&one.name, protocol);
            puppet.newer = one.newer;
            if one.newer {
                puppet.pages = pages_of(one);
            }
            puppet
        };
        let puppets: Vec<_> = extensions.map(puppet).collect();
        let log = Log::new(puppets.len() > 1);
        let by_command = options.by_command;
        let stalls = Stalls::new();
        Ok(Self { puppets, driver, log, listener, by_command, start, stalls, _folder: folder })
    }

    /// The request that starts the host.
    pub(super) fn start_request(&self) -> Value {
        self.start.clone()
    }

    /// Begins a wait; gives for how long the tester itself had no processor before.
    pub(super) fn begin_wait(&mut self) -> Duration {
        self.stalls.begin()
    }

    /// Moves what can be moved, and waits a little for it; `false` when the time is over and nothing
    /// is left that came before.
    pub(super) fn pump(&mut self, until: Instant) -> bool {
        if is_stopped() {
            return false;
        }
        let now = Instant::now();
        let mut longest = until.saturating_duration_since(now).min(TICK);
        for at in self.puppets.iter().filter_map(|puppet| puppet.outgoing.next_at()) {
            longest = if at > now { longest.min(at - now) } else { longest };
        }
        let ready = self.ready(longest);
        self.stalls.looked(longest);
        let came =
            ready.iter().any(|source| !matches!(source, Source::Stdout(_) | Source::Requests));
        for source in ready {
            match source {
                Source::Listener => self.welcome(),
                Source::Driver => self.driver.read(&mut self.log),
                Source::Requests => self.driver.write_some(),
                Source::Stdin(at) => self.puppets[at].read_stdin(&mut self.log),
                Source::Stdout(at) => self.puppets[at].write_some(&mut self.log),
                Source::Control(at) => self.puppets[at].read_control(&mut self.log),
                Source::Child(at) => self.puppets[at].read_child(&mut self.log),
            }
        }
        // The tester itself may have come late to what is there.
        now < until || came && now < until + LATE
    }

    /// What can be read or written within that time.
    fn ready(&self, longest: Duration) -> Vec<Source> {
        let now = Instant::now();
        let mut sources: Vec<(Source, BorrowedFd<'_>, PollFlags)> =
            vec![(Source::Listener, self.listener.as_fd(), PollFlags::IN)];
        let driver = self.driver.stdout.as_ref();
        sources.extend(driver.map(|stdout| (Source::Driver, stdout.as_fd(), PollFlags::IN)));
        let requests = self.driver.stdin.as_ref().filter(|_| !self.driver.outgoing.is_empty());
        sources.extend(requests.map(|stdin| (Source::Requests, stdin.as_fd(), PollFlags::OUT)));
        for (at, puppet) in self.puppets.iter().enumerate() {
            let stdin = puppet.stdin.as_ref().filter(|_| puppet.reading);
            sources.extend(stdin.map(|fd| (Source::Stdin(at), fd.as_fd(), PollFlags::IN)));
            let writes = puppet.outgoing.next_at().is_some_and(|at| at <= now);
            let stdout = puppet.stdout.as_ref().filter(|_| writes);
            sources.extend(stdout.map(|fd| (Source::Stdout(at), fd.as_fd(), PollFlags::OUT)));
            let control = puppet.control();
            sources.extend(control.map(|fd| (Source::Control(at), fd.as_fd(), PollFlags::IN)));
            let child = puppet.child();
            sources.extend(child.map(|fd| (Source::Child(at), fd.as_fd(), PollFlags::IN)));
        }
        let fds = sources.iter().map(|(_, fd, flags)| PollFd::from_borrowed_fd(*fd, *flags));
        let mut fds: Vec<_> = fds.collect();
        let timeout = Timespec::try_from(longest).ok();
        let _ = poll(&mut fds, timeout.as_ref());
        let happened = sources.iter().zip(&fds).filter(|(_, fd)| !fd.revents().is_empty());
        happened.map(|((source, _, _), _)| *source).collect()
    }

    /// Takes in a puppet that the host has started.
    fn welcome(&mut self) {
        let Ok((stream, _)) = self.listener.accept() else { return };
        let outcome = Caller::of(stream).and_then(|caller| match caller {
            Caller::Puppet { name, control, pipes } => {
                let puppet = self.puppets.iter_mut().find(|puppet| puppet.name == name);
                let Some(puppet) = puppet else { return Ok(()) };
                self.log.say(format!("{name} was started"));
                puppet.connect(control, pipes)
            }
            Caller::Child { of, stream } => {
                let puppet = self.puppets.iter_mut().find(|puppet| puppet.name == of);
                if let Some(puppet) = puppet {
                    puppet.adopt(stream);
                }
                Ok(())
            }
        });
        if let Err(error) = outcome {
            self.log.say(format!("a puppet could not come on: {error}"));
        }
    }
}

/// Who is waited for is the host, which the driver started or is itself.
impl Worker for Stage {
    fn processor_time(&self) -> Option<Duration> {
        self.driver.processor_time()
    }

    fn is_busy(&self) -> bool {
        self.driver.is_busy()
    }

    fn unwritten(&self) -> usize {
        let to_host = self.puppets.iter().map(|puppet| &puppet.outgoing);
        to_host.chain([&self.driver.outgoing]).map(Outgoing::left).sum()
    }

    fn stalled(&self) -> Duration {
        self.stalls.sum()
    }
}

/// The tools that a server of MCP lists, by pages.
pub(super) fn pages_of(server: &Extension) -> Vec<Vec<Value>> {
    let tools: Vec<Value> = server.offers.iter().map(|offer| tool_of(offer)).collect();
    let page = if server.paged { 1 } else { tools.len().max(1) };
    tools.chunks(page).map(<[Value]>::to_vec).collect()
}

/// What `tool NAME` is short for, as a server lists it.
fn tool_of(offer: &str) -> Value {
    let name = offer.strip_prefix("tool ").unwrap_or(offer);
    let described = || json!({"name": name, "description": "what a test offers", "inputSchema": {"type": "object"}});
    serde_json::from_str(offer).unwrap_or_else(|_| described())
}

/// The program that is started for it, and its arguments.
fn command_of(
    socket: &Path,
    extension: &Extension,
    options: &HostOptions,
) -> (String, Vec<String>) {
    let mut words = options.puppet.iter().map(|word| word.to_string_lossy().into_owned());
    let puppet = words.next().unwrap_or_default();
    let args = words.chain([socket.to_string_lossy().into_owned(), extension.name.clone()]);
    (extension.exec.clone().unwrap_or(puppet), args.collect())
}

/// Writes the folder of an extension, and gives its path.
fn write_down(
    root: &Path,
    socket: &Path,
    extension: &Extension,
    options: &HostOptions,
) -> io::Result<PathBuf> {
    let name = extension.folder.as_ref().unwrap_or(&extension.name);
    let shown = root.join("extensions").join(name);
    let folder = if extension.linked { root.join("elsewhere").join(name) } else { shown.clone() };
    fs::create_dir_all(&folder)?;
    if extension.linked {
        fs::create_dir_all(root.join("extensions"))?;
        symlink(&folder, &shown)?;
    }
    let (exec, args) = command_of(socket, extension, options);
    let mut manifest =
        json!({"name": extension.name, "version": "1.0.0", "exec": exec, "args": args});
    if !extension.guards.is_empty() {
        manifest["guards"] = json!(extension.guards);
    }
    if let Some(permissions) = &extension.permissions {
        manifest["permissions"] = permissions.clone();
    }
    fs::write(folder.join("extension.json"), manifest.to_string())?;
    Ok(shown)
}
