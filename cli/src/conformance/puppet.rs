//! `extline conformance puppet`: what a host under test starts in place of an extension. It hands
//! its pipes to the tester and keeps none of them; after that it only does as it is told.

use crate::args::Puppet;
use crate::exit::Exit;
use crate::printer::Printer;

/// Runs until the tester lets it go.
#[cfg(unix)]
pub(super) fn run(args: &Puppet, mut printer: Printer) -> Exit {
    match unix::obey(args) {
        Ok(exit) => exit,
        Err(error) => {
            printer.error(format_args!("the tester cannot be reached: {error}"));
            printer.finish(Exit::ToolError)
        }
    }
}

/// There is no tester that could start it.
#[cfg(not(unix))]
pub(super) fn run(_: &Puppet, mut printer: Printer) -> Exit {
    printer.error("hosts can be tested on Unix only");
    printer.finish(Exit::ToolError)
}

#[cfg(unix)]
mod unix {
    use std::fs::OpenOptions;
    use std::io::{self, BufRead, BufReader, IoSlice, Write};
    use std::mem::MaybeUninit;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::net::UnixStream;
    use std::process::{Child, Command, Stdio};

    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
    use rustix::process::{Signal, getpid, kill_process};
    use rustix::stdio;
    use tokio::signal::unix::{SignalKind, signal};

    use crate::args::Puppet;
    use crate::exit::Exit;

    pub(super) fn obey(args: &Puppet) -> io::Result<Exit> {
        let control = UnixStream::connect(&args.socket)?;
        hand_over(&control, &args.name)?;
        let mut orders = BufReader::new(control.try_clone()?).lines();
        let mut answers = control;
        // What it started ends with it, but for one that was ended by force.
        let mut children: Vec<Child> = Vec::new();
        let mut deaf = Vec::new();
        let exit = loop {
            let Some(order) = orders.next().transpose()? else { break 0 };
            match order.split_once(' ').unwrap_or((&order, "")) {
                ("exit", status) => break status.parse().unwrap_or(0),
                ("kill", _) => kill_process(getpid(), Signal::KILL)?,
                // A signal that somebody listens to does not end a process.
                ("ignore", _) => deaf.push(signal(SignalKind::terminate())?),
                ("child", _) => children.push(child(args)?),
                _ => {}
            }
            answers.write_all(b"ok\n")?;
        };
        drop(deaf);
        // Its children stay: that is what the host has to see to.
        Ok(Exit::of_conformance(exit))
    }

    /// Gives stdin, stdout and stderr to the tester, and closes them here.
    fn hand_over(control: &UnixStream, name: &str) -> io::Result<()> {
        let pipes = [stdio::stdin(), stdio::stdout(), stdio::stderr()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
        let mut message = SendAncillaryBuffer::new(&mut space);
        message.push(SendAncillaryMessage::ScmRights(&pipes));
        let words = format!("puppet {name}\n");
        let words = [IoSlice::new(words.as_bytes())];
        sendmsg(control.as_fd(), &words, &mut message, SendFlags::empty())?;
        let nothing = OpenOptions::new().read(true).write(true).open("/dev/null")?;
        stdio::dup2_stdin(&nothing)?;
        stdio::dup2_stdout(&nothing)?;
        stdio::dup2_stderr(&nothing)?;
        Ok(())
    }

    /// Starts a process that lives until the tester lets go of it, or somebody ends it.
    fn child(args: &Puppet) -> io::Result<Child> {
        let mut tether = UnixStream::connect(&args.socket)?;
        tether.write_all(format!("child {}\n", args.name).as_bytes())?;
        let stdin = Stdio::from(OwnedFd::from(tether));
        Command::new("/bin/sh").args(["-c", "read -r line"]).stdin(stdin).spawn()
    }
}
