//! What an extension is kept from: each attempt is a real one, refused by the kernel.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use extline_host::{ExtensionSource, ExtensionState, Host, News, sandbox_support};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::support::{Home, LONG, diagnosis, script, text};

/// Python itself, where `python3` only chooses one.
static PYTHON: LazyLock<String> = LazyLock::new(|| {
    let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    String::from_utf8(asked.unwrap().stdout).unwrap().trim().to_owned()
});

/// Whether this kernel can do it; what is missing is said, and fails where the build says that it must be there.
fn can_run() -> bool {
    let support = sandbox_support();
    let can = support.seccomp && support.landlock.is_some_and(|version| version >= 6);
    if !can {
        let why = format!("skipped: this kernel has no Landlock 6 or no seccomp: {support:?}\n");
        io::stderr().write_all(why.as_bytes()).unwrap();
    }
    can
}

/// A folder with the extension that tries, and these permissions.
fn folder(home: &Home, permissions: &Value) -> PathBuf {
    let folder = home.folder("attempts");
    let args = ["-S".to_owned(), "./attempts.py".to_owned()];
    let manifest =
        json!({"name": "attempts", "exec": *PYTHON, "args": args, "permissions": permissions});
    fs::write(folder.join("extension.json"), manifest.to_string()).unwrap();
    fs::copy(script("attempts.py"), folder.join("attempts.py")).unwrap();
    folder
}

async fn start(home: &Home, permissions: Value) -> Host {
    let folder = folder(home, &permissions);
    let host = home.builder().extension(ExtensionSource::folder(folder)).start().await;
    let status = host.extensions().pop().unwrap();
    assert!(matches!(status.state, ExtensionState::Ready), "{:?}", status.state);
    host
}

async fn attempt(host: &Host, what: &str, path: impl AsRef<Path>) -> Result<String, String> {
    let args = json!({"what": what, "path": path.as_ref()}).to_string();
    let result = host.call("attempt", &args).await.unwrap();
    if result.is_error { Err(text(&result)) } else { Ok(text(&result)) }
}

#[tokio::test]
async fn without_the_network_there_is_no_socket() {
    if !can_run() {
        return;
    }
    let home = Home::new();
    let listener = std::os::unix::net::UnixListener::bind(home.path().join("s")).unwrap();
    let host = start(&home, json!({"net": false})).await;
    for what in ["datagram", "stream", "raw", "local"] {
        let refused = attempt(&host, what, home.path().join("s")).await.unwrap_err();
        assert!(refused.contains("Permission denied"), "{what}: {refused}");
        assert!(refused.contains("the sandbox of attempts refused it to open a"), "{refused}");
        assert!(refused.contains("permissions.net"), "{refused}");
    }
    for what in ["x32", "ring"] {
        let refused = attempt(&host, what, "").await;
        assert!(refused.as_ref().is_err_and(|it| it.contains("ENOSYS")), "{what}: {refused:?}");
    }
    assert_eq!(attempt(&host, "type_into", "").await.as_deref(), Ok("refused"));
    assert_eq!(attempt(&host, "pair", "").await.as_deref(), Ok("x"));
    // What is not limited goes on.
    assert_eq!(attempt(&host, "run", "/bin/true").await.as_deref(), Ok("done"));
    drop(listener);
    host.shutdown().await;
}

#[tokio::test]
async fn without_programs_none_is_run_whatever_the_way() {
    if !can_run() {
        return;
    }
    let home = Home::new();
    let host = start(&home, json!({"exec": false})).await;
    let mut news = host.news();
    for what in ["run", "loader", "in_memory"] {
        let refused = attempt(&host, what, "/bin/true").await.unwrap_err();
        let is_named = refused.contains("the sandbox of attempts refused it to run ");
        assert!(is_named && refused.contains("permissions.exec"), "{what}: {refused}");
    }
    let refused = attempt(&host, "run", "/bin/true").await.unwrap_err();
    assert!(refused.contains("refused it to run /bin/true (permissions.exec)"), "{refused}");
    let refused = host.command("run", "/bin/true").await.unwrap_err().to_string();
    assert!(refused.contains("refused it to run /bin/true (permissions.exec)"), "{refused}");
    // A call that is well says nothing of it, and neither does an error that has nothing to do with it.
    assert_eq!(attempt(&host, "pair", "").await.as_deref(), Ok("x"));
    let other = attempt(&host, "read", "/nothing/there").await.unwrap_err();
    assert!(!other.contains("sandbox"), "{other}");
    let told = async {
        loop {
            if let Some(News::Notice { notice, .. }) = news.next().await
                && notice.text == "its sandbox refused it to run /bin/true (permissions.exec)"
            {
                break;
            }
        }
    };
    timeout(LONG, told).await.unwrap();
    host.shutdown().await;
}

#[tokio::test]
async fn a_list_of_programs_leaves_those_alone() {
    if !can_run() {
        return;
    }
    let home = Home::new();
    let host = start(&home, json!({"exec": ["true", "echo"]})).await;
    assert_eq!(attempt(&host, "run", "/bin/true").await.as_deref(), Ok("done"));
    for what in ["run", "in_memory"] {
        let refused = attempt(&host, what, "/bin/ls").await;
        assert!(refused.is_err(), "{what}: {refused:?}");
    }
    let refused = attempt(&host, "run", "/bin/ls").await.unwrap_err();
    assert!(refused.contains("permissions.exec: it runs /"), "{refused}");
    // The hole that the documentation names.
    assert_eq!(attempt(&host, "loader", "/bin/uname").await.as_deref(), Ok("Linux\n"));
    host.shutdown().await;
}

