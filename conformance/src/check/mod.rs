//! What is watched in every process: checks over all that was seen, whatever a case did.
//!
//! A case names a check; what a check finds in any process of the run fails that case, with the
//! place where it was found.

mod frames;
mod held_back;
mod kit;
mod mcp;
mod portable;
mod process;
mod registrations;
mod replies;
mod start;
mod surface;
mod unasked;

use std::cell::OnceCell;
use std::sync::LazyLock;
use std::time::Duration;

use extline_host::Exit;
use extline_protocol::Head;
use regex_lite::Regex;
use serde_json::{Value, json};

pub(crate) use self::mcp::{ANSWERED, ENDS, VALIDATES};
pub(crate) use self::surface::surface;
use crate::conversation::{Arrived, Growth, Rest, Survey};
use crate::target::{Timeline, What, lines_of};

/// Something a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// What is wrong, and where in the frame.
    pub(crate) text: String,
    /// Its place in the timeline.
    pub(crate) record: usize,
}

/// One process that has ended, with all that was seen of it, by the tester itself or by whoever
/// wrote a trace.
#[derive(Debug)]
pub(crate) struct Observed<'a> {
    /// What went both ways.
    pub(crate) timeline: &'a Timeline,
    /// The lines that came from the extension.
    pub(crate) frames: &'a [Arrived],
    /// The name in the extension's manifest, where it has one.
    pub(crate) manifest: Option<&'a str>,
    /// What it registered at its first start, where this start had the same `hello_ack`.
    pub(crate) first: Option<&'a Survey>,
    /// Where in the timeline `hello_ack` was handed over, where the tester itself did that.
    pub(crate) acknowledging: Option<usize>,
    /// When `hello_ack` was written, since the start.
    pub(crate) acknowledged: Option<Duration>,
    /// For how long it had no processor from `hello_ack` until it was ready.
    pub(crate) delayed: Duration,
    /// How it ended.
    pub(crate) exit: Option<&'a Exit>,
    /// How it flooded its stdout, if it did.
    pub(crate) flood: Option<&'a str>,
    /// How busy it was while it was sent nothing, where somebody looked.
    pub(crate) rest: Option<Rest>,
    /// How much more memory it held after it was sent much, where somebody looked.
    pub(crate) growth: Option<Growth>,
    /// Processes that it left behind, where somebody looked.
    pub(crate) left_behind: Option<&'a [String]>,
    /// The tester ended it by force, after it did something else.
    pub(crate) killed: bool,
    /// A case failed in it.
    pub(crate) blamed: bool,
    /// Every frame that it was sent, once a check has asked for them.
    pub(crate) sent: OnceCell<Vec<Value>>,
}

impl Observed<'_> {
    /// Every frame that it was sent, also one that went out in several pieces.
    fn sent(&self) -> &[Value] {
        self.sent.get_or_init(|| {
            let records = self.timeline.records().iter();
            let bytes = records.filter_map(|record| match &record.what {
                What::Sent { bytes, .. } => Some(bytes.as_slice()),
                _ => None,
            });
            sent(&bytes.collect::<Vec<_>>().concat()).collect()
        })
    }
}

#[cfg(test)]
impl<'a> Observed<'a> {
    /// A conversation of which nothing else is known.
    fn only(timeline: &'a Timeline, frames: &'a [Arrived]) -> Self {
        Self {
            timeline,
            frames,
            manifest: None,
            first: None,
            acknowledging: None,
            acknowledged: None,
            delayed: Duration::ZERO,
            exit: None,
            flood: None,
            rest: None,
            growth: None,
            left_behind: None,
            killed: false,
            blamed: false,
            sent: OnceCell::new(),
        }
    }
}

/// What a check says of one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// There was nothing to look at.
    Nothing,
    /// It looked, and found this; nothing is good.
    Found(Vec<Finding>),
}

type Check = fn(&Observed<'_>) -> Outcome;

/// The check of that name.
pub(crate) fn named(name: &str) -> Option<Check> {
    let mut all = CHECKS.iter().chain(&mcp::CHECKS);
    all.find(|(known, _)| *known == name).map(|(_, check)| *check)
}

/// All names.
pub(crate) fn names() -> Vec<&'static str> {
    CHECKS.iter().map(|(name, _)| *name).collect()
}

