//! Steps that look at what came behind something: `settled` behind an answer, `close_panels` behind the
//! end of a panel.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::failure::Failure;
use crate::pattern::id_of;
use crate::player::{Player, Stage, excerpt};

impl<S: Stage> Player<'_, S> {
    /// Nothing has come for an id of the newest line behind its frame of that type, where one has.
    pub(crate) fn settled(&mut self, kind: &str, within: Duration) -> Result<(), S::Error> {
        self.stage.canary(1, within)?;
        for id in self.progress.batch.iter().filter_map(|id| id_of(id)) {
            let mut frames =
                self.stage.frames(self.progress.from).filter(|frame| frame["id"] == id);
            let expected = format!("nothing with the id {id} behind its {kind}");
            let is_settled = frames.any(|frame| frame["type"] == kind);
            if let Some(more) = frames.next().filter(|_| is_settled) {
                return Err(Failure::wrong(expected, format!("behind it {}", excerpt(more))).into());
            }
        }
        Ok(())
    }

    /// Closes the panels that were opened since the case began; for a while none of them is drawn.
    pub(crate) fn close_panels(
        &mut self,
        time: Duration,
        within: Duration,
    ) -> Result<(), S::Error> {
        let opened: BTreeSet<String> =
            self.stage.frames(self.progress.from).filter_map(opened).collect();
        let lines: String = opened
            .iter()
            .map(|panel| json!({"type": "panel_close", "panel_id": panel}).to_string() + "\n")
            .collect();
        self.stage.write(lines.into_bytes(), None, Duration::ZERO)?;
        // What was drawn before it read of the end is no mistake, and has come with this answer.
        self.stage.canary(1, within)?;
        let closed = self.stage.arrived();
        self.stage.listen(time)?;
        self.stage.canary(1, within)?;
        let is_drawn = |frame: &&Value| {
            let panel = frame["panel_id"].as_str();
            frame["type"] == "panel_render" && panel.is_some_and(|panel| opened.contains(panel))
        };
        match self.stage.frames(closed).find(is_drawn) {
            None => Ok(()),
            Some(frame) => {
                let expected = "no panel is drawn that the host has closed".to_owned();
                Err(Failure::wrong(expected, excerpt(frame)).into())
            }
        }
    }
}

/// The panel that a frame opens.
fn opened(frame: &Value) -> Option<String> {
    let panel = match frame["type"].as_str()? {
        "command_response" => &frame["open_panel"]["id"],
        "open_panel" => &frame["panel"]["id"],
        _ => return None,
    };
    panel.as_str().map(str::to_owned)
}
