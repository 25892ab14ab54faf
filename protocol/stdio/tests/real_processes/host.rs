//! The host's side: starts a role on some kind of wire and holds the other ends.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write, pipe};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::{env, thread};

use rustix::net::sockopt::socket_type;
use rustix::process::{Pid, Signal, kill_process};

/// The variable that makes this program play a role.
pub(crate) const ROLE: &str = "EXTLINE_STDIO_TEST_ROLE";

/// What a role's stdin and stdout are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wire {
    Pipes,
    /// Both with `O_NONBLOCK`, as some hosts hand them over.
    NonBlockingPipes,
    /// Opened by name, which Linux does not let be written without waiting.
    #[cfg(target_os = "linux")]
    PipesByName,
    /// One socket is both, as under a Node host.
    OneSocket,
}

pub(crate) const EVERY_WIRE: &[Wire] = &[
    Wire::Pipes,
    Wire::NonBlockingPipes,
    #[cfg(target_os = "linux")]
    Wire::PipesByName,
    Wire::OneSocket,
];

/// A role that runs, and the host's ends of its wire.
pub(crate) struct Extension {
    child: Child,
    to: Option<OwnedFd>,
    from: Option<BufReader<File>>,
    stderr: Receiver<String>,
}

impl Extension {
    pub(crate) fn start(role: &str, wire: Wire) -> Self {
        let (stdin, to, from, stdout) = if let Wire::OneSocket = wire {
            let (host, extension) = UnixStream::pair().unwrap();
            let [to, stdout] = [&host, &extension].map(|end| end.try_clone().unwrap());
            (extension.into(), to.into(), host.into(), stdout.into())
        } else {
            let (stdin, to) = pipe().unwrap();
            let (from, stdout) = pipe().unwrap();
            let [stdin, stdout] = [stdin.into(), stdout.into()].map(|fd| prepare(fd, wire));
            (stdin, to.into(), from.into(), stdout)
        };
        Self::start_on(role, stdin, stdout, Some(to), from)
    }

    /// Starts a role on descriptors that the test has made itself.
    pub(crate) fn start_on(
        role: &str,
        stdin: OwnedFd,
        stdout: OwnedFd,
        to: Option<OwnedFd>,
        from: OwnedFd,
    ) -> Self {
        let mut child = Command::new(env::current_exe().unwrap())
            .env(ROLE, role)
            .stdin(stdin)
            .stdout(stdout)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (said, stderr) = channel();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| said.send(line)));
        Self { child, to, from: Some(BufReader::new(from.into())), stderr }
    }

    pub(crate) fn send(&self, bytes: &[u8]) {
        self.sender().write_all(bytes).unwrap();
    }

    /// The end that feeds the extension, for a thread of its own.
    pub(crate) fn sender(&self) -> File {
        self.to.as_ref().unwrap().try_clone().unwrap().into()
    }

    /// Ends the extension's stdin.
    pub(crate) fn close_input(&mut self) {
        let to = self.to.take().unwrap();
        if socket_type(&to).is_ok() {
            UnixStream::from(to).shutdown(Shutdown::Write).unwrap();
        }
    }

    /// Stops listening, as a host that died.
    pub(crate) fn hang_up(&mut self) {
        self.from = None;
    }

    pub(crate) fn receive_line(&mut self) -> String {
        let mut line = String::new();
        self.from.as_mut().unwrap().read_line(&mut line).unwrap();
        line
    }

    /// A line that holds the id of a process that the extension has started.
    pub(crate) fn receive_pid(&mut self) -> Pid {
        Pid::from_raw(self.receive_line().trim().parse().unwrap()).unwrap()
    }

    pub(crate) fn receive_byte(&mut self) {
        self.from.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    }

    /// All that is on the wire until the extension closes it.
    pub(crate) fn receive_rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        self.from.as_mut().unwrap().read_to_end(&mut rest).unwrap();
        rest
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// The next line on stderr; empty when stderr is closed.
    pub(crate) fn stderr_line(&self) -> String {
        self.stderr.recv().unwrap_or_default()
    }

    /// How the process ended, and what it had still to say on stderr.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        let status = self.child.wait().unwrap();
        (status, self.stderr.iter().map(|line| line + "\n").collect())
    }

    /// Fails with the role's own words unless it ended with 0.
    pub(crate) fn end_well(self) -> String {
        let (status, stderr) = self.end();
        assert!(status.success(), "{status}; it said:\n{stderr}");
        stderr
    }
}

fn prepare(fd: OwnedFd, wire: Wire) -> OwnedFd {
    match wire {
        Wire::NonBlockingPipes => {
            rustix::io::ioctl_fionbio(&fd, true).unwrap();
            fd
        }
        #[cfg(target_os = "linux")]
        Wire::PipesByName => {
            use rustix::fs::{Mode, OFlags, fcntl_getfl, open};
            use std::os::fd::AsRawFd;

            let way = fcntl_getfl(&fd).unwrap() & OFlags::RWMODE;
            let name = format!("/proc/self/fd/{}", fd.as_raw_fd());
            open(name, way | OFlags::CLOEXEC, Mode::empty()).unwrap()
        }
        Wire::Pipes | Wire::OneSocket => fd,
    }
}

/// Bytes in which a lost, doubled or moved part shows.
pub(crate) fn pattern(seed: u32, length: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    (0..length).map(|_| next()).collect()
}
