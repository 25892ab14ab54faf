//! Sessions that a seed draws from a model of a host, played until an extension breaks a rule.
//!
//! A session is a list of moves, legal ones and hostile ones that every extension must survive. It
//! is written down as a case, and what is played is what was written, so that a finding is a file
//! that can be played again. All oracles are those of the cases: the answers that are due, the
//! canary, the end in time, and the checks over all that was seen.

mod asks;
mod draw;
mod draw_kit;
mod due;
mod file;
mod known;
mod line;
mod moves;
mod panel;
mod payload;
mod pen;
mod script;
mod server;
mod shrink;
mod toml;

use std::time::{Duration, Instant};

use extline_scenario::{Failure, Outcome};

use self::draw::draw;
use self::file::{Name, file};
use self::known::Known;
use self::moves::{End, Session, Start};
use self::shrink::{Budget, kinds, shrink};
use crate::case::{Case, parse_own};
use crate::report::{CaseReport, Evidence, Verdict};
use crate::run::{Alone, Options, Played};
use crate::target::is_stopped;

/// How often a session that broke something is played again, to see whether it does each time.
const REPEATS: u32 = 3;
/// So much is done to make one smaller.
const PLAYS: u32 = 250;
const SHRINKING: Duration = Duration::from_secs(90);
/// So many starts in a row may fail.
const STARTS: u32 = 3;

/// What is drawn, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Fuzz {
    /// No session begins later; what is found is made smaller beyond that.
    pub time: Duration,
    /// How many moves a session has, about.
    pub steps: u32,
    /// At most so many sessions; without it, as many as there is time for.
    pub sessions: Option<u32>,
    /// The number of the first session, from 1.
    pub first: u32,
    /// After so many findings it ends.
    pub findings: usize,
    /// The program is a server of MCP, and the sessions are those of a client.
    pub mcp: bool,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Fuzzed {
    /// How many sessions were played, those of shrinking not counted.
    pub sessions: u32,
    /// How many lines the extension was sent in them.
    pub sent: usize,
    /// How many lines it wrote.
    pub received: usize,
    /// What it broke.
    pub findings: Vec<Finding>,
    /// Why nothing, or no more, could be played.
    pub obstacle: Option<(Verdict, String)>,
    /// How long it took, with all shrinking.
    pub took: Duration,
}

/// A rule that was broken.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The number of the session that broke it first.
    pub session: u32,
    /// What came of it, as of a case.
    pub report: CaseReport,
    /// A file of cases that breaks it again.
    pub file: String,
    /// The name of that file, without a folder.
    pub name: String,
    /// In how many of how many times the session of the file breaks it.
    pub repeats: (u32, u32),
    /// How many moves the session had, and how many are left.
    pub moves: (usize, usize),
    /// How many sessions were tried to make it smaller.
    pub plays: u32,
    /// What is special about the moves that are left.
    pub kinds: Vec<String>,
}

/// What happens meanwhile.
#[derive(Debug)]
#[non_exhaustive]
pub enum FuzzProgress<'a> {
    /// This session begins.
    Session {
        /// Its number, from 1.
        number: u32,
        /// What came of those before it.
        so_far: &'a Fuzzed,
    },
    /// One broke something and is made smaller; so many were tried.
    Shrinks(u32),
    /// A rule was broken.
    Found(&'a Finding),
}

impl Fuzzed {
    /// 0 when nothing was found, 1 when something was, 2 when nothing could be played, 4 when the
    /// tester itself failed.
    pub fn exit_code(&self) -> u8 {
        match &self.obstacle {
            Some((Verdict::HarnessError, _)) => 4,
            _ if !self.findings.is_empty() => 1,
            None if self.sessions > 0 => 0,
            _ => 2,
        }
    }
}

/// Plays sessions until the time is over, or [`crate::stop_all`] ends it.
pub fn fuzz(options: &Options, plan: Fuzz, progress: &mut dyn FnMut(FuzzProgress<'_>)) -> Fuzzed {
    let began = Instant::now();
    let mut fuzzed = Fuzzed::default();
    let alone = if plan.mcp { Alone::server(options) } else { Alone::contact(options) };
    match alone {
        Err((verdict, reason)) => fuzzed.obstacle = Some((verdict, reason)),
        Ok(alone) => {
            let survey = alone.survey();
            let known = match survey.protocol.era() {
                Some(era) => Known::of_server(survey, era),
                None => Known::of(options, survey),
            };
            let mut fuzzing = Fuzzing { options, plan, alone, known, left_out: LeftOut::default() };
            // First contact is not part of it.
            fuzzing.run(Instant::now() + plan.time, &mut fuzzed, progress);
        }
    }
    fuzzed.took = began.elapsed();
    fuzzed
}

/// What a session broke, as far as it says whether another one breaks the same.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Sign {
    /// Something did not come, or the process ended.
    Step(Outcome),
    /// A check over all that was seen, by its case.
    Check(String),
}

struct Broken {
    sign: Sign,
    failure: Failure,
    evidence: Evidence,
}

struct Fuzzing<'a> {
    options: &'a Options,
    plan: Fuzz,
    alone: Alone<'a>,
    known: Known,
    left_out: LeftOut,
}

/// What is known to break something: it would only do so again.
#[derive(Debug, Default)]
struct LeftOut {
    moves: Vec<String>,
    ends: Vec<End>,
    starts: bool,
}

impl LeftOut {
    fn take_from(&self, session: &mut Session) {
        session.moves.retain(|one| !self.moves.contains(&one.kind()));
        if self.ends.contains(&session.end) {
            session.end = End::Shutdown;
        }
        if self.starts {
            session.start = Start::default();
        }
    }

