//! Names that look like another one.

/// How many letters may differ.
const LETTERS: usize = 3;

/// The names that hold `name`, or differ from it by a few letters.
pub(super) fn near(name: &str, names: &[&'static str]) -> Vec<&'static str> {
    let name = name.to_lowercase();
    let looks_like = |other: &&str| {
        (!name.is_empty() && other.contains(&name)) || distance(&name, other) <= LETTERS
    };
    names.iter().copied().filter(looks_like).collect()
}

/// The name of `names` that was probably meant by `name`: it differs by a few letters, and by no more
/// than half of them.
///
/// ```
/// use extline_protocol::nearest;
///
/// assert_eq!(nearest("wether", ["forecast", "weather"]), Some("weather"));
/// assert_eq!(nearest("go", ["up", "stop"]), None);
/// ```
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = LETTERS.min(name.chars().count() / 2);
    let differing = names.into_iter().map(|other| (distance(name, other), other));
    let nearest = differing.min_by_key(|(letters, _)| *letters);
    nearest.filter(|(letters, _)| *letters <= most).map(|(_, other)| other)
}

/// Letters to put in, take out or change (the distance of Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (at, letter) in from.chars().enumerate() {
        let mut before = row[0];
        row[0] = at + 1;
        for (index, other) in to.iter().enumerate() {
            let changed = before + usize::from(letter != *other);
            before = row[index + 1];
            row[index + 1] = changed.min(before + 1).min(row[index] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_counts_letters() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("zot0162", "zot-0.1.62"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn a_name_without_letters_is_like_no_long_one() {
        assert_eq!(near("", &["spec", "zot"]), ["zot"]);
        assert_eq!(near("SPEC", &["spec", "zot-0.1.62"]), ["spec"]);
    }
}