#[tokio::test]
async fn nothing_is_written_elsewhere_whatever_the_way() {
    if !can_run() {
        return;
    }
    let home = Home::new();
    let (inside, outside) = (home.folder("inside"), home.folder("outside"));
    let file = outside.join("file.txt");
    fs::write(&file, "kept").unwrap();
    let host = start(&home, json!({"fs": {"write": [inside, "."]}})).await;
    let elsewhere =
        ["write", "append", "truncate", "remove", "rename_in", "link_in", "through_link"];
    for what in elsewhere {
        let refused = attempt(&host, what, &file).await.unwrap_err();
        assert!(refused.contains("the sandbox of attempts holds it to this"), "{what}: {refused}");
        assert!(refused.contains("permissions.fs.write: it writes"), "{what}: {refused}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "kept", "{what}");
    }
    for what in ["write", "make_folder", "rename_out"] {
        let new = outside.join("new");
        let refused = attempt(&host, what, &new).await;
        assert!(refused.is_err() && !new.exists(), "{what}: {refused:?}");
    }
    assert_eq!(attempt(&host, "write", inside.join("a.txt")).await.as_deref(), Ok("done"));
    assert_eq!(attempt(&host, "write", "/dev/null").await.as_deref(), Ok("done"));
    let temporary = attempt(&host, "temporary", "").await.unwrap();
    assert!(
        Path::new(&temporary).starts_with(home.path().join("data/attempts/tmp")),
        "{temporary}"
    );
    // Reading is not limited.
    assert_eq!(attempt(&host, "read", &file).await.as_deref(), Ok("kept"));
    host.shutdown().await;
}

#[tokio::test]
async fn nothing_is_read_elsewhere_and_the_host_is_out_of_reach() {
    if !can_run() {
        return;
    }
    let home = Home::new();
    let given = home.folder("given");
    fs::write(given.join("a.txt"), "given").unwrap();
    let secret = home.path().join("secret.txt");
    fs::write(&secret, "secret").unwrap();
    let host = start(&home, json!({"fs": {"read": ["${project}/given"]}})).await;
    for what in ["read", "read_by_process"] {
        let refused = attempt(&host, what, &secret).await.unwrap_err();
        assert!(refused.contains("permissions.fs.read: it reads"), "{what}: {refused}");
    }
    assert_eq!(attempt(&host, "read", given.join("a.txt")).await.as_deref(), Ok("given"));
    for what in ["environment_of_host", "memory_of_host", "trace_host", "signal_host"] {
        let refused = attempt(&host, what, "").await;
        assert!(refused.is_err(), "{what}: {refused:?}");
    }
    host.shutdown().await;
}

#[tokio::test]
async fn what_is_not_stated_is_not_limited() {
    if !can_run() {
        return;
    }
    let home = Home::new();
    let given = home.folder("given");
    let every = json!([
        {"net": false},
        {"exec": false},
        {"exec": ["true"]},
        {"fs": {"read": ["/", "."]}},
        {"fs": {"write": [given]}},
        {"fs": {"read": [given], "write": [given]}},
    ]);
    for permissions in every.as_array().unwrap() {
        // Landlock keeps files from being moved between folders unless somebody says otherwise.
        let host = start(&home, permissions.clone()).await;
        let moved = attempt(&host, "move", &given).await;
        assert_eq!(moved.as_deref(), Ok("x"), "{permissions}");
        host.shutdown().await;
        fs::remove_dir_all(&given).unwrap();
        fs::create_dir(&given).unwrap();
    }
}

#[tokio::test]
async fn nothing_of_the_extension_runs_outside_of_its_sandbox_to_find_its_interpreter() {
    if !can_run() {
        return;
    }
    let home = Home::new();
    let folder = folder(&home, &json!({}));
    let mark = home.path().join("ran");
    fs::create_dir(folder.join("shims")).unwrap();
    let script = format!("#!/bin/sh\n(echo > '{}') 2>&-\nexit 1\n", mark.display());
    for program in ["shims/python3", "python3"] {
        fs::write(folder.join(program), &script).unwrap();
        let made = Command::new("chmod").arg("+x").arg(folder.join(program)).status().unwrap();
        assert!(made.success());
        let exec = format!("./{program}");
        let permissions = json!({"exec": false, "fs": {"write": []}});
        let manifest = json!({"name": "x", "exec": exec, "permissions": permissions});
        fs::write(folder.join("extension.json"), manifest.to_string()).unwrap();
        let host = home.builder().extension(ExtensionSource::folder(&folder)).start().await;
        diagnosis(&host);
        host.shutdown().await;
        assert!(!mark.exists(), "{program}");
    }
}

#[tokio::test]
async fn one_that_cannot_start_in_its_sandbox_is_told_why() {
    if !can_run() {
        return;
    }
    let home = Home::new();
    let folder = folder(&home, &json!({}));
    fs::write(folder.join("ext.sh"), "#!/bin/sh\nexec /bin/false\n").unwrap();
    let made = Command::new("chmod").arg("+x").arg(folder.join("ext.sh")).status().unwrap();
    assert!(made.success());
    let manifest = json!({"name": "x", "exec": "./ext.sh", "permissions": {"exec": false}});
    fs::write(folder.join("extension.json"), manifest.to_string()).unwrap();
    let host = home.builder().extension(ExtensionSource::folder(&folder)).start().await;
    let found = diagnosis(&host);
    assert!(
        found.suggestion.contains("refused it to run /bin/false (permissions.exec)"),
        "{found}"
    );
    host.shutdown().await;
    // An agent that has a sandbox of its own does without.
    let host = home.builder().sandbox(false).extension(ExtensionSource::folder(&folder)).start();
    let found = diagnosis(&host.await);
    assert!(!found.suggestion.contains("sandbox"), "{found}");
}
