//! A command line as a shell splits it: by spaces, with both kinds of quotes and the backslash. Nothing is replaced.

/// The words, or what is wrong with the line.
pub(super) fn split(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next() {
                        Some('\'') => break,
                        Some(letter) => word.push(letter),
                        None => return Err("a ' has no end".to_owned()),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next() {
                        Some('"') => break,
                        Some('\\') => match letters.next() {
                            Some(letter @ ('"' | '\\' | '$' | '`')) => word.push(letter),
                            Some(letter) => word.extend(['\\', letter]),
                            None => return Err("a \" has no end".to_owned()),
                        },
                        Some(letter) => word.push(letter),
                        None => return Err("a \" has no end".to_owned()),
                    }
                }
            }
            '\\' => {
                let next = letters.next().ok_or("there is nothing behind the last \\")?;
                word.get_or_insert_default().push(next);
            }
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn quotes_and_backslashes_are_a_shell_s() {
        let line = r#"  sh -c 'a "b"' "c \"d\" \n" e\ f '' g"h"i "#;
        let expected = ["sh", "-c", "a \"b\"", "c \"d\" \\n", "e f", "", "ghi"];
        assert_eq!(split(line).unwrap(), expected);
        assert_eq!(split(" ").unwrap(), [""; 0]);
        for open in ["'a", "\"a", "\"a\\", "a\\"] {
            assert!(split(open).is_err(), "{open}");
        }
    }
}
