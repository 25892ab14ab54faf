//! Kits by hosts: what of a kit's surface there is under each kind of host.
//!
//! The tester plays the host. Under a profile it says that host's `hello_ack`, and leaves out the
//! cases that this host could not have: those that send what it never sends, or wait for what it
//! does not know.

use std::collections::BTreeMap;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use extline_protocol::{AckCapabilities, Profile};
use serde_json::Value;

use crate::case::{Binds, Case, Cited, Need, Verb, builtin};
use crate::conversation::ACK;
use crate::report::{Cell, MatrixColumn, Report, Verdict};
use crate::run::{Options, Progress, run};

/// So many are played at once: most of the time they are waited for.
const AT_ONCE: usize = 4;

/// What the groups of cases are about.
const SUBJECTS: [(&str, &str); 24] = [
    ("K-SRF", "what is registered"),
    ("K-TOL", "tool calls"),
    ("K-RES", "results"),
    ("K-VAL", "values through tools and back"),
    ("K-TXT", "text"),
    ("K-ERR", "failures"),
    ("K-CMD", "commands"),
    ("K-EVT", "events"),
    ("K-INT", "interceptors and guards"),
    ("K-PNL", "panels"),
    ("K-NOT", "notes"),
    ("K-UPD", "updates of running calls"),
    ("K-CXL", "cancels"),
    ("K-ASK", "questions to the host"),
    ("K-RPC", "requests and dialogs"),
    ("K-PEN", "pending actions"),
    ("K-CFG", "configuration"),
    ("K-SEC", "secrets and variables"),
    ("K-STA", "values that are kept"),
    ("K-SES", "entries of the history"),
    ("K-EXE", "programs"),
    ("K-AGT", "the agent"),
    ("K-OUT", "stray output"),
    ("K-LIF", "end of the session"),
];

/// A kit, and the kind of host it is played to.
#[derive(Debug)]
pub struct MatrixPair {
    /// The kit, as it is shown.
    pub kit: String,
    /// Its program, and the seed.
    pub options: Options,
    /// The host.
    pub profile: Profile,
}

/// What happens meanwhile.
#[derive(Debug)]
#[non_exhaustive]
pub enum MatrixProgress<'a> {
    /// So many cases were decided, of so many in all.
    Cases(usize, usize),
    /// One kit was played to one host.
    Column(&'a MatrixColumn),
}

/// Plays the cases for kits as a host of each kind; the columns come in the order of the pairs.
/// `wanted` chooses among the cases.
pub fn matrix(
    pairs: &[MatrixPair],
    wanted: &(dyn Fn(&Case) -> bool + Sync),
    progress: &mut dyn FnMut(MatrixProgress<'_>),
) -> Vec<MatrixColumn> {
    let all = builtin().values();
    let all: Vec<_> = all.filter(|case| case.needs.contains(&Need::Kit) && wanted(case)).collect();
    let plans: Vec<(&MatrixPair, Vec<&Case>)> = pairs
        .iter()
        .map(|pair| (pair, all.iter().copied().filter(|case| has(&pair.profile, case)).collect()))
        .collect();
    let count = plans.iter().map(|(_, cases)| cases.len()).sum();
    let waiting = Mutex::new(plans.iter().enumerate());
    let (tell, told) = channel();
    let mut columns: Vec<Option<MatrixColumn>> = pairs.iter().map(|_| None).collect();
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            let (tell, waiting, all) = (tell.clone(), &waiting, &all);
            scope.spawn(move || {
                loop {
                    let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((at, (pair, cases))) = next else { return };
                    // Nobody listens when the one who asked has panicked.
                    let _ = tell.send(Told::Column(at, column(pair, all, cases, &tell)));
                }
            });
        }
        drop(tell);
        let mut decided = 0;
        for told in told {
            match told {
                Told::Case => {
                    decided += 1;
                    progress(MatrixProgress::Cases(decided, count));
                }
                Told::Column(at, column) => {
                    progress(MatrixProgress::Column(&column));
                    columns[at] = Some(column);
                }
            }
        }
    });
    columns.into_iter().flatten().collect()
}

