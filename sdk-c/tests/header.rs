//! `include/extline.h` is what the sources say.

use std::env;
use std::fs;
use std::path::Path;

use cbindgen::{Builder, Config};

#[test]
fn the_header_is_made_from_the_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = header(root);
    let path = root.join("include/extline.h");
    if env::var_os("EXTLINE_GENERATE").is_some() {
        fs::write(&path, header).expect("include/extline.h can be written");
        return;
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == header,
        "include/extline.h is not what the sources say: run scripts/generate.sh"
    );
}

/// The comments are the reference (`docs/c/guide.md`): each function says from which threads it may be
/// called, itself or by naming the function that it is otherwise like.
#[test]
fn every_function_says_from_which_threads_it_may_be_called() {
    let header = header(Path::new(env!("CARGO_MANIFEST_DIR")));
    let mut functions = 0;
    let mut silent = Vec::new();
    for part in header.split("/**").skip(1) {
        let Some((comment, declared)) = part.split_once("*/") else { continue };
        let declaration = declared.split(';').next().unwrap_or_default().trim_start();
        let Some((before, _)) = declaration.split_once('(') else { continue };
        let name = before.rsplit([' ', '*']).next().unwrap_or_default();
        if !name.starts_with("extline_") || declaration.starts_with("typedef") {
            continue;
        }
        functions += 1;
        let comment = comment.replace("\n *", " ");
        let is_like = |at: usize| comment[at..].split('`').nth(1) != Some(name);
        let refers = comment.find("`extline_").is_some_and(is_like);
        if !comment.contains("thread") && !refers {
            silent.push(name.to_owned());
        }
    }
    assert!(functions > 120, "only {functions} functions were found");
    assert_eq!(silent, Vec::<String>::new());
}

fn header(root: &Path) -> String {
    let read = |name: &str| fs::read_to_string(root.join(name)).expect(name);
    let mut config = Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml");
    config.after_includes = Some(versioned(&read("src/before.h")));
    let bindings = Builder::new().with_crate(root).with_config(config).generate();
    let mut made = Vec::new();
    bindings.expect("the sources can be read").write(&mut made);
    let made = String::from_utf8(made).expect("a header is text");
    // Inside of `extern "C"`, which cbindgen's own trailer is not.
    let end = made.find("#ifdef __cplusplus\n}").expect("the end of extern \"C\"");
    let (before, end) = made.split_at(end);
    format!("{before}{}\n{end}", read("src/after.h"))
}

/// The macros that say which version it is.
fn versioned(text: &str) -> String {
    text.replace("@VERSION@", env!("CARGO_PKG_VERSION"))
        .replace("@MAJOR@", env!("CARGO_PKG_VERSION_MAJOR"))
        .replace("@MINOR@", env!("CARGO_PKG_VERSION_MINOR"))
        .replace("@PATCH@", env!("CARGO_PKG_VERSION_PATCH"))
}
