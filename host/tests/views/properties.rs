//! Any view at any width: it is laid out, and fits.

use extline_host::services::view::{Cell, Line, Pair, Span, Style, View};
use extline_host::view::{Fold, lay_out};
use extline_protocol::is_hidden;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

/// Text as authors and attackers write it.
fn text() -> BoxedStrategy<String> {
    let part = prop_oneof![
        any::<String>(),
        "[ -~]{0,40}",
        "[a-z ]{0,60}",
        Just("漢字 ".to_owned()),
        Just("👩‍👩‍👧❤️🇩🇪e\u{301}".to_owned()),
        Just("\u{1b}[31m\t\r\n".to_owned()),
        Just("&#27;[2J&#x9b;&#8238;".to_owned()),
        Just("\n- a\n  1. > b\n\n```\ncode\n```\n".to_owned()),
        Just("\n| a | b |\n|---|---|\n| c | **d** |\n".to_owned()),
        Just("@@ -1,3 +999999999,7 @@\n-a\n+b\n c\n".to_owned()),
    ];
    vec(part, 0..5).prop_map(|parts| parts.concat()).boxed()
}

fn style() -> BoxedStrategy<Vec<Style>> {
    vec(prop_oneof![Just(Style::Bold), Just(Style::Error), Just(Style::Dim)], 0..3).boxed()
}

fn cell() -> BoxedStrategy<Cell> {
    prop_oneof![
        text().prop_map(Cell::Text),
        any::<i64>().prop_map(|number| Cell::Number(number.into())),
        any::<bool>().prop_map(Cell::Truth),
        (text(), style()).prop_map(|(text, style)| Cell::Styled { text, style }),
        Just(Cell::Empty(())),
    ]
    .boxed()
}

fn span() -> BoxedStrategy<Span> {
    prop_oneof![
        text().prop_map(Span::Text),
        (text(), style()).prop_map(|(text, style)| Span::Styled { text, style }),
    ]
    .boxed()
}

fn view() -> BoxedStrategy<View> {
    let line = prop_oneof![span().prop_map(Line::One), vec(span(), 0..4).prop_map(Line::Several)];
    let pair = (text(), cell()).prop_map(|(key, value)| Pair { key, value });
    prop_oneof![
        (of(text()), vec(text(), 1..9), vec(vec(cell(), 0..9), 0..15))
            .prop_map(|(title, columns, rows)| View::Table { title, columns, rows }),
        (of(text()), text()).prop_map(|(title, text)| View::Diff { title, text }),
        (of(text()), text()).prop_map(|(title, text)| View::Markdown { title, text }),
        (of(text()), vec(line, 0..15)).prop_map(|(title, lines)| View::Lines { title, lines }),
        (of(text()), vec(pair, 0..15)).prop_map(|(title, pairs)| View::KeyValue { title, pairs }),
        (of(text()), any::<f64>(), any::<f64>(), of(text()))
            .prop_map(|(title, value, max, unit)| View::Meter { title, value, max, unit }),
    ]
    .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_row_is_wider_than_the_screen(
        view in view(),
        width in prop_oneof![0_usize..12, 12_usize..200],
        is_folded: bool,
    ) {
        let fold = if is_folded { Fold::Folded } else { Fold::Unfolded };
        for row in lay_out(&view, width, fold).rows {
            let text = row.to_string();
            prop_assert!(text.width() <= width.max(1), "{} columns: {text:?}", text.width());
            prop_assert!(!text.contains(is_hidden), "{text:?}");
        }
    }
}
