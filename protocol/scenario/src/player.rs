//! Plays the steps of a case: what each of them means, wherever the extension runs.

use std::time::Duration;

use serde_json::Value;

use crate::case::Case;
use crate::failure::{self, Failure, seconds};
use crate::pattern::{id_of, is_like};
use crate::step::{Each, Handshake, Step, Text, Verb};
use crate::template::{Values, expand, replace, unhex};

/// How much of a frame stands in a failure, in characters.
const EXCERPT: usize = 400;
/// So many times cheaper than a question is a line that nobody answers.
const CHEAPER: u64 = 4;
/// What must not come is listened for so long behind the canary.
const AFTERWARDS: Duration = Duration::from_millis(5);
/// The longest line that every host takes (`frm.max-line`).
const LONGEST: usize = 4_194_303;

/// The extension that a case is played against, and the time that passes there.
///
/// Lines that came from the extension are numbered from 0, in their order.
pub trait Stage {
    /// Why a step could not be played, besides what it found.
    type Error: From<Failure>;
    /// Why a frame did not come.
    type Missing;

    /// The time that a healthy answer may take.
    fn soft(&self) -> Duration;

    /// An id that no call had yet, as it stands between the quotes.
    fn fresh_id(&mut self) -> String;

    /// Writes bytes, at most `chunk` in one write, with a pause between two writes.
    fn write(
        &mut self,
        bytes: Vec<u8>,
        chunk: Option<usize>,
        pause: Duration,
    ) -> Result<(), Self::Error>;

    /// Tells the ids that other cases asked with before: their answers may come late.
    fn asked_before(&self) -> Box<dyn Fn(&Value) -> bool> {
        Box::new(|_| false)
    }

    /// How many times a line is written that is to be written so often, for each tool or command where
    /// `each` says so: fewer to a slow extension.
    fn times(&self, wanted: u64, each: Option<Each>) -> u64 {
        let _ = each;
        wanted
    }

    /// How many lines came from the extension so far.
    fn arrived(&self) -> usize;

    /// The frames among the lines from this one on.
    fn frames(&self, from: usize) -> impl Iterator<Item = &Value>;

    /// The frame in this line; `None` where the line is none.
    fn frame_at(&self, line: usize) -> Option<&Value>;

    /// How many bytes a line has without its LF; `None` where that is not known.
    fn line_bytes(&self, line: usize) -> Option<usize> {
        let _ = line;
        None
    }

    /// The bytes of this line without its LF where the extension must write them canonically;
    /// `None` where only values count.
    fn canonical(&self, line: usize) -> Option<&[u8]>;

    /// Waits until one of the frames from line `from` on is wanted, and has the number of its line.
    /// Each is shown once.
    fn await_frame(
        &mut self,
        from: usize,
        within: Duration,
        wanted: impl FnMut(&Value) -> bool,
    ) -> Result<usize, Self::Missing>;

    /// What happened instead of what was expected, where a frame did not come.
    fn failure(&mut self, missing: Self::Missing, expected: String) -> Self::Error;

    /// Asks whether the extension still answers, so many times at once, and waits for every answer.
    fn canary(&mut self, times: u64, within: Duration) -> Result<(), Self::Error>;

    /// Does nothing for so long but read.
    fn listen(&mut self, time: Duration) -> Result<(), Self::Error>;

    /// The extension has not ended.
    fn alive(&mut self) -> Result<(), Self::Error>;

    /// Waits for `hello`, answers it as the step says, and waits until the extension is ready. The
    /// placeholders are filled in.
    fn handshake(&mut self, handshake: &Handshake) -> Result<(), Self::Error>;

    /// Plays a step that is about the process itself: `hello`, `close`, `signal`, `read`, `exit`,
    /// `burst`, `stderr`, whose placeholders are not filled in. `within` is what the step says.
    fn process(&mut self, verb: &Verb, within: Option<Duration>) -> Result<(), Self::Error>;
}

/// Plays the steps of a case, in order. `Err` has the first step that did not go as it should.
pub fn play<'a, S: Stage>(
    case: &'a Case,
    values: Values,
    stage: &mut S,
) -> Result<(), (&'a Step, S::Error)> {
    let mut pause = play_until_aside(case, values, stage)?;
    while let Some(aside) = pause {
        stage.listen(aside.time).map_err(|error| (&case.steps[aside.next_step - 1], error))?;
        pause = play_on(case, aside, stage)?;
    }
    Ok(())
}

