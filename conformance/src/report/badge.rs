//! The grade as a badge: a picture, or the JSON from which a badge service draws one.

use serde_json::{Value, json};

use super::Report;
use super::grade::Grade;
use crate::case::Binds;

/// How wide the two halves are, in pixels: every word that can stand there fits.
const LABEL: u32 = 96;
const MESSAGE: u32 = 64;

/// The badge as an SVG document.
pub fn badge_svg(report: &Report) -> String {
    let (message, colour) = words(report);
    let width = LABEL + MESSAGE;
    let label = label(report);
    let title = format!("{label}: {message}");
    let text = |middle: u32, text: &str| {
        format!(r#"<text x="{middle}" y="14" text-anchor="middle">{text}</text>"#)
    };
    format!(
        concat!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" "#,
            r#"aria-label="{title}"><title>{title}</title>"#,
            r##"<clipPath id="c"><rect width="{width}" height="20" rx="3"/></clipPath>"##,
            r##"<g clip-path="url(#c)"><rect width="{label}" height="20" fill="#444"/>"##,
            r#"<rect x="{label}" width="{message}" height="20" fill="{colour}"/></g>"#,
            r##"<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">"##,
            "{left}{right}</g></svg>\n"
        ),
        width = width,
        title = title,
        label = LABEL,
        message = MESSAGE,
        colour = colour,
        left = text(LABEL / 2, label),
        right = text(LABEL + MESSAGE / 2, message),
    )
}

/// What a badge service takes for an endpoint (shields.io's schema, version 1).
pub fn badge_json(report: &Report) -> Value {
    let (message, colour) = words(report);
    json!({"schemaVersion": 1, "label": label(report), "message": message, "color": colour})
}

/// What the grade is of.
fn label(report: &Report) -> &'static str {
    match report.head.binds {
        Binds::Server => "MCP server",
        Binds::Client => "MCP client",
        _ => "extline protocol",
    }
}

fn words(report: &Report) -> (&'static str, &'static str) {
    match report.grade() {
        Ok(Grade::Hardened) => (Grade::Hardened.word(), "#00695c"),
        Ok(Grade::Solid) => (Grade::Solid.word(), "#2e7d32"),
        Ok(Grade::Core) => (Grade::Core.word(), "#1565c0"),
        Err(_) if report.exit_code() == 1 => ("failing", "#c62828"),
        Err(_) => ("no grade", "#757575"),
    }
}
