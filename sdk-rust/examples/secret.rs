//! Asks for a secret: the program of docs/secrets.md.

use extline::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Args {
    city: String,
}

async fn weather(args: Args, ctx: Context) -> Result<String, ToolError> {
    let key = ctx.secret("OPENWEATHER_KEY").await?;
    let authorization = format!("Bearer {}", key.reveal());
    drop(authorization);
    Ok(format!("asked about {} with {key}", args.city))
}

fn main() -> Result<(), extline::Error> {
    Extension::new("weather", "1.0.0").tool("weather", "Current weather for a city.", weather).run()
}
