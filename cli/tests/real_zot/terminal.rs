//! The interactive zot in a terminal of its own: a tmux that nobody else uses.

use std::path::PathBuf;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::zot::Zot;

pub(crate) struct Terminal {
    socket: PathBuf,
    _folder: TempDir,
}

impl Terminal {
    /// Starts a zot in it; `None` on a machine without tmux.
    pub(crate) fn start(zot: &Zot) -> Option<Self> {
        Command::new("tmux").arg("-V").output().ok()?;
        let folder = tempfile::tempdir().unwrap();
        let terminal = Self { socket: folder.path().join("tmux"), _folder: folder };
        let zot = zot.command();
        let mut tmux = terminal.tmux();
        tmux.args(["-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", "env", "-i"])
            .args(["TERM=xterm-256color", "LANG=C.UTF-8"]);
        for (name, value) in zot.get_envs() {
            tmux.arg(format!("{}={}", name.display(), value.unwrap_or_default().display()));
        }
        assert!(tmux.arg(zot.get_program()).args(zot.get_args()).status().unwrap().success());
        terminal.wait_for("fake");
        Some(terminal)
    }

    /// Types text, or presses keys by tmux's names for them.
    pub(crate) fn type_text(&self, text: &str) {
        assert!(self.tmux().args(["send-keys", "-l", text]).status().unwrap().success());
        // It reads what is typed at once as a paste, and an enter with it.
        sleep(Duration::from_millis(300));
    }

    pub(crate) fn press(&self, key: &str) {
        assert!(self.tmux().args(["send-keys", key]).status().unwrap().success());
        sleep(Duration::from_millis(300));
    }

    /// Waits until the screen has this text.
    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) {
        self.wait_until(text, |screen| screen.contains(text));
    }

    #[track_caller]
    pub(crate) fn wait_until(&self, what: &str, holds: impl Fn(&str) -> bool) {
        let began = Instant::now();
        loop {
            let screen = self.tmux().args(["capture-pane", "-p"]).output().unwrap().stdout;
            let screen = String::from_utf8(screen).unwrap();
            if holds(&screen) {
                return;
            }
            assert!(
                began.elapsed() < Duration::from_secs(30),
                "no {what:?} on the screen:\n{screen}"
            );
            sleep(Duration::from_millis(50));
        }
    }

    fn tmux(&self) -> Command {
        let mut tmux = Command::new("tmux");
        tmux.arg("-S").arg(&self.socket);
        tmux
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.tmux().arg("kill-server").status();
    }
}
