//! What the tests share: a host with a home of its own, the two extensions, a look at processes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use extline_host::protocol::frame::{Content, ToolResult};
use extline_host::{Diagnosis, ExtensionSource, ExtensionState, Host, HostBuilder};
use tempfile::TempDir;

/// Longer than anything here takes on a busy machine.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// A host whose logs and data are gone after the test.
pub(crate) struct Home {
    dir: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn builder(&self) -> HostBuilder {
        Host::builder().host("test-agent", "9.9").home(self.dir.path()).cwd(self.dir.path())
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// A new folder below the home.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let path = self.dir.path().join(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    }
}

/// A script beside this file.
pub(crate) fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/extensions").join(name)
}

/// One of these scripts, without the site's packages, which take longer to look through than Python to
/// start.
pub(crate) fn python<A: Into<OsString>>(
    name: &str,
    args: impl IntoIterator<Item = A>,
) -> ExtensionSource {
    let words = ["-S".into(), script(name).into_os_string()];
    ExtensionSource::command("python3", words.into_iter().chain(args.into_iter().map(Into::into)))
}

pub(crate) fn behave(extra_tools: &[&str]) -> ExtensionSource {
    python("behave.py", extra_tools)
}

pub(crate) fn misbehave(args: &[&str]) -> ExtensionSource {
    python("misbehave.py", args)
}

/// Why the only extension failed.
pub(crate) fn diagnosis(host: &Host) -> Diagnosis {
    match &host.extensions()[0].state {
        ExtensionState::Failed(diagnosis) => (**diagnosis).clone(),
        other => panic!("expected a failure, found {other:?}"),
    }
}

/// The text of a result.
pub(crate) fn text(result: &ToolResult) -> String {
    let texts = result.content.iter().map(|block| match block {
        Content::Text(text) => text.clone(),
        other => format!("{other:?}"),
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The ids that the tool `pids` tells: the extension's and its child's.
pub(crate) async fn pids(host: &Host) -> Vec<u32> {
    let result = host.call("pids", "{}").await.unwrap();
    serde_json::from_str(&text(&result)).unwrap()
}

/// Whether a process runs; a zombie does not.
pub(crate) fn runs(pid: u32) -> bool {
    if !Path::new("/proc/self/stat").exists() {
        let mut ps = std::process::Command::new("ps");
        let output = ps.args(["-o", "stat=", "-p", &pid.to_string()]).output().unwrap();
        let state = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        return !state.is_empty() && !state.starts_with('Z');
    }
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(')').next().unwrap().trim().chars().next();
    state.is_some_and(|state| !matches!(state, 'Z' | 'X'))
}

/// Waits until a process has ended.
pub(crate) async fn wait_until_gone(pid: u32) {
    let gone = async {
        while runs(pid) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(LONG, gone).await.expect("the process still runs");
}

/// Ends the host and asserts that nothing is left.
pub(crate) async fn end(host: Host) {
    for ending in host.shutdown().await {
        assert!(ending.gone, "{ending}");
    }
}
