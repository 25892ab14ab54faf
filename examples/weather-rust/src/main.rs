//! A weather service that needs no network: one typed tool with an update and a cancel, one command.

use std::time::Duration;

use extline::prelude::*;
use extline::tokio::time::sleep;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Weather {
    /// City name
    city: String,
    /// Degrees Celsius or Fahrenheit
    #[serde(default)]
    units: Units,
    /// How long the answer takes, in milliseconds
    #[serde(default)]
    delay_ms: u64,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
enum Units {
    #[default]
    C,
    F,
}

fn main() -> Result<(), extline::Error> {
    Extension::new("weather-rust", "1.0.0")
        .tool("weather", "Current weather for a city.", async |w: Weather, ctx: Context| {
            ctx.update(format!("asking for {}", w.city)).progress(1, 2).send();
            ctx.run_until_cancelled(sleep(Duration::from_millis(w.delay_ms))).await?;
            if w.city == "Atlantis" {
                return Err(ToolError::not_found("no such city")
                    .field("/city")
                    .hint("try a city that exists"));
            }
            Ok(weather(&w.city, w.units))
        })
        .command("weather", "current weather for a city", async |args: &str, _| {
            Response::prompt(format!("Show today's weather for {args} in one line."))
        })
        .run()
}

/// The same weather for the same city, always: "Berlin: 16°C, fog".
fn weather(city: &str, units: Units) -> String {
    const SKIES: [&str; 5] = ["sun", "clouds", "fog", "drizzle", "rain"];
    let mix = |seed: u32, byte| seed.wrapping_mul(37).wrapping_add(u32::from(byte));
    let seed = city.bytes().fold(69, mix);
    let sky = SKIES[(seed / 40 % 5) as usize];
    let celsius = f64::from(seed % 40) - 5.0;
    match units {
        Units::C => format!("{city}: {celsius}°C, {sky}"),
        Units::F => format!("{city}: {:.0}°F, {sky}", celsius * 1.8 + 32.0),
    }
}
