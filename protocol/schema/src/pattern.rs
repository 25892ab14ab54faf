//! What the regular expressions of a schema may cost.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::str::Chars;

use jsonschema::PatternOptions;

/// Regular expressions in one schema.
const PATTERNS: usize = 1_000;

/// What all of them together may take in memory, compiled, as it is estimated.
const PATTERN_BYTES: usize = 32 * 1024 * 1024;

/// What one may take at most, and what every one may take.
const LARGEST: usize = 10 * 1024 * 1024;
const SMALLEST: usize = 64 * 1024;

/// What a class of Unicode's takes, as `\p{L}`; one of all but some characters; one of some ASCII
/// characters; one character.
const PROPERTY: usize = 64 * 1024;
const CLASS: usize = 2 * 1024;
const SMALL_CLASS: usize = 256;
const CHARACTER: usize = 64;

/// Steps back that a match with a lookaround or a backreference may take.
const BACKTRACKS: usize = 20_000;

/// The regular expressions of a schema, measured.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    known: BTreeSet<String>,
    /// The estimates of all of them, and the largest.
    pub(crate) bytes: usize,
    largest: usize,
}

impl Patterns {
    /// Adds one; what is wrong, in words, when they are too many or too large.
    pub(crate) fn add(&mut self, pattern: &str) -> Result<(), String> {
        if self.known.contains(pattern) {
            return Ok(());
        }
        if self.known.len() == PATTERNS {
            return Err(format!("is one of more than {PATTERNS} regular expressions"));
        }
        let bytes = estimate(pattern);
        self.bytes = self.bytes.saturating_add(bytes);
        self.largest = self.largest.max(bytes);
        if self.bytes > PATTERN_BYTES {
            return Err(format!(
                "takes the regular expressions of the schema beyond {PATTERN_BYTES} bytes: \
                 repeat large classes less often"
            ));
        }
        self.known.insert(pattern.to_owned());
        Ok(())
    }

    /// The engine, which holds each to the size that was estimated of the largest.
    pub(crate) fn engine(&self) -> PatternOptions<jsonschema::FancyRegex> {
        let caches = (PATTERN_BYTES / self.known.len().max(1)).clamp(32 * 1024, 1024 * 1024);
        PatternOptions::fancy_regex()
            .backtrack_limit(BACKTRACKS)
            .size_limit(self.largest.clamp(SMALLEST, LARGEST))
            .dfa_size_limit(caches)
    }
}

/// What a look for a pattern in 16 bytes costs, in steps.
pub(crate) fn steps(pattern: &str) -> u64 {
    let size = 1 + estimate(pattern) as u64 / 4096;
    if goes_back(pattern) { size + 1000 } else { size }
}

/// Whether it has what only an engine that goes back can match: lookarounds, backreferences.
fn goes_back(pattern: &str) -> bool {
    let is_reference = |at: usize| {
        pattern[at + 1..].starts_with(|next: char| next.is_ascii_digit() || next == 'k')
    };
    ["(?=", "(?!", "(?<", "(?>"].iter().any(|group| pattern.contains(group))
        || pattern.match_indices('\\').any(|(at, _)| is_reference(at))
}

/// What a pattern takes in memory when it is compiled, in bytes, at most as a rule; the engine's
/// own limit is the one that holds.
fn estimate(pattern: &str) -> usize {
    let ignores_case = if pattern.contains("(?i") { 4 } else { 1 };
    let mut characters = pattern.chars().peekable();
    // The sums of the groups that are open, each with the size of its last part.
    let mut open = vec![(0_usize, 0_usize)];
    while let Some(character) = characters.next() {
        let part = match character {
            '(' => {
                open.push((0, 0));
                continue;
            }
            ')' if open.len() > 1 => open.pop().map_or(0, |(sum, _)| sum),
            '[' => {
                let mut class = SMALL_CLASS;
                let mut is_first = true;
                while let Some(next) = characters.next() {
                    match next {
                        ']' if !is_first => break,
                        '\\' => class = class.saturating_add(escape(&mut characters)),
                        '^' if is_first => class += CLASS,
                        _ if next.is_ascii() => class += CHARACTER / 4,
                        _ => class += CLASS,
                    }
                    is_first = is_first && next == '^';
                }
                class
            }
            '\\' => escape(&mut characters),
            '.' => CLASS,
            '{' => {
                let mut bounds = String::new();
                while let Some(next) =
                    characters.next_if(|next| next.is_ascii_digit() || *next == ',')
                {
                    bounds.push(next);
                }
                // What may come once more has a part of its own for that.
                let more = usize::from(bounds.ends_with(','));
                let most = bounds.split(',').filter_map(|bound| bound.parse().ok()).max();
                repeat(&mut open, most.unwrap_or(1_usize).saturating_add(more).max(1));
                continue;
            }
            '*' | '+' | '?' => {
                repeat(&mut open, 2);
                continue;
            }
            _ => CHARACTER * ignores_case,
        };
        if let Some((sum, last)) = open.last_mut() {
            *sum = sum.saturating_add(part);
            *last = part;
        }
    }
    open.iter().fold(0, |all, (sum, _)| all.saturating_add(*sum))
}

fn escape(characters: &mut Peekable<Chars<'_>>) -> usize {
    match characters.next() {
        Some('p' | 'P') => {
            // Its name stands in braces, which repeat nothing.
            if characters.next_if_eq(&'{').is_some() {
                characters.find(|next| *next == '}');
            }
            PROPERTY
        }
        Some('w' | 'W' | 'd' | 'D' | 's' | 'S' | 'b' | 'B') => CLASS,
        _ => CHARACTER,
    }
}

/// The last part stands there so many times.
fn repeat(open: &mut [(usize, usize)], times: usize) {
    if let Some((sum, last)) = open.last_mut() {
        *sum = sum.saturating_add(last.saturating_mul(times - 1));
        *last = last.saturating_mul(times);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_is_small() {
        for pattern in
            ["^[a-z0-9_-]{1,63}$", r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$", "^(?!-)[A-Za-z0-9-]+(?<!-)$"]
        {
            assert!(estimate(pattern) < 256 * 1024, "{pattern}: {}", estimate(pattern));
        }
        assert!(estimate(r"^\p{L}{1,64}$") < LARGEST);
    }

    #[test]
    fn what_repeats_itself_is_large() {
        assert!(estimate(r"\p{L}{90}") > 90 * PROPERTY);
        assert!(estimate(r"((\p{L}{9}){9}){9}") > 729 * PROPERTY);
        assert!(estimate("((((a{99}){99}){99}){99}){99}") > PATTERN_BYTES);
        assert!(estimate("(?:[^a]{100}|b){100}") > 10_000 * CLASS);
    }

    #[test]
    fn all_of_a_schema_together_are_bounded() {
        let mut patterns = Patterns::default();
        let many = (0..100).try_for_each(|n| patterns.add(&format!(r"^(?=\p{{L}}{{90}}{n})x$")));
        assert!(many.unwrap_err().contains("beyond 33554432 bytes"));
        let mut patterns = Patterns::default();
        assert_eq!((0..PATTERNS).try_for_each(|n| patterns.add(&n.to_string())), Ok(()));
        assert_eq!(patterns.add("1"), Ok(()));
        assert!(patterns.add("x").unwrap_err().contains("more than 1000"));
    }
}
