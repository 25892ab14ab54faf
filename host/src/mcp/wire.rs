//! The pipes of a server, and those between the adapter and the host.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};

use crate::process::{Group, Spawned};

/// What comes from somebody.
pub(super) type Reader = Box<dyn AsyncRead + Send + Unpin>;

/// What goes to somebody.
pub(super) type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// The adapter's ends.
pub(super) struct Wire {
    pub(super) from_server: Reader,
    pub(super) to_server: Writer,
    pub(super) from_host: Reader,
    pub(super) to_host: Writer,
    pub(super) group: Arc<Group>,
}

impl Wire {
    /// Takes the pipes of a process, and gives it others, whose ends the adapter has.
    #[cfg(unix)]
    pub(super) fn between(spawned: Spawned) -> io::Result<(Spawned, Self)> {
        use tokio::net::unix::pipe;

        use crate::process::{Input, Output};

        let Spawned { process, group, input, output, errors } = spawned;
        let (from_host, host_writes) = io::pipe()?;
        let (host_reads, to_host) = io::pipe()?;
        rustix::io::ioctl_fionbio(&from_host, true)?;
        rustix::io::ioctl_fionbio(&to_host, true)?;
        let wire = Self {
            from_server: Box::new(output.into_receiver()),
            to_server: Box::new(input.into_sender()?),
            // They are pipes and do not block, which is all that is left unchecked.
            from_host: Box::new(pipe::Receiver::from_owned_fd_unchecked(from_host.into())?),
            to_host: Box::new(pipe::Sender::from_owned_fd_unchecked(to_host.into())?),
            group: Arc::clone(&group),
        };
        let (input, output) = (Input::new(host_writes)?, Output::new(host_reads)?);
        Ok((Spawned { process, group, input, output, errors }, wire))
    }

    /// The same there.
    #[cfg(windows)]
    pub(super) fn between(spawned: Spawned) -> io::Result<(Spawned, Self)> {
        use crate::process::{input_within, output_within};

        let Spawned { process, group, input, output, errors } = spawned;
        let (host_writes, from_host) = input_within()?;
        let (to_host, host_reads) = output_within()?;
        let wire = Self {
            from_server: Box::new(output.into_receiver()),
            to_server: Box::new(input.into_sender()),
            from_host: Box::new(from_host),
            to_host: Box::new(to_host),
            group: Arc::clone(&group),
        };
        Ok((Spawned { process, group, input: host_writes, output: host_reads, errors }, wire))
    }
}
