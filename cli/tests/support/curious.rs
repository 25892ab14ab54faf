//! An extension that tries what its sandbox forbids; each language brings its own.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// The folder of one, and another that it may not write to.
pub(crate) struct Curious {
    dir: TempDir,
}

impl Curious {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("curious")).unwrap();
        fs::create_dir(dir.path().join("outside")).unwrap();
        Self { dir }
    }

    pub(crate) fn folder(&self) -> std::path::PathBuf {
        self.dir.path().join("curious")
    }

    /// Its tool `attempt` opens a socket, runs a program and writes elsewhere: with limits each is refused and named,
    /// without them each is done.
    #[track_caller]
    pub(crate) fn is_refused(&self, exec: &str, environment: &[(&str, &str)]) {
        let outside = self.dir.path().join("outside/file.txt");
        let attempts = [
            ("reach", Path::new(""), "it to open a network socket (permissions.net)"),
            ("run", Path::new("/bin/true"), "it to run /bin/true (permissions.exec)"),
            ("write", &outside, "permissions.fs.write: it writes nothing but its data folder"),
        ];
        let support = extline_host::sandbox_support();
        let has_sandbox = support.seccomp && support.landlock.is_some_and(|version| version >= 3);
        let limited = (r#"{"net":false,"exec":false,"fs":{"write":[]}}"#, false);
        // A kernel that cannot do it starts none.
        let limited = has_sandbox.then_some(limited);
        for (limits, is_open) in limited.into_iter().chain([("{}", true)]) {
            let manifest =
                format!(r#"{{"name":"curious","exec":"{exec}","permissions":{limits}}}"#);
            fs::write(self.folder().join("extension.json"), manifest).unwrap();
            for (what, path, refused) in &attempts {
                let args = format!(r#"{{"what":"{what}","path":"{}"}}"#, path.display());
                let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_extline"))
                    .args(["call".as_ref(), self.folder().as_os_str(), "attempt".as_ref()])
                    .arg(args)
                    .env("EXTLINE_HOME", self.dir.path().join("home"))
                    .envs(environment.iter().copied())
                    .output()
                    .unwrap();
                let said = String::from_utf8([stdout, stderr].concat()).unwrap();
                assert_eq!(status.success(), is_open, "{what} {limits}: {said}");
                assert!(is_open || said.contains(refused), "{what}: {said}");
                assert_eq!(outside.exists(), is_open && *what == "write", "{what}: {said}");
            }
        }
    }
}
