//! Makes a session smaller that breaks something, as long as it still does.

use std::time::Instant;

use super::moves::{End, Move, Session, Start, What};

/// How far it is made smaller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// At most so many sessions are tried.
    pub(super) plays: u32,
    /// None begins later than that.
    pub(super) until: Instant,
}

/// The smallest session that was found, and how many were tried.
pub(super) fn shrink(
    session: Session,
    budget: Budget,
    breaks: &mut dyn FnMut(&Session) -> bool,
) -> (Session, u32) {
    let mut shrinking = Shrinking { best: session, left: budget, breaks, tried: 0 };
    shrinking.frame();
    shrinking.moves();
    // Long lines take their time in each play.
    shrinking.sizes();
    while shrinking.values() {}
    shrinking.sizes();
    (shrinking.best, shrinking.tried)
}

struct Shrinking<'a> {
    best: Session,
    left: Budget,
    breaks: &'a mut dyn FnMut(&Session) -> bool,
    tried: u32,
}

impl Shrinking<'_> {
    /// Takes the session where it still breaks what the best one does.
    fn take(&mut self, session: Session) -> bool {
        if !self.is_left() {
            return false;
        }
        self.tried += 1;
        let breaks = (self.breaks)(&session);
        if breaks {
            self.best = session;
        }
        breaks
    }

    fn is_left(&self) -> bool {
        self.tried < self.left.plays && Instant::now() < self.left.until
    }

    /// The usual start and the usual end.
    fn frame(&mut self) {
        if self.best.start != Start::default() {
            self.take(Session { start: Start::default(), ..self.best.clone() });
        }
        if self.best.end != End::Shutdown {
            self.take(Session { end: End::Shutdown, ..self.best.clone() });
        }
    }

    /// Leaves moves out: halves first, single ones at last (ddmin).
    fn moves(&mut self) {
        let mut size = self.best.moves.len().div_ceil(2);
        while size > 0 {
            // From the end: what comes first may be what the rest depends on.
            let mut end = self.best.moves.len();
            let mut left_out = false;
            while end > 0 {
                let begin = end.saturating_sub(size);
                let mut moves = self.best.moves.clone();
                moves.drain(begin..end);
                left_out |= self.take(Session { moves, ..self.best.clone() });
                end = begin;
            }
            size = match size {
                // Until no single one can be left out any more.
                1 if left_out => 1,
                1 => 0,
                size => size.div_ceil(2),
            };
        }
    }

    /// Looks for the smallest sizes that still do it.
    fn sizes(&mut self) {
        for at in 0..self.best.moves.len() {
            let Some(mut bad) = self.best.moves[at].size().copied() else { continue };
            let mut good = 0;
            while bad - good > 1 && self.is_left() {
                let middle = good + (bad - good) / 2;
                let mut session = self.best.clone();
                if let Some(size) = session.moves[at].size() {
                    *size = middle;
                }
                if self.take(session) { bad = middle } else { good = middle }
            }
        }
    }

    /// Makes single moves simpler; whether one was.
    fn values(&mut self) -> bool {
        let mut simpler = false;
        for at in 0..self.best.moves.len() {
            let put = |it: &Self, one: Move| {
                let mut moves = it.best.moves.clone();
                moves[at] = one;
                Session { moves, ..it.best.clone() }
            };
            for one in self.best.moves[at].simpler() {
                let session = put(self, one);
                if self.take(session) {
                    simpler = true;
                    break;
                }
            }
        }
        simpler
    }
}

/// What is special about a session, in the words of its moves.
pub(super) fn kinds(session: &Session) -> Vec<String> {
    let waits = |what: &What| matches!(what, What::Sync | What::Pause(_));
    let moves = session.moves.iter().filter(|one| !waits(&one.what));
    let mut kinds: Vec<String> = Vec::new();
    for kind in moves.map(Move::kind) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::draw::draw;
    use super::super::known::Known;
    use super::super::moves::Tool;
    use super::*;

    fn budget() -> Budget {
        Budget { plays: 10_000, until: Instant::now() + Duration::from_secs(600) }
    }

    fn session() -> Session {
        let known = Known { sdk: true, tools: true, cancel: true, ..Known::default() };
        let mut session = draw(7, 3, 60, &known);
        let long = What::Call { id: "99".to_owned(), tool: Tool::Long { bytes: 100_000 } };
        session.moves.insert(20, Move::plain(What::Junk(b"abcXdef".to_vec())));
        session.moves.insert(40, Move::plain(long));
        session
    }

    #[test]
    fn what_breaks_alone_is_left_alone() {
        let has = |session: &Session| {
            let is_x = |one: &Move| matches!(&one.what, What::Junk(bytes) if bytes.contains(&b'X'));
            session.moves.iter().any(is_x)
        };
        let (small, tried) = shrink(session(), budget(), &mut |session| has(session));
        assert_eq!(small.moves, [Move::plain(What::Junk(b"X".to_vec()))]);
        assert_eq!((small.start, small.end), (Start::default(), End::Shutdown));
        assert!(tried < 200, "{tried}");
    }

    #[test]
    fn two_that_break_together_stay_and_a_size_ends_at_the_boundary() {
        let breaks = |session: &Session| {
            let mut seen = false;
            session.moves.iter().any(|one| {
                seen |= matches!(&one.what, What::Junk(bytes) if bytes.contains(&b'X'));
                let long = |tool: &Tool| matches!(tool, Tool::Long { bytes } if *bytes > 65_536);
                seen && matches!(&one.what, What::Call { tool, .. } if long(tool))
            })
        };
        let (small, _) = shrink(session(), budget(), &mut |session| breaks(session));
        let long = What::Call { id: "99".to_owned(), tool: Tool::Long { bytes: 65_537 } };
        assert_eq!(small.moves, [Move::plain(What::Junk(b"X".to_vec())), Move::plain(long)]);
    }

    #[test]
    fn the_budget_holds() {
        let few = Budget { plays: 3, ..budget() };
        let (_, tried) = shrink(session(), few, &mut |_| true);
        assert_eq!(tried, 3);
        let late = Budget { until: Instant::now(), ..budget() };
        let (same, tried) = shrink(session(), late, &mut |_| true);
        assert_eq!((same, tried), (session(), 0));
    }
}
