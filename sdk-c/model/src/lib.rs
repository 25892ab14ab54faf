//! `extline-model` in C. What is found is JSON text, in the form that `extline repair --json` and
//! `extline extract --json` print.

#![expect(unsafe_code, reason = "this crate is the border to C; extline-model has none")]
#![expect(
    clippy::missing_safety_doc,
    reason = "the conditions are those of C: so many bytes, and texts that end with a NUL"
)]

mod given;
mod offered;

use std::ffi::{CString, c_char};
use std::panic::catch_unwind;

use model::{Provider, RawJson, check_name, schema_for};

use given::{Mistake, bytes};

/// Mends one JSON value that a model wrote: `length` bytes of UTF-8 at `text`.
///
/// The answer is a JSON object that ends with a NUL: `value`, `fixes` (each with `kind`, `offset`, `line`,
/// `column`, `found` and `text`), `unlisted` (fixes beyond the 1,000 that are listed) and `truncated`. What
/// cannot be repaired is `{"error": {"kind", "offset", "line", "column", "text"}}`, whose `text` can go back
/// to the model; what was given wrongly is an `error` of the kind `argument`, without a place. It is never
/// NULL; free it with `extline_model_free`. May be called from any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_model_repair(text: *const c_char, length: usize) -> *mut c_char {
    // SAFETY: the caller's.
    let text = unsafe { bytes(text, length, "text") };
    answer(move || {
        let text = text?.utf8()?;
        model::repair(text).map(|it| it.to_json()).map_err(|it| Mistake::Json(it.to_json()))
    })
}

/// Finds the tool calls in what a model wrote: `length` bytes of UTF-8 at `text`.
///
/// `offered` has the tools that the model was offered: a JSON array of names, or of objects with `name` and
/// `schema`, the JSON Schema of the tool's arguments, which says where families write them without types
/// what is text. Calls of other tools are not found.
///
/// The answer is a JSON object that ends with a NUL: `calls` (each with `name`, `arguments`, `id`, `envelope`,
/// `start`, `end`, `fixes` and `truncated`), `remaining`, `envelope`, `repaired`, `truncated` and `refused`. What
/// was given wrongly is `{"error": {"kind": "argument", "text"}}`. It is never NULL; free it with
/// `extline_model_free`. May be called from any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_model_extract(
    text: *const c_char,
    length: usize,
    offered: *const c_char,
    offered_length: usize,
) -> *mut c_char {
    // SAFETY: the caller's.
    let (text, offered) =
        unsafe { (bytes(text, length, "text"), bytes(offered, offered_length, "offered")) };
    answer(move || {
        let offered = offered::tools(offered?.utf8()?)?;
        Ok(model::extract(text?.utf8()?, &offered).to_json())
    })
}

/// Renders the JSON Schema of a tool's arguments, `length` bytes of UTF-8 at `schema`, as a provider takes it:
/// `openai` (its strict mode), `anthropic`, `google` or `mistral`. `name` is that of the tool, which is
/// checked too, or NULL.
///
/// The answer is a JSON object that ends with a NUL: `schema` and `notes`, every change with its `kind`,
/// `pointer` and `text`. What the provider cannot be given is `{"error": {"kind", "pointer", "text"}}`; what was
/// given wrongly is an `error` of the kind `argument`, without a place. It is never NULL; free it with
/// `extline_model_free`. May be called from any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_model_schema_for(
    provider: *const c_char,
    name: *const c_char,
    schema: *const c_char,
    length: usize,
) -> *mut c_char {
    // SAFETY: the caller's.
    let given = unsafe {
        (
            given::text(provider, "provider"),
            given::text(name, "name"),
            bytes(schema, length, "schema"),
        )
    };
    answer(move || {
        let (provider, name, schema) = (given.0, given.1, given.2?.utf8()?);
        let id = provider.ok_or_else(|| Mistake::argument("provider is NULL"))?.utf8()?;
        let provider = Provider::of_id(id).ok_or_else(|| {
            let all = Provider::ALL.map(Provider::id).join(", ");
            Mistake::argument(format!("there is no provider {id:?}: it is one of {all}"))
        })?;
        let schema = RawJson::parse(schema)
            .map_err(|error| Mistake::argument(format!("schema: {error}")))?;
        let checked = match name {
            Some(name) => check_name(provider, name.utf8()?),
            None => Ok(()),
        };
        let rendered = checked.and_then(|()| schema_for(provider, &schema));
        rendered.map(|it| it.to_json()).map_err(|it| Mistake::Json(it.to_json()))
    })
}

/// Frees what one of the other functions has answered, once; NULL is let pass. May be called from any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_model_free(answer: *mut c_char) {
    if !answer.is_null() {
        // SAFETY: the caller's: it is of `answer`, which made it by `into_raw`.
        drop(unsafe { CString::from_raw(answer) });
    }
}

/// Hands the JSON of an answer, or of a mistake, to C. No panic crosses the border.
fn answer(work: impl FnOnce() -> Result<String, Mistake> + std::panic::UnwindSafe) -> *mut c_char {
    let done = catch_unwind(work)
        .unwrap_or_else(|_| Err(Mistake::of_kind("internal", "a bug of libextline_model")));
    let json = done.unwrap_or_else(|mistake| format!("{{\"error\":{}}}", mistake.json()));
    // JSON has no NUL of its own: it is written as an escape.
    CString::new(json).unwrap_or_default().into_raw()
}
