//! The reports that are one document: TAP, Markdown, the page and the badge. What an extension
//! wrote is text in all of them, never markup.

mod support;

use extline_conformance::{
    Baseline, Options, Report, Verdict, badge_json, badge_svg, builtin, html, markdown, parse, run,
    tap,
};
use support::{program, python, sh};

/// Says hello, and dies of a blank line with words that look like markup.
const BREAKABLE: &str = r#"
echo '{"type":"hello","name":"<b>x</b>","version":"1","capabilities":[]}'
echo '{"type":"ready"}'
while read -r line; do
  case "$line" in
    *'"id":"'*) id=${line#*'"id":"'}; id=${id%%'"'*}
      echo '{"type":"tool_result","id":"'"$id"'","content":[],"is_error":true}' ;;
    *'"shutdown"'*) exit ;;
    '') printf '</pre><script>alert(1)</script> | ``` # SKIP \033[1m\n' >&2; exit 1 ;;
  esac
done
"#;

const CASES: &str = r#"
[[case]]
id = "X-ONE-01"
title = "it answers <questions> | # more"
clauses = ["tool.one-reply"]
steps = [{ canary = 1 }]

[[case]]
id = "X-ONE-02"
title = "a blank line is skipped"
clauses = ["frm.blank-line"]
steps = [{ raw = "\n" }, { canary = 1 }]

[[case]]
id = "X-ONE-03"
title = "it has an event"
clauses = ["frm.blank-line"]
needs = ["event"]
steps = [{ canary = 1 }]

[[case]]
id = "X-ONE-04"
title = "a blank line is skipped again"
clauses = ["frm.blank-line"]
steps = [{ raw = "\n" }, { canary = 1 }]

[[case]]
id = "X-TWO-01"
title = "the tester is not up to this"
clauses = ["frm.blank-line"]
steps = [{ line = '{"type":"x","n":$digits}', digits = 9223372036854775807 }, { canary = 1 }]
"#;

const BASELINE: &str = r#"
[[expected]]
case = "X-ONE-04"
kind = "wont-support"
outcome = "died"
reason = "blank lines are for <poets>"
"#;

fn report() -> Report {
    let cases = parse("x.toml", CASES).unwrap();
    let baseline = Baseline::parse("b.toml", BASELINE).unwrap();
    let again = Some("again $case".to_owned());
    let options =
        Options { baseline, again, seed: 7, keeps_passes: true, ..Options::of(sh(BREAKABLE)) };
    let report = run(&options, &cases.iter().collect::<Vec<_>>(), &mut |_| {});
    let verdicts: Vec<_> = report.cases.iter().map(|case| case.verdict).collect();
    let expected = [
        Verdict::Pass,
        Verdict::Fail,
        Verdict::NotApplicable,
        Verdict::ExpectedFailure,
        Verdict::HarnessError,
    ];
    assert_eq!(verdicts, expected, "{:?}", report.cases);
    report
}

