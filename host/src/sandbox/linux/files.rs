//! Files, by Landlock.

use std::io;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

use crate::process::Unavailable;
use crate::process::interpreter_line;
use crate::sandbox::Sandbox;
use crate::sandbox::limits::Programs;
use crate::sandbox::program::real;
use crate::sandbox::support::{LANDLOCK, NO_LANDLOCK};

/// What every program reads: itself, its libraries, and how the machine is set up.
const READ: [&str; 36] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/proc",
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/run/systemd/resolve",
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki",
    "/etc/protocols",
    "/etc/python3",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl",
    "/etc/timezone",
];

/// What every program writes to.
const WRITE: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];

/// What the system itself runs to start a program.
const LOADERS: [&str; 6] = [
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/ld-linux-aarch64.so.1",
    "/lib/ld-musl-x86_64.so.1",
    "/lib/ld-musl-aarch64.so.1",
    "/lib/ld-linux.so.2",
    "/usr/bin/env",
];

/// The version whose rights this knows; `LANDLOCK` is the oldest that will do.
const KNOWN: ABI = ABI::V6;

/// Rules that are ready to be laid on a thread.
pub(super) struct Rules {
    ruleset: RulesetCreated,
    /// Without them the extension may do more than its manifest says.
    is_needed: bool,
}

impl Rules {
    pub(super) fn of(sandbox: &Sandbox, program: &Path) -> io::Result<Self> {
        let limits = &sandbox.limits;
        let is_needed = limits.has_file_rules();
        if is_needed && landlock_version().is_none_or(|version| version < LANDLOCK) {
            return Err(io::Error::other(Unavailable(NO_LANDLOCK.to_owned())));
        }
        Self::made(sandbox, program, is_needed).map_err(io::Error::other)
    }

    fn made(sandbox: &Sandbox, program: &Path, is_needed: bool) -> Result<Self, RulesetError> {
        let (limits, own) = (&sandbox.limits, &sandbox.own);
        let read = AccessFs::ReadFile | AccessFs::ReadDir;
        let write = AccessFs::from_write(ABI::V3);
        // Devices are made by nobody. With one right at least there is a domain of its own, which keeps it from
        // tracing the host and from reading its memory.
        let mut handled: BitFlags<AccessFs> = AccessFs::MakeChar | AccessFs::MakeBlock;
        if limits.read.is_some() {
            handled |= read;
        }
        if limits.write.is_some() {
            handled |= write;
        }
        if matches!(limits.programs, Programs::Listed(_)) {
            handled |= AccessFs::Execute;
        }
        let level = if is_needed { CompatLevel::HardRequirement } else { CompatLevel::BestEffort };
        let ruleset = Ruleset::default().set_compatibility(level).handle_access(handled)?;
        let ruleset = ruleset.set_compatibility(CompatLevel::BestEffort);
        // Under any rules no file is moved between folders unless that is allowed.
        let ruleset = ruleset.handle_access(AccessFs::Refer)?.scope(Scope::from_all(KNOWN))?;
        let ruleset = ruleset.create()?.set_compatibility(CompatLevel::BestEffort);
        let mut rules = Self { ruleset, is_needed };
        if limits.write.is_none() {
            rules = rules.allow([PathBuf::from("/")], AccessFs::Refer.into())?;
        }
        if let Some(paths) = &limits.read {
            let given = READ.map(PathBuf::from);
            let own_paths = [&own.dir, &own.data].into_iter().chain(&own.named).cloned();
            let of_program = homes_of(program);
            let listed = match &limits.programs {
                Programs::Listed(programs) => programs.iter().flat_map(|it| homes_of(it)).collect(),
                _ => Vec::new(),
            };
            let written = limits.write.iter().flatten().cloned();
            let all = given.into_iter().chain(own_paths).chain(of_program).chain(listed);
            rules = rules.allow(all.chain(paths.iter().cloned()).chain(written), read & handled)?;
        }
        if let Some(paths) = &limits.write {
            let given = WRITE.map(PathBuf::from).into_iter().chain([own.data.clone()]);
            rules = rules.allow(given.chain(paths.iter().cloned()), write & handled)?;
        }
        if let Programs::Listed(programs) = &limits.programs {
            let programs =
                programs.iter().map(PathBuf::as_path).chain([program]).flat_map(chain_of);
            let loaders = LOADERS.map(PathBuf::from);
            rules = rules.allow(programs.chain(loaders), AccessFs::Execute.into())?;
        }
        Ok(rules)
    }