/// A case in the middle of which time goes by.
#[derive(Debug)]
pub struct Aside {
    /// How much at least.
    pub time: Duration,
    next_step: usize,
    progress: Progress,
}

/// Plays the steps of a case until one says that time goes by; `None` when it is over.
pub fn play_until_aside<'a, S: Stage>(
    case: &'a Case,
    values: Values,
    stage: &mut S,
) -> Result<Option<Aside>, (&'a Step, S::Error)> {
    let from = stage.arrived();
    let (ids, batch) = (Vec::new(), Vec::new());
    let progress = Progress { values, from, asked: from, next: from, ids, batch };
    play_on(case, Aside { time: Duration::ZERO, next_step: 0, progress }, stage)
}

/// Goes on with a case for which time went by.
pub fn play_on<'a, S: Stage>(
    case: &'a Case,
    aside: Aside,
    stage: &mut S,
) -> Result<Option<Aside>, (&'a Step, S::Error)> {
    let mut player = Player { stage, progress: aside.progress };
    for (at, step) in case.steps.iter().enumerate().skip(aside.next_step) {
        if let Verb::Aside(millis) = step.verb {
            let time = Duration::from_millis(millis);
            return Ok(Some(Aside { time, next_step: at + 1, progress: player.progress }));
        }
        player.step(step).map_err(|error| (step, error))?;
    }
    Ok(None)
}

pub(crate) struct Player<'a, S> {
    pub(crate) stage: &'a mut S,
    pub(crate) progress: Progress,
}

/// What has happened in a case so far.
#[derive(Debug)]
pub(crate) struct Progress {
    pub(crate) values: Values,
    /// How many lines had come when the case began.
    pub(crate) from: usize,
    /// How many had come when it asked last.
    asked: usize,
    /// The line behind the one that a `frame` step found last.
    pub(crate) next: usize,
    /// The ids it asked with.
    ids: Vec<Value>,
    /// The ids of the newest step that wrote, as they stand between the quotes.
    pub(crate) batch: Vec<String>,
}

