//! JSON that is handed out as text, asked by pointers.

use std::ffi::c_char;
use std::sync::{Mutex, PoisonError};

use extline_protocol::{Elements, Ends, Field, Members, RawJson, pointer, read_string};

use crate::code::{EXTLINE_ARGUMENT, EXTLINE_NOT_FOUND, EXTLINE_TYPE, ResultCode};
use crate::failure::{Failure, enter, enter_or};
use crate::ffi::{Room, Str, given, text, with_nul};

/// A JSON value, to be asked by JSON pointers (RFC 6901): `/city` is the member `city`, `/days/0` the
/// first element of `days`, an empty pointer the value itself. It belongs to the call, event or answer
/// that it came from, and so does every text that it hands out. From any thread.
pub struct Json {
    /// With a NUL behind it.
    text: String,
    /// Where values in it end.
    ends: Ends,
    /// What was asked for, which lives as long as the value.
    kept: Mutex<Vec<Kept>>,
}

/// A text that was handed out.
struct Kept {
    with_nul: String,
    /// It is JSON, and not a string whose escapes are resolved.
    is_json: bool,
}

/// `null`.
pub const EXTLINE_JSON_NULL: i32 = 0;
/// `true` or `false`.
pub const EXTLINE_JSON_BOOL: i32 = 1;
/// A number.
pub const EXTLINE_JSON_NUMBER: i32 = 2;
/// A string.
pub const EXTLINE_JSON_STRING: i32 = 3;
/// An array.
pub const EXTLINE_JSON_ARRAY: i32 = 4;
/// An object.
pub const EXTLINE_JSON_OBJECT: i32 = 5;

/// Why a value is not what was asked for.
pub(crate) enum Unfit<'j> {
    Missing,
    /// The types that JSON Schema would name, and what is there.
    Type(&'static str, &'j str),
}

impl Json {
    pub(crate) fn new(text: String) -> Self {
        Self { text: with_nul(text), ends: Ends::default(), kept: Mutex::default() }
    }

    pub(crate) fn of(raw: RawJson) -> Self {
        Self { ends: raw.ends(), ..Self::new(raw.into_string()) }
    }

    pub(crate) fn lend(&self) -> Str {
        Str::lend(self.text.as_bytes())
    }

    /// The value without its NUL.
    pub(crate) fn get(&self) -> &str {
        &self.text[..self.text.len() - 1]
    }

    /// The text of the value that a pointer leads to.
    pub(crate) fn at(&self, pointer: &str) -> Option<&str> {
        pointer::follow_known(self.get(), self.ends, pointer)
    }

    fn find(&self, pointer: &str) -> Result<&str, Unfit<'_>> {
        self.at(pointer).ok_or(Unfit::Missing)
    }

    pub(crate) fn string(&self, pointer: &str) -> Result<Str, Unfit<'_>> {
        let text = self.find(pointer)?;
        Ok(self.keep(&read_string(text).ok_or(Unfit::Type("string", text))?, false))
    }

    pub(crate) fn int(&self, pointer: &str) -> Result<i64, Unfit<'_>> {
        let text = self.find(pointer)?;
        whole(text).ok_or(Unfit::Type("integer", text))
    }

    pub(crate) fn double(&self, pointer: &str) -> Result<f64, Unfit<'_>> {
        let text = self.find(pointer)?;
        f64::read(text).map_err(|_| Unfit::Type("number", text))
    }

    pub(crate) fn bool(&self, pointer: &str) -> Result<bool, Unfit<'_>> {
        let text = self.find(pointer)?;
        bool::read(text).map_err(|_| Unfit::Type("boolean", text))
    }

    /// Elements of an array.
    pub(crate) fn length(&self, pointer: &str) -> Result<usize, Unfit<'_>> {
        let text = self.find(pointer)?;
        Elements::of(text).map(Iterator::count).ok_or(Unfit::Type("array", text))
    }

    /// Members of an object.
    fn member_count(&self, pointer: &str) -> Result<usize, Unfit<'_>> {
        let text = self.find(pointer)?;
        let members = Members::of(text).ok_or(Unfit::Type("object", text))?;
        Ok(members.iter().count())
    }

    /// The text of a value, as its author wrote it.
    pub(crate) fn text(&self, pointer: &str) -> Result<Str, Unfit<'_>> {
        if pointer.is_empty() {
            return Ok(self.lend());
        }
        Ok(self.keep(self.find(pointer)?, true))
    }

    /// The value that a text of so many bytes is, where [`Json::text`] has handed it out.
    pub(crate) fn lent(&self, text: *const c_char, len: usize) -> Option<RawJson> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |kept: &&Kept| kept.is_json && kept.with_nul.as_ptr() == text.cast();
        let value = &kept.iter().find(is_it)?.with_nul;
        (value.len() == len + 1).then(|| RawJson::of_part(&value[..len]))
    }

    pub(crate) fn keep(&self, text: &str, is_json: bool) -> Str {
        let mut with_nul = String::with_capacity(text.len() + 1);
        with_nul.push_str(text);
        with_nul.push('\0');
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(Kept { with_nul, is_json });
        // What a string points to stays where it is when the list of them grows.
        kept.last().map_or(Str::EMPTY, |kept| Str::lend(kept.with_nul.as_bytes()))
    }
}

