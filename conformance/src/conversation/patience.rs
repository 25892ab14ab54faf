//! How long something is waited for.

use std::time::{Duration, Instant};

use crate::target::Target;

/// Who is waited for.
pub(crate) trait Worker {
    /// The processor time that it and what it started used so far; `None` where the system does not
    /// tell.
    fn processor_time(&self) -> Option<Duration>;

    /// Whether it could run, or waits for a disk.
    fn is_busy(&self) -> bool;

    /// Whether it has read all that it was sent, and does nothing ever again unless it is sent more;
    /// `false` where the system does not tell.
    fn only_waits_for_input(&self) -> bool {
        false
    }

    /// How many bytes it is sent and has not taken yet.
    fn unwritten(&self) -> usize {
        0
    }

    /// For how long the tester itself had no processor while it waited: then it had none either.
    fn stalled(&self) -> Duration {
        Duration::ZERO
    }
}

impl Worker for Target {
    fn processor_time(&self) -> Option<Duration> {
        self.processor_time()
    }

    fn is_busy(&self) -> bool {
        self.is_busy()
    }

    fn only_waits_for_input(&self) -> bool {
        self.only_waits_for_input()
    }

    fn unwritten(&self) -> usize {
        self.unwritten()
    }

    fn stalled(&self) -> Duration {
        self.stalled()
    }
}

/// For how long one has done nothing but wait for input. What waits so does nothing ever again, but for
/// one that set itself an alarm; so it is given a while. An answer that lies in its buffer is known by
/// a silence of a second (`frm.flush`), so the while is longer.
#[derive(Default)]
pub(crate) struct Standstill {
    since: Option<Instant>,
}

impl Standstill {
    const WHILE: Duration = Duration::from_millis(1250);
    /// How often it is looked at.
    const LOOK_EVERY: Duration = Duration::from_millis(100);

    /// When to look next, if nothing comes before.
    pub(crate) fn next_look() -> Instant {
        Instant::now() + Self::LOOK_EVERY
    }

    /// Whether it has stood still for that while; `came` says that something came just now.
    pub(crate) fn is_for_good(&mut self, came: bool, worker: &impl Worker) -> bool {
        if came || !worker.only_waits_for_input() {
            self.since = None;
            return false;
        }
        self.since.get_or_insert_with(Instant::now).elapsed() >= Self::WHILE
    }
}

/// How long something is waited for. A process that could run and has not come to it may only be
/// short of a processor, so it gets up to [`Patience::TIMES`] the time on a processor; one that
/// waits for something itself gets no more, but for the rest of what it is sent while it takes that. It may
/// wait for the tester, to which it wrote since that looked, so it is looked at twice. A
/// time in which the tester had no processor itself does not count.
pub(crate) struct Patience {
    pub(crate) until: Instant,
    /// For how long the tester had no processor when it looked last.
    stalled: Duration,
    /// The time that was given.
    time: Duration,
    /// It gets up to so much more on a processor.
    more: Duration,
    /// When what it uses of a processor began to count, and the processor time that was used by then.
    counted: Option<(Instant, Option<Duration>)>,
    /// What the tester lost has been made up for.
    is_beyond: bool,
    /// How many bytes were left to be taken when it was looked at last.
    left: Option<usize>,
    /// What it had used of a processor when it was looked at last.
    computed: Duration,
    /// It did nothing when it was looked at last.
    rested: bool,
}

impl Patience {
    const TIMES: u32 = 5;
    /// However little it gets of the processor, more than so many times the time is not waited.
    const AT_MOST: u32 = 20;
    /// What comes when the time is over is listened to for so long at least.
    const LISTENS: Duration = Duration::from_secs(1);
    /// How often the process is looked at in the time beyond.
    const LOOK_EVERY: Duration = Duration::from_millis(50);
    /// One that computed for so long between two looks did something.
    const WORK: Duration = Duration::from_millis(1);

    pub(crate) fn new(until: Instant) -> Self {
        let time = until.saturating_duration_since(Instant::now());
        let more = time * (Self::TIMES - 1);
        Self {
            until,
            stalled: Duration::ZERO,
            time,
            more,
            counted: None,
            is_beyond: false,
            left: None,
            computed: Duration::ZERO,
            rested: false,
        }
    }

    /// The same for the end of one that begins to end now. It gets the time on a processor and no more:
    /// one that computes then goes on doing so.
    pub(crate) fn for_an_end(until: Instant, worker: &impl Worker) -> Self {
        let patience = Self::new(until);
        let counted = Some((Instant::now(), worker.processor_time()));
        Self { more: patience.time, counted, ..patience }
    }

