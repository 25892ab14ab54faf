//! Mutants that are tested side by side: most of them are waited for rather than worked on.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::{Kill, SelftestError};
use crate::case::Case;
use crate::report::CaseReport;

/// Mutants by their names and what else tells them apart, each with the cases that must catch it.
pub(super) type Mutants<'a, T> = BTreeMap<(&'a str, T), Vec<&'a Case>>;

/// The mutants that cases name; `kind` tells apart those of one name.
pub(super) fn mutants<'a, T: Ord>(
    cases: impl IntoIterator<Item = &'a Case>,
    kind: impl Fn(&Case) -> T,
) -> Mutants<'a, T> {
    let mut mutants = Mutants::new();
    for case in cases {
        for mutant in &case.mutants {
            mutants.entry((mutant.as_str(), kind(case))).or_default().push(case);
        }
    }
    mutants
}

/// What the cases make of these mutants, in their order, so many at a time; `told` hears how many are done.
pub(super) fn kills<'a, T: Copy + Send>(
    mutants: Vec<((&'a str, T), Vec<&'a Case>)>,
    at_once: usize,
    told: &(dyn Fn(usize, usize) + Sync),
    run: impl Fn(&str, T, &[&Case]) -> Result<Vec<CaseReport>, SelftestError> + Sync,
) -> Result<Vec<Kill>, SelftestError> {
    let count = mutants.len();
    let waiting = Mutex::new(mutants.into_iter());
    let done = Mutex::new(Ok((0, Vec::new())));
    let work = || {
        loop {
            let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(((mutant, kind), cases)) = next else { return };
            let found = run(mutant, kind, &cases);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            match (&mut *done, found) {
                (Ok((finished, kills)), Ok(found)) => {
                    kills.extend(found.into_iter().map(|case| Kill::of(mutant, case)));
                    *finished += 1;
                    told(*finished, count);
                }
                (_, Err(error)) => *done = Err(error),
                (Err(_), Ok(_)) => {}
            }
        }
    };
    thread::scope(|scope| (0..at_once).for_each(|_| drop(scope.spawn(work))));
    let (_, mut kills) = done.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    kills.sort_by(|one: &Kill, other| (&one.mutant, &one.case).cmp(&(&other.mutant, &other.case)));
    Ok(kills)
}

/// Plays what was not caught once more, with nothing beside it: what is wrong only for a moment is missed
/// where many others have the processor then.
pub(super) fn try_again(
    kills: &mut [Kill],
    cases: &[&Case],
    run: impl Fn(&str, &Case) -> Result<Vec<CaseReport>, SelftestError>,
) -> Result<(), SelftestError> {
    for kill in kills.iter_mut().filter(|kill| !kill.is_caught()) {
        let Some(case) = cases.iter().find(|case| case.id == kill.case) else { continue };
        let again = run(&kill.mutant, case)?;
        kill.verdict = again.first().map_or(kill.verdict, |again| again.verdict);
    }
    Ok(())
}