    /// Allows something below these paths, or with these files. What is not there is passed over.
    fn allow(
        self,
        paths: impl IntoIterator<Item = PathBuf>,
        access: BitFlags<AccessFs>,
    ) -> Result<Self, RulesetError> {
        let Self { mut ruleset, is_needed } = self;
        for path in paths {
            let Ok(opened) = PathFd::new(&path) else { continue };
            let access = if path.is_dir() { access } else { access & AccessFs::from_file(KNOWN) };
            if !access.is_empty() {
                ruleset = ruleset.add_rule(PathBeneath::new(opened, access))?;
            }
        }
        Ok(Self { ruleset, is_needed })
    }

    /// Holds this thread to the rules, and all that it starts.
    pub(super) fn restrict_thread(self) -> io::Result<()> {
        let status = self.ruleset.restrict_self().map_err(io::Error::other)?;
        if !status.no_new_privs {
            let why = "this kernel does not keep programs from getting further rights";
            return Err(io::Error::other(Unavailable(why.to_owned())));
        }
        // The kernel was asked before; what it does counts. Where files are not limited it is an addition.
        match status.ruleset {
            RulesetStatus::NotEnforced if self.is_needed => {
                Err(io::Error::other(Unavailable(NO_LANDLOCK.to_owned())))
            }
            _ => Ok(()),
        }
    }
}

/// A program, and those that its first line names: what has to be started to run it. Without links.
fn chain_of(program: &Path) -> Vec<PathBuf> {
    const DEPTH: usize = 4;
    let mut chain = vec![real(program)];
    for _ in 0..DEPTH {
        let Some(line) = chain.last().and_then(|last| interpreter_line(last)) else { break };
        let Some(interpreter) = line.split_whitespace().next() else { break };
        chain.push(real(Path::new(interpreter)));
    }
    chain
}

/// The folders that a program and its interpreters are installed in, to be read: above `bin`, as `/opt/python`, or
/// of the file alone. Never the home of the user.
fn homes_of(program: &Path) -> Vec<PathBuf> {
    let mut homes: Vec<PathBuf> = chain_of(program).iter().map(|it| home_of(it)).collect();
    // A virtual environment is where its link stands.
    if let Some(folder) = program.parent().and_then(Path::parent)
        && folder.join("pyvenv.cfg").is_file()
    {
        homes.push(folder.to_owned());
    }
    homes
}

fn home_of(program: &Path) -> PathBuf {
    let folder = program.parent().filter(|folder| folder.ends_with("bin")).and_then(Path::parent);
    let user = std::env::var_os("HOME").map(PathBuf::from).map(|home| real(&home));
    let holds_user = |folder: &&Path| user.as_ref().is_some_and(|user| user.starts_with(folder));
    match folder.filter(|folder| !holds_user(folder)) {
        Some(folder) if !folder.ends_with(".local") => folder.to_owned(),
        _ => program.to_owned(),
    }
}

/// The version of Landlock in this kernel, `None` where it is absent or switched off.
pub(in crate::sandbox) fn landlock_version() -> Option<u32> {
    /// `LANDLOCK_CREATE_RULESET_VERSION`.
    const VERSION: libc::c_uint = 1;
    let nothing: *const libc::c_void = std::ptr::null();
    #[expect(unsafe_code, reason = "the version is asked for by a call without a wrapper")]
    // SAFETY: with this flag the kernel reads nothing from the pointer, which is null as it wants.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0usize, VERSION) };
    u32::try_from(version).ok().filter(|version| *version > 0)
}
