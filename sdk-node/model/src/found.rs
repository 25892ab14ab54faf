//! What was found, as objects of which the TypeScript half makes its own.

use extline_model::{
    Call, Extracted, Fix, Part, Refused, Rendered, RepairError, Repaired, Unrenderable,
};
use napi_derive::napi;

/// One thing that was changed in a text.
#[napi(object)]
pub struct FixParts {
    /// What was changed.
    pub kind: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, in characters from 1.
    pub column: u32,
    /// What stood there.
    pub found: String,
    /// All of it as a sentence.
    pub text: String,
}

/// A value that was read.
#[napi(object)]
pub struct RepairedParts {
    /// The value, as JSON.
    pub json: String,
    /// What was changed.
    pub fixes: Vec<FixParts>,
    /// How many fixes there were beyond those.
    pub unlisted: u32,
    /// Whether the text ended before the value did.
    pub truncated: bool,
}

/// Why a text or a schema was refused.
#[napi(object)]
pub struct RefusalParts {
    /// What is wrong.
    pub kind: String,
    /// The line, from 1; 0 of a schema.
    pub line: u32,
    /// The column, in characters from 1; 0 of a schema.
    pub column: u32,
    /// Where in a schema; empty for a text.
    pub pointer: String,
    /// All of it as a sentence.
    pub text: String,
}

/// A call that stands in a text.
#[napi(object)]
pub struct CallParts {
    /// The tool.
    pub name: String,
    /// Its arguments, as JSON.
    pub json: String,
    /// The id that the model gave it.
    pub id: Option<String>,
    /// How it was written.
    pub envelope: String,
    /// What was repaired of its JSON.
    pub fixes: Vec<FixParts>,
    /// Whether the text ended before its arguments did.
    pub truncated: bool,
}

/// What looks like a call and is none.
#[napi(object)]
pub struct RefusedParts {
    /// How it was written.
    pub envelope: String,
    /// What is wrong.
    pub reason: String,
}

/// What was found in a text.
#[napi(object)]
pub struct ExtractedParts {
    /// The calls, in the order of the text.
    pub calls: Vec<CallParts>,
    /// The text without them.
    pub remaining: String,
    /// How the first call was written.
    pub envelope: Option<String>,
    /// Whether the JSON of a call was repaired.
    pub repaired: bool,
    /// Whether a call was cut off.
    pub truncated: bool,
    /// What looks like a call and is none.
    pub refused: Vec<RefusedParts>,
}

/// A part of a text: one of the two.
#[napi(object)]
pub struct PartParts {
    /// Text that belongs to no call.
    pub text: Option<String>,
    /// A call.
    pub call: Option<CallParts>,
}

/// One change of a schema.
#[napi(object)]
pub struct NoteParts {
    /// What was done.
    pub kind: String,
    /// Where.
    pub pointer: String,
    /// A sentence.
    pub text: String,
}

/// A schema that a provider takes.
#[napi(object)]
pub struct RenderedParts {
    /// The schema, as JSON.
    pub json: String,
    /// Every change.
    pub notes: Vec<NoteParts>,
}

pub(crate) fn repaired(
    Repaired { value, fixes, unlisted, truncated, .. }: Repaired,
) -> RepairedParts {
    RepairedParts {
        json: value.into_string(),
        fixes: self::fixes(fixes),
        unlisted: small(unlisted),
        truncated,
    }
}

pub(crate) fn unrepaired(error: &RepairError) -> RefusalParts {
    RefusalParts {
        kind: error.kind.as_str().to_owned(),
        line: small(error.line),
        column: small(error.column),
        pointer: String::new(),
        text: error.to_string(),
    }
}

pub(crate) fn call(call: Call) -> CallParts {
    let Call { name, arguments, id, envelope, fixes, truncated, .. } = call;
    let envelope = envelope.as_str().to_owned();
    CallParts {
        name,
        json: arguments.into_string(),
        id,
        envelope,
        fixes: self::fixes(fixes),
        truncated,
    }
}

pub(crate) fn extracted(extracted: Extracted) -> ExtractedParts {
    let Extracted { calls, remaining, envelope, repaired, truncated, refused, .. } = extracted;
    let refused = refused.into_iter().map(|Refused { envelope, reason, .. }| RefusedParts {
        envelope: envelope.as_str().to_owned(),
        reason,
    });
    ExtractedParts {
        calls: calls.into_iter().map(call).collect(),
        remaining,
        envelope: envelope.map(|it| it.as_str().to_owned()),
        repaired,
        truncated,
        refused: refused.collect(),
    }
}

pub(crate) fn parts(parts: Vec<Part>) -> Vec<PartParts> {
    let part = |part| match part {
        Part::Text(text) => PartParts { text: Some(text), call: None },
        Part::Call(it) => PartParts { text: None, call: Some(call(it)) },
    };
    parts.into_iter().map(part).collect()
}

pub(crate) fn rendered(Rendered { schema, notes }: Rendered) -> RenderedParts {
    let note = |note: extline_model::Note| NoteParts {
        kind: note.kind.as_str().to_owned(),
        pointer: note.pointer,
        text: note.text,
    };
    RenderedParts { json: schema.into_string(), notes: notes.into_iter().map(note).collect() }
}

pub(crate) fn unrendered(error: &Unrenderable) -> RefusalParts {
    RefusalParts {
        kind: error.reason.as_str().to_owned(),
        line: 0,
        column: 0,
        pointer: error.pointer.clone(),
        text: error.to_string(),
    }
}

fn fixes(fixes: Vec<Fix>) -> Vec<FixParts> {
    let parts = |fix: Fix| {
        let text = fix.to_string();
        let kind = fix.kind.as_str().to_owned();
        FixParts { kind, line: small(fix.line), column: small(fix.column), found: fix.found, text }
    };
    fixes.into_iter().map(parts).collect()
}

/// Strings of Node are shorter than that.
fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
