//! The sample of docs/configuration.md.

use extline::prelude::*;

#[derive(Deserialize)]
struct Settings {
    base_url: String,
    #[serde(default = "five_seconds")]
    timeout_ms: u64,
}

fn five_seconds() -> u64 {
    5000
}

pub(crate) fn weather() -> Extension {
    Extension::new("weather", "1.0.0").tool(
        "where",
        "Tells where it asks.",
        async |_: NoArgs, ctx: Context| {
            let settings: Settings = ctx.config()?;
            Ok(format!("{}, for {} ms", settings.base_url, settings.timeout_ms))
        },
    )
}
