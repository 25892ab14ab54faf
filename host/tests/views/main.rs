//! Views laid out: golden files to look at, and no view that does not fit.

mod properties;

use std::fmt::Write;
use std::path::Path;

use extline_host::services::view::{Style, View, read};
use extline_host::view::{FOLDED, Fold, Layout, lay_out};
use serde_json::{Value, json};

fn view(value: &Value) -> View {
    read(&value.to_string()).unwrap()
}

fn lines(layout: &Layout) -> Vec<String> {
    layout.rows.iter().map(ToString::to_string).collect()
}

/// The rows at 40 and at 120 columns are those of the files, which `EXTLINE_GENERATE=1` writes: look at them.
fn looks_as_in(file: &str, value: &Value) {
    for width in [40, 120] {
        let mut text = String::new();
        for line in lines(&lay_out(&view(value), width, Fold::Unfolded)) {
            writeln!(text, "{line}").unwrap();
        }
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/views/golden");
        let path = path.join(format!("{file}-{width}.txt"));
        if std::env::var_os("EXTLINE_GENERATE").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), text, "{}", path.display());
    }
}

#[test]
fn a_table_looks_well() {
    looks_as_in(
        "table",
        &json!({
            "kind": "table",
            "title": "What the tests took",
            "columns": ["test", "seconds", "ok", "what it does"],
            "rows": [
                ["start", 0.25, true, "starts the extension and waits until it is ready"],
                ["cancel", 12, false, {"text": "cancels a call in the midst of another", "style": ["error"]}],
                ["各国語", 1234.5, true, "names in Chinese and 한국어 are twice as wide"],
                ["short", null],
                ["two\nlines", 3, true, "a line feed is a blank"]
            ]
        }),
    );
}

#[test]
fn a_diff_looks_well() {
    let text = "--- a/greet.py\n+++ b/greet.py\n@@ -1,4 +1,5 @@\n from extline import Extension\n \n\
                -ext = Extension(\"greet\", \"1.0.0\")\n+# The name is what the agent shows beside each question that the extension asks.\n\
                +ext = Extension(\"greeter\", \"1.1.0\")\n \n@@ -98,3 +99,3 @@ def last():\n     a = 1\n--- not a head\n\
                +++ not one either\n \tb = 2\n\\ No newline at end of file\n";
    looks_as_in("diff", &json!({"kind": "diff", "title": "greet.py", "text": text}));
}

#[test]
fn markdown_looks_well() {
    let text = "\
# What has changed

The **parser** reads `a|b` now, *also* in ~~lists~~ tables, see [the issue](https://example.org/issues/12) \
and <https://example.org>. A line break\\
here.

1. The first point, which is long enough to need more than one line on a narrow screen.
2. The second:
   - nested, with `code`
   - [x] done
   - [ ] not done

## Code

```rust
fn main() {
    println!(\"a line of code that is wider than forty columns\");
}
```

> A quote, and
> it goes on for a while, so that it is wrapped somewhere.
>
> - a point in it

| name | value |
|---|---:|
| one | 1 |
| **two** | a longer value that needs a lot of room in its column |

---

Done&excl;
";
    looks_as_in("markdown", &json!({"kind": "markdown", "text": text}));
}

#[test]
fn the_others_look_well() {
    looks_as_in(
        "lines",
        &json!({
            "kind": "lines",
            "title": "Deployed",
            "lines": ["plain", {"text": "green", "style": ["success"]},
                      [{"text": "ok ", "style": ["success", "bold"]}, "and a text that goes on to the end of the line"], ""]
        }),
    );
    looks_as_in(
        "keyvalue",
        &json!({
            "kind": "keyvalue",
            "pairs": [{"key": "host", "value": "db.example.org"}, {"key": "rows", "value": 12},
                      {"key": "a name that takes a lot of room", "value": {"text": "down", "style": ["error"]}}]
        }),
    );
    looks_as_in(
        "meter",
        &json!({"kind": "meter", "title": "Disk", "value": 7.5, "max": 10, "unit": "GB"}),
    );
}

#[test]
fn styles_are_data() {
    let layout = lay_out(
        &view(&json!({"kind": "diff", "text": "@@ -1 +1 @@\n-a\n+b\n"})),
        20,
        Fold::Unfolded,
    );
    let styles: Vec<_> =
        layout.rows.iter().map(|row| row.pieces.last().unwrap().style.clone()).collect();
    assert_eq!(styles, [[Style::Accent], [Style::Error], [Style::Success]]);
    let markdown = json!({"kind": "markdown", "text": "a ***b*** `c`"});
    let layout = lay_out(&view(&markdown), 20, Fold::Unfolded);
    let pieces = &layout.rows[0].pieces;
    assert_eq!((&*pieces[1].text, &*pieces[1].style), ("b", &[Style::Italic, Style::Bold][..]));
    assert_eq!((&*pieces[3].text, &*pieces[3].style), ("c", &[Style::Accent][..]));
}

#[test]
fn a_folded_view_says_what_it_hides() {
    let of = |count: usize| view(&json!({"kind": "lines", "lines": vec!["x"; count]}));
    let folded = lay_out(&of(30), 40, Fold::Folded);
    assert_eq!((folded.rows.len(), folded.hidden), (FOLDED + 1, 20));
    assert_eq!(folded.rows[FOLDED].to_string(), "… 20 more lines");
    let whole = lay_out(&of(30), 40, Fold::Unfolded);
    assert_eq!((whole.rows.len(), whole.hidden), (30, 0));
    // The row that counts one hidden line would take its place.
    assert_eq!(lay_out(&of(FOLDED + 1), 40, Fold::Folded).hidden, 0);
}

#[test]
fn nothing_of_the_author_s_acts_on_a_terminal() {
    let hostile = "a\u{1b}[2Jb\u{1b}]0;title\u{7}c\u{9b}31md\u{202e}e\rf\u{1b}";
    for value in [
        json!({"kind": "lines", "lines": [hostile]}),
        json!({"kind": "markdown", "text": hostile}),
        json!({"kind": "diff", "text": hostile}),
        json!({"kind": "table", "columns": [hostile], "rows": []}),
        json!({"kind": "keyvalue", "pairs": [{"key": "", "value": hostile}]}),
    ] {
        let rows = lines(&lay_out(&view(&value), 40, Fold::Unfolded));
        assert_eq!(rows[0].trim(), "abcdef", "{value}");
    }
}
