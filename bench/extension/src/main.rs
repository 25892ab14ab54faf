//! The Rust SDK under the benchmark: one tool that answers with its `text`.
//!
//! `bench-extension typed|raw [TOOL]`: `typed` takes the arguments as a type; `raw` takes the JSON
//! that the model wrote, checked against a schema, and reads it itself. The tool is called `echo`
//! unless another name is given.

use std::env;

use extline::prelude::*;

const DESCRIPTION: &str = "Answers with the text.";

#[derive(Deserialize, JsonSchema)]
struct Typed {
    /// What to answer
    text: String,
}

fn main() -> Result<(), extline::Error> {
    let mut arguments = env::args().skip(1).filter(|argument| argument != "--mcp");
    let way = arguments.next().unwrap_or_else(|| "typed".to_owned());
    let tool = arguments.next().unwrap_or_else(|| "echo".to_owned());
    let extension = Extension::new(&tool, "1.0.0");
    if way == "raw" {
        let schema = json!({
            "type": "object",
            "properties": { "text": { "type": "string" } },
            "required": ["text"],
        });
        // The schema has been checked, so there is one.
        let echo =
            async |args: RawJson, _| Ok(args.string("/text").unwrap_or_default().into_owned());
        extension.raw_tool(tool, DESCRIPTION, schema, echo).run()
    } else {
        extension.tool(tool, DESCRIPTION, async |args: Typed, _| Ok(args.text)).run()
    }
}
