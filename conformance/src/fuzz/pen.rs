//! From lines to steps: what goes out in which write.

use std::fmt::Write;

use super::line::Line;
use super::moves::Cut;
use super::toml::{hexadecimal, quoted};

/// The steps of a session, each as an inline table of TOML, and the process they need.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) raw: bool,
    /// It is of a client of MCP.
    pub(super) server: bool,
    pub(super) steps: Vec<String>,
}

/// The steps that were written so far, each as an inline table of TOML.
#[derive(Debug, Default)]
pub(super) struct Pen {
    pub(super) steps: Vec<String>,
    /// Lines that go out in one write with the next.
    glued: Vec<u8>,
}

impl Pen {
    /// A step that writes nothing, behind all that was to be written.
    pub(super) fn step(&mut self, step: impl Into<String>) {
        self.flush();
        self.steps.push(step.into());
    }

    /// A line, cut as it says.
    pub(super) fn line(&mut self, line: &Line, cut: Cut) {
        if let Some(size) = &line.size {
            self.flush();
            let text = String::from_utf8_lossy(&line.bytes);
            let mut step = format!("{{ line = {}, {size}", quoted(&text));
            if let Cut::Pieces(chunk) = cut {
                // A long line in small pieces would take for ever. Writing to a string cannot fail.
                let _ = write!(step, ", chunk = {}", chunk * 100);
            }
            return self.steps.push(step + " }");
        }
        match cut {
            Cut::Glued => self.glue(&line.bytes),
            Cut::Whole => self.put(&line.bytes, ""),
            Cut::Pieces(chunk) => {
                // What goes with it is cut too; a pause behind each of many would take too long.
                let few = (self.glued.len() + line.bytes.len()) / chunk < 30;
                let pause = if few { ", pause_ms = 1" } else { "" };
                self.put(&line.bytes, &format!(", chunk = {chunk}{pause}"));
            }
            Cut::Two(at) => {
                let mut bytes = std::mem::take(&mut self.glued);
                let cut = bytes.len() + line.bytes.len() * at / 1000;
                bytes.extend_from_slice(&line.bytes);
                bytes.push(b'\n');
                let (first, second) = bytes.split_at(cut);
                if !first.is_empty() {
                    self.steps.push(raw(first, ""));
                    self.steps.push("{ wait_ms = 1 }".to_owned());
                }
                self.steps.push(raw(second, ""));
            }
        }
    }

    /// A line that goes out in one write with the next.
    pub(super) fn glue(&mut self, line: &[u8]) {
        self.glued.extend_from_slice(line);
        self.glued.push(b'\n');
    }

    /// A line, behind those that wait to go with it.
    pub(super) fn put(&mut self, line: &[u8], options: &str) {
        let mut bytes = std::mem::take(&mut self.glued);
        let alone = bytes.is_empty();
        bytes.extend_from_slice(line);
        match std::str::from_utf8(line) {
            Ok(text) if alone => {
                self.steps.push(format!("{{ line = {}{options} }}", quoted(text)));
            }
            _ => {
                bytes.push(b'\n');
                self.steps.push(raw(&bytes, options));
            }
        }
    }

    /// Bytes without a LF behind them.
    pub(super) fn unended(&mut self, bytes: &[u8]) {
        self.flush();
        self.steps.push(raw(bytes, ""));
    }

    fn flush(&mut self) {
        if !self.glued.is_empty() {
            let bytes = std::mem::take(&mut self.glued);
            self.steps.push(raw(&bytes, ""));
        }
    }
}

/// Bytes as they stand.
fn raw(bytes: &[u8], options: &str) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => format!("{{ raw = {}{options} }}", quoted(text)),
        Err(_) => format!("{{ hex = {}{options} }}", quoted(&hexadecimal(bytes))),
    }
}