const CHECKS: [(&str, Check); 48] = [
    ("stdout-pure", frames::stdout_pure),
    ("flood", frames::flood),
    ("clean-lines", frames::clean_lines),
    ("hello-first", frames::hello_first),
    ("hello-named", frames::hello_named),
    ("hello-once", frames::hello_once),
    ("hello-as-manifest", start::hello_as_manifest),
    ("waits-for-ack", start::waits_for_ack),
    ("capabilities-own", start::capabilities_own),
    ("same-registrations", start::same_registrations),
    ("portable-schemas", portable::portable_schemas),
    ("frame-fields", frames::fields),
    ("no-null", frames::no_null),
    ("max-line", frames::max_line),
    ("broken-off", frames::broken_off),
    ("held-back", held_back::held_back),
    ("capabilities-named", frames::capabilities_named),
    ("left-behind", process::left_behind),
    ("rests", process::rests),
    ("stays", process::stays),
    ("ack-last", process::ack_last),
    ("silent-at-last", process::silent_at_last),
    ("ready-once", registrations::ready_once),
    ("names", registrations::names),
    ("schemas", registrations::schemas),
    ("duplicates", registrations::duplicates),
    ("subscribe-before-ready", registrations::subscribe_before_ready),
    ("silence-before-ready", registrations::silence_before_ready),
    ("guards-also-intercept", registrations::guards_also_intercept),
    ("guard-points", registrations::guard_points),
    ("reserved-names", registrations::reserved_names),
    ("one-reply", replies::one_reply),
    ("unknown-tool", replies::unknown_tool),
    ("unknown-command", replies::unknown_command),
    ("content", replies::content),
    ("error-flag", replies::error_flag),
    ("images", replies::images),
    ("image-types", replies::image_types),
    ("surface", kit::surface_registered),
    ("surface-bytes", kit::surface_bytes),
    ("actions", replies::actions),
    ("error-field", replies::error_field),
    ("notify-level", unasked::notify_level),
    ("submit-slash", unasked::submit_slash),
    ("call-args", unasked::call_args),
    ("panels-opened", unasked::panels_opened),
    ("update-seq", unasked::update_seq),
    ("update-open", unasked::update_open),
];

/// The frames in what the tester wrote.
fn sent(bytes: &[u8]) -> impl Iterator<Item = Value> {
    lines_of(bytes).filter_map(|line| {
        let whole = serde_json::from_slice(line).ok();
        let whole = whole.or_else(|| serde_json::from_str(&without_surrogates(line)).ok());
        whole.or_else(|| head(line)).or_else(|| mcp::head(line))
    })
}

/// What can still be said about a frame that cannot be used: extensions may answer it
/// (`frm.unusable-scan`).
fn head(line: &[u8]) -> Option<Value> {
    let Head { frame_type, id } = Head::of(&String::from_utf8_lossy(line));
    let (frame_type, id) = (frame_type?, id?);
    Some(json!({"type": frame_type, "id": id.as_str()}))
}

/// A line without escapes of surrogates, of which some have no other half on purpose.
fn without_surrogates(line: &[u8]) -> String {
    static ESCAPE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}").ok());
    let text = String::from_utf8_lossy(line);
    match &*ESCAPE {
        Some(escape) => escape.replace_all(&text, r"\ufffd").into_owned(),
        None => text.into_owned(),
    }
}

/// Looks at each frame of one type; nothing when there is none.
fn each(
    observed: &Observed<'_>,
    types: &[&str],
    mut look: impl FnMut(&Value) -> Vec<String>,
) -> Outcome {
    let mut seen = false;
    let mut findings = Vec::new();
    for arrived in observed.frames {
        let Ok(frame) = &arrived.frame else { continue };
        if types.iter().any(|wanted| frame["type"] == *wanted) {
            seen = true;
            findings.extend(
                look(frame).into_iter().map(|text| Finding { text, record: arrived.record }),
            );
        }
    }
    if seen { Outcome::Found(findings) } else { Outcome::Nothing }
}
