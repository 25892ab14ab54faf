//! Rings an event loop of Python's that waits for sockets and for nothing else of the system's: threads of
//! extline-stdio read and write, and say by a byte when something has come or gone.

use std::io::{self, Write};
use std::net::TcpStream;
use std::os::windows::io::{FromRawSocket, RawSocket};
use std::sync::Arc;
use std::task::{Wake, Waker};
use std::time::Duration;

use extline_driver::Wants;
use extline_stdio::Error;

use crate::core::Core;

struct Bell(TcpStream);

impl Wake for Bell {
    /// Without Python, whose lock another thread may have that waits for one of the session's.
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // A full socket rings already; where the loop is gone, nobody reads.
        let _ = (&self.0).write(&[0]);
    }
}

impl Core {
    /// Has the loop told by a byte to the socket, which is the session's from now on.
    pub(crate) fn ring_at(&self, socket: RawSocket) -> io::Result<()> {
        #[expect(unsafe_code, reason = "Python knows sockets by number")]
        // SAFETY: the Python half has detached it, and closes it nowhere.
        let socket = unsafe { TcpStream::from_raw_socket(socket) };
        socket.set_nonblocking(true)?;
        let _ = self.bell.set(Waker::from(Arc::new(Bell(socket))));
        Ok(())
    }

    /// The loop waits from now on: it is told of what comes, and of what has come already.
    pub(crate) fn ask_for_ring(&self, wants: &Wants) -> Result<(), Error> {
        let Some(bell) = self.bell.get() else { return Ok(()) };
        let mut inlet = self.inlet();
        // Before the look, so that nothing comes between the two.
        inlet.input.wake_when_ready(bell)?;
        let has_room =
            || wants.room && self.channel().output().is_some_and(|output| output.has_room());
        let ways = (wants.input, true);
        if inlet.input.arrivals().wait(ways, None, Some(Duration::ZERO))?.host || has_room() {
            bell.wake_by_ref();
        }
        Ok(())
    }
}