    /// The same, of one for which the tester had no processor for that long before.
    pub(crate) fn beginning_at(self, stalled: Duration) -> Self {
        Self { stalled, ..self }
    }

    /// Whether the time is over; `came` says that something came just now. What comes is listened to for
    /// as long again, as it may have come in time, and be read late; one that never stops is not.
    pub(crate) fn is_over(&self, came: bool) -> bool {
        let longest = self.until + self.time.max(Self::LISTENS);
        !came || Instant::now() >= longest
    }

    /// Whether it gets more time, now that the time is over.
    pub(crate) fn has_more(&mut self, worker: &impl Worker) -> bool {
        let now = Instant::now();
        let stalled = worker.stalled();
        let lost = stalled.saturating_sub(std::mem::replace(&mut self.stalled, stalled));
        if !self.is_beyond && !lost.is_zero() {
            self.until = now + lost.min(self.time);
            return true;
        }
        self.is_beyond = true;
        let (began, used) = *self.counted.get_or_insert_with(|| (now, worker.processor_time()));
        let waited = now.saturating_duration_since(began);
        // Where the system does not tell, the clock has to do.
        let computed = used.zip(worker.processor_time());
        let computed = computed.map(|(before, after)| after.saturating_sub(before));
        let did_something = computed.is_some_and(|computed| {
            let before = std::mem::replace(&mut self.computed, computed);
            computed.saturating_sub(before) >= Self::WORK
        });
        let left = worker.unwritten();
        let takes = self.left.replace(left).map_or(left > 0, |before| left < before);
        let rests = !(takes || did_something || worker.is_busy());
        let rested = std::mem::replace(&mut self.rested, rests);
        let more = waited < self.time * (Self::AT_MOST - 1)
            && computed.unwrap_or(waited) < self.more
            && !(rested && rests);
        if more {
            self.until = now + Self::LOOK_EVERY;
        }
        more
    }
}