/// A whole number that an `int64_t` holds, `3.0` and `1e3` among them.
fn whole(text: &str) -> Option<i64> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let number = f64::read(text).ok().filter(|number| number.fract() == 0.0)?;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and in the range")]
    // Beyond 2^53 a double does not say which number is meant.
    (number.abs() <= 9_007_199_254_740_992.0).then_some(number as i64)
}

/// A JSON pointer of the caller's.
pub(crate) fn pointer_of(pointer: &str) -> Result<&str, Failure> {
    let mut tildes = pointer.split('~').skip(1);
    let is_whole = tildes.all(|after| after.starts_with(['0', '1']));
    if is_whole && (pointer.is_empty() || pointer.starts_with('/')) {
        return Ok(pointer);
    }
    let text = format!(
        "{pointer:?} is no JSON pointer: begin it with a slash, as \"/city\", and write ~0 for ~ and \
         ~1 for a slash in a name"
    );
    Err(Failure::new(EXTLINE_ARGUMENT, text))
}

fn not_there(unfit: &Unfit<'_>, pointer: &str) -> Failure {
    match unfit {
        Unfit::Missing => Failure::new(EXTLINE_NOT_FOUND, format!("nothing is at {pointer:?}")),
        Unfit::Type(wanted, found) => {
            let found = type_name(type_of(found));
            Failure::new(
                EXTLINE_TYPE,
                format!("what is at {pointer:?} is {found}, and no {wanted}"),
            )
        }
    }
}

/// Of valid JSON.
fn type_of(text: &str) -> i32 {
    match text.as_bytes().first() {
        Some(b'n') => EXTLINE_JSON_NULL,
        Some(b't' | b'f') => EXTLINE_JSON_BOOL,
        Some(b'"') => EXTLINE_JSON_STRING,
        Some(b'[') => EXTLINE_JSON_ARRAY,
        Some(b'{') => EXTLINE_JSON_OBJECT,
        _ => EXTLINE_JSON_NUMBER,
    }
}

fn type_name(number: i32) -> &'static str {
    match number {
        EXTLINE_JSON_NULL => "null",
        EXTLINE_JSON_BOOL => "a boolean",
        EXTLINE_JSON_STRING => "a string",
        EXTLINE_JSON_ARRAY => "an array",
        EXTLINE_JSON_OBJECT => "an object",
        _ => "a number",
    }
}

/// Reads one value for an entry.
unsafe fn read<T>(
    json: *const Json,
    pointer: *const c_char,
    out: *mut T,
    read: impl for<'j> FnOnce(&'j Json, &str) -> Result<T, Unfit<'j>>,
) -> ResultCode {
    enter(|| {
        // SAFETY: a value and a text of the caller's.
        let (json, pointer) = unsafe { (given(json, "json")?, text(pointer, "pointer")?) };
        // SAFETY: room of the caller's.
        let room = unsafe { Room::new(out, "out") }?;
        let pointer = pointer_of(pointer)?;
        let value = read(json, pointer).map_err(|unfit| not_there(&unfit, pointer))?;
        room.fill(value);
        Ok(())
    })
}

/// The string at a pointer, its escapes resolved. `EXTLINE_NOT_FOUND` when nothing is there,
/// `EXTLINE_TYPE` when it is no string, `EXTLINE_ARGUMENT` for a text that is no pointer. It lives as
/// long as what the value belongs to. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_json_string(
    json: *const Json,
    pointer: *const c_char,
    out: *mut Str,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { read(json, pointer, out, Json::string) }
}