/// What the threads tell.
enum Told {
    Case,
    Column(usize, MatrixColumn),
}

fn column(pair: &MatrixPair, all: &[&Case], played: &[&Case], tell: &Sender<Told>) -> MatrixColumn {
    let MatrixPair { kit, options, profile } = pair;
    let options = Options {
        program: options.program.clone(),
        binds: Binds::Sdk,
        kit: true,
        calls: true,
        // Columns are played side by side already.
        at_once: 1,
        seed: options.seed,
        ack: Some(ack(profile)),
        ..Options::of(options.program.clone())
    };
    let report = run(&options, played, &mut |progress| {
        if matches!(progress, Progress::Decided(_)) {
            let _ = tell.send(Told::Case);
        }
    });
    MatrixColumn { kit: kit.clone(), profile: profile.name, cells: cells(all, &report) }
}

fn cells(all: &[&Case], report: &Report) -> Vec<Cell> {
    let verdicts: BTreeMap<_, _> =
        report.cases.iter().map(|case| (case.id.as_str(), case.verdict)).collect();
    // One that was written without an SDK is spared them under every host.
    let spared = |case: &Case| case.binds() == Binds::Sdk && !report.survey.has_sdk();
    let cell = |(group, subject): (&str, &'static str)| {
        let mut cell = Cell { subject, ..Cell::default() };
        for case in all.iter().filter(|case| case.group() == group) {
            match verdicts.get(case.id.as_str()) {
                Some(Verdict::Pass | Verdict::Info) => cell.passed += 1,
                None if !spared(case) => cell.not_there += 1,
                None | Some(Verdict::NotApplicable) => cell.not_applicable += 1,
                Some(Verdict::CouldNotRun) => cell.could_not_run.push(case.id.clone()),
                Some(_) => cell.failed.push(case.id.clone()),
            }
        }
        cell
    };
    SUBJECTS.into_iter().map(cell).collect()
}

/// Whether a host of that kind could have this conversation.
fn has(profile: &Profile, case: &Case) -> bool {
    case.steps.iter().all(|step| match &step.verb {
        Verb::Line(text) | Verb::Raw(text) => sends(profile, &text.template),
        Verb::Frame(text) | Verb::Each(text) => knows(profile, &text.template),
        Verb::Expect(text) => knows(profile, text),
        Verb::Refuse(text) => !serves(profile, text),
        _ => true,
    })
}

/// Whether it writes such a frame.
fn sends(profile: &Profile, line: &str) -> bool {
    let word = |name| member(line, name).unwrap_or_default();
    let vocabulary = profile.vocabulary;
    if line.contains("\"deadline_ms\"") && !vocabulary.is_extline() {
        return false;
    }
    let repeats = line.contains("\"operation_key\"") || line.contains("\"reconcile\"");
    if repeats && !vocabulary.repeats_calls() {
        return false;
    }
    match word("type").as_str() {
        "tool_cancel" => profile.tool_cancel,
        "request" | "response" | "response_part" | "cancel" | "registered" => {
            vocabulary.is_extline()
        }
        // The answer to a call_tool.
        "tool_result" => vocabulary.has_frame("call_tool"),
        "event" => vocabulary.has_event(&word("event")),
        "event_intercept" => {
            let asks = word("phase") != "guard" || vocabulary.is_extline();
            asks && vocabulary.has_point(&word("event"))
        }
        _ => true,
    }
}

/// Whether it does something with such a frame of an extension.
fn knows(profile: &Profile, frame: &str) -> bool {
    let is_later = member(frame, "action").is_some_and(|action| action == "tool_prompt");
    let has_action = !is_later || profile.vocabulary.has_tool_prompt();
    has_action && member(frame, "type").is_none_or(|kind| profile.vocabulary.has_frame(&kind))
}

