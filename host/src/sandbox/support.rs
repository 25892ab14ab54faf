//! What this system can hold an extension to.

use std::path::Path;

use serde::Serialize;

use super::limits::{Limits, of_machines};
use crate::process::{EnvironmentSettings, Environments};
use crate::source::Manifest;

/// What a sandbox can hold an extension to on this machine, see [`sandbox_support`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SandboxSupport {
    /// The version of Landlock in this kernel; `None` where it has none, or where it is switched off.
    pub landlock: Option<u32>,
    /// Whether its seccomp tells of what is refused.
    pub seccomp: bool,
    /// What `permissions` are held to, a line each.
    pub held_to: Vec<String>,
    /// What nothing holds to here, a line each.
    pub not_held_to: Vec<String>,
}

/// The first version of Landlock that holds to files: those before let a file be cut.
#[cfg(target_os = "linux")]
pub(super) const LANDLOCK: u32 = 3;

/// What is said of a kernel that cannot hold to files.
#[cfg(target_os = "linux")]
pub(super) const NO_LANDLOCK: &str = "this kernel has no Landlock of version 3 (Linux 6.2), or it is \
                                      switched off: nothing here holds to `permissions.fs` and to a list \
                                      in `permissions.exec`";

/// What is said of a kernel that cannot refuse calls.
#[cfg(target_os = "linux")]
pub(super) const NO_SECCOMP: &str = "this kernel, or what this runs in, has no seccomp with notifications (Linux \
                                     5.9 on x86-64 or arm64): without it nothing here holds to \
                                     `permissions.fs`, `net` and `exec`";

/// What this machine can hold the `permissions` of extensions to. It asks the kernel, and starts nothing.
pub fn sandbox_support() -> SandboxSupport {
    of_system()
}

/// What a host holds an extension to, by `fs`, `net` and `exec` in the `permissions` of its manifest, a line each; empty
/// where nothing is limited. `dir` is its folder, `cwd` the project.
pub fn sandbox_limits(manifest: &Manifest, dir: &Path, cwd: &Path) -> Vec<String> {
    let (held_to, not_held_to) = limits_and_gaps(manifest, dir, cwd);
    [held_to, not_held_to].concat()
}

/// The same, apart: what it is held to, and what is stated and nothing holds to, or is not there.
pub(crate) fn limits_and_gaps(
    manifest: &Manifest,
    dir: &Path,
    cwd: &Path,
) -> (Vec<String>, Vec<String>) {
    let settings = EnvironmentSettings::default();
    let environment = Environments::new(&settings).of(&[]);
    let permissions = &manifest.permissions;
    let (mut held_to, mut not_held_to) = (Vec::new(), Vec::new());
    if let Some(limits) = Limits::of(permissions, dir, cwd, &environment) {
        held_to.extend(limits.lines());
        not_held_to.extend(limits.missing);
        #[cfg(not(target_os = "linux"))]
        not_held_to.push(super::unsupported::WHY.to_owned());
    }
    not_held_to.extend(of_machines(permissions));
    (held_to, not_held_to)
}

#[cfg(target_os = "linux")]
fn of_system() -> SandboxSupport {
    let (landlock, seccomp) = (super::linux::landlock_version(), super::linux::has_seccomp());
    let has_landlock = |from: u32| landlock.is_some_and(|version| version >= from);
    // Without seccomp none is started whose manifest limits something.
    let lines = [
        (
            seccomp && has_landlock(LANDLOCK),
            "`permissions.fs.read` and `permissions.fs.write`, by Landlock",
        ),
        (seccomp && has_landlock(LANDLOCK), "a list in `permissions.exec`, by Landlock"),
        (seccomp, "`\"net\": false`: no sockets at all, by seccomp"),
        (seccomp, "`\"exec\": false`: no program after its own, by seccomp"),
        (seccomp && has_landlock(6), "signals to processes of others"),
    ];
    let held_to = lines.iter().filter(|(is_held_to, _)| *is_held_to);
    let held_to = held_to.map(|(_, line)| (*line).to_owned()).collect();
    let missing = [
        (seccomp, NO_SECCOMP),
        (has_landlock(LANDLOCK), NO_LANDLOCK),
        (has_landlock(6), "signals to processes of others (Landlock 6, Linux 6.12)"),
    ];
    let not_held_to = missing.iter().filter(|(is_there, _)| !is_there);
    let mut not_held_to: Vec<_> = not_held_to.map(|(_, line)| (*line).to_owned()).collect();
    for never in [
        "the machines that `permissions.net` lists: a kernel knows addresses and no names",
        "modes, owners and times of files that exist (chmod, utime), and whether a file is there (stat)",
        "a file in a folder that it may write is no different from the others there, as `.git/hooks`",
        "a program that it may read, started by the loader (ld.so), where `permissions.exec` is a list",
    ] {
        not_held_to.push(never.to_owned());
    }
    SandboxSupport { landlock, seccomp, held_to, not_held_to }
}

#[cfg(not(target_os = "linux"))]
fn of_system() -> SandboxSupport {
    let not_held_to = vec![super::unsupported::WHY.to_owned()];
    SandboxSupport { landlock: None, seccomp: false, held_to: Vec::new(), not_held_to }
}
