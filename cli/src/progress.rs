//! How a call stands, in one line.

use extline_protocol::frame::ToolUpdate;

use crate::content::text_of;

/// One line for a snapshot: what it counts, else what it says.
pub(crate) fn line(tool: &str, update: &ToolUpdate) -> String {
    let mut parts = Vec::new();
    if let Some(progress) = &update.progress {
        parts.extend(progress.message.clone());
        let unit = progress.unit.as_deref().map(|unit| format!(" {unit}")).unwrap_or_default();
        match (progress.done, progress.total) {
            (Some(done), Some(total)) => parts.push(format!("{done}/{total}{unit}")),
            (Some(done), None) => parts.push(format!("{done}{unit}")),
            _ => {}
        }
    }
    if parts.is_empty() {
        let text = text_of(update.content.as_deref().unwrap_or_default());
        parts.extend(text.lines().last().map(str::to_owned));
    }
    format!("{tool}: {}", parts.join(" "))
}

#[cfg(test)]
mod tests {
    use extline_protocol::frame::{Content, Progress};

    use super::*;

    #[test]
    fn counts_come_before_contents() {
        let mut update = ToolUpdate {
            id: "1".into(),
            seq: 1,
            content: Some(vec![Content::text("one\ntwo")]),
            details: None,
            view: None,
            progress: None,
        };
        assert_eq!(line("w", &update), "w: two");
        update.progress = Some(Progress {
            done: Some(3.0),
            total: Some(10.0),
            unit: Some("files".to_owned()),
            message: Some("reading".to_owned()),
        });
        assert_eq!(line("w", &update), "w: reading 3/10 files");
    }
}
