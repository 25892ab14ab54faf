//! The C library, installed once for all tests, and a shell in which compilers find it.

#![allow(dead_code, reason = "each test file uses a part")]

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Whether that program is here. What a test needs and does not find it names in one line, and is
/// skipped.
pub(crate) fn found(program: &str, skipped: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !found {
        // Not by a macro, whose output is shown for tests that fail.
        let _ = writeln!(std::io::stderr(), "SKIPPED {skipped}: no {program}");
    }
    found
}

/// Installs the library into a fresh prefix, built for debugging as the tests are, and returns that.
pub(crate) fn prefix() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c-library");
        let _ = fs::remove_dir_all(&prefix);
        make(&["install"], &prefix);
        prefix
    })
}

/// Runs targets of the library's Makefile for a prefix; returns what was said.
pub(crate) fn make(words: &[&str], prefix: &Path) -> String {
    let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
    let output = Command::new("make")
        .args(["-C", "sdk-c"])
        .args(words)
        .arg(format!("PREFIX={}", prefix.display()))
        .arg(format!("PROFILE={profile}"))
        .env("CARGO_TARGET_DIR", builds().parent().unwrap())
        // Of a make that runs the tests.
        .env_remove("MAKEFLAGS")
        .env_remove("MAKELEVEL")
        .current_dir(super::support::repository())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

/// A POSIX shell in which `extline`, `pkg-config extline` and what `make` needs are found.
pub(crate) fn shell(command: &str, folder: &Path) -> Command {
    let mut path = vec![builds().to_owned()];
    path.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    let mut shell = Command::new("sh");
    shell
        .args(["-c", command])
        .current_dir(folder)
        .env("PATH", env::join_paths(path).unwrap())
        .env("PKG_CONFIG_PATH", prefix().join("lib/pkgconfig"))
        .env("EXTLINE_HOME", home())
        .env_remove("MAKEFLAGS")
        .env_remove("MAKELEVEL")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null());
    shell
}

/// What a command prints, stderr behind stdout; it must succeed.
#[track_caller]
pub(crate) fn sh(command: &str, folder: &Path) -> String {
    let (code, said) = try_sh(command, folder);
    assert_eq!(code, 0, "$ {command}\n{said}");
    said
}

/// Its exit code, and what it prints.
pub(crate) fn try_sh(command: &str, folder: &Path) -> (i32, String) {
    let output = shell(&format!("exec 2>&1; {command}"), folder).output().unwrap();
    (
        output.status.code().expect("it was ended by a signal"),
        String::from_utf8(output.stdout).unwrap(),
    )
}

/// A copy of an example's folder, in which `make` has run without a word of the compiler.
pub(crate) fn built(example: &str) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(super::support::repository().join("examples").join(example)).unwrap()
    {
        let file = entry.unwrap();
        if file.file_type().unwrap().is_file() {
            fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
        }
    }
    // Not what was built where it stands.
    sh("make clean", copy.path());
    let said = sh("make", copy.path());
    assert!(!said.contains("warning"), "{said}");
    copy
}

/// Where this test's programs are: target/debug.
fn builds() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_extline")).parent().unwrap()
}

/// Logs, and what extensions keep.
fn home() -> OsString {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("c-home").into_os_string()
}
