//! The C programs under test, compiled as an author compiles them.

use std::collections::HashMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};

/// The program of `tests/programs/NAME.c`, linked with the shared library.
pub(crate) fn program(name: &str) -> PathBuf {
    static COMPILED: LazyLock<Mutex<HashMap<String, PathBuf>>> = LazyLock::new(Mutex::default);
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    compiled.entry(name.to_owned()).or_insert_with(|| compile(name)).clone()
}

fn compile(name: &str) -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = folder().join(name);
    let libraries = libraries();
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let status = Command::new(compiler)
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-g", "-O1", "-pthread", "-o"])
        .arg(&program)
        .arg(package.join(format!("tests/programs/{name}.c")))
        .arg("-I")
        .arg(package.join("include"))
        .arg("-L")
        .arg(libraries)
        .arg("-lextline")
        .arg(format!("-Wl,-rpath,{}", libraries.display()))
        .status()
        .expect("a C compiler is there");
    assert!(status.success(), "{name}.c does not compile");
    program
}

/// A folder of this process alone.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c-processes");
        std::fs::create_dir_all(&folder).unwrap();
        folder
    })
}

/// The folder with the shared library, under the name that the linker looks for and under the one that
/// the loader does.
fn libraries() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        // By scripts/test.py, with everything else, if not here.
        if env::var_os("EXTLINE_BUILT").is_none() {
            let mut build = Command::new(env!("CARGO"));
            build.args(["build", "--quiet", "--package", "extline-c"]);
            if !cfg!(debug_assertions) {
                build.arg("--release");
            }
            assert!(build.status().unwrap().success());
        }
        // target/debug/deps/processes-HASH -> target/debug
        let test = env::current_exe().unwrap();
        let folder_of_builds = test.parent().and_then(Path::parent).unwrap();
        let folder = folder().join("lib");
        std::fs::create_dir_all(&folder).unwrap();
        let (abi, _) = env!("CARGO_PKG_VERSION").rsplit_once('.').unwrap();
        for name in ["libextline.so".to_owned(), format!("libextline.so.{abi}")] {
            let link = folder.join(name);
            // Of an earlier run.
            let _ = std::fs::remove_file(&link);
            std::os::unix::fs::symlink(folder_of_builds.join("libextline.so"), link).unwrap();
        }
        folder
    })
}
