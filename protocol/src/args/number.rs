//! JSON numbers of any size and precision, compared by what they are worth.

use std::cmp::Ordering;

/// A number as `0.DIGITS` times ten to the power of `exponent`. Every number has one form, so
/// `1`, `1.0` and `10e-1` are equal, and so are `0` and `-0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    /// ASCII digits without zeros at either end; none for zero.
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    /// Reads the text of a JSON number.
    pub(super) fn read(text: &str) -> Self {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, read_exponent(exponent)),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = [whole, fraction].concat();
        let significant = all.trim_start_matches('0');
        let digits = significant.trim_end_matches('0').as_bytes().to_vec();
        if digits.is_empty() {
            return Self { negative: false, digits, exponent: 0 };
        }
        let leading_zeros = all.len() - significant.len();
        let exponent = exponent.saturating_add_unsigned(whole.len() as u64);
        Self { negative, digits, exponent: exponent.saturating_sub_unsigned(leading_zeros as u64) }
    }

    /// Whether nothing stands behind the point: `1.0` and `1e3` are whole.
    pub(super) fn is_whole(&self) -> bool {
        i64::try_from(self.digits.len()).is_ok_and(|digits| digits <= self.exponent.max(0))
    }

    /// The number, if it is whole, not negative and fits.
    pub(super) fn to_u64(&self) -> Option<u64> {
        if self.negative || !self.is_whole() {
            return None;
        }
        // 2^64 has 20 digits.
        let length = usize::try_from(self.exponent).ok().filter(|length| *length <= 20)?;
        let padding = std::iter::repeat_n(&b'0', length - self.digits.len());
        self.digits.iter().chain(padding).try_fold(0_u64, |number, digit| {
            number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
        })
    }

    fn cmp_magnitude(&self, other: &Self) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => (self.exponent, &self.digits).cmp(&(other.exponent, &other.digits)),
        }
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.cmp_magnitude(other),
            (true, true) => other.cmp_magnitude(self),
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// An exponent too long for 64 bits is as good as the longest one that fits.
fn read_exponent(text: &str) -> i64 {
    let out_of_range = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    text.parse().unwrap_or(out_of_range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_has_many_spellings() {
        for spellings in [
            &["1", "1.0", "1e0", "10E-1", "0.1e+1", "1.000"][..],
            &["0", "-0", "0.0", "0e99", "-0.00E-7"],
            &["-120", "-1.2e2", "-12000e-2"],
            &["0.05", "5e-2", "0.0050e1"],
        ] {
            for spelling in spellings {
                assert_eq!(Decimal::read(spelling), Decimal::read(spellings[0]), "{spelling}");
            }
        }
    }

    #[test]
    fn numbers_are_ordered_whatever_their_size() {
        let ascending = [
            "-1e99999999999999999999",
            "-1e400",
            "-12345678901234567891",
            "-12345678901234567890",
            "-1",
            "-0.99",
            "-1e-99999999999999999999",
            "0",
            "1e-99999999999999999999",
            "0.1",
            "0.10000000000000000001",
            "1",
            "1.5",
            "9",
            "10",
            "9007199254740992",
            "9007199254740993",
            "1e400",
        ];
        for (at, low) in ascending.iter().enumerate() {
            for high in &ascending[at + 1..] {
                assert!(Decimal::read(low) < Decimal::read(high), "{low} < {high}");
                assert!(Decimal::read(high) > Decimal::read(low), "{high} > {low}");
            }
        }
    }

    #[test]
    fn whole_numbers_that_fit_become_integers() {
        for (text, number) in [
            ("0", Some(0)),
            ("1200", Some(1200)),
            ("12e1", Some(120)),
            ("3.0", Some(3)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("1e30", None),
            ("-1", None),
            ("0.5", None),
        ] {
            assert_eq!(Decimal::read(text).to_u64(), number, "{text}");
        }
    }

    #[test]
    fn whole_numbers_have_no_fraction() {
        for whole in ["0", "-0.0", "7", "1.0", "1e3", "12.50e1", "123456789012345678901234567890"] {
            assert!(Decimal::read(whole).is_whole(), "{whole}");
        }
        for broken in ["0.5", "1e-1", "12.5", "-1.05e1"] {
            assert!(!Decimal::read(broken).is_whole(), "{broken}");
        }
    }
}
