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
    extension().run()
}

fn extension() -> Extension {
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

#[cfg(test)]
mod tests {
    use extline::ErrorKind;
    use extline::testing::{Failure, Host, scenario};

    use super::*;

    #[test]
    fn a_city_has_weather_in_both_units() -> Result<(), Failure> {
        let mut host = Host::new(extension);
        assert_eq!(host.call("weather", json!({"city": "Berlin"}))?.text(), "Berlin: 16°C, fog");
        let fahrenheit = host.call("weather", json!({"city": "Berlin", "units": "f"}))?;
        assert_eq!(fahrenheit.text(), "Berlin: 61°F, fog");
        Ok(())
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() -> Result<(), Failure> {
        let mut host = Host::new(extension);
        for (args, kind, field) in [
            (json!({}), ErrorKind::Validation, "/city"),
            (json!({"city": "Berlin", "units": "k"}), ErrorKind::Validation, "/units"),
            (json!({"city": "Atlantis"}), ErrorKind::NotFound, "/city"),
        ] {
            let refused = host.call("weather", args)?;
            assert_eq!((refused.kind(), refused.field()), (Some(&kind), Some(field)));
        }
        Ok(())
    }

    #[test]
    fn a_slow_answer_shows_an_update_and_can_be_cancelled() -> Result<(), Failure> {
        let mut host = Host::new(extension);
        let mut call = host.begin("weather", json!({"city": "Berlin", "delay_ms": 60_000}))?;
        let progress = host.next_update(&mut call)?.progress.unwrap();
        assert_eq!(progress.message.as_deref(), Some("asking for Berlin"));
        host.cancel(&call)?;
        assert_eq!(host.finish(call)?.kind(), Some(&ErrorKind::Cancelled));
        Ok(())
    }

    #[test]
    fn the_command_asks_the_model() -> Result<(), Failure> {
        let mut host = Host::new(extension);
        let answer = host.command("weather", "Berlin")?;
        assert_eq!(answer, Response::prompt("Show today's weather for Berlin in one line."));
        Ok(())
    }

    #[test]
    fn the_cases_that_the_tester_plays_hold_in_process() -> Result<(), Failure> {
        scenario("tests/weather.toml", || Host::builder().start(extension))
    }
}