/// The whole number at a pointer, `3.0` among them. `EXTLINE_TYPE` when it is none, or does not fit.
/// Else as `extline_json_string`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_json_int(
    json: *const Json,
    pointer: *const c_char,
    out: *mut i64,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { read(json, pointer, out, Json::int) }
}

/// The number at a pointer. `EXTLINE_TYPE` when it is none, or too large for a double. Else as
/// `extline_json_string`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_json_double(
    json: *const Json,
    pointer: *const c_char,
    out: *mut f64,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { read(json, pointer, out, Json::double) }
}

/// The boolean at a pointer. Else as `extline_json_string`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_json_bool(
    json: *const Json,
    pointer: *const c_char,
    out: *mut bool,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { read(json, pointer, out, Json::bool) }
}

/// How many elements the array at a pointer has. Else as `extline_json_string`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_json_length(
    json: *const Json,
    pointer: *const c_char,
    out: *mut usize,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { read(json, pointer, out, Json::length) }
}

/// The value at a pointer as JSON text, whatever its type and as its author wrote it: for a JSON library
/// of the program's own. Else as `extline_json_string`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_json_text(
    json: *const Json,
    pointer: *const c_char,
    out: *mut Str,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { read(json, pointer, out, Json::text) }
}

/// The type of the value at a pointer, one of `EXTLINE_JSON_...`. Else as `extline_json_string`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_json_type(
    json: *const Json,
    pointer: *const c_char,
    out: *mut i32,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { read(json, pointer, out, |json, pointer| json.find(pointer).map(type_of)) }
}

/// How many members the object at a pointer has, a name that stands twice counted twice. Else as
/// `extline_json_string`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_json_member_count(
    json: *const Json,
    pointer: *const c_char,
    out: *mut usize,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { read(json, pointer, out, Json::member_count) }
}

/// Whether something is at a pointer, `null` included. False for NULL and for a text that is no pointer.
/// From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_json_has(json: *const Json, pointer: *const c_char) -> bool {
    enter_or(false, || {
        // SAFETY: a value and a text of the caller's.
        let (json, pointer) = unsafe { (given(json, "json")?, text(pointer, "pointer")?) };
        Ok(json.at(pointer_of(pointer)?).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json() -> Json {
        Json::new(r#"{"s":"a\nb","n":3.0,"big":1e30,"a":[1,2],"b":true,"x":null}"#.to_owned())
    }

    fn string(text: Str) -> &'static str {
        // SAFETY: the tests keep the value.
        unsafe { std::ffi::CStr::from_ptr(text.ptr) }.to_str().unwrap()
    }

    #[test]
    fn values_are_read_by_pointers() {
        let json = json();
        let Ok(text) = json.string("/s") else { panic!("a string") };
        assert_eq!((string(text), text.len), ("a\nb", 3));
        assert!(matches!(json.int("/n"), Ok(3)));
        assert!(matches!(json.int("/big"), Err(Unfit::Type("integer", "1e30"))));
        assert!(matches!(json.double("/big"), Ok(number) if number > 1e29));
        assert!(matches!(json.length("/a"), Ok(2)));
        assert!(matches!(json.int("/a/1"), Ok(2)));
        assert!(matches!(json.bool("/b"), Ok(true)));
        assert!(matches!(json.string("/n"), Err(Unfit::Type("string", "3.0"))));
        assert!(matches!(json.string("/y"), Err(Unfit::Missing)));
        let Ok(text) = json.text("/a") else { panic!("a text") };
        assert_eq!(string(text), "[1,2]");
    }

    #[test]
    fn a_text_stays_where_it_is_while_others_are_asked_for() {
        let json = json();
        let Ok(first) = json.string("/s") else { panic!("a string") };
        for _ in 0..100 {
            assert!(json.string("/s").is_ok());
        }
        assert_eq!(string(first), "a\nb");
    }

    #[test]
    fn what_is_no_pointer_is_told_from_one() {
        for pointer in ["", "/", "/a/0", "/a~1b~0"] {
            assert!(pointer_of(pointer).is_ok(), "{pointer}");
        }
        for other in ["a", "/~", "/~2", "/a~"] {
            assert_eq!(pointer_of(other).unwrap_err().code, EXTLINE_ARGUMENT, "{other}");
        }
    }
}
