//! What a line takes in memory, so that an extension cannot fill the tester's.

/// What is kept of each line besides its bytes: its records, and what checks find in it.
const LINE: usize = 512;
/// What an object takes at most with one member, and what each further value takes.
const OBJECT: usize = 700;
const VALUE: usize = 100;

/// How many bytes are kept of a line at most, with the value that it is parsed to. A line of a
/// megabyte can hold a hundred thousand objects, each of which takes as much as a page of text.
pub fn weight(line: &[u8]) -> usize {
    let mut values = 0;
    let mut is_text = false;
    let mut bytes = line.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => is_text = !is_text,
            b'\\' if is_text => {
                bytes.next();
            }
            b'{' if !is_text => values += OBJECT,
            b'[' | b',' if !is_text => values += VALUE,
            _ => {}
        }
    }
    // A text stands in the line and in the value.
    LINE + 2 * line.len() + values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_a_text_is_no_value() {
        assert_eq!(weight(b""), LINE);
        assert_eq!(weight(br#""[{,\"[{,""#), LINE + 2 * 10);
        assert_eq!(weight(br#"{"a":[1,"]"]}"#), LINE + 2 * 13 + OBJECT + 2 * VALUE);
    }
}