/// Whether its `hello_ack` asks for such frames: a case in which none may come is for other hosts.
fn serves(profile: &Profile, frame: &str) -> bool {
    let kind = member(frame, "type");
    // By a frame of its own (`fork.asks`).
    if kind.as_deref() == Some("call_tool") && profile.vocabulary.calls_host_tools() {
        return true;
    }
    let AckCapabilities::Only(names) = profile.ack_capabilities else { return false };
    kind.is_some_and(|kind| names.contains(&kind.as_str()))
}

/// A text member of a frame that may have placeholders where JSON has values.
fn member(frame: &str, name: &str) -> Option<String> {
    let (_, rest) = frame.split_once(&format!("\"{name}\":\""))?;
    rest.split('"').next().map(str::to_owned)
}

/// The first frame of such a host.
fn ack(profile: &Profile) -> String {
    let mut ack: Value = serde_json::from_str(ACK).unwrap_or_default();
    ack["zot_version"] = profile.zot_version.into();
    if let Some(members) = ack.as_object_mut() {
        if !profile.vocabulary.is_extline() {
            members.remove("host");
        }
        as_fork(profile, members);
        match profile.ack_capabilities {
            AckCapabilities::Served => {}
            AckCapabilities::Absent => {
                members.remove("capabilities");
            }
            AckCapabilities::Only(names) => {
                members.insert("capabilities".to_owned(), names.into());
            }
        }
    }
    ack.to_string()
}

/// What a fork of zot says in another way (`fork.ack`).
fn as_fork(profile: &Profile, members: &mut serde_json::Map<String, Value>) {
    let version = match profile.name {
        "zut" | "ncode" => 2,
        "terva" => 6,
        _ => return,
    };
    members.insert("protocol_version".to_owned(), version.into());
    let own = profile.zot_version.into();
    members.insert(format!("{}_version", profile.name), own);
    if profile.name != "terva" {
        members.remove("zot_version");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_for_kits_has_a_subject() {
        let groups = builtin().values().filter(|case| case.needs.contains(&Need::Kit));
        for case in groups {
            let known = SUBJECTS.iter().any(|(group, _)| *group == case.group());
            assert!(known, "{} is about nothing that is known", case.id);
        }
    }

    #[test]
    fn a_host_has_what_its_vocabulary_has() {
        let (spec, old) = (Profile::spec(), Profile::zot_0_1_62());
        let upstream = Profile::zot_37c7945();
        let cancel = r#"{"type":"tool_cancel","id":"$id"}"#;
        assert_eq!([&spec, &old, &upstream].map(|it| sends(it, cancel)), [true, false, true]);
        let guard = r#"{"type":"event_intercept","id":"1","event":"tool_call","phase":"guard"}"#;
        assert_eq!([&spec, &old, &upstream].map(|it| sends(it, guard)), [true, false, false]);
        let update = r#"{"type":"tool_update","id":"$id"}"#;
        assert_eq!([&spec, &old, &upstream].map(|it| knows(it, update)), [true, false, false]);
        let ask = r#"{"type":"call_tool","id":"$id"}"#;
        assert_eq!([&spec, &old, &upstream].map(|it| knows(it, ask)), [true, false, true]);
        let again = r#"{"type":"tool_call","id":"1","name":"pay","operation_key":"op-1"}"#;
        assert_eq!([&spec, &old, &upstream].map(|it| sends(it, again)), [true, false, false]);
        assert!(!ack(&old).contains("capabilities") && ack(&spec).contains("tool_cancel"));
        assert!(ack(&upstream).contains(r#""capabilities":["call_tool"]"#));
        let zut = ack(&Profile::zut());
        assert!(zut.contains("\"zut_version\"") && !zut.contains("zot_version"), "{zut}");
    }
}
