//! Calls of the system, by seccomp.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

use libc::{
    BPF_ABS, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, SECCOMP_RET_ALLOW,
    SECCOMP_RET_ERRNO, SECCOMP_RET_USER_NOTIF, c_long, sock_filter, sock_fprog,
};

use crate::process::Unavailable;
use crate::sandbox::limits::{Limits, Programs};
use crate::sandbox::support::NO_SECCOMP;

/// The name of this processor in seccomp, `None` for one that this does not know.
const ARCH: Option<u32> = if cfg!(target_arch = "x86_64") {
    Some(0xc000_003e)
} else if cfg!(target_arch = "aarch64") {
    Some(0xc000_00b7)
} else {
    None
};

/// Calls of the x32 ABI have this bit in their number.
const X32: u32 = 0x4000_0000;

/// Where `seccomp_data` holds the number of the call, and the processor.
const NUMBER: u32 = 0;
const PROCESSOR: u32 = 4;

/// A way around every other call, and what no extension needs: programs go on without it.
const RINGS: [c_long; 3] =
    [libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register];

/// Reaching into other processes.
const OTHERS: [c_long; 4] = [
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
];

/// What types into a terminal, as the person would into the shell that the agent was started from: `TIOCSTI`, and
/// `TIOCLINUX`, which pastes. The lower half of the argument counts, as for the kernel.
const TYPE_INTO: u32 = 0x5412;
const PASTE_INTO: u32 = 0x541c;
const SECOND_ARGUMENT: u32 = 24;

/// A filter that is ready to be laid on a thread.
pub(super) struct Filter {
    program: Vec<sock_filter>,
    /// Some calls are not answered by the kernel alone.
    asks: bool,
}

impl Filter {
    pub(super) fn of(limits: &Limits) -> io::Result<Self> {
        let (Some(arch), true) = (ARCH, has_seccomp()) else {
            return Err(io::Error::other(Unavailable(NO_SECCOMP.to_owned())));
        };
        let mut asked = Vec::new();
        if limits.no_network {
            asked.push(libc::SYS_socket);
        }
        if limits.programs == Programs::None {
            asked.extend([libc::SYS_execve, libc::SYS_execveat]);
        }
        let failing = |error: i32| SECCOMP_RET_ERRNO | error.cast_unsigned();
        let missing = failing(libc::ENOSYS);
        let mut program = vec![
            load(PROCESSOR),
            // Another processor's calls have other numbers.
            jump(BPF_JEQ, arch, 1, 0),
            ret(missing),
            load(NUMBER),
            jump(BPF_JGE, X32, 0, 1),
            ret(missing),
        ];
        let mut answer = |calls: &[c_long], answer: u32| {
            for call in calls {
                let number = u32::try_from(*call).unwrap_or(u32::MAX);
                program.extend([jump(BPF_JEQ, number, 0, 1), ret(answer)]);
            }
        };
        answer(&RINGS, missing);
        answer(&OTHERS, failing(libc::EPERM));
        if matches!(limits.programs, Programs::Listed(_)) {
            // A file in memory has no path that a rule could name.
            answer(&[libc::SYS_memfd_create], missing);
        }
        answer(&asked, SECCOMP_RET_USER_NOTIF);
        let ioctl = u32::try_from(libc::SYS_ioctl).unwrap_or(u32::MAX);
        program.extend([
            jump(BPF_JEQ, ioctl, 0, 4),
            load(SECOND_ARGUMENT),
            jump(BPF_JEQ, TYPE_INTO, 1, 0),
            jump(BPF_JEQ, PASTE_INTO, 0, 1),
            ret(failing(libc::EPERM)),
            ret(SECCOMP_RET_ALLOW),
        ]);
        Ok(Self { program, asks: !asked.is_empty() })
    }

    /// Holds this thread to the filter, and all that it starts. Calls that are to be answered come from the descriptor.
    pub(super) fn restrict_thread(mut self) -> io::Result<Option<OwnedFd>> {
        let len = u16::try_from(self.program.len()).map_err(io::Error::other)?;
        let program = sock_fprog { len, filter: self.program.as_mut_ptr() };
        let flags = if self.asks { libc::SECCOMP_FILTER_FLAG_NEW_LISTENER } else { 0 };
        #[expect(unsafe_code, reason = "seccomp has no wrapper")]
        // SAFETY: the pointer leads to a program of that length, which the kernel copies before it returns.
        let listener = unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                flags,
                &raw const program,
            )
        };
        match listener {
            ..0 => {
                let error = io::Error::last_os_error();
                let why = format!("{NO_SECCOMP} ({error})");
                Err(io::Error::other(Unavailable(why)))
            }
            _ if !self.asks => Ok(None),
            listener => {
                let descriptor = RawFd::try_from(listener).map_err(io::Error::other)?;
                #[expect(unsafe_code, reason = "the kernel hands out a number")]
                // SAFETY: the kernel has just made it for this call, and nobody else knows it.
                let listener = unsafe { OwnedFd::from_raw_fd(descriptor) };
                Ok(Some(listener))
            }
        }
    }
}

/// Whether this kernel lets calls be refused, and asks about them.
pub(in crate::sandbox) fn has_seccomp() -> bool {
    let action = SECCOMP_RET_USER_NOTIF;
    #[expect(unsafe_code, reason = "seccomp has no wrapper")]
    // SAFETY: the pointer leads to the action that the kernel reads.
    let available = unsafe {
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const action)
    };
    ARCH.is_some() && available == 0
}

fn load(offset: u32) -> sock_filter {
    statement(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0)
}

/// Goes on behind so many lines where the test holds, and where it does not.
fn jump(test: u32, value: u32, yes: u8, no: u8) -> sock_filter {
    statement(BPF_JMP | test | BPF_K, value, yes, no)
}

fn ret(answer: u32) -> sock_filter {
    statement(BPF_RET | BPF_K, answer, 0, 0)
}

fn statement(code: u32, value: u32, yes: u8, no: u8) -> sock_filter {
    // All codes of this kind have few bits.
    sock_filter { code: u16::try_from(code).unwrap_or(u16::MAX), jt: yes, jf: no, k: value }
}
