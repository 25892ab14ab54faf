//! What `extline new --lang c` writes: it is built, tested and called.

use std::path::Path;

use crate::c_library::{sh, try_sh};
use crate::support::repository;

#[test]
fn the_extension_in_c_is_built_tested_and_called() {
    let folder = tempfile::tempdir().unwrap();
    let said = sh("extline new hi-c --lang c", folder.path());
    let sdk = repository().join("sdk-c").canonicalize().unwrap();
    let next = format!(
        "next:\n  make -C {} install PREFIX=\"$HOME/.local\" && make -C hi-c\n  \
         extline call hi-c greet '{{\"who\":\"you\"}}'\n",
        sdk.display()
    );
    assert!(said.ends_with(&next), "{said}");
    let run = |command: &str| sh(command, &folder.path().join("hi-c"));

    let built = run("make");
    assert!(!built.contains("warning"), "{built}");
    assert!(run("make test").contains("conformant: 3 pass"));
    assert_eq!(run("extline call . greet '{\"who\":\"you\"}'"), "Hello, you!\n");
    assert_eq!(run("extline command . hi-c Ada"), "prompt: Greet Ada in one line.\n");
    let found: serde_json::Value = serde_json::from_str(&run("extline inspect --json .")).unwrap();
    assert_eq!(found["notices"], serde_json::json!([]));
    assert_eq!(found["hello"]["name"], "hi-c");
    // A zot does not check the arguments: then the handler does.
    let zot = "extline call --profile zot-0.1.62 . greet '{}'";
    let (code, said) = try_sh(zot, &folder.path().join("hi-c"));
    assert!(code == 1 && said.contains("/who"), "{said}");
}

#[test]
fn the_folder_of_another_sdk_is_refused() {
    let (code, said) = try_sh("extline new x --lang c --sdk sdk-rust", Path::new(&repository()));
    assert_eq!(code, 2);
    assert!(said.contains("the folder sdk-c of a clone of extline"), "{said}");
}
