//! Calls behind marks that say what they are: tags and special tokens.

use super::arguments::Arguments;
use super::body::{body, closed_body};
use super::json_call::{self, Found};
use super::parameters::{Style, parameters};
use super::python;
use super::quoted;
use super::tokens::{Read, View};
use super::{Envelope, Offered};

/// What stands behind a mark.
pub(super) enum Marked {
    /// Calls, up to there.
    Calls { found: Vec<Found>, end: usize },
    /// No call, though the mark says so; up to there.
    Refused { reason: String, end: usize },
    /// The mark means something else here.
    Text,
}

/// What reads behind a mark: from where it ends.
type Reader = fn(View<'_>, usize, &[Offered]) -> Read<(Envelope, Marked)>;

/// The marks, and what reads behind each. Of two that begin alike the longer one counts.
pub(super) const MARKS: [(&str, Reader); 24] = [
    ("<tool_call>", |view, at, offered| tool_call(view, at, offered)),
    ("<function=", |view, at, offered| function(view, at, offered)),
    ("<tool_calls>", |view, at, _| json(view, at, Envelope::Tagged, &["</tool_calls>"])),
    ("<assistant_tool_calls>", |view, at, _| {
        json(view, at, Envelope::Tagged, &["</assistant_tool_calls>"])
    }),
    ("<function_call>", |view, at, _| json(view, at, Envelope::Tagged, &["</function_call>"])),
    ("<toolcall>", |view, at, _| json(view, at, Envelope::Tagged, &["</toolcall>"])),
    ("<TOOLCALL>", |view, at, _| json(view, at, Envelope::Tagged, &["</TOOLCALL>"])),
    ("<|START_ACTION|>", |view, at, _| json(view, at, Envelope::Tagged, &["<|END_ACTION|>"])),
    ("<|tool_call_start|>", |view, at, _| python_tag(view, at)),
    ("<|tool_call|>", |view, at, _| json(view, at, Envelope::Granite, &["<|tool_call|>", "<|end"])),
    ("<|tool_call>", |view, at, _| quoted::calls(view, at, &quoted::GEMMA)),
    ("<start_function_call>", |view, at, _| quoted::calls(view, at, &quoted::FUNCTION_GEMMA)),
    ("<|python_tag|>", |view, at, _| python_tag(view, at)),
    ("<|python_start|>", |view, at, _| python_tag(view, at)),
    ("[TOOL_CALLS]", |view, at, _| mistral(view, at)),
    ("<｜tool▁call▁begin｜>", |view, at, _| deepseek(view, at)),
    ("<|tool_call_begin|>", |view, at, _| kimi(view, at)),
    ("<|channel|>", |view, at, _| harmony(view, at)),
    ("<|start|>assistant", |view, at, _| harmony(view, at)),
    (INVOKES[0].opener, |view, at, offered| invoke(view, at, offered, 0)),
    (INVOKES[1].opener, |view, at, offered| invoke(view, at, offered, 1)),
    (INVOKES[2].opener, |view, at, offered| invoke(view, at, offered, 2)),
    ("<tool_use>", |view, at, _| json(view, at, Envelope::Tagged, &["</tool_use>"])),
    ("<tool>", |view, at, _| json(view, at, Envelope::Tagged, &["</tool>"])),
];

/// Marks around calls that say nothing themselves.
pub(super) const WRAPPERS: [&str; 6] = [
    "<function_calls>",
    "<\u{61}ntml:function_calls>",
    "<｜DSML｜function_calls>",
    "<minimax:tool_call>",
    "<｜tool▁calls▁begin｜>",
    "<|tool_calls_section_begin|>",
];

/// What closes a call, or the text behind it, and says nothing more.
pub(super) const CLOSERS: [&str; 31] = [
    "</tool_call>",
    "</function>",
    "</tool_calls>",
    "</assistant_tool_calls>",
    "</function_call>",
    "</toolcall>",
    "</TOOLCALL>",
    "<|END_ACTION|>",
    "</tool_use>",
    "</tool>",
    "</invoke>",
    "</function_calls>",
    "</\u{61}ntml:function_calls>",
    "</｜DSML｜function_calls>",
    "</minimax:tool_call>",
    "<｜tool▁call▁end｜>",
    "<｜tool▁calls▁end｜>",
    "<｜end▁of▁sentence｜>",
    "<|tool_call_end|>",
    "<|tool_calls_section_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|eot|>",
    "<|im_end|>",
    "<|call|>",
    "<|end_of_text|>",
    "<|python_end|>",
    "<tool_call|>",
    "<end_function_call>",
    "<turn|>",
    "</s>",
];

/// Styles of `<invoke name="NAME">`.
const INVOKES: [Style; 3] = [
    Style {
        envelope: Envelope::Claude,
        opener: "<invoke name=\"",
        parameter: "<parameter name=\"",
        value_end: "</parameter>",
        end: "</invoke>",
    },
    Style {
        envelope: Envelope::Claude,
        opener: "<\u{61}ntml:invoke name=\"",
        parameter: "<\u{61}ntml:parameter name=\"",
        value_end: "</\u{61}ntml:parameter>",
        end: "</\u{61}ntml:invoke>",
    },
    Style {
        envelope: Envelope::DeepSeek,
        opener: "<｜DSML｜invoke name=\"",
        parameter: "<｜DSML｜parameter name=\"",
        value_end: "</｜DSML｜parameter>",
        end: "</｜DSML｜invoke>",
    },
];

const QWEN_CODER: Style = Style {
    envelope: Envelope::QwenCoder,
    opener: "<function=",
    parameter: "<parameter=",
    value_end: "</parameter>",
    end: "</function>",
};

/// Where the mark ends that stands here, and what reads behind it.
pub(super) fn mark(view: View<'_>, at: usize) -> Read<Option<(usize, Reader)>> {
    let mut longest: Option<(usize, Reader)> = None;
    for (token, reader) in MARKS {
        if let Some(end) = view.token(at, token)?
            && longest.is_none_or(|(known, _)| known < end)
        {
            longest = Some((end, reader));
        }
    }
    Ok(longest)
}

fn json(view: View<'_>, at: usize, envelope: Envelope, stops: &[&str]) -> Read<(Envelope, Marked)> {
    let mut at = view.space(at);
    let fence = view.token(at, "```")?;
    let is_fenced = fence.is_some();
    if let Some(fence) = fence {
        at = view.space(view.find(fence, "\n")?.unwrap_or(view.text.len()));
    }
    let marked = match view.next(at)? {
        Some('{' | '[') => {
            let end = match closed_body(view, at, stops)? {
                Ok(end) => end,
                Err(end) => return Ok((envelope, goes_on(end))),
            };
            let behind = if is_fenced { view.token(view.space(end), "```")? } else { None };
            of_json(&view.text[at..end], behind.unwrap_or(end))
        }
        _ => Marked::Text,
    };
    Ok((envelope, marked))
}

/// What is refused when the brackets are not those that were meant.
fn goes_on(end: usize) -> Marked {
    let reason = "the JSON is closed before its end; escape the quotes in its strings";
    Marked::Refused { reason: reason.to_owned(), end }
}

fn of_json(text: &str, end: usize) -> Marked {
    match json_call::calls(text) {
        Ok(found) => Marked::Calls { found, end },
        Err(reason) => Marked::Refused { reason, end },
    }
}

/// `<tool_call>` of Hermes, of Qwen3-Coder and of GLM.
fn tool_call(view: View<'_>, at: usize, offered: &[Offered]) -> Read<(Envelope, Marked)> {
    let at = view.space(at);
    if let Some(end) = view.token(at, QWEN_CODER.opener)? {
        return function(view, end, offered);
    }
    match view.next(at)? {
        Some('{' | '[' | '`') => json(view, at, Envelope::Hermes, &["</tool_call>", "<tool_call>"]),
        Some(next) if next.is_alphabetic() => glm(view, at, offered),
        _ => Ok((Envelope::Hermes, Marked::Text)),
    }
}

/// `NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value></tool_call>`.
fn glm(view: View<'_>, at: usize, offered: &[Offered]) -> Read<(Envelope, Marked)> {
    let name = view.name(at)?;
    let behind = view.space(at + name.len());
    let is_call = view.one_of(behind, &["<arg_key>", "</tool_call>"])?.is_some();
    let marked = if is_call {
        let style = Style {
            envelope: Envelope::Glm,
            opener: "",
            parameter: "<arg_key>",
            value_end: "</arg_value>",
            end: "</tool_call>",
        };
        parameters(view, name, behind, &style, offered)?
    } else {
        Marked::Text
    };
    Ok((Envelope::Glm, marked))
}

/// `NAME>{..}</function>` of Llama, `NAME><parameter=KEY>VALUE</parameter></function>` of Qwen3-Coder.
fn function(view: View<'_>, at: usize, offered: &[Offered]) -> Read<(Envelope, Marked)> {
    let name = view.name(at)?;
    let end = at + name.len();
    let Some(end) = view.token(end, ">")? else { return Ok((Envelope::QwenCoder, Marked::Text)) };
    if view.next(end)? == Some('{') {
        let marked = named(view, name, view.space(end), &["</function>", "<function="])?;
        return Ok((Envelope::Llama, marked));
    }
    let marked = parameters(view, name, end, &QWEN_CODER, offered)?;
    Ok((Envelope::QwenCoder, marked))
}

fn invoke(
    view: View<'_>,
    at: usize,
    offered: &[Offered],
    style: usize,
) -> Read<(Envelope, Marked)> {
    let style = &INVOKES[style];
    let name = view.name(at)?;
    let marked = match view.token(at + name.len(), "\">")? {
        Some(end) => parameters(view, name, end, style, offered)?,
        None => Marked::Text,
    };
    Ok((style.envelope, marked))
}

/// A call whose name stands before the JSON of its arguments.
pub(super) fn named(view: View<'_>, name: &str, at: usize, stops: &[&str]) -> Read<Marked> {
    if view.next(at)? != Some('{') {
        let reason = format!("the arguments of {name} are no JSON object");
        return Ok(Marked::Refused { reason, end: at });
    }
    let at = view.space(at);
    let end = match closed_body(view, at, stops)? {
        Ok(end) => end,
        Err(end) => return Ok(goes_on(end)),
    };
    Ok(match Arguments::of_text(&view.text[at..end]) {
        Ok(arguments) => {
            let found =
                vec![Found { name: name.to_owned(), id: None, arguments, has_arguments: true }];
            Marked::Calls { found, end }
        }
        Err(reason) => Marked::Refused { reason, end },
    })
}

/// JSON objects of Llama 3, with `;` between them, or calls as Python writes them.
fn python_tag(view: View<'_>, at: usize) -> Read<(Envelope, Marked)> {
    let mut at = view.space(at);
    if !matches!(view.next(at)?, Some('{')) {
        return Ok((Envelope::Llama, python::calls(view, at)?));
    }
    let mut all = Vec::new();
    loop {
        let end = body(view, at, &["<|e"])?;
        match json_call::calls(&view.text[at..end]) {
            Ok(found) => all.extend(found),
            Err(reason) => return Ok((Envelope::Llama, Marked::Refused { reason, end })),
        }
        let behind = view.space(end);
        let next = view.token(behind, ";")?.map(|end| view.space(end));
        match next {
            Some(next) if view.next(next)? == Some('{') => at = next,
            _ => return Ok((Envelope::Llama, Marked::Calls { found: all, end })),
        }
    }
}

/// `[{..}]`, `NAME{..}`, `NAME[ARGS]{..}` and `NAME[CALL_ID]ID[ARGS]{..}`.
fn mistral(view: View<'_>, at: usize) -> Read<(Envelope, Marked)> {
    let at = view.space(at);
    if matches!(view.next(at)?, Some('[' | '{')) {
        return json(view, at, Envelope::Mistral, &["[TOOL_CALLS]", "</s>"]);
    }
    let name = view.name(at)?;
    let mut end = at + name.len();
    let mut id = None;
    if let Some(start) = view.token(end, "[CALL_ID]")? {
        let given = view.name(start)?;
        (id, end) = (Some(given.to_owned()), start + given.len());
    }
    end = view.token(end, "[ARGS]")?.unwrap_or(end);
    if name.is_empty() {
        return Ok((Envelope::Mistral, Marked::Text));
    }
    let mut marked = named(view, name, end, &["[TOOL_CALLS]", "</s>"])?;
    if let Marked::Calls { found, .. } = &mut marked {
        found[0].id = id;
    }
    Ok((Envelope::Mistral, marked))
}

/// `function<｜tool▁sep｜>NAME` and a fence with JSON, or `NAME<｜tool▁sep｜>{..}`.
fn deepseek(view: View<'_>, at: usize) -> Read<(Envelope, Marked)> {
    const SEPARATOR: &str = "<｜tool▁sep｜>";
    const STOPS: [&str; 2] = ["<｜tool▁call▁end｜>", "```"];
    let first = view.name(view.space(at))?;
    let Some(behind) = view.token(view.space(at) + first.len(), SEPARATOR)? else {
        return Ok((Envelope::DeepSeek, Marked::Text));
    };
    if view.next(behind)? == Some('{') {
        return Ok((Envelope::DeepSeek, named(view, first, behind, &STOPS)?));
    }
    let name = view.name(view.space(behind))?;
    let mut at = view.space(view.space(behind) + name.len());
    if let Some(fence) = view.token(at, "```")? {
        at = view.find(fence, "\n")?.unwrap_or(view.text.len());
    }
    let mut marked = named(view, name, at, &STOPS)?;
    if let Marked::Calls { end, .. } = &mut marked {
        *end = view.token(view.space(*end), "```")?.unwrap_or(*end);
    }
    Ok((Envelope::DeepSeek, marked))
}

/// `functions.NAME:0<|tool_call_argument_begin|>{..}`; that before it is the id.
fn kimi(view: View<'_>, at: usize) -> Read<(Envelope, Marked)> {
    let at = view.space(at);
    let id = view.name(at)?;
    let behind = view.space(at + id.len());
    let Some(end) = view.token(behind, "<|tool_call_argument_begin|>")? else {
        return Ok((Envelope::Kimi, Marked::Text));
    };
    let name = id.strip_prefix("functions.").unwrap_or(id);
    let name = name.rsplit_once(':').map_or(name, |(name, _)| name);
    let mut marked = named(view, name, end, &["<|tool_call_end|>"])?;
    if let Marked::Calls { found, .. } = &mut marked {
        found[0].id = Some(id.to_owned());
    }
    Ok((Envelope::Kimi, marked))
}

/// `commentary to=functions.NAME <|constrain|>json<|message|>{..}`.
fn harmony(view: View<'_>, at: usize) -> Read<(Envelope, Marked)> {
    const LONGEST: usize = 256;
    let text = (Envelope::Harmony, Marked::Text);
    let rest = view.rest(at);
    let Some(header) = rest.find("<|message|>").filter(|end| *end <= LONGEST) else {
        let is_open = !view.is_end && rest.len() <= LONGEST;
        return if is_open { Err(super::tokens::More) } else { Ok(text) };
    };
    let Some(to) = rest[..header].find("to=functions.") else { return Ok(text) };
    let name = view.name(at + to + "to=functions.".len())?;
    let marked = named(view, name, at + header + "<|message|>".len(), &["<|call|>", "<|end|>"])?;
    Ok((Envelope::Harmony, marked))
}
