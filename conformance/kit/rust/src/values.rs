//! Tools that answer at once, with each kind of value.

use extline::prelude::*;
use extline::{Effect, FileOp, view};

use crate::{json, tool};

#[derive(Deserialize)]
struct Text {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Typed {
    city: String,
}

#[derive(Deserialize)]
struct Number {
    literal: String,
}

#[derive(Deserialize)]
struct Bytes {
    n: usize,
    #[serde(default)]
    kind: Kind,
}

#[derive(Default, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Kind {
    #[default]
    Text,
    Image,
}

const NONE: &str = r#"{"type":"object","properties":{}}"#;
const TEXT: &str =
    r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}"#;
const NUMBER: &str =
    r#"{"type":"object","properties":{"literal":{"type":"string"}},"required":["literal"]}"#;
const BYTES: &str = r#"{"type":"object","properties":{"n":{"type":"integer","minimum":0},"kind":{"enum":["text","image"]}},"required":["n"]}"#;

pub(crate) fn add(kit: Extension) -> Extension {
    let object = || json(r#"{"type":"object"}"#);
    let native = "Gives its arguments back by way of native values.";
    kit.raw_tool("echo", "Gives its arguments back.", object(), async |args: RawJson, _| Ok(args))
        .raw_tool("native", native, object(), async |args: Value, _| Ok(args))
        .add_tool(tool("text", "Gives a text back.", TEXT, async |args: Text, _| Ok(args.text)))
        .tool("typed", "Wants a city.", async |args: Typed, _| Ok(args.city))
        .add_tool(tool("number", "Gives a number back.", NUMBER, async |args: Number, _| {
            Ok(RawJson::parse(&format!(r#"{{"number":{}}}"#, args.literal))?)
        }))
        .add_tool(tool("nothing", "Answers with nothing.", NONE, async |_: NoArgs, _| Ok(())))
        .add_tool(tool("half", "Gives half a character.", NONE, async |_: NoArgs, _| {
            Ok("\u{fffd}")
        }))
        .add_tool(tool("bytes", "Gives so many bytes.", BYTES, bytes))
        .add_tool(tool("image", "Gives an image between two texts.", NONE, async |_: NoArgs, _| {
            Ok(("before", Image::new(b"\x89PNG\r\n\x1a\n", "image/png"), "after"))
        }))
        .add_tool(tool("full", "Answers with everything that a result can hold.", NONE, full))
}

async fn bytes(args: Bytes, _: Context) -> Result<ToolResult, ToolError> {
    if args.kind == Kind::Text {
        return Ok(ToolResult::new().text("x".repeat(args.n)));
    }
    let bytes: Vec<u8> = (0..=255).cycle().take(args.n).collect();
    Ok(ToolResult::new().image(Image::new(bytes, "image/png")))
}

async fn full(_: NoArgs, _: Context) -> Result<ToolResult, ToolError> {
    let mut modified = Effect::file(FileOp::Modify, "notes.md");
    (modified.bytes_before, modified.bytes_after) = (Some(0), Some(12));
    let mut made = Effect::process("make");
    (made.pid, made.exit_code) = (Some(7), Some(0));
    let result = ToolResult::new().text("full").activate("declared").trust("untrusted");
    let result = result.view(&view::lines(["full"]));
    result.effect(modified).effect(made).details(&json!({"lines": 0}))
}
