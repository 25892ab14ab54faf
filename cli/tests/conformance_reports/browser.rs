//! The HTML report in a real browser, where there is one: the layout on a desk and on a phone, and
//! what the boxes and words show.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::conformance;
use crate::support::Extline;

const BROWSERS: [&str; 4] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Shows the report in frames of two widths, presses what a reader presses, and writes down what is
/// to be seen.
const LOOK: &str = include_str!("look.html");

#[test]
fn the_page_is_looked_at_in_a_browser() {
    let Some(browser) = browser() else {
        // Not by a macro, whose output is shown for tests that fail.
        let _ =
            writeln!(std::io::stderr(), "SKIPPED the report in a browser: none of {BROWSERS:?}");
        return;
    };
    let extline = Extline::new();
    let report = extline.home().join("report.html");
    conformance(&extline, &["--report", &format!("html={}", report.display())]).assert_code(1);
    let page = fs::read_to_string(&report).unwrap();
    let page = serde_json::to_string(&page).unwrap().replace("</", "<\\/");
    let look = extline.home().join("look.html");
    fs::write(&look, LOOK.replacen("PAGE", &page, 1)).unwrap();

    let dom = dom_of(browser, extline.home(), &look.display().to_string());
    let seen = dom.split("SEEN").nth(1).unwrap_or_else(|| panic!("nothing was seen: {dom}"));
    let seen: Value = serde_json::from_str(&seen.replace("&gt;", ">")).unwrap();
    assert_eq!(seen["error"], Value::Null, "{seen}");
    assert_eq!(seen["first"], serde_json::json!(["E-FRM-08"]), "what failed is shown first");
    assert_eq!(seen["all"], serde_json::json!(["E-FRM-08", "E-REG-01"]));
    assert_eq!(seen["searched"], serde_json::json!(["E-REG-01"]));
    assert_eq!(seen["count"], "1 of 2 cases");
    for (place, width) in [("desk", 1280), ("phone", 390)] {
        let layout = &seen[place];
        let measure = |name: &str| layout[name].as_f64().unwrap();
        assert_eq!(layout["width"], width, "{seen}");
        assert!(measure("overflow") <= 0.0, "wider than the {place}: {seen}");
        assert!(measure("frames") >= 3.0 && measure("outside") == 0.0, "{place}: {seen}");
        // On a phone the time stands above its frame.
        let most = if place == "desk" { 8.0 } else { 40.0 };
        assert!(measure("apart") <= most, "{place}: times stand beside their frames: {seen}");
    }

    // A link that says what it is about.
    let link = format!("{}?show=pass,fail&words=shared#E-REG-01", report.display());
    let dom = dom_of(browser, extline.home(), &link);
    let case = |id: &str| {
        let tag = dom.split("<details").find(|tag| tag.contains(&format!("id=\"{id}\"")));
        tag.unwrap().split('>').next().unwrap().to_owned()
    };
    assert!(case("E-FRM-08").contains("hidden"), "{}", case("E-FRM-08"));
    let named = case("E-REG-01");
    assert!(named.contains("open") && !named.contains("hidden"), "{named}");
}

fn browser() -> Option<&'static str> {
    let works = |name: &&str| {
        let asked = Command::new(name).arg("--version").output();
        asked.is_ok_and(|output| output.status.success())
    };
    BROWSERS.into_iter().find(works)
}

/// The document as it is when its scripts have run.
fn dom_of(browser: &str, home: &Path, page: &str) -> String {
    let profile = tempfile::tempdir_in(home).unwrap();
    let output = Command::new(browser)
        // It reads nothing but the page of this test, and in a container it has no sandbox.
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--no-first-run", "--disable-background-networking", "--hide-scrollbars"])
        .args(["--virtual-time-budget=20000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg("--window-size=1400,1000")
        .arg(format!("file://{page}"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}
