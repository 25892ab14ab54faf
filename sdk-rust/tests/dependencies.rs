//! What a test needs is no part of what an author ships.

use std::process::Command;

#[test]
fn a_release_has_no_parser_of_scenarios() {
    // Its tests play a scenario; its program must not be able to.
    let tree = |edges: &str| {
        let output = Command::new(env!("CARGO"))
            .args(["tree", "--offline", "--prefix", "none", "--package", "weather-rust"])
            .args(["--edges", edges, "--manifest-path"])
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
            .output()
            .expect("cargo starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("cargo writes UTF-8")
    };
    let has = |tree: &str, name: &str| tree.lines().any(|line| line.starts_with(name));
    let (shipped, tested) = (tree("normal"), tree("normal,dev"));
    assert!(has(&shipped, "extline-protocol "), "{shipped}");
    for name in ["extline-scenario ", "toml "] {
        assert!(has(&tested, name), "{tested}");
        assert!(!has(&shipped, name), "{shipped}");
    }
}
