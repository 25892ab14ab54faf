//! The stdin and stdout of an extension process.
//!
//! An extension talks to its host over stdin and stdout, and one stray byte on stdout ruins a
//! frame. This crate takes both descriptors over, and moves bytes: it knows nothing of frames and
//! decides nothing about the protocol. The SDKs for Rust, Python, Node and C are built on it.
//!
//! ```no_run
//! use extline_stdio::{Error, Next, Received, Stdio};
//!
//! fn main() -> Result<(), Error> {
//!     let mut stdio = Stdio::claim()?;
//!     stdio.input.listen_for_sigterm()?;
//!     println!("this lands on stderr, and so does what child processes print");
//!
//!     let mut arrived = vec![0; 64 * 1024];
//!     loop {
//!         let ready = stdio.input.wait(None)?;
//!         if ready.sigterm {
//!             return Ok(());
//!         }
//!         if !ready.input {
//!             continue;
//!         }
//!         let count = match stdio.input.read(&mut arrived)? {
//!             Received::Data(count) => count,
//!             Received::Eof => return Ok(()),
//!             Received::Interrupted | Received::WouldBlock => continue,
//!         };
//!         // While the host does not read, what it sends is kept, so that neither waits for ever.
//!         let reply = arrived[..count].to_vec();
//!         let mut ahead = Vec::new();
//!         stdio.output.write_all_reading(&reply, &mut stdio.input, |input, ready| {
//!             if ready.sigterm {
//!                 return Next::GiveUp;
//!             }
//!             let mut chunk = [0; 4096];
//!             if ready.input
//!                 && let Ok(Received::Data(count)) = input.read(&mut chunk)
//!             {
//!                 ahead.extend_from_slice(&chunk[..count]);
//!             }
//!             if ahead.len() < 16 << 20 { Next::Read } else { Next::OnlyWrite }
//!         })?;
//!     }
//! }
//! ```
//!
//! # The takeover
//!
//! [`Stdio::claim`] copies descriptors 0 and 1 to private, close-on-exec ones, then points 1 at
//! stderr and 0 at the null device. From then on `println!`, a raw `write(1)`, a C library and a
//! child process write to stderr, and nobody else can read a frame away. It lasts until the process
//! ends, unless [`Stdio::release`] puts the originals back. Text that was still in Rust's stdout
//! buffer lands on stderr too; a C or Python buffer does so by itself, since it is written out
//! through descriptor 1 later. [`claims_at_load`] is the rule for libraries that claim when they
//! are loaded, [`is_by_hand`] says whether a person started the program in a terminal.
//!
//! # One owner reads
//!
//! [`Input`] is all that arrives: bytes, their end, SIGTERM, wake-ups from other threads. [`Output`]
//! is the way out. They are two values so that one thread can wait on the input while another
//! writes; each call takes `&mut self`, so frames cannot interleave and chunks cannot be fed in the
//! wrong order.
//!
//! *Who waits to write, reads*: a thread that holds both uses [`Output::write_all_reading`]; when
//! the pipe to the host is full it waits for room and for input together, so two full pipes cannot
//! stop each other. A thread that only writes, while another one reads, uses [`Output::write_all`].
//! Event loops use [`Output::try_write`], which never waits, and the descriptors ([`Input`] and
//! [`Output`] are `AsFd`, [`Input::doorbell`] carries SIGTERM and wake-ups).
//!
//! # Handlers that block
//!
//! [`handover`] says which thread owns the session while handlers may block, and [`watchdog`] ends a
//! process whose handlers would not stop. Both know nothing of the protocol either.
//! Answers that are gathered for one write must not wait for such a handler; [`Pace`] says of which
//! that is to be feared.
//!
//! # What it does not touch
//!
//! - **`O_NONBLOCK`**. The flag belongs to the open file description, which other processes may
//!   share, so it is neither set nor cleared; the calls work either way. Writes do not block
//!   because each asks so for itself: `RWF_NOWAIT` on a Linux pipe (since 6.4), `MSG_DONTWAIT` on a
//!   socket, and elsewhere pieces of at most `PIPE_BUF` bytes once `poll` reports room, which a pipe
//!   with one writer always takes whole. The usual write is one system call. A file or a terminal is
//!   written in the plain way.
//! - **SIGINT**. A host starts an extension in a process group of its own, so Ctrl-C in the host's
//!   terminal does not reach it.
//! - **SIGPIPE's disposition**. A host that is gone is [`Error::HostGone`]. Where the program does
//!   not ignore SIGPIPE (a C program; a Rust, Python or Node program ignores it), each write asks for
//!   none (`RWF_NOSIGNAL` on a Linux pipe since 6.18, `MSG_NOSIGNAL` on a socket); where it cannot,
//!   the signal is blocked in the writing thread for the length of the write, and taken away if it
//!   came. The disposition is looked at once, before the first write.
//!
//! # fork
//!
//! A process that forks without `exec` leaves a second holder of the host's pipes, and the host
//! would never see end-of-file. So in the child of a fork the claimed descriptors are replaced by
//! the null device before `fork` returns, every operation fails with [`Error::Forked`], and SIGTERM
//! ends the child as if nobody had listened. Descriptors given to `Stdio::from_fds` are not
//! replaced, they are the caller's; the operations on them fail in the child all the same.
//!
//! # Platforms
//!
//! Tested on Linux, meant to work on macOS. On Windows the handles of a pipe can only be waited for in a
//! read or a write, so one thread reads and one writes, from the first read and the first write on; an
//! event loop is told by `Input::wake_when_ready`. What SIGTERM is elsewhere is Ctrl-C, Ctrl-Break and
//! the end of the console there. The Windows part was only run under wine. Elsewhere everything compiles
//! and claiming answers [`Error::Unsupported`].

mod error;
pub mod handover;
mod load;
#[cfg(not(target_os = "linux"))]
mod no_interrupter;
mod outcome;
mod pace;
mod pulse;
mod reading;
mod stderr;
#[cfg(unix)]
mod unix;
#[cfg(not(any(unix, windows)))]
mod unsupported;
pub mod watchdog;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as platform;
#[cfg(not(any(unix, windows)))]
use unsupported as platform;
#[cfg(windows)]
use windows as platform;

pub use error::Error;
pub use load::claims_at_load;
#[cfg(not(target_os = "linux"))]
pub use no_interrupter::Interrupter;
pub use outcome::{Arrived, HANG_UP_LOOK, Next, Ready, Received};
pub use pace::Pace;
#[cfg(target_os = "linux")]
pub use platform::Interrupter;
pub use platform::{
    Arrivals, Bell, Input, Output, Ringer, Room, Stdio, Waker, is_by_hand, is_forked,
};
pub use stderr::report;
