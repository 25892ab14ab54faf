//! Asks the person before it ships: the program of docs/asking.md.

use extline::prelude::*;

async fn ship(_: NoArgs, ctx: Context) -> Result<String, ToolError> {
    if !ctx.ui().confirm("Ship it?").await? {
        return Ok("kept".to_owned());
    }
    let place = ctx.ui().select("Where?", ["north", "south"]).await?;
    Ok(place.map_or("kept".to_owned(), |place| format!("shipped to the {place}")))
}

fn main() -> Result<(), extline::Error> {
    Extension::new("ship", "1.0.0").tool("ship", "Ships what is ready.", ship).run()
}