/// Whether one that is to have begun by now was kept from it: it could run, and had less than a quarter
/// of the time given on a processor. More than four times that is not waited. [`Patience`] is for an
/// answer; one that computes without a word until it is over is given no more here.
pub(crate) fn is_starved(worker: &impl Worker, waited: Duration, given: Duration) -> bool {
    const PART: u32 = 4;
    let used = worker.processor_time();
    worker.is_busy() && used.is_some_and(|used| used < given / PART) && waited < given * PART
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Whether one that does nothing gets no more time: it is looked at twice.
    fn is_over(patience: &mut Patience, worker: &impl Worker) -> bool {
        patience.has_more(worker) && !patience.has_more(worker)
    }

    /// One that waits, while the tester had no processor for so long.
    struct Waits(Duration);

    impl Worker for Waits {
        fn processor_time(&self) -> Option<Duration> {
            Some(Duration::ZERO)
        }

        fn is_busy(&self) -> bool {
            false
        }

        fn stalled(&self) -> Duration {
            self.0
        }
    }

    #[test]
    fn the_time_in_which_the_tester_had_no_processor_is_made_up_for_once() {
        let before = Duration::from_secs(3);
        let limit = Instant::now() + Duration::from_secs(5);
        let mut patience = Patience::new(limit).beginning_at(before);
        assert!(is_over(&mut patience, &Waits(before)), "what was lost before does not count");
        let mut patience = Patience::new(limit).beginning_at(before);
        let lost = before + Duration::from_secs(1);
        assert!(patience.has_more(&Waits(lost)));
        let more = patience.until.saturating_duration_since(Instant::now());
        assert!(more <= Duration::from_secs(1), "{more:?}");
        assert!(is_over(&mut patience, &Waits(lost)));
        let mut patience = Patience::new(limit).beginning_at(before);
        assert!(patience.has_more(&Waits(before + Duration::from_secs(60))));
        let more = patience.until.saturating_duration_since(Instant::now());
        assert!(more <= Duration::from_secs(5), "{more:?}");
    }

    /// One that could run, and has used so much of a processor by now.
    struct Computes(Cell<Duration>);

    impl Worker for Computes {
        fn processor_time(&self) -> Option<Duration> {
            Some(self.0.get())
        }

        fn is_busy(&self) -> bool {
            true
        }
    }

    /// One that waits for the next bytes, of which so many are left.
    struct Takes(Cell<usize>);

    impl Worker for Takes {
        fn processor_time(&self) -> Option<Duration> {
            Some(Duration::ZERO)
        }

        fn is_busy(&self) -> bool {
            false
        }

        fn unwritten(&self) -> usize {
            self.0.get()
        }
    }

    #[test]
    fn one_that_takes_what_it_is_sent_gets_more_time_and_one_that_stopped_does_not() {
        let worker = Takes(Cell::new(3000));
        let mut patience = Patience::new(Instant::now() + Duration::from_secs(5));
        assert!(patience.has_more(&worker));
        worker.0.set(1000);
        assert!(patience.has_more(&worker));
        assert!(is_over(&mut patience, &worker), "it took nothing more");
        worker.0.set(0);
        assert!(patience.has_more(&worker), "it took the rest just now");
        assert!(is_over(&mut patience, &worker), "it has all, and waits");
    }

    /// One that waits each time it is looked at, and used so much of a processor by now.
    struct Waited(Cell<Duration>);

    impl Worker for Waited {
        fn processor_time(&self) -> Option<Duration> {
            Some(self.0.get())
        }

        fn is_busy(&self) -> bool {
            false
        }
    }

    #[test]
    fn one_that_waits_for_the_tester_and_goes_on_gets_more_time() {
        let worker = Waited(Cell::new(Duration::from_secs(7)));
        let mut patience = Patience::new(Instant::now() + Duration::from_secs(5));
        for _ in 0..5 {
            assert!(patience.has_more(&worker), "it may have written a moment ago");
            worker.0.set(worker.0.get() + Duration::from_millis(2));
        }
        assert!(patience.has_more(&worker), "it worked since the look before");
        assert!(is_over(&mut patience, &worker));
    }

    #[test]
    fn one_that_ends_gets_the_time_on_a_processor() {
        let worker = Computes(Cell::new(Duration::from_secs(7)));
        let given = Duration::from_millis(500);
        let mut patience = Patience::for_an_end(Instant::now() + given, &worker);
        worker.0.set(Duration::from_millis(7300));
        assert!(patience.has_more(&worker), "others had the processor");
        worker.0.set(Duration::from_millis(7600));
        assert!(!patience.has_more(&worker), "it goes on and on");
    }

    #[test]
    fn one_that_is_to_answer_gets_five_times_the_time_on_a_processor() {
        let worker = Computes(Cell::new(Duration::from_secs(7)));
        let mut patience = Patience::new(Instant::now() + Duration::from_millis(500));
        assert!(patience.has_more(&worker), "what it used before does not count");
        worker.0.set(Duration::from_millis(8900));
        assert!(patience.has_more(&worker));
        worker.0.set(Duration::from_millis(9100));
        assert!(!patience.has_more(&worker));
    }

    struct WaitsForInput;

    impl Worker for WaitsForInput {
        fn processor_time(&self) -> Option<Duration> {
            Some(Duration::ZERO)
        }

        fn is_busy(&self) -> bool {
            false
        }

        fn only_waits_for_input(&self) -> bool {
            true
        }
    }

    #[test]
    fn one_that_only_waits_for_input_is_not_waited_for_longer_than_a_while() {
        let longer = Instant::now().checked_sub(2 * Standstill::WHILE).expect("it runs for longer");
        let at = |since| Standstill { since };
        assert!(at(Some(longer)).is_for_good(false, &WaitsForInput));
        assert!(!at(None).is_for_good(false, &WaitsForInput), "it only begins to");
        let mut standstill = at(Some(longer));
        assert!(!standstill.is_for_good(true, &WaitsForInput), "something came");
        assert!(!standstill.is_for_good(false, &WaitsForInput), "it begins anew");
        assert!(!at(Some(longer)).is_for_good(false, &Waits(Duration::ZERO)), "for something else");
    }

    /// One that could run, or waits, and used so much of a processor.
    struct Begins(bool, u64);

    impl Worker for Begins {
        fn processor_time(&self) -> Option<Duration> {
            Some(Duration::from_secs(self.1))
        }

        fn is_busy(&self) -> bool {
            self.0
        }
    }

    #[test]
    fn one_that_could_run_and_had_no_processor_gets_more_time_to_begin() {
        let seconds = Duration::from_secs;
        assert!(is_starved(&Begins(true, 2), seconds(10), seconds(10)));
        assert!(!is_starved(&Begins(true, 3), seconds(10), seconds(10)), "it computes");
        assert!(!is_starved(&Begins(false, 0), seconds(10), seconds(10)), "it waits for something");
        assert!(
            !is_starved(&Begins(true, 2), seconds(40), seconds(10)),
            "it was waited for enough"
        );
    }
}
