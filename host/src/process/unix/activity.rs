//! What a process is doing, as the system sees it: why something that should read does not.

use std::fs;

/// What processes are doing, the first few of them: `process 71 (python3) waits in read on
/// descriptor 5, pipe:[9]`. `None` where the platform does not tell, or none of them lives.
pub fn activity_of(processes: &[u32]) -> Option<String> {
    const SHOWN: usize = 3;
    let shown: Vec<_> = processes.iter().filter_map(|id| one(*id)).take(SHOWN).collect();
    (!shown.is_empty()).then(|| shown.join("; "))
}

fn one(id: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // `pid (name) state ...`; the name may hold anything.
    let (before, after) = stat.rsplit_once(')')?;
    let name = before.split_once('(')?.1;
    let doing = match after.trim_start().chars().next()? {
        'T' => "is stopped, as by SIGSTOP; SIGCONT lets it run on".to_owned(),
        't' => "is held by a debugger".to_owned(),
        'R' => "is running".to_owned(),
        'Z' | 'X' => return None,
        'D' => format!("waits for a device or a file system{}", syscall(id)?),
        _ => format!("waits{}", syscall(id)?),
    };
    Some(format!("process {id} ({name}) {doing}"))
}

/// ` in NAME on descriptor N, WHAT`, as far as it can be told.
fn syscall(id: u32) -> Option<String> {
    let Ok(line) = fs::read_to_string(format!("/proc/{id}/syscall")) else {
        // Looking into a process takes more rights than looking at it.
        let place = fs::read_to_string(format!("/proc/{id}/wchan")).ok()?;
        return Some(format!(" in the kernel's {}", place.trim()));
    };
    let mut fields = line.split_ascii_whitespace();
    let Some(number) = fields.next().and_then(|field| field.parse().ok()) else {
        return Some(String::new());
    };
    let Some((name, has_descriptor)) = name_of(number) else {
        return Some(format!(" in system call {number}"));
    };
    let first = fields.next().and_then(|field| field.strip_prefix("0x"));
    let descriptor = first.and_then(|field| u32::from_str_radix(field, 16).ok());
    let Some(descriptor) = descriptor.filter(|_| has_descriptor) else {
        return Some(format!(" in {name}"));
    };
    let target = fs::read_link(format!("/proc/{id}/fd/{descriptor}"));
    let target = target.map(|target| format!(", {}", target.display())).unwrap_or_default();
    Some(format!(" in {name} on descriptor {descriptor}{target}"))
}

/// A system call that waits, and whether its first argument is a descriptor.
#[cfg(target_os = "linux")]
fn name_of(number: i64) -> Option<(&'static str, bool)> {
    const ON_DESCRIPTORS: [(i64, &str); 14] = [
        (libc::SYS_read, "read"),
        (libc::SYS_write, "write"),
        (libc::SYS_readv, "readv"),
        (libc::SYS_writev, "writev"),
        (libc::SYS_recvfrom, "recvfrom"),
        (libc::SYS_recvmsg, "recvmsg"),
        (libc::SYS_sendto, "sendto"),
        (libc::SYS_sendmsg, "sendmsg"),
        (libc::SYS_accept4, "accept4"),
        (libc::SYS_connect, "connect"),
        (libc::SYS_epoll_pwait, "epoll_pwait"),
        (libc::SYS_flock, "flock"),
        (libc::SYS_fcntl, "fcntl"),
        (libc::SYS_fsync, "fsync"),
    ];
    const OTHERS: [(i64, &str); 9] = [
        (libc::SYS_futex, "futex"),
        (libc::SYS_nanosleep, "nanosleep"),
        (libc::SYS_clock_nanosleep, "clock_nanosleep"),
        (libc::SYS_wait4, "wait4, for a child"),
        (libc::SYS_waitid, "waitid, for a child"),
        (libc::SYS_ppoll, "ppoll"),
        (libc::SYS_pselect6, "pselect6"),
        (libc::SYS_rt_sigsuspend, "rt_sigsuspend"),
        (libc::SYS_openat, "openat"),
    ];
    #[cfg(target_arch = "x86_64")]
    match number {
        libc::SYS_epoll_wait => return Some(("epoll_wait", true)),
        libc::SYS_poll => return Some(("poll", false)),
        libc::SYS_select => return Some(("select", false)),
        libc::SYS_pause => return Some(("pause", false)),
        _ => {}
    }
    let on = ON_DESCRIPTORS.iter().map(|(number, name)| (number, *name, true));
    let others = OTHERS.iter().map(|(number, name)| (number, *name, false));
    let found = on.chain(others).find(|(known, ..)| **known == number);
    found.map(|(_, name, on_descriptor)| (name, on_descriptor))
}

#[cfg(not(target_os = "linux"))]
fn name_of(_number: i64) -> Option<(&'static str, bool)> {
    None
}
