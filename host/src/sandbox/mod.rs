//! What an extension is kept from by the system itself: `fs`, `net` and `exec` of the `permissions` in its manifest.
//!
//! Linux holds to them by Landlock (files) and seccomp (network, programs). Both are laid on one thread of the host,
//! which starts the program and ends: what it starts inherits them, the host itself does not. There is no helper
//! program, and nothing runs between `fork` and `exec`.

#![cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "nothing is refused there yet"))]

mod limits;
#[cfg(target_os = "linux")]
mod linux;
mod program;
mod refusals;
mod support;
#[cfg(not(target_os = "linux"))]
mod unsupported;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use extline_protocol::frame::Tier;
use tokio::process::Child;

use self::limits::Programs;
pub(crate) use self::limits::{Limits, of_machines};
#[cfg(target_os = "linux")]
use self::linux::spawn;
use self::refusals::Refusals;
pub(crate) use self::support::limits_and_gaps;
pub use self::support::{SandboxSupport, sandbox_limits, sandbox_support};
#[cfg(not(target_os = "linux"))]
use self::unsupported::spawn;
use crate::file::make_folder;
use crate::home::make_data_dir;
use crate::process::{Confinement, Launch, Start};

/// The sandbox of one extension.
#[derive(Debug)]
pub(crate) struct Sandbox {
    pub(crate) limits: Limits,
    /// What it may read and write in any case, beside what the system needs.
    own: Own,
    /// What was refused.
    pub(crate) refusals: Refusals,
}

/// Folders and files of the extension itself.
#[derive(Debug)]
struct Own {
    /// Its own folder, which it reads.
    dir: PathBuf,
    /// The home of the host, in which the data folder is.
    home: PathBuf,
    /// Its data folder, which it writes.
    data: PathBuf,
    /// Where temporary files go; in the data folder.
    temporary: PathBuf,
    /// Files that variables of its environment name, as certificates.
    named: Vec<PathBuf>,
}

/// Variables that name files which a program reads.
const NAMES_OF_FILES: [&str; 6] = [
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "VIRTUAL_ENV",
];

impl Sandbox {
    /// Puts a program into the sandbox that limits call for, with folders for its data in the home of the host.
    pub(crate) fn put(mut launch: Launch, limits: Limits, home: PathBuf, data: PathBuf) -> Launch {
        let temporary = data.join("tmp");
        let mut environment = (*launch.environment).clone();
        let named =
            NAMES_OF_FILES.iter().filter_map(|name| environment.variables.get(OsStr::new(name)));
        let named = named.map(PathBuf::from).collect();
        if limits.write.is_some() {
            environment.variables.insert("TMPDIR".into(), temporary.clone().into());
        }
        let own = Own { dir: launch.dir.clone(), home, data, temporary, named };
        launch.environment = Arc::new(environment);
        let sandbox = Self { limits, own, refusals: Refusals::default() };
        launch.confinement = Some(Arc::new(sandbox));
        launch
    }

    /// Makes the folders that it may write to.
    fn make_folders(&self) -> io::Result<()> {
        make_data_dir(&self.own.home, &self.own.data)?;
        make_folder(&self.own.temporary)
    }
}

impl Confinement for Sandbox {
    fn program<'l>(&self, launch: &'l Launch) -> Cow<'l, Launch> {
        match self.limits.programs {
            Programs::None => Cow::Owned(program::itself(launch.clone())),
            _ => Cow::Borrowed(launch),
        }
    }

    fn spawn(self: Arc<Self>, program: &Path, start: Start<'_>) -> io::Result<Child> {
        spawn(&self, program, start)
    }

    fn tell_refusals(&self, tell: Box<dyn Fn(&str) + Send + Sync>) {
        self.refusals.tell(tell);
    }

    fn most(&self) -> Tier {
        self.limits.most()
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = self.limits.missing.clone();
        #[cfg(not(target_os = "linux"))]
        notices.push(unsupported::WHY.to_owned());
        notices.dedup();
        notices
    }

    fn explain(&self, extension: &str, text: &str, since: Option<Instant>) -> Option<String> {
        const OF_RIGHTS: [&str; 7] = [
            "ermission denied",
            "not permitted",
            "EACCES",
            "EPERM",
            "EXDEV",
            "ross-device",
            "PermissionError",
        ];
        let refused = self.refusals.since(since);
        let speaks_of_rights = OF_RIGHTS.iter().any(|word| text.contains(word));
        let what = if !refused.is_empty() {
            format!("refused it {}", refused.join(", "))
        } else if speaks_of_rights && self.limits.has_file_rules() {
            format!("holds it to this: {}", self.limits.lines().join("; "))
        } else {
            return None;
        };
        // The model reads it too, and is not told how to get around it.
        Some(format!("the sandbox of {extension} {what}; so its extension.json has it"))
    }
}
