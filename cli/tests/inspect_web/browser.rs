//! The page in a real browser, on a desk and on a phone, used by keys alone.

use std::io::Write;
use std::process::Command;

use serde_json::Value;

use crate::Page;
use crate::support::repository;

const BROWSERS: [&str; 4] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

#[test]
fn the_page_is_used_in_a_browser() {
    let works = |name: &str| {
        let asked = Command::new(name).arg("--version").output();
        asked.is_ok_and(|output| output.status.success())
    };
    let browser = BROWSERS.into_iter().find(|name| works(name));
    let Some(browser) = browser.filter(|_| works("node")) else {
        // Not by a macro, whose output is shown for tests that fail.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED the inspector in a browser: node and one of {BROWSERS:?} are needed"
        );
        return;
    };
    for (width, height) in [(1280, 900), (390, 844)] {
        let page = Page::start();
        let profile = tempfile::tempdir().unwrap();
        let output = Command::new("node")
            .arg(repository().join("cli/tests/inspect_web/look.mjs"))
            .args([browser, profile.path().to_str().unwrap()])
            .arg(format!("http://{}/#{}", page.authority, page.token))
            .args([width.to_string(), height.to_string()])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{width} wide: {said}");
        let seen: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(seen["problems"], serde_json::json!([]), "{width} wide");
        assert!(seen["steps"].as_u64().unwrap() >= 12, "{seen}");
    }
}
