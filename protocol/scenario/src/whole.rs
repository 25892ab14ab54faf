//! Steps that compare whole frames, `frame` and `each`, and `every`, which compares a part of each.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use crate::difference::{byte_difference, differences};
use crate::failure::{Failure, seconds};
use crate::pattern::{id_of, is_like};
use crate::player::{Player, Stage, parse};
use crate::step::Text;
use crate::template::{Values, expand, replace};

/// How many differences are told.
const TOLD: usize = 5;

impl<S: Stage> Player<'_, S> {
    /// The next frame of the same type and id behind the one that the `frame` step before found.
    pub(crate) fn frame(&mut self, text: &Text, within: Duration) -> Result<(), S::Error> {
        let (line, wanted) = self.wanted(text)?;
        let same = |frame: &Value| is_same_kind(frame, &wanted);
        match self.stage.await_frame(self.progress.next, within, same) {
            Ok(at) => {
                self.progress.next = at + 1;
                self.compare(&line, &wanted, at)
            }
            Err(missing) => {
                let expected = format!("{} within {}", shown(&line), seconds(within));
                let came_before = self.stage.frames(self.progress.from).any(same);
                if came_before {
                    let got = "none behind the frame of the step before; it came earlier, or once \
                               too seldom";
                    return Err(Failure::wrong(expected, got.to_owned()).into());
                }
                Err(self.stage.failure(missing, expected))
            }
        }
    }

    /// For every id of the newest line such a frame, in any order.
    pub(crate) fn each(&mut self, text: &Text, within: Duration) -> Result<(), S::Error> {
        let mut open = BTreeMap::new();
        for id in self.progress.batch.clone() {
            let text = Text { id: Some(id.clone()), ..text.clone() };
            open.insert(id_of(&id).unwrap_or_default().to_string(), self.wanted(&text)?);
        }
        let kind = open.values().next().map(|(_, wanted)| wanted["type"].clone());
        let asked = open.len();
        let mut next = self.progress.from;
        while !open.is_empty() {
            let found = self.stage.await_frame(next, within, |frame| {
                Some(&frame["type"]) == kind.as_ref() && open.contains_key(&frame["id"].to_string())
            });
            let at = found.map_err(|missing| {
                let ids: Vec<_> = open.keys().take(TOLD).cloned().collect();
                let expected = format!("{asked} frames like {}", text.template);
                let expected = format!("{expected}; {} never came: {}", open.len(), ids.join(", "));
                self.stage.failure(missing, expected)
            })?;
            let id = self.stage.frame_at(at).map(|frame| frame["id"].to_string());
            if let Some((line, wanted)) = id.and_then(|id| open.remove(&id)) {
                self.compare(&line, &wanted, at)?;
            }
            next = at + 1;
        }
        Ok(())
    }

    /// For every id of the newest line a frame that has these members, in any order.
    pub(crate) fn every(&mut self, frame: &str, within: Duration) -> Result<(), S::Error> {
        let mut open = Vec::new();
        for id in &self.progress.batch {
            let values = Values { id: id.clone(), ..self.progress.values.clone() };
            open.push(parse(&replace(frame, &values))?);
        }
        let asked = open.len();
        let mut next = self.progress.from;
        while let Some(first) = open.first() {
            let id = first["id"].to_string();
            let found = self.stage.await_frame(next, within, |frame| {
                open.iter().any(|wanted| is_like(frame, wanted))
            });
            let at = found.map_err(|missing| {
                let left = open.len();
                let expected = format!("{asked} frames like {frame}; {left} never came: {id}");
                self.stage.failure(missing, expected)
            })?;
            let frame = self.stage.frame_at(at);
            open.retain(|wanted| !frame.is_some_and(|frame| is_like(frame, wanted)));
            next = at + 1;
        }
        Ok(())
    }

    fn wanted(&self, text: &Text) -> Result<(Vec<u8>, Value), S::Error> {
        let mut values = self.progress.values.clone();
        if let Some(id) = &text.id {
            values.id.clone_from(id);
        }
        let line = expand(text, &values);
        let wanted = parse(&String::from_utf8_lossy(&line))?;
        Ok((line, wanted))
    }

    fn compare(&self, line: &[u8], wanted: &Value, at: usize) -> Result<(), S::Error> {
        let got = match self.stage.canonical(at) {
            Some(bytes) => byte_difference(line, bytes),
            None => self.stage.frame_at(at).and_then(|frame| {
                let found = differences(wanted, frame);
                let told = found.iter().take(TOLD).cloned().collect::<Vec<_>>().join("; ");
                (!found.is_empty()).then_some(told)
            }),
        };
        got.map_or(Ok(()), |got| Err(Failure::wrong(shown(line), got).into()))
    }
}

/// What says which frame it is: the rest is compared.
fn is_same_kind(frame: &Value, wanted: &Value) -> bool {
    ["type", "id", "panel_id"].iter().all(|key| frame[key] == wanted[key])
}

fn shown(line: &[u8]) -> String {
    const SHOWN: usize = 400;
    let text = String::from_utf8_lossy(line);
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into_owned(),
    }
}
