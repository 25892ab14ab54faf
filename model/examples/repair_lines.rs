//! Reads texts, one JSON string a line, and writes what `repair` makes of each: JSON, or a blank line.
//! It is one side of `compare/compare.py`.

use std::io::{self, BufRead, Write};

use extline_model::repair;

fn main() -> io::Result<()> {
    let mut out = Vec::new();
    for line in io::stdin().lock().lines() {
        let text: String = serde_json::from_str(&line?)?;
        let json = repair(&text).map(|repaired| repaired.value.into_string());
        writeln!(out, "{}", json.unwrap_or_default())?;
    }
    write_out(&out)
}

#[expect(clippy::disallowed_methods, reason = "no protocol is spoken here")]
fn write_out(out: &[u8]) -> io::Result<()> {
    io::stdout().write_all(out)
}
