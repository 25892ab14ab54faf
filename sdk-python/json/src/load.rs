//! What JSON text says, as Python has it.
//!
//! The text is valid JSON: the session has scanned it. What is not is an error all the same, never a
//! wrong value.

use std::borrow::Cow;

use extline_protocol::bytes::find_either;
use extline_protocol::limits::DEPTH;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

use crate::keys;

/// The Python value of a JSON text.
pub fn load<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    Loader { py, text, at: 0, fractions: false }.whole()
}

/// The members of a JSON object, and whether a number in it is written with a fraction or exponent.
pub fn load_object<'py>(py: Python<'py>, text: &str) -> PyResult<(Bound<'py, PyDict>, bool)> {
    let mut loader = Loader { py, text, at: 0, fractions: false };
    loader.skip_space();
    if loader.peek() != Some(b'{') {
        return Err(loader.unexpected());
    }
    let members = loader.object(1)?;
    Ok((members, loader.fractions))
}

struct Loader<'py, 't> {
    py: Python<'py>,
    text: &'t str,
    at: usize,
    fractions: bool,
}

impl<'py, 't> Loader<'py, 't> {
    fn whole(mut self) -> PyResult<Bound<'py, PyAny>> {
        let value = self.value(1)?;
        self.skip_space();
        if self.at < self.text.len() { Err(self.unexpected()) } else { Ok(value) }
    }

    /// `depth` is that of an object or array which begins here.
    fn value(&mut self, depth: usize) -> PyResult<Bound<'py, PyAny>> {
        self.skip_space();
        match self.peek() {
            Some(b'"') => Ok(PyString::new(self.py, &self.string()?).into_any()),
            Some(b'{') => Ok(self.object(depth)?.into_any()),
            Some(b'[') => Ok(self.array(depth)?.into_any()),
            Some(b't') => self.word("true", PyBool::new(self.py, true).to_owned().into_any()),
            Some(b'f') => self.word("false", PyBool::new(self.py, false).to_owned().into_any()),
            Some(b'n') => self.word("null", self.py.None().into_bound(self.py)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.unexpected()),
        }
    }

    fn object(&mut self, depth: usize) -> PyResult<Bound<'py, PyDict>> {
        self.enter(depth)?;
        let object = PyDict::new(self.py);
        if self.takes(b'}') {
            return Ok(object);
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.unexpected());
            }
            let key = self.string()?;
            if !self.takes(b':') {
                return Err(self.unexpected());
            }
            let value = self.value(depth + 1)?;
            // Of duplicate keys the last wins.
            object.set_item(keys::key(self.py, &key), value)?;
            if self.takes(b'}') {
                return Ok(object);
            }
            if !self.takes(b',') {
                return Err(self.unexpected());
            }
        }
    }

    fn array(&mut self, depth: usize) -> PyResult<Bound<'py, PyList>> {
        self.enter(depth)?;
        let array = PyList::empty(self.py);
        if self.takes(b']') {
            return Ok(array);
        }
        loop {
            array.append(self.value(depth + 1)?)?;
            if self.takes(b']') {
                return Ok(array);
            }
            if !self.takes(b',') {
                return Err(self.unexpected());
            }
        }
    }

    fn enter(&mut self, depth: usize) -> PyResult<()> {
        if depth > DEPTH {
            let message = format!("nested more than {DEPTH} levels deep");
            return Err(PyValueError::new_err(message));
        }
        self.at += 1;
        Ok(())
    }

    /// The string that begins here; only one with escapes is copied.
    fn string(&mut self) -> PyResult<Cow<'t, str>> {
        let start = self.at + 1;
        let rest = &self.text[start..];
        match find_either(b'"', b'\\', rest.as_bytes()) {
            Some(end) if rest.as_bytes()[end] == b'"' => {
                self.at = start + end + 1;
                Ok(Cow::Borrowed(&rest[..end]))
            }
            Some(end) => self.escaped_string(start, start + end).map(Cow::Owned),
            None => Err(self.unexpected()),
        }
    }

    fn escaped_string(&mut self, start: usize, first_escape: usize) -> PyResult<String> {
        let mut string = self.text[start..first_escape].to_owned();
        self.at = first_escape;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(string);
                }
                Some(b'\\') => string.push(self.escape()?),
                Some(_) => {
                    let rest = &self.text[self.at..];
                    let end = find_either(b'"', b'\\', rest.as_bytes()).unwrap_or(rest.len());
                    string.push_str(&rest[..end]);
                    self.at += end;
                }
                None => return Err(self.unexpected()),
            }
        }
    }

    fn escape(&mut self) -> PyResult<char> {
        let code = self.text.as_bytes().get(self.at + 1).copied();
        let char = match code {
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(char @ (b'"' | b'\\' | b'/')) => char::from(char),
            Some(b'u') => return self.unicode_escape(),
            _ => return Err(self.unexpected()),
        };
        self.at += 2;
        Ok(char)
    }

    /// Half of a surrogate pair is no character.
    fn unicode_escape(&mut self) -> PyResult<char> {
        let first = self.four_digits()?;
        if (0xD800..0xDC00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            let before = self.at;
            let second = self.four_digits()?;
            if (0xDC00..0xE000).contains(&second) {
                let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = before;
        }
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn four_digits(&mut self) -> PyResult<u32> {
        let digits = self.text.get(self.at + 2..self.at + 6);
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or_else(|| self.unexpected())?;
        self.at += 6;
        Ok(code)
    }

    fn number(&mut self) -> PyResult<Bound<'py, PyAny>> {
        let rest = &self.text[self.at..];
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let end = rest.bytes().position(|byte| !is_part(&byte)).unwrap_or(rest.len());
        let number = &rest[..end];
        if number.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
            self.fractions = true;
            let float: f64 = number.parse().map_err(|_| self.unexpected())?;
            self.at += end;
            return Ok(PyFloat::new(self.py, float).into_any());
        }
        let int = match number.parse::<i64>() {
            Ok(int) => int.into_pyobject(self.py)?.into_any(),
            // Python refuses a number of thousands of digits by itself, and says why.
            Err(_) => self.py.get_type::<PyInt>().call1((number,))?,
        };
        self.at += end;
        Ok(int)
    }

    fn word(&mut self, word: &str, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.unexpected());
        }
        self.at += word.len();
        Ok(value)
    }

    fn takes(&mut self, byte: u8) -> bool {
        self.skip_space();
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn unexpected(&self) -> PyErr {
        PyValueError::new_err(format!("not a JSON value: see byte {}", self.at))
    }
}
