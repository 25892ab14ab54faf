//! `make install`: what it puts where, and that compilers find it.

use std::fs;
use std::path::Path;

use crate::c_library::{found, make, prefix, sh, try_sh};

/// As small as an extension can be.
const HELLO: &str = r#"#include <extline.h>

static void hello(void *user, extline_call *call, extline_str args)
{
    (void)user;
    (void)args;
    extline_call_text(call, "Hello!");
}

int main(void)
{
    extline_extension *ext = extline_new("hello", "1.0.0");
    extline_tool_options tool = { EXTLINE_TOOL_OPTIONS_INIT };
    tool.name = "hello";
    tool.description = "Says hello.";
    tool.run = hello;
    extline_tool(ext, &tool);
    int status = extline_run(ext);
    extline_free(ext);
    return status;
}
"#;

const CALL: &str = "extline call hello '{}' -- ./hello";

#[test]
fn one_line_builds_an_extension() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("hello.c"), HELLO).unwrap();
    let said = sh("cc hello.c -o hello $(pkg-config --cflags --libs extline)", folder.path());
    assert_eq!(said, "");
    // In an environment that names no folder of libraries.
    assert_eq!(sh(CALL, folder.path()), "Hello!\n");
}

#[test]
fn it_is_linked_into_the_program_too() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("hello.c"), HELLO).unwrap();
    let lines = fs::read_to_string(crate::support::repository().join("docs/c/guide.md")).unwrap();
    let line = "cc hello.c -o hello $(pkg-config --cflags extline) $(pkg-config --variable=libdir extline)/libextline.a $(pkg-config --libs-only-l --static extline | sed s/-lextline//)";
    assert!(lines.contains(line), "docs/c/guide.md tells another line");
    sh(line, folder.path());
    let needs = sh("objdump -p hello 2>/dev/null || otool -L hello", folder.path());
    assert!(!needs.contains("libextline"), "{needs}");
    assert_eq!(sh(CALL, folder.path()), "Hello!\n");
}

#[test]
fn cmake_finds_it() {
    if !found("cmake", "find_package(extline)") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("hello.c"), HELLO).unwrap();
    let lists = |version: &str| {
        let text = format!(
            "cmake_minimum_required(VERSION 3.16)\nproject(hello C)\n\
             find_package(extline {version} REQUIRED)\nadd_executable(hello hello.c)\n\
             target_link_libraries(hello extline::extline)\nadd_executable(alone hello.c)\n\
             target_link_libraries(alone extline::static)\n"
        );
        fs::write(folder.path().join("CMakeLists.txt"), text).unwrap();
    };
    let configure = format!("cmake -S . -B build -DCMAKE_PREFIX_PATH='{}'", prefix().display());
    lists("0.1");
    sh(&format!("{configure} && cmake --build build"), folder.path());
    for program in ["build/hello", "build/alone"] {
        assert_eq!(sh(&CALL.replace("./hello", program), folder.path()), "Hello!\n");
    }
    for other in ["0.2", "0.0.9", "1.0"] {
        lists(other);
        let (code, said) = try_sh(&configure, folder.path());
        assert_ne!(code, 0, "{other} was found");
        assert!(said.contains("version: 0.1"), "{said}");
    }
}

#[test]
fn the_shared_library_has_a_version_in_its_name() {
    if cfg!(not(target_os = "linux")) {
        return;
    }
    let lib = prefix().join("lib");
    let version = version();
    let target = |link: &str| fs::read_link(lib.join(link)).unwrap();
    let full = format!("libextline.so.{version}");
    assert_eq!(target("libextline.so"), Path::new(&full));
    assert_eq!(target("libextline.so.0.1"), Path::new(&full));
    if found("objdump", "the SONAME") {
        let headers = sh(&format!("objdump -p {full}"), &lib);
        let soname = headers.lines().find(|line| line.contains("SONAME")).expect("it has a SONAME");
        assert_eq!(soname.split_whitespace().last(), Some("libextline.so.0.1"));
    }
    assert_eq!(sh("pkg-config --modversion extline", &lib).trim(), version);
}

#[test]
fn a_package_is_made_in_a_folder_of_its_own_and_taken_away_again() {
    let stage = tempfile::tempdir().unwrap();
    let staged = format!("DESTDIR={}", stage.path().display());
    let words = [&*staged, "LIBDIR=/usr/lib/x86_64-linux-gnu"];
    make(&[&["install"], &words[..]].concat(), Path::new("/usr"));
    let lib = stage.path().join("usr/lib/x86_64-linux-gnu");
    let pc = fs::read_to_string(lib.join("pkgconfig/extline.pc")).unwrap();
    assert!(pc.contains("\nlibdir=/usr/lib/x86_64-linux-gnu\n"), "{pc}");
    assert!(pc.contains("\nLibs: -L${libdir} -lextline\n"), "no rpath to a system's folder: {pc}");
    for file in ["include/extline.h", "include/extline.hpp"] {
        assert!(stage.path().join("usr").join(file).exists(), "{file}");
    }
    make(&[&["uninstall"], &words[..]].concat(), Path::new("/usr"));
    let left = files(stage.path());
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn what_cannot_be_installed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let sdk = crate::support::repository().join("sdk-c");
    for (words, says) in [
        ("PREFIX=here", "PREFIX, LIBDIR and INCLUDEDIR are absolute paths, and here is none"),
        ("PREFIX='/tmp/my library'", "linkers read otherwise, as '/tmp/my library' does"),
        ("PREFIX=/tmp/none RPATH=never", "RPATH is yes, no or auto, and not never"),
    ] {
        let (code, said) =
            try_sh(&format!("make -C '{}' install {words}", sdk.display()), folder.path());
        assert_ne!(code, 0);
        assert!(said.contains(says), "{said}");
    }
}

/// The version as the header has it.
fn version() -> String {
    let header = fs::read_to_string(prefix().join("include/extline.h")).unwrap();
    let (_, rest) = header.split_once("#define EXTLINE_VERSION \"").unwrap();
    rest.split_once('"').unwrap().0.to_owned()
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push(entry.path().display().to_string());
        }
    }
    found
}
