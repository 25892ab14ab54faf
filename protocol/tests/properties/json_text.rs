//! JSON texts as anybody might write them, and what they mean.

use proptest::collection::vec;
use proptest::prelude::*;

/// A JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Fit for the wire: no line ends between tokens, every surrogate escape has its other half.
    Clean,
    /// Anything that JSON allows.
    Any,
}

/// Any JSON value, at most `depth` levels deep.
pub(crate) fn value(style: Style, depth: u32) -> BoxedStrategy<String> {
    let leaf = prop_oneof![scalar(), string(style)];
    let nested = leaf.prop_recursive(depth, 24, 4, move |inner| {
        prop_oneof![
            vec(padded(style, inner.clone()), 0..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            object_of(style, inner, 3),
        ]
    });
    nested.boxed()
}

/// An object, duplicate keys included.
pub(crate) fn object(style: Style) -> BoxedStrategy<String> {
    object_of(style, value(style, 3), 6).boxed()
}

/// A value that is not `null`: an absent member and one that is `null` mean the same.
pub(crate) fn something(style: Style) -> impl Strategy<Value = String> {
    value(style, 3).prop_filter("null is nothing", |text| text != "null")
}

fn object_of(
    style: Style,
    inner: impl Strategy<Value = String> + 'static,
    most: usize,
) -> impl Strategy<Value = String> {
    // Few names, so that some come twice.
    let key = prop_oneof![Just("\"a\"".to_owned()), Just("\"\\u0061\"".to_owned()), string(style)];
    let member = (padded(style, key), padded(style, inner))
        .prop_map(|(key, value)| format!("{key}:{value}"));
    (white_space(style), vec(member, 0..=most)).prop_map(|(space, members)| {
        let inside = if members.is_empty() { space } else { members.join(",") };
        format!("{{{inside}}}")
    })
}

/// A value with white space around it, as it may stand between brackets.
pub(crate) fn padded(
    style: Style,
    inner: impl Strategy<Value = String>,
) -> impl Strategy<Value = String> {
    (white_space(style), inner, white_space(style))
        .prop_map(|(before, text, after)| format!("{before}{text}{after}"))
}

fn white_space(style: Style) -> impl Strategy<Value = String> {
    let dirty = u32::from(style == Style::Any);
    prop_oneof![
        8 => Just(""),
        2 => Just(" "),
        1 => Just("\t  "),
        dirty => Just("\r\n"),
        dirty => Just("\n \r"),
    ]
    .prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?",
    ]
}

fn string(style: Style) -> impl Strategy<Value = String> {
    let dirty = 2 * u32::from(style == Style::Any);
    let piece = prop_oneof![
        8 => "[^\"\\\\\\x00-\\x1f]{0,20}",
        1 => Just("type".to_owned()),
        2 => "\\\\[\"\\\\/bfnrt]",
        2 => "\\\\u00[0-7][0-9a-fA-F]",
        1 => Just("\\ud83d\\uDE00".to_owned()),
        1 => Just("\\\\ud800".to_owned()),
        dirty => Just("\\ud800".to_owned()),
        dirty => Just("\\uDFFF".to_owned()),
    ];
    vec(piece, 0..5).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}