impl<S: Stage> Player<'_, S> {
    fn step(&mut self, step: &Step) -> Result<(), S::Error> {
        let given = step.within_ms.map(Duration::from_millis);
        let soft = given.unwrap_or_else(|| self.stage.soft());
        match &step.verb {
            Verb::Line(text) => self.write(text, true),
            Verb::Raw(text) => self.write(text, false),
            Verb::Hex(text) => {
                let pause = Duration::from_millis(text.pause_ms);
                self.stage.write(unhex(&text.template), text.chunk, pause)
            }
            Verb::Answer => self.answer(soft),
            Verb::Expect(frame) => self.expect(frame, soft),
            Verb::Refuse(frame) => self.refuse(frame, soft),
            Verb::Frame(text) => self.frame(text, soft),
            Verb::Each(text) => self.each(text, soft),
            Verb::Every(frame) => self.every(frame, soft),
            Verb::Settled(kind) => self.settled(kind, soft),
            Verb::ClosePanels(millis) => self.close_panels(Duration::from_millis(*millis), soft),
            // Whoever plays the case sees to it.
            Verb::Aside(_) => Ok(()),
            Verb::Canary(times) => self.stage.canary(*times, soft),
            Verb::Wait(millis) => self.stage.listen(Duration::from_millis(*millis)),
            Verb::Alive => self.stage.alive(),
            Verb::Handshake(handshake) => self.handshake(handshake),
            Verb::Hello
            | Verb::Close(_)
            | Verb::Signal(_)
            | Verb::Read(_)
            | Verb::Exit(_)
            | Verb::Burst(_)
            | Verb::Stderr(_) => self.stage.process(&step.verb, given),
        }
    }

    fn handshake(&mut self, handshake: &Handshake) -> Result<(), S::Error> {
        let glued = handshake.glued.as_ref().map(|text| {
            let id = self.stage.fresh_id();
            self.ask_with(id);
            replace(text, &self.progress.values)
        });
        let ack = handshake.ack.as_ref().map(|ack| replace(ack, &self.progress.values));
        self.stage.handshake(&Handshake { ack, glued, chunk: handshake.chunk })
    }

    /// The next answer that is waited for has this id.
    fn ask_with(&mut self, id: String) {
        self.progress.asked = self.stage.arrived();
        self.progress.ids.extend(id_of(&id));
        self.progress.values.id = id;
    }

    fn write(&mut self, text: &Text, line: bool) -> Result<(), S::Error> {
        let end = if line { "\n" } else { "" };
        let mut bytes = Vec::new();
        let before = std::mem::take(&mut self.progress.batch);
        let values = self.progress.values.clone();
        let mut each = match text.each {
            None => vec![values.clone()],
            Some(Each::Tool) => {
                let tools = values.tools.iter().cloned();
                tools.map(|(tool, args)| Values { tool, args, ..values.clone() }).collect()
            }
            Some(Each::Command) => {
                let commands = values.commands.iter().cloned();
                commands.map(|command| Values { command, ..values.clone() }).collect()
            }
        };
        let asks = text.template.contains("$id") || text.template.contains("$ask");
        let times = match (asks, line) {
            (true, _) => self.stage.times(text.times, text.each),
            (false, true) => {
                let fitting = self.stage.times(text.times.div_ceil(CHEAPER), text.each);
                text.times.min(fitting.saturating_mul(CHEAPER))
            }
            (false, false) => text.times,
        };
        let times = usize::try_from(times).unwrap_or(usize::MAX);
        let times = if text.same_ids { before.len() } else { times };
        for number in 0..times {
            for own in &mut each {
                if asks {
                    let same = before.get(number).filter(|_| text.same_ids);
                    let given = same.or(text.id.as_ref()).cloned();
                    let id = given.unwrap_or_else(|| self.stage.fresh_id());
                    self.progress.batch.push(id.clone());
                    own.id.clone_from(&id);
                    self.ask_with(id);
                }
                bytes.extend(expand(text, own));
                bytes.extend_from_slice(end.as_bytes());
            }
        }
        self.stage.write(bytes, text.chunk, Duration::from_millis(text.pause_ms))
    }

    fn answer(&mut self, within: Duration) -> Result<(), S::Error> {
        let id = id_of(&self.progress.values.id).unwrap_or_default();
        let expected = || format!("an answer with the id {id} within {}", seconds(within));
        let mut other = None;
        let is_of_before = self.stage.asked_before();
        let found = self.stage.await_frame(self.progress.asked, within, |frame| {
            let is_answer = frame["type"] == self.progress.values.answer;
            let is_own = self.progress.ids.contains(&frame["id"]);
            if is_answer && !is_own && !is_of_before(&frame["id"]) {
                other = Some(excerpt(frame));
            }
            is_answer && frame["id"] == id || other.is_some()
        });
        match (found, other) {
            (_, Some(got)) => Err(Failure::wrong(expected(), got).into()),
            (Ok(line), None) => match self.stage.line_bytes(line) {
                Some(bytes) if bytes > LONGEST => {
                    let expected = format!("an answer of at most {LONGEST} bytes");
                    Err(Failure::wrong(expected, format!("a line of {bytes} bytes")).into())
                }
                _ => Ok(()),
            },
            (Err(missing), None) => Err(self.stage.failure(missing, expected())),
        }
    }

    fn expect(&mut self, wanted: &str, within: Duration) -> Result<(), S::Error> {
        let text = replace(wanted, &self.progress.values);
        let wanted = parse(&text)?;
        let expected = || format!("{text} within {}", seconds(within));
        let mut other = None;
        let found = self.stage.await_frame(self.progress.from, within, |frame| {
            if is_like(frame, &wanted) {
                return true;
            }
            let same_call = ["type", "id"].iter().all(|key| frame[key] == wanted[key]);
            other = (same_call && !wanted["id"].is_null()).then(|| excerpt(frame));
            other.is_some()
        });
        match (found, other) {
            (_, Some(got)) => Err(Failure::wrong(expected(), got).into()),
            (Ok(_), None) => Ok(()),
            (Err(missing), None) => Err(self.stage.failure(missing, expected())),
        }
    }

    fn refuse(&mut self, refused: &str, within: Duration) -> Result<(), S::Error> {
        self.stage.canary(1, within)?;
        // One that answers in several threads may come to it after the canary.
        self.stage.listen(AFTERWARDS)?;
        let text = replace(refused, &self.progress.values);
        let refused = parse(&text)?;
        let found = self.stage.frames(self.progress.from).find(|frame| is_like(frame, &refused));
        match found {
            None => Ok(()),
            Some(frame) => {
                Err(Failure::wrong(format!("no frame like {text}"), excerpt(frame)).into())
            }
        }
    }
}

pub(crate) fn parse(text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).map_err(|error| {
        let expected = format!("a step whose frame is JSON, and {text} is not: {error}");
        Failure::wrong(expected, "a case that is wrong".to_owned())
    })
}

/// As much of a frame as stands in a failure.
pub(crate) fn excerpt(frame: &Value) -> String {
    failure::excerpt(frame, EXCERPT)
}
