//! Plays cases side by side, each thread in processes of its own.

use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Instant;

use super::lane::{Lane, Waiting};
use super::{Progress, Run};
use crate::case::Case;
use crate::report::CaseReport;

/// What a thread tells.
enum Told<'a> {
    Begins(&'a Case),
    Decided(Box<CaseReport>),
}

impl Run<'_> {
    /// Plays these cases, at most so many at a time, and begins them in their order.
    pub(super) fn play_cases(
        &self,
        cases: &[&Case],
        at_once: usize,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Vec<CaseReport> {
        let waiting = Waiting::of(cases);
        let mut reports = Vec::new();
        thread::scope(|scope| {
            let (tell, told) = mpsc::channel();
            let mut started = 0;
            while started < at_once.min(cases.len()) {
                let (tell, waiting) = (tell.clone(), &waiting);
                let play = move || self.play_waiting(waiting, &tell);
                let name = "cases".to_owned();
                if thread::Builder::new().name(name).spawn_scoped(scope, play).is_err() {
                    break;
                }
                started += 1;
            }
            if started == 0 {
                self.play_waiting(&waiting, &tell);
            }
            drop(tell);
            for told in told {
                match told {
                    Told::Begins(case) => progress(Progress::Begins(case)),
                    Told::Decided(report) => reports.push(self.decided(*report, progress)),
                }
            }
        });
        let doubtful = waiting.doubtful().map(|report| self.decided(report, progress));
        reports.extend(doubtful);
        reports
    }

    /// The next case; what is to be watched comes before the end.
    fn next_of<'a>(&self, lane: &mut Lane<'a, '_>) -> Option<&'a Case> {
        let waiting = lane.waiting();
        waiting.next().or_else(|| self.watch_from_now_on(lane).then(|| waiting.next()).flatten())
    }

    /// Plays what waits, until nothing does.
    fn play_waiting<'a>(&self, waiting: &Waiting<'a>, tell: &Sender<Told<'a>>) {
        // Whoever listens does so until all is told.
        let decided = |report| {
            let _ = tell.send(Told::Decided(Box::new(report)));
        };
        let mut lane = Lane::new(waiting);
        loop {
            while let Some(case) = self.next_of(&mut lane) {
                let _ = tell.send(Told::Begins(case));
                let began = Instant::now();
                let mut report = match self.obstacle(case) {
                    Some((verdict, reason)) => CaseReport::without_run(case, verdict, reason),
                    None => self.run_unless_stopped(&mut lane, case),
                };
                report.took = began.elapsed();
                lane.decide(case, began, report).into_iter().for_each(decided);
                if lane.is_full() {
                    self.leave(&mut lane).into_iter().for_each(decided);
                }
            }
            self.leave(&mut lane).into_iter().for_each(decided);
            if waiting.is_empty() {
                break;
            }
        }
    }
}
