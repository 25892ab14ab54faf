use extline::prelude::*;

/// What the model passes. The doc comments are what it reads.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Greet {
    /// Whom to greet
    who: String,
}

fn main() -> Result<(), extline::Error> {
    extension().run()
}

fn extension() -> Extension {
    Extension::new("{{name}}", env!("CARGO_PKG_VERSION"))
        .tool(
            "greet",
            "Greets somebody by name.",
            async |greet: Greet, ctx: Context| {
                ctx.update("thinking of a greeting").send();
                if greet.who.trim().is_empty() {
                    return Err(ToolError::validation("nobody to greet").field("/who"));
                }
                Ok(format!("Hello, {}!", greet.who))
            },
        )
        .command(
            "{{name}}",
            "asks the model for a greeting",
            async |args: &str, _| Response::prompt(format!("Greet {args} in one line.")),
        )
}

#[cfg(test)]
mod tests {
    use extline::testing::{Failure, Host};

    use super::*;

    #[test]
    fn it_greets_by_name() -> Result<(), Failure> {
        let mut host = Host::new(extension);
        assert_eq!(
            host.call("greet", json!({"who": "Ada"}))?.text(),
            "Hello, Ada!"
        );
        assert_eq!(
            host.call("greet", json!({"who": " "}))?.field(),
            Some("/who")
        );
        assert_eq!(
            host.command("{{name}}", "Ada")?,
            Response::prompt("Greet Ada in one line.")
        );
        Ok(())
    }
}