    /// Leaves out what this one is made of; `false` when that is nothing: then every session breaks
    /// the same.
    fn add(&mut self, session: &Session) -> bool {
        // The last move is what does it, the others make it ready.
        if let Some(kind) = kinds(session).pop() {
            self.moves.push(kind);
        } else if session.end != End::Shutdown && !self.ends.contains(&session.end) {
            self.ends.push(session.end);
        } else if session.start != Start::default() && !self.starts {
            self.starts = true;
        } else {
            return false;
        }
        true
    }
}

impl Fuzzing<'_> {
    fn run(
        &mut self,
        until: Instant,
        fuzzed: &mut Fuzzed,
        progress: &mut dyn FnMut(FuzzProgress<'_>),
    ) {
        let mut failed_starts = 0;
        let last = self.plan.sessions.map(|count| self.plan.first.saturating_add(count));
        for number in self.plan.first.. {
            // However little time there is, one is played.
            let late = fuzzed.sessions > 0 && Instant::now() >= until;
            let over = late || last.is_some_and(|last| number >= last);
            if over || is_stopped() || fuzzed.findings.len() >= self.plan.findings {
                return;
            }
            progress(FuzzProgress::Session { number, so_far: fuzzed });
            let mut session = draw(self.options.seed, number, self.plan.steps, &self.known);
            self.left_out.take_from(&mut session);
            let played = match self.play(&session) {
                Ok(played) => played,
                Err((verdict, reason)) => {
                    failed_starts += 1;
                    if failed_starts >= STARTS || verdict == Verdict::HarnessError {
                        fuzzed.obstacle = Some((verdict, reason));
                        return;
                    }
                    continue;
                }
            };
            if is_stopped() {
                return;
            }
            failed_starts = 0;
            fuzzed.sessions += 1;
            fuzzed.sent += played.sent;
            fuzzed.received += played.received;
            let Some(broken) = broken(played) else { continue };
            let finding = self.explain(number, session, broken, progress);
            let Some((finding, always)) = finding else { return };
            progress(FuzzProgress::Found(&finding));
            fuzzed.findings.push(finding);
            if always {
                let reason = "it breaks the same rule in a session without any move";
                fuzzed.obstacle = Some((Verdict::CouldNotRun, reason.to_owned()));
                return;
            }
        }
    }

    fn play(&mut self, session: &Session) -> Result<Played, (Verdict, String)> {
        let text = file(&Name::default(), session, &self.known, None);
        // What the model writes is a case: a test reads thousands of them.
        let cases: Vec<Case> = parse_own("a session", &text)
            .map_err(|error| (Verdict::HarnessError, error.to_string()))?;
        self.alone.play(&cases[0])
    }

    /// Plays it again, makes it smaller, writes it down; `None` when the run was stopped before. With
    /// it comes whether nothing was left of it, so that every session breaks the same.
    fn explain(
        &mut self,
        number: u32,
        session: Session,
        first: Broken,
        progress: &mut dyn FnMut(FuzzProgress<'_>),
    ) -> Option<(Finding, bool)> {
        let before = session.moves.len();
        let sign = first.sign.clone();
        let mut last = first;
        let mut tried = 0;
        let mut breaks = |it: &mut Self, session: &Session| {
            tried += 1;
            progress(FuzzProgress::Shrinks(tried));
            let again = it.play(session).ok().filter(|_| !is_stopped()).and_then(broken);
            match again.filter(|again| again.sign == sign) {
                Some(again) => {
                    last = again;
                    true
                }
                None => false,
            }
        };
        let again = (0..REPEATS).filter(|_| breaks(self, &session)).count();
        let (session, plays) = if again == 0 {
            (session, 0)
        } else {
            let budget = Budget { plays: PLAYS, until: Instant::now() + SHRINKING };
            // What breaks each time is not made into something that breaks now and then.
            let times = if again == usize::try_from(REPEATS).unwrap_or_default() { 2 } else { 1 };
            shrink(session, budget, &mut |session| (0..times).all(|_| breaks(self, session)))
        };
        let repeats = (0..REPEATS).filter(|_| breaks(self, &session)).count();
        if is_stopped() && again == 0 {
            return None;
        }
        let kinds = kinds(&session);
        let always = !self.left_out.add(&session);
        let name = Name { seed: self.options.seed, session: number };
        let left = session.moves.len();
        let finding =
            self.finding(&name, &session, last, u32::try_from(repeats).unwrap_or_default());
        Some((Finding { moves: (before, left), plays, kinds, ..finding }, always))
    }

    fn finding(&self, name: &Name, session: &Session, broken: Broken, repeats: u32) -> Finding {
        let check = match &broken.sign {
            Sign::Check(id) => self.alone.check(id),
            Sign::Step(_) => None,
        };
        let file = file(name, session, &self.known, check);
        let mut cases = parse_own(&name.file(), &file).unwrap_or_default();
        let case = cases.pop().unwrap_or_else(|| unreachable!("it was played"));
        let mut report = CaseReport::failed(&case, broken.failure, broken.evidence);
        if repeats < REPEATS {
            report.verdict = Verdict::Flaky;
        }
        Finding {
            session: name.session,
            report,
            file,
            name: name.file(),
            repeats: (repeats, REPEATS),
            moves: (0, 0),
            plays: 0,
            kinds: Vec::new(),
        }
    }
}

/// The first thing that a session broke.
fn broken(played: Played) -> Option<Broken> {
    if let Some((failure, evidence)) = played.failure {
        return Some(Broken { sign: Sign::Step(failure.outcome), failure, evidence });
    }
    let (id, failure, evidence) = played.checks.into_iter().next()?;
    Some(Broken { sign: Sign::Check(id), failure, evidence })
}