#[test]
fn tap_has_a_point_for_each_case() {
    let text = tap(&report());
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[..2], ["TAP version 14", "1..5"]);
    let is_point = |line: &&str| line.contains("ok ") && !line.starts_with(char::is_whitespace);
    let points: Vec<_> = lines.iter().copied().filter(is_point).collect();
    let expected = [
        "ok 1 - X-ONE-01 it answers <questions> | \\# more",
        "not ok 2 - X-ONE-02 a blank line is skipped",
        "ok 3 - X-ONE-03 it has an event # SKIP n/a: it subscribes to no event",
        "not ok 4 - X-ONE-04 a blank line is skipped again # TODO blank lines are for <poets>",
        "not ok 5 - X-TWO-01 the tester is not up to this",
    ];
    assert_eq!(points, expected);
    let blocks = lines.iter().filter(|line| **line == "  ---").count();
    assert_eq!(blocks, lines.iter().filter(|line| **line == "  ...").count());
    assert_eq!(blocks, 3);
    assert!(lines.contains(&r#"  clause: "frm.blank-line""#), "{text}");
    assert!(lines.contains(&r#"  again: "again X-ONE-02""#), "{text}");
    let is_tap = |line: &&str| {
        line.starts_with("  ")
            || line.starts_with('#')
            || line.contains("ok ")
            || line.contains("..")
            || line.starts_with("TAP")
    };
    assert!(lines.iter().all(is_tap), "{text}");
}

#[test]
fn the_summary_s_markup_is_its_own() {
    let text = markdown(&report());
    assert!(text.starts_with("## extline conformance: the tester itself failed\n"), "{text}");
    let rows: Vec<_> = text.lines().filter(|line| line.starts_with("| ")).collect();
    assert_eq!(rows.len(), 1 + 3, "a head, and what is not as it should be: {text}");
    for row in &rows {
        let bars = row.replace("\\|", "").matches('|').count();
        assert_eq!(bars, 5, "{row}");
    }
    let failing = &text[text.find("<summary>X-ONE-02").unwrap()..];
    assert!(failing.contains("\n````text\n"), "the fence is longer than any inside: {failing}");
    assert!(failing.contains("</pre><script>alert(1)</script> | ``` # SKIP"), "{failing}");
    assert!(failing.contains("again X-ONE-02\n````\n"), "{failing}");
}

#[test]
fn the_page_is_whole_by_itself_and_shows_every_frame() {
    let page = html(&report());
    let (doctype, document) = page.split_once('\n').unwrap();
    assert_eq!(doctype, "<!doctype html>");
    let document =
        roxmltree::Document::parse(document).unwrap_or_else(|error| panic!("{error}: {page}"));
    for node in document.descendants() {
        for link in ["src", "href", "action", "srcset"] {
            assert_eq!(node.attribute(link), None, "it would load something");
        }
    }
    assert_eq!(document.descendants().filter(|node| node.has_tag_name("script")).count(), 1);
    let case =
        |id: &str| document.descendants().find(|node| node.attribute("id") == Some(id)).unwrap();
    let text = |id: &str| {
        case(id)
            .descendants()
            .filter(roxmltree::Node::is_text)
            .filter_map(|it| it.text())
            .collect::<String>()
    };
    assert!(text("X-ONE-01").contains("it answers <questions> | # more"));
    assert!(text("X-ONE-01").contains(r#""type":"tool_call""#), "{}", text("X-ONE-01"));
    assert!(text("X-ONE-01").contains(r#""type":"tool_result""#), "a pass shows its frames too");
    assert_eq!(case("X-ONE-01").attribute("open"), None);
    assert!(case("X-ONE-02").attribute("open").is_some());
    assert!(text("X-ONE-02").contains("</pre><script>alert(1)</script>"));
    assert!(text("X-ONE-04").contains("blank lines are for <poets>"));
    let boxes: Vec<_> = document
        .descendants()
        .filter(|node| node.attribute("type") == Some("checkbox"))
        .map(|node| (node.attribute("value").unwrap(), node.attribute("checked").is_some()))
        .collect();
    let expected = [
        ("pass", false),
        ("fail", true),
        ("expected-failure", true),
        ("harness-error", true),
        ("not-applicable", false),
    ];
    assert_eq!(boxes, expected);
    for (verdict, _) in boxes {
        let shown =
            |node: &roxmltree::Node<'_, '_>| node.attribute("data-verdict") == Some(verdict);
        assert!(document.descendants().any(|node| shown(&node)), "{verdict}");
    }
}

#[test]
fn a_badge_is_a_picture() {
    // The quick start of zot's documentation does not survive a line that is no object.
    let raw = program(&python(), &["../examples/hello-python-raw/hello.py"]);
    let failing = run(&Options::of(raw), &[&builtin()["E-FRM-08"]], &mut |_| {});
    assert_eq!(shown(&badge_svg(&failing)), ["extline protocol", "failing"]);
    let report = report();
    assert_eq!(shown(&badge_svg(&report)), ["extline protocol", "no grade"]);
    assert_eq!(badge_json(&report)["message"], "no grade");
}

/// The words on a picture.
fn shown(picture: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(picture).unwrap();
    assert_eq!(document.root_element().tag_name().name(), "svg");
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.map(|node| node.text().unwrap().to_owned()).collect()
}
