//! What the tester draws by chance: the name that nobody registers, and the ids of its questions.
//!
//! All of it comes from one number, so that a run with the same one sends the same frames.

use std::hash::{BuildHasher, RandomState};

/// How a name that nobody registers begins, whatever the seed.
const UNKNOWN: &str = "extline_nobody_registered_";

/// A seed that was never seen before, as far as that can be.
pub fn draw_seed() -> u32 {
    // Few digits, for they are typed again; the hasher's keys are the system's random numbers.
    u32::try_from(RandomState::new().hash_one(0) % 1_000_000).unwrap_or_default()
}

/// What one seed gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Drawn {
    /// A name that nobody registers.
    pub(crate) unknown: String,
    /// How each id begins.
    ids: String,
    /// How many digits the number behind that has at least.
    digits: usize,
}

impl Drawn {
    /// The same for the same seed.
    pub(crate) fn of(seed: u32) -> Self {
        let mut chance = fastrand::Rng::with_seed(u64::from(seed));
        let mut word = |length| -> String {
            std::iter::repeat_with(|| chance.alphanumeric().to_ascii_lowercase())
                .take(length)
                .collect()
        };
        Self { unknown: format!("{UNKNOWN}{}", word(6)), ids: format!("c{}-", word(3)), digits: 1 }
    }

    /// The same with ids that are numbers.
    pub(crate) fn with_numbers(seed: u32) -> Self {
        Self { ids: format!("{}", 100 + seed % 900), digits: 5, ..Self::of(seed) }
    }

    /// The id of the `number`th question to a process.
    pub(crate) fn id(&self, number: u64) -> String {
        format!("{}{number:0digits$}", self.ids, digits = self.digits)
    }

    /// Whether a question may have had this id.
    pub(crate) fn is_id(&self, id: &str) -> bool {
        id.strip_prefix(&self.ids).is_some_and(|number| number.parse::<u64>().is_ok())
    }
}

/// Whether a name is one that nobody registers, of any seed.
pub(crate) fn is_unknown(name: &str) -> bool {
    name.starts_with(UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_again_and_another_one_something_else() {
        assert_eq!(Drawn::of(7), Drawn::of(7));
        assert_ne!(Drawn::of(7).unknown, Drawn::of(8).unknown);
        assert_ne!(Drawn::of(7).id(1), Drawn::of(8).id(1));
        assert_ne!(Drawn::of(7).id(1), Drawn::of(7).id(2));
        assert!(Drawn::of(7).is_id(&Drawn::of(7).id(12)) && !Drawn::of(7).is_id("x"));
        assert!(is_unknown(&Drawn::of(7).unknown));
        assert_eq!(Drawn::with_numbers(7).id(12), "10700012");
        assert!(Drawn::with_numbers(7).is_id("10700012"));
    }
}
