//! The socket that hooks ask at: who may, what becomes of one that nobody listens at, and a disk that is full.

#![cfg(unix)]

mod support;
#[path = "hook/user.rs"]
mod user;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use user::{User, wait_until};

/// Nobody, as most systems have it.
const ANOTHER: u32 = 65_534;

fn claude(command: &str) -> Value {
    json!({ "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": command } })
}

fn socket_of(user: &User) -> PathBuf {
    PathBuf::from(user.status()[0]["socket"].as_str().unwrap())
}

fn skip(why: &str) {
    use std::io::Write;
    // Past the capture of the test harness.
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

#[test]
fn a_socket_that_nobody_listens_at_is_named_and_removed() {
    let user = User::new();
    user.hook("claude", &claude("ls")).assert_code(0);
    assert_eq!(user.events(1)[0]["event"], "tool_call");
    let socket = socket_of(&user);
    assert_eq!(socket.parent().unwrap(), user.path("run/extline"));
    let told = user.run(&["hook", "--status"], "");
    assert!(
        told.stdout.contains(&format!("\n  {}\n  guard  ready\n", socket.display())),
        "{told:?}"
    );
    let kill = || {
        let pid = user.status()[0]["pid"].to_string();
        assert!(Command::new("kill").args(["-KILL", &pid]).status().unwrap().success());
        wait_until(|| !Path::new(&format!("/proc/{pid}")).exists());
        assert!(socket.exists());
    };
    kill();
    let told = user.run(&["hook", "--status"], "");
    told.assert_code(0);
    let removed = format!("removed {}: nobody listened there any more\n", socket.display());
    assert_eq!(told.stdout, format!("no extensions run for hooks\n{removed}"));
    assert!(!socket.exists());
    assert_eq!(user.run(&["hook", "--status"], "").stdout, "no extensions run for hooks\n");
    user.hook("claude", &claude("ls")).assert_code(0);
    kill();
    let told = user.run(&["hook", "--stop", "--json"], "").json();
    assert_eq!(told, json!({ "stopped": true, "running": [], "removed": [socket] }));
}

/// The modes of the folder and the socket keep others out. Without those, who asks is looked at.
#[test]
fn another_user_is_not_answered() {
    if !rustix::process::geteuid().is_root() {
        return skip("only root can be another user too");
    }
    let user = User::new();
    user.hook("claude", &claude("ls")).assert_code(0);
    let socket = socket_of(&user);
    let folders = [user.path(""), user.path("run"), user.path("run/extline")];
    let ask = |uid: u32| {
        let script = "import socket, sys\n\
                      s = socket.socket(socket.AF_UNIX)\n\
                      s.connect(sys.argv[1])\n\
                      try:\n \
                        s.sendall(b'{\"do\":\"status\"}\\n')\n \
                        s.shutdown(socket.SHUT_WR)\n \
                        print(len(s.recv(100)))\n\
                      except ConnectionError:\n \
                        print(0)\n";
        let mut python = Command::new("python3");
        python.args(["-c", script]).arg(&socket).current_dir("/").uid(uid).gid(uid);
        let output = python.stdin(Stdio::null()).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (_, refused) = ask(ANOTHER);
    assert!(refused.contains("PermissionError"), "{refused}");
    let open_to_all = |is_open: bool| {
        let (folder_mode, socket_mode) = if is_open { (0o755, 0o666) } else { (0o700, 0o600) };
        for folder in &folders {
            fs::set_permissions(folder, Permissions::from_mode(folder_mode)).unwrap();
        }
        fs::set_permissions(&socket, Permissions::from_mode(socket_mode)).unwrap();
    };
    open_to_all(true);
    assert_eq!(ask(ANOTHER), ("0\n".to_owned(), String::new()));
    assert_eq!(ask(0), ("100\n".to_owned(), String::new()));
    // A hook asks nothing in such a folder.
    let told = user.hook("claude", &claude("ls"));
    told.assert_code(2);
    told.assert_says(&["is not a folder of this user alone"]);
    open_to_all(false);
    assert_eq!(user.status().len(), 1);
}

/// A small disk in the place of a folder.
struct Disk<'a> {
    user: &'a User,
    folder: PathBuf,
}

impl<'a> Disk<'a> {
    /// None where it may not be mounted.
    fn mount(user: &'a User) -> Option<Self> {
        let folder = user.path("run");
        let disk = Self { user, folder };
        disk.do_mount("size=64k,nr_inodes=2,mode=0700").then_some(disk)
    }

    fn do_mount(&self, options: &str) -> bool {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&self.folder);
        mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    }

    fn unmount(&self) {
        let mut unmount = Command::new("umount");
        let _ = unmount.arg("-l").arg(&self.folder).stderr(Stdio::null()).status();
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        // What runs is known by its socket, which goes with the disk.
        self.user.run(&["hook", "--stop"], "");
        self.unmount();
    }
}

#[test]
fn a_full_disk_blocks_or_does_not_matter() {
    let user = User::new();
    let Some(disk) = Disk::mount(&user) else {
        return skip("a small disk may not be mounted here");
    };
    // Not even a folder fits.
    fs::write(user.path("run/filler"), "").unwrap();
    let told = user.hook("claude", &claude("ls"));
    told.assert_code(2);
    told.assert_says(&["the call is blocked", "cannot be made", "No space left on device"]);
    let told = user.hook("claude", &json!({ "hook_event_name": "SessionStart" }));
    told.assert_code(1);
    told.assert_says(&["the extensions were not told of SessionStart", "No space left on device"]);
    // Files fit, and nothing in them: there is a decision, as none of it is written down.
    disk.unmount();
    assert!(disk.do_mount("size=64k,nr_inodes=50,mode=0700"));
    assert!(fs::write(user.path("run/filler"), vec![b'x'; 128 * 1024]).is_err(), "it is full");
    for command in ["forbidden", "ls"] {
        let told = user.hook("claude", &claude(command));
        told.assert_code(0);
        assert_eq!(told.stdout.contains("deny"), command == "forbidden", "{told:?}");
    }
}
