//! Counts, for the conversation and for the project: the program of docs/state.md.

use extline::prelude::*;

async fn count(_: NoArgs, ctx: Context) -> Result<String, ToolError> {
    let n = ctx.state().session().get::<u64>("n").await?.unwrap_or(0) + 1;
    ctx.state().session().set("n", &n).await?;
    let total = ctx.state().project().modify("total", |n: Option<u64>| n.unwrap_or(0) + 1).await?;
    Ok(format!("{n} of {total}"))
}

fn main() -> Result<(), extline::Error> {
    Extension::new("count", "1.0.0").tool("count", "Counts.", count).run()
}
